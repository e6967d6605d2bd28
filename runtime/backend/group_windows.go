package backend

import (
	"os"
	"syscall"
)

const createNoWindow = 0x08000000

// ownGroup returns attributes to start a program in its own group with no window. The group will not receive Ctrl-C
// from our console.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow, HideWindow: true}
}

// termGroup kills only the process, because Windows has no process groups. The client starts no more processes if tools
// are not allowed.
func termGroup(p *os.Process) error { return p.Kill() }

// killGroup does nothing, because Windows has no process groups.
func killGroup(*os.Process) {}
