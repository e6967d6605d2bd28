//go:build unix && !linux

package backend

import "syscall"

// ownGroup starts a process in its own group. If we are killed, API_TIMEOUT_MS ends it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
