//go:build unix

package notice

import (
	"os"
	"syscall"
)

const searchPath = "/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin:/usr/sbin:/sbin"

// apart puts the program into a group of its own, so that what it started can be
// ended with it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func end(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
