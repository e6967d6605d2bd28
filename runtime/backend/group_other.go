//go:build unix && !linux

package backend

import "syscall"

// ownGroup starts a process in a group of its own. Who kills us so that we cannot
// end it leaves it to its own limit, API_TIMEOUT_MS.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
