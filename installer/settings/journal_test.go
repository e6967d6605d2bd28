package settings

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
)

func undo(t *testing.T, p client.Places) journal.Entry {
	t.Helper()
	plan, entry, err := planUndo(p)
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	return entry
}

// state is every file under the state directory that says what is remembered,
// and every settings file.
func state(t *testing.T, p client.Places) string {
	t.Helper()
	var b strings.Builder
	for _, s := range client.AllScopes() {
		fmt.Fprintf(&b, "%s: %q\n", s, look(t, settingsOf(t, p, s)))
	}
	files, err := filepath.Glob(p.StatePath("edits", "*"))
	must(t, err)
	for _, f := range files {
		m, err := ReadSettings(p).recallFile(recalled(t, f))
		must(t, err)
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
			for _, s := range client.AllScopes() {
				if data != "(none)" {
					put(t, settingsOf(t, p, s), data)
				}
			}
			ned, lisa := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
			var before []string
			for _, do := range []func() journal.Change{
				func() journal.Change { return enable(t, p, ned, client.User, false) },
				func() journal.Change { return enable(t, p, lisa, client.User, true) },
				func() journal.Change { return enable(t, p, ned, client.Project, true) },
				func() journal.Change { return disable(t, p, ned, client.User) },
				func() journal.Change { return enable(t, p, ned, client.Local, false) },
				func() journal.Change { return disable(t, p, lisa, client.User) },
				func() journal.Change { return disable(t, p, ned, client.Project) },
			} {
				was := state(t, p)
				if !do().IsEmpty() {
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
			if _, _, err := planUndo(p); !errors.Is(err, journal.ErrNothingToUndo) {
				t.Errorf("with an empty journal: %v", err)
			}
		})
	}
}
