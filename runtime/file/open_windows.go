package file

import "os"

const (
	Nonblock = 0 // Windows has no pipes in the file system
	Nofollow = 0 // and links only for those who may make them
)

func open(path string, _ int) (f *os.File, size int64, err error) {
	f, err = os.Open(path)
	if err != nil {
		return nil, 0, plain(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		f.Close()
		return nil, 0, plain(err)
	}
	return f, info.Size(), nil
}

// plain is an error without the path, which Open says.
func plain(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
