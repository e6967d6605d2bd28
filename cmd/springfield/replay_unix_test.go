//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A home in which much cannot be read is told of in a few lines.
func TestReplayPassesOver(t *testing.T) {
	home := pastSessions(t, 1)
	for i := range 3 * mostSkipped {
		must(t, os.Symlink("nothing", filepath.Join(home, ".claude", "projects", fmt.Sprintf("gone-%d.jsonl", i))))
	}
	code, out, said := replayed(t.Context(), home, 80, replayOptions{})
	if n := strings.Count(said, "note: skipped "); code != 0 || n != mostSkipped+1 || !strings.Contains(said, fmt.Sprint(2*mostSkipped)+" more") || !strings.Contains(out, "8 stops in 1 session") {
		t.Errorf("exit code %d, %d notes:\n%s%s", code, n, out, said)
	}
}
