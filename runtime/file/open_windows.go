package file

import "os"

const (
	Nonblock = 0 // Windows has no pipes in the file system
	Nofollow = 0 // and links only for those who may make them
)

func openWithoutWaiting(path string, _ int) (f *os.File, size int64, err error) {
	f, err = os.Open(path)
	if err != nil {
		return nil, 0, withoutPath(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, 0, withoutPath(err)
	}
	return f, info.Size(), nil
}

// withoutPath is an error without the path, which Open says.
func withoutPath(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
