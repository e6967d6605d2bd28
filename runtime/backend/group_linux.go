package backend

import "syscall"

// ownGroup returns attributes for a new process group. The kernel will then kill the process if ours is killed, or if
// the starting thread ends. Callers lock their thread until then.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
