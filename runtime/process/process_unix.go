//go:build unix

package process

import (
	"os"
	"syscall"
)

const searchPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// separateGroup returns attributes for a new process group, so that the program's children can be killed with it.
func separateGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupEnder returns a function that kills a program with its children. The program was started with separateGroup. For
// Windows, the caller calls groupEnder directly after the start.
func groupEnder(p *os.Process) (end func()) {
	return func() { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
}
