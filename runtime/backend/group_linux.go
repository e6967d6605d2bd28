package backend

import "syscall"

// ownGroup also lets the kernel kill the process if our process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
