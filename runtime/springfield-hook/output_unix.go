//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
)

// safeOutput returns an error for a write to a pipe without a reader. Through os.File SIGPIPE would end the
// process with the decision half done.
func safeOutput(f *os.File) io.Writer { return stream{f} }

type stream struct{ file *os.File }

func (s stream) Write(p []byte) (n int, err error) {
	conn, err := s.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	waited := conn.Write(func(fd uintptr) (done bool) {
		for n < len(p) {
			var m int
			switch m, err = syscall.Write(int(fd), p[n:]); err {
			case nil:
				n += m
			case syscall.EINTR:
			case syscall.EAGAIN:
				return false
			default:
				return true
			}
		}
		err = nil
		return true
	})
	if waited != nil {
		err = waited
	}
	return n, err
}
