package backend

import "syscall"

// ownGroup starts a process in a group of its own, and has the kernel end it when
// we are killed and cannot.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
