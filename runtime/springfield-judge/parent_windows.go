package main

import (
	"os"
	"syscall"
)

// watchParent says from now on whether the process that started us is there. A handle
// keeps its number from being given to another.
func watchParent() (alive func() bool) {
	handle, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(os.Getppid()))
	if err != nil {
		return func() bool { return true } // it cannot be known: the deadline ends it
	}
	return func() bool {
		event, err := syscall.WaitForSingleObject(handle, 0)
		return err != nil || event == syscall.WAIT_TIMEOUT
	}
}
