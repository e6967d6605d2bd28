package installer

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer/client"
)

func undo(t *testing.T, p client.Places) change.Entry {
	t.Helper()
	plan, entry, err := planUndo(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := Journal(p).Apply(plan); err != nil {
		t.Fatal(err)
	}
	return entry
}

// state is every file under the state directory that says what is remembered,
// and every settings file.
func state(t *testing.T, p client.Places) string {
	t.Helper()
	var b strings.Builder
	for _, s := range client.Scopes() {
		fmt.Fprintf(&b, "%s: %q\n", s, look(t, settingsOf(t, p, s)))
	}
	files, err := filepath.Glob(p.State("edits", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		m, err := Read(p).recall(recalled(t, f))
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
			for _, s := range client.Scopes() {
				if data != "(none)" {
					put(t, settingsOf(t, p, s), data)
				}
			}
			ned, lisa := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
			var before []string
			for _, do := range []func() change.Change{
				func() change.Change { return enable(t, p, ned, client.User, false) },
				func() change.Change { return enable(t, p, lisa, client.User, true) },
				func() change.Change { return enable(t, p, ned, client.Project, true) },
				func() change.Change { return disable(t, p, ned, client.User) },
				func() change.Change { return enable(t, p, ned, client.Local, false) },
				func() change.Change { return disable(t, p, lisa, client.User) },
				func() change.Change { return disable(t, p, ned, client.Project) },
			} {
				was := state(t, p)
				if !do().Empty() {
					before = append(before, was)
				}
			}
			entries, err := Journal(p).ReadEntries()
			if err != nil || len(entries) != len(before) {
				t.Fatalf("%d entries, %v; want %d", len(entries), err, len(before))
			}
			for i := len(before) - 1; i >= 0; i-- {
				undo(t, p)
				if now := state(t, p); now != before[i] {
					t.Fatalf("after undoing edit %d:\n%swant\n%s", i+1, now, before[i])
				}
			}
			if _, _, err := planUndo(p); !errors.Is(err, change.ErrNothingToUndo) {
				t.Errorf("with an empty journal: %v", err)
			}
		})
	}
}

func TestUndoRefusesWhatHasChangedSince(t *testing.T) {
	p := newPlaces(t)
	user, project := settingsOf(t, p, client.User), settingsOf(t, p, client.Project)
	put(t, user, "{}\n")
	put(t, project, "{}\n")
	enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true) // two files
	left := look(t, user)
	theirs := strings.Replace(left, "{", "{\"model\": \"opus\",", 1)
	put(t, user, theirs)
	ours := look(t, project)

	_, entry, err := planUndo(p)
	var changed *change.ChangedSinceError
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
	put(t, user, left)
	undo(t, p)
	if look(t, user) != "{}\n" || look(t, project) != "{}\n" {
		t.Errorf("user %q, project %q", look(t, user), look(t, project))
	}
}

// A crash between two files leaves one as before and one as after.
func TestUndoAfterACrashBetweenFiles(t *testing.T) {
	p := newPlaces(t)
	user, project := settingsOf(t, p, client.User), settingsOf(t, p, client.Project)
	put(t, project, "{}\n")
	ned := pluginOf(p, "ned-flanders")
	enable(t, p, ned, client.Project, true)
	put(t, project, "{}\n") // as if it had never been written

	undo(t, p)
	if look(t, user) != "(none)" || look(t, project) != "{}\n" {
		t.Errorf("user %q, project %q", look(t, user), look(t, project))
	}
	if m, err := Read(p).recall(project); m != nil || err != nil {
		t.Errorf("still remembered: %v, %v", m, err)
	}
}

// An edit whose files all are as before is dropped, and nothing older with it.
func TestUndoTakesBackOneEditAtATime(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, client.User)
	ned, lisa := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
	enable(t, p, ned, client.User, false)
	one := look(t, user)
	enable(t, p, lisa, client.User, false)
	put(t, user, one) // by hand

	if e := undo(t, p); !strings.Contains(e.Did, "lisa") || look(t, user) != one {
		t.Errorf("undid %q, left %q", e.Did, look(t, user))
	}
	if e := undo(t, p); !strings.Contains(e.Did, "ned") || look(t, user) != "(none)" {
		t.Errorf("undid %q, left %q", e.Did, look(t, user))
	}
}
