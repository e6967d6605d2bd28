//go:build unix && !linux

package backend

import "syscall"

// ownGroup returns attributes that start a process in its own group. If our process is killed, API_TIMEOUT_MS
// ends Claude Code.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
