package main

import (
	"os"
	"syscall"
)

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
