//go:build unix

package generator

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// together makes go and the compilers that it starts end together: killed
// alone, go would leave them at work in a directory that is gone.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// isOnlyOurs tells whether a file is the user's, and no other user can write it.
func isOnlyOurs(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
