package backend

import "syscall"

// ownGroup returns attributes for a new process group. The kernel kills the process if the starting thread ends, so
// callers lock their thread until the process ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
