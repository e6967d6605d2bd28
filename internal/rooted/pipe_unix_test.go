//go:build unix

package rooted

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the place of a directory is refused: opening it would wait for its writer.
func TestPipeIsNoFolder(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	if _, err := OpenFolder(pipe); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v", err)
	}
}
