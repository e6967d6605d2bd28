package main

import (
	"os"
	"syscall"
)

// watchParent returns a function that reports whether the parent is still running. The open handle prevents
// reuse of its ID.
func watchParent() (alive func() bool) {
	handle, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return func() bool { return true } // the deadline ends us
	}
	return func() bool {
		event, err := syscall.WaitForSingleObject(handle, 0)
		return err != nil || event == syscall.WAIT_TIMEOUT
	}
}
