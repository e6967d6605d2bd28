//go:build unix

// Package group ends programs of others that the CLI starts, with all that they have started.
package group

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// EndTogether has a program end with all that it has started. Killed alone, go would leave its
// compilers at work in a directory that is gone, and some hosts' commands are scripts that start
// the program itself.
func EndTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return nil
	}
}
