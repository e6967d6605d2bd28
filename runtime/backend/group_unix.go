//go:build unix

package backend

import (
	"errors"
	"os"
	"syscall"
)

// termGroup sends SIGTERM to the group of p, started with ownGroup.
func termGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGTERM); errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return nil
}

func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
