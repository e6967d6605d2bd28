//go:build unix

package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
)

// Every file that the ledger appends to or replaces stays in its directory.
func TestNothingIsWrittenThroughLinks(t *testing.T) {
	dir, outside := filepath.Join(t.TempDir(), "springfield"), filepath.Join(t.TempDir(), "theirs")
	makeAll(filepath.Join(dir, "sessions"))
	for _, path := range []string{holdLines(dir).path, loopLines(dir).path, spendFile(dir), spendFile(dir) + ".new", SessionFile(dir, "a"), indexLines(dir).path, SessionFile(dir, "b")} {
		must(t, os.Symlink(outside, path))
	}
	now := time.Now()
	_ = noteHold(dir, HoldEvent{now.UnixMilli(), HoldSet, "", Hold{}, claude})
	AppendLoop(dir, activity.LoopEvent{Loop: "a1", Event: "start"})
	SettleSpending(dir, now, now, 0, Outcome{Micros: 1})
	if s, err := OpenUnlocked(dir, "a"); err == nil {
		t.Error("a session's file that is a link is opened")
		s.Close()
	}
	os.Remove(SessionFile(dir, "a"))
	s, err := OpenUnlocked(dir, "a")
	must(t, err)
	defer s.Close()
	keepLastHalf(SessionFile(dir, "b"), 2*maxFile, maxFile)
	if data, err := os.ReadFile(outside); err == nil {
		t.Errorf("outside there is %q", data)
	}
}

// A link or a pipe in the place of a hold is neither followed nor waited for. A hold is in force and can be set and
// lifted.
func TestHoldThatIsNoFile(t *testing.T) {
	for name, plant := range map[string]func(path, outside string) error{
		"a link":          func(path, outside string) error { return os.Symlink(outside, path) },
		"a dangling link": func(path, outside string) error { return os.Symlink(outside+".none", path) },
		"a pipe":          func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		for _, id := range []string{"", "a"} {
			dir, outside := filepath.Join(t.TempDir(), "springfield"), filepath.Join(t.TempDir(), "theirs")
			const over = `{"since":1,"until":2}`
			must(t, os.WriteFile(outside, []byte(over), 0o600))
			makeAll(filepath.Join(dir, "sessions"))
			path := holdFile(dir, id)
			for _, place := range []string{path, path + ".new"} { // .new: a fixed name once
				must(t, plant(place, outside))
			}
			now := time.Now()
			h, held := ExactHoldOf(dir, id, now)
			scratch.ErrorIf(t, !held || h != (Hold{}), "%s: held %v, %+v", name, held, h)
			_, err := SetHold(dir, id, now, 0, claude)
			scratch.ErrorIf(t, err != nil, "%s: set: %v", name, err)
			if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
			scratch.Equal(t, LiftHoldIfAny(dir, id, now, person), nil, name, "lift")
			must(t, plant(path, outside))
			scratch.Equal(t, LiftHoldIfAny(dir, id, now, person), nil, name, "lift as it")
			if data, err := os.ReadFile(outside); string(data) != over {
				t.Errorf("%s: outside there is %q, %v", name, data, err)
			}
			scratch.ErrorIf(t, rooted.IsTaken(outside+".none"), "%s: a file is made outside", name)
		}
	}
}

// After a session or a command of root in a user's home, the user's own can still record, lift a hold and go away.
func TestRootKeepsNothing(t *testing.T) {
	above := t.TempDir()
	owner := os.Getuid()
	if owner == 0 {
		owner = scratch.Unprivileged
		must(t, os.Chown(above, owner, owner))
	}
	dir := filepath.Join(above, ".claude", "springfield")
	now := time.Now()
	_, err := SetHold(dir, "", now, 0, claude)
	must(t, err)
	s, err := OpenUnlocked(dir, "a")
	must(t, err)
	s.Close()
	AppendLoop(dir, activity.LoopEvent{Loop: "a1", Event: "start"})
	SettleSpending(dir, now, now, 0, Outcome{Micros: 1})
	seen := 0
	must(t, filepath.WalkDir(above, func(path string, _ os.DirEntry, err error) error {
		var stat syscall.Stat_t
		must(t, errors.Join(err, syscall.Lstat(path, &stat)))
		scratch.Equal(t, int(stat.Uid), owner, path)
		seen++
		return nil
	}))
	if seen < 9 {
		t.Errorf("only %d files", seen)
	}

	// A file that was there before may be a link to one of root's.
	mine := SessionFile(dir, "b")
	must(t, os.WriteFile(mine, nil, 0o600))
	s, err = OpenUnlocked(dir, "b")
	must(t, err)
	s.Close()
	var stat syscall.Stat_t
	must(t, syscall.Lstat(mine, &stat))
	scratch.Equal(t, int(stat.Uid), os.Getuid(), mine)
}
