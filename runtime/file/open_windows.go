package file

import "os"

const (
	Nonblock = 0 // Windows has no pipes in the file system,
	Nofollow = 0 // and creating links needs a privilege
)

// OpenRegular opens a regular file for reading and returns its size.
func OpenRegular(path string, _ int) (f *os.File, size int64, err error) {
	f, err = os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
