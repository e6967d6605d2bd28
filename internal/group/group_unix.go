//go:build unix

// Package group kills programs together with their child processes.
package group

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// EndTogether makes canceling cmd kill its children too: the compilers of go, and the
// programs that the scripts of some hosts start.
func EndTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return nil
	}
}
