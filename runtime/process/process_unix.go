//go:build unix

package process

import (
	"os"
	"syscall"
)

const searchPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin"

func separateGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupEnder returns a function that kills a program, started with separateGroup, and its children. For Windows, the
// caller calls groupEnder directly after the start.
func groupEnder(p *os.Process) (end func()) {
	return func() { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
}
