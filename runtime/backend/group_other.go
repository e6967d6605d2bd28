//go:build unix && !linux

package backend

import "syscall"

// ownGroup returns attributes for a new process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
