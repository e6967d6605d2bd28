package notice

import (
	"os"
	"syscall"
)

const searchPath = `C:\Windows\System32;C:\Windows`

// apart keeps a window from opening.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{HideWindow: true} }

func end(p *os.Process) { _ = p.Kill() }
