package backend

import (
	"os"
	"syscall"
)

const createNoWindow = 0x08000000

// ownGroup starts a process without a window and out of reach of our console's Ctrl-C.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow, HideWindow: true}
}

// endGroup only ends the process, since Windows does not have process groups, and the client does not start anything
// when it has no tools.
func endGroup(p *os.Process) error { return p.Kill() }

func killGroup(*os.Process) {}
