package installer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func undo(t *testing.T, p Places) Entry {
	t.Helper()
	plan, entry, err := PlanUndo(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(p); err != nil {
		t.Fatal(err)
	}
	return entry
}

// state is every file under the state directory that says what is remembered,
// and every settings file.
func state(t *testing.T, p Places) string {
	t.Helper()
	var b strings.Builder
	for _, s := range Scopes() {
		fmt.Fprintf(&b, "%s: %q\n", s, look(t, settingsOf(t, p, s)))
	}
	files, err := filepath.Glob(p.state("edits", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		m, err := p.recall(recalled(t, f))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s %d members\n", m.File, m.Left, len(m.Members))
	}
	return b.String()
}

func recalled(t *testing.T, memoryFile string) string {
	t.Helper()
	_, rest, _ := strings.Cut(look(t, memoryFile), `"file": "`)
	path, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("%s names no file", memoryFile)
	}
	return path
}

// Every edit can be taken back, one after the other, with all that was
// remembered.
func TestUndoWalksBack(t *testing.T) {
	for name, data := range corpus {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			for _, s := range Scopes() {
				if data != "(none)" {
					put(t, settingsOf(t, p, s), data)
				}
			}
			ned, lisa := p.plugin("ned-flanders"), p.plugin("lisa-simpson")
			var before []string
			for _, do := range []func() Plan{
				func() Plan { return enable(t, p, ned, User, false) },
				func() Plan { return enable(t, p, lisa, User, true) },
				func() Plan { return enable(t, p, ned, Project, true) },
				func() Plan { return disable(t, p, ned, User) },
				func() Plan { return enable(t, p, ned, Local, false) },
				func() Plan { return disable(t, p, lisa, User) },
				func() Plan { return disable(t, p, ned, Project) },
			} {
				was := state(t, p)
				if do().Changes() {
					before = append(before, was)
				}
			}
			entries, err := Journal(p)
			if err != nil || len(entries) != len(before) {
				t.Fatalf("%d entries, %v; want %d", len(entries), err, len(before))
			}
			for i := len(before) - 1; i >= 0; i-- {
				undo(t, p)
				if now := state(t, p); now != before[i] {
					t.Fatalf("after undoing edit %d:\n%swant\n%s", i+1, now, before[i])
				}
			}
			if _, _, err := PlanUndo(p); !errors.Is(err, ErrNothingToUndo) {
				t.Errorf("with an empty journal: %v", err)
			}
		})
	}
}

func TestUndoRefusesWhatHasChangedSince(t *testing.T) {
	p := newPlaces(t)
	user, project := settingsOf(t, p, User), settingsOf(t, p, Project)
	put(t, user, "{}\n")
	put(t, project, "{}\n")
	enable(t, p, p.plugin("ned-flanders"), Project, true) // two files
	theirs := strings.Replace(look(t, user), "{", "{\"model\": \"opus\",", 1)
	put(t, user, theirs)
	ours := look(t, project)

	_, entry, err := PlanUndo(p)
	var changed *ChangedSinceError
	if !errors.As(err, &changed) {
		t.Fatalf("undo after a change: %v", err)
	}
	if changed.File != user || !strings.Contains(changed.Diff, "opus") {
		t.Errorf("it names %s and shows\n%s", changed.File, changed.Diff)
	}
	if entry.Did == "" {
		t.Error("it does not say which edit")
	}
	if look(t, user) != theirs || look(t, project) != ours {
		t.Error("a file was changed")
	}

	// Put right again, it can be taken back.
	put(t, user, changed.Entry.afterOf(user))
	undo(t, p)
	if look(t, user) != "{}\n" || look(t, project) != "{}\n" {
		t.Errorf("user %q, project %q", look(t, user), look(t, project))
	}
}

func (e Entry) afterOf(asked string) string {
	for _, f := range e.Files {
		if f.Asked == asked {
			return string(f.After.Data)
		}
	}
	return ""
}

// A crash between two files leaves one as before and one as after.
func TestUndoAfterACrashBetweenFiles(t *testing.T) {
	p := newPlaces(t)
	user, project := settingsOf(t, p, User), settingsOf(t, p, Project)
	put(t, project, "{}\n")
	ned := p.plugin("ned-flanders")
	enable(t, p, ned, Project, true)
	put(t, project, "{}\n") // as if it had never been written

	undo(t, p)
	if look(t, user) != "(none)" || look(t, project) != "{}\n" {
		t.Errorf("user %q, project %q", look(t, user), look(t, project))
	}
	if m, err := p.recall(project); m != nil || err != nil {
		t.Errorf("still remembered: %v, %v", m, err)
	}
}

// An edit whose files all are as before is dropped, and nothing older with it.
func TestUndoTakesBackOneEditAtATime(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	ned, lisa := p.plugin("ned-flanders"), p.plugin("lisa-simpson")
	enable(t, p, ned, User, false)
	one := look(t, user)
	enable(t, p, lisa, User, false)
	put(t, user, one) // by hand

	if e := undo(t, p); !strings.Contains(e.Did, "lisa") || look(t, user) != one {
		t.Errorf("undid %q, left %q", e.Did, look(t, user))
	}
	if e := undo(t, p); !strings.Contains(e.Did, "ned") || look(t, user) != "(none)" {
		t.Errorf("undid %q, left %q", e.Did, look(t, user))
	}
}

func TestJournalForgetsTheOldest(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	ned := p.plugin("ned-flanders")
	put(t, user, "{}\n")
	for range journalKeeps {
		enable(t, p, ned, User, false)
		disable(t, p, ned, User)
	}
	entries, err := Journal(p)
	if err != nil || len(entries) != journalKeeps || entries[0].ID != 2*journalKeeps {
		t.Errorf("%d entries, the newest %d, %v", len(entries), entries[0].ID, err)
	}
}

func TestJournalIsPrivate(t *testing.T) {
	p := newPlaces(t)
	enable(t, p, p.plugin("ned-flanders"), User, false)
	for path, want := range map[string]os.FileMode{p.state("journal"): 0o700, p.entryFile(1): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestJournalRefusesWhatItCannotRead(t *testing.T) {
	for _, broken := range []string{"", "{", `{"id": 7}`} {
		p := newPlaces(t)
		enable(t, p, p.plugin("ned-flanders"), User, false)
		put(t, p.entryFile(1), broken)
		if _, _, err := PlanUndo(p); err == nil || !strings.Contains(err.Error(), p.entryFile(1)) {
			t.Errorf("%q: %v", broken, err)
		}
		// An edit does not depend on it.
		disable(t, p, p.plugin("ned-flanders"), User)
	}
}
