//go:build !unix

package generator

import (
	"io/fs"
	"os/exec"
)

// together does nothing: Windows has no process groups to kill, and what go
// leaves behind ends by itself.
func together(*exec.Cmd) {}

// isOnlyOurs cannot be asked here; the key decides.
func isOnlyOurs(fs.FileInfo) bool { return true }
