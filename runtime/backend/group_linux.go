package backend

import "syscall"

// ownGroup returns attributes for a new process group. The kernel kills the process if ours is killed, or if the
// starting thread ends. Callers therefore lock their thread until the process has ended.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
