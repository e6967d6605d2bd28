//go:build unix

package backend

import (
	"errors"
	"os"
	"syscall"
)

func endGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGTERM); errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return nil
}

// killGroup ends what is left of a process's group. The number is the group's as
// long as one process is in it.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
