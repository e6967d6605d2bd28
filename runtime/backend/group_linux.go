package backend

import (
	"runtime"
	"syscall"
)

// ownGroup starts a process in a group of its own, and has the kernel end it when
// we are killed and cannot.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// holdThread keeps the thread that starts the process: for the kernel its end
// would be ours.
func holdThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
