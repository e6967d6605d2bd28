//go:build unix && !linux

package backend

import "syscall"

// ownGroup returns the attributes of a process in its own group. If we are killed, API_TIMEOUT_MS ends Claude Code.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
