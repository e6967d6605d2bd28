//go:build !unix

package group

import "os/exec"

// KillOnCancel is a no-op.
func KillOnCancel(*exec.Cmd) {}
