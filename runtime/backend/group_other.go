//go:build unix && !linux

package backend

import "syscall"

// ownGroup returns attributes for a new process group. It leaves it to API_TIMEOUT_MS to end Claude Code if our process
// is killed.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
