//go:build !unix

package group

import "os/exec"

// KillOnCancel is a no-op, because Windows has no process groups, and remaining children end by themselves.
func KillOnCancel(*exec.Cmd) {}
