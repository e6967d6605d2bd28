package backend

import "syscall"

// ownGroup returns attributes that start a process in its own group. The kernel kills the process if our
// process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
