//go:build unix

package file

import (
	"os"
	"syscall"
)

const (
	Nonblock = syscall.O_NONBLOCK // do not wait for the other end of a pipe
	Nofollow = syscall.O_NOFOLLOW // a link is an error
)

// OpenRegular opens a regular file for reading and returns its size. flags may be Nofollow.
func OpenRegular(path string, flags int) (f *os.File, size int64, err error) {
	fd, err := -1, error(syscall.EINTR)
	for err == syscall.EINTR {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|Nonblock|flags, 0)
	}
	if err != nil {
		return nil, 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var stat syscall.Stat_t
	if err = syscall.Fstat(fd, &stat); err == nil {
		switch stat.Mode & syscall.S_IFMT {
		case syscall.S_IFREG:
		case syscall.S_IFDIR:
			err = syscall.EISDIR
		default:
			err = errIrregular
		}
	}
	if err != nil {
		syscall.Close(fd)
		return nil, 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), stat.Size, nil
}
