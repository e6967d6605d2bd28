package backend

import "syscall"

// ownGroup starts a process in its own group. The kernel kills it if we are killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
