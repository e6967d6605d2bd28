//go:build unix

package main

import (
	"io"
	"os"
	"syscall"
)

// safeOutput duplicates a standard stream. A write to a pipe without a reader is then an error. On the stream itself
// Go ends the process by SIGPIPE, with the decision half done.
func safeOutput(f *os.File) io.Writer {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}
