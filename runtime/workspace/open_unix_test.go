//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in place of the directory is an error at once: a program that waits for
// its other end waits without end.
func TestOpenPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	if space, err := OpenSpace(pipe); err == nil {
		space.Close()
		t.Error("a pipe was opened as a workspace")
	}
}
