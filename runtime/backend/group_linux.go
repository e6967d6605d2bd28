package backend

import "syscall"

// ownGroup returns attributes for a new process group. They also let the kernel kill the process if our process is
// killed, or if the thread that started it ends, so the caller locks its thread until then.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
