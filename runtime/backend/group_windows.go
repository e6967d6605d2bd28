package backend

import (
	"os"
	"syscall"
)

const createNoWindow = 0x08000000

// ownGroup returns attributes for a group without window or Ctrl-C from our console.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createNoWindow, HideWindow: true}
}

// termGroup kills only the process.
func termGroup(p *os.Process) error { return p.Kill() }

// killGroup does nothing, because Windows cannot kill a process group.
func killGroup(*os.Process) {}
