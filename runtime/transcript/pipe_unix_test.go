//go:build unix

package transcript_test

import (
	"path/filepath"
	"syscall"
	"testing"

	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// A named pipe in the log's place must be refused, not waited for.
func TestReadDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	if _, err := Tail(path, 50); err == nil {
		t.Error("Tail: no error")
	}
	if _, _, err := Read(path, Log{}); err == nil {
		t.Error("Read: no error")
	}
}
