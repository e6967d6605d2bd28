//go:build unix

package ledger

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/fact"
)

// Every file that the ledger appends to or replaces stays in its directory.
func TestNothingIsWrittenThroughLinks(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "springfield"), filepath.Join(t.TempDir(), "theirs")
	makeAll(filepath.Join(dir, "sessions"))
	for _, path := range []string{holdLines(dir).path, loopLines(dir).path, spendFile(dir), spendFile(dir) + ".new", SessionFile(dir, "a"), index(dir).path, SessionFile(dir, "b")} {
		must(t, os.Symlink(outside, path))
	}
	now := time.Now()
	_ = note(dir, HoldEvent{now.UnixMilli(), HoldSet, "", Hold{}, claude})
	AppendLoop(dir, fact.LoopEvent{Loop: "a1", Event: "start"})
	Settle(dir, now, 0, Outcome{1, "", ""})
	if s, err := Open(dir, "a"); err == nil {
		t.Error("a session's file that is a link is opened")
		s.Close()
	}
	os.Remove(SessionFile(dir, "a"))
	s, err := Open(dir, "a")
	must(t, err)
	defer s.Close()
	halve(SessionFile(dir, "b"), 2*maxFile, maxFile)
	if data, err := os.ReadFile(outside); err == nil {
		t.Errorf("outside there is %q", data)
	}
}
