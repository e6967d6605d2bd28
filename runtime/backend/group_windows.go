package backend

import (
	"os"
	"syscall"
)

const createNoWindow = 0x08000000

// ownGroup starts a process out of reach of our console's Ctrl+C and without a
// window.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow, HideWindow: true}
}

// endGroup ends the process. What it started may go on: Windows has no groups in
// this sense, and the client starts nothing when it has no tools.
func endGroup(p *os.Process) error { return p.Kill() }

func killGroup(*os.Process) {}
