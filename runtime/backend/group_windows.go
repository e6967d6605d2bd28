package backend

import (
	"os"
	"syscall"
)

const createNoWindow = 0x08000000

// ownGroup returns attributes that start a program in a group of its own and without a window. The group does not
// receive our console's Ctrl-C.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow, HideWindow: true}
}

// termGroup kills only the process itself, because Windows has no process groups. If no tools are allowed, the
// client starts no other process.
func termGroup(p *os.Process) error { return p.Kill() }

// killGroup does nothing, because Windows has no process groups.
func killGroup(*os.Process) {}
