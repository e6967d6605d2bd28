//go:build unix

package hosts

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// together has a program end with all that it has started: some hosts' commands are scripts
// that start the program itself.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return nil
	}
}
