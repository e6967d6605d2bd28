//go:build unix

package generator

import (
	"os/exec"
	"syscall"
)

// together makes go and the compilers that it starts end together: killed
// alone, go would leave them at work in a directory that is gone.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
