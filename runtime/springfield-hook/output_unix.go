//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
)

// withoutSigpipe returns a duplicate of a standard stream. A write to a closed pipe is then an error. On the
// stream itself, SIGPIPE would end the process with the decision half done.
func withoutSigpipe(f *os.File) io.Writer {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}
