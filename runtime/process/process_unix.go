//go:build unix

package process

import (
	"os"
	"syscall"
)

const searchPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// separateGroup puts the program into a group of its own, so that what it started can be
// ended with it.
func separateGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// groupEnder is how to end a program and what it started.
func groupEnder(p *os.Process) (end func()) {
	return func() { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
}
