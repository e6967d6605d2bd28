//go:build unix

// Package group kills programs together with their child processes.
package group

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// KillOnCancel kills cmd and its child processes on cancel. cmd is from exec.CommandContext and not yet started. It
// replaces cmd.SysProcAttr and cmd.Cancel.
func KillOnCancel(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return nil
	}
}
