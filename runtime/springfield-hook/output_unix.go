//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
)

// withoutSigpipe returns a duplicate of a standard stream, where writing to a closed pipe is an error.
func withoutSigpipe(f *os.File) io.Writer {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}
