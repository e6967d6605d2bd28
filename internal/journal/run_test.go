package journal

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// meddled is a change of settings in which another program writes all files anew, as
// hosts do, and makes a copy of a plugin.
func (w world) meddled(after string, run func() error) Change {
	w.t.Helper()
	kept := w.edit("", "home/trusted", "")
	kept.After = kept.Before
	return Change{
		Did: "enable", Edits: []Edit{w.edit("", "home/settings.json", after)}, Keep: []Edit{kept}, Run: run,
		Calls: []Call{{Host: "droid", Verb: Installs, ID: "ned@s", Plugin: "ned@s", Suite: w.path("suite")}},
	}
}

// meddle writes what a host's command writes.
func (w world) meddle() error {
	w.write("home/trusted", "theirs")
	w.write("home/settings.json", "{ written anew }")
	w.write("home/cache/ned/hook", "a copy")
	return nil
}

// Of another program's part only what is not in the change stays. An undo of it keeps files
// in the same way.
func TestAnotherProgramsPart(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"files":    {"home/settings.json": "{ // mine\n}", "home/trusted": "mine"},
		"no files": {"home/other": ""},
		"a link":   {"dotfiles/settings.json": "{ // mine\n}", "home/settings.json": "link: ../dotfiles/settings.json", "home/trusted": "mine"},
	} {
		t.Run(name, func(t *testing.T) {
			links := map[string]string{}
			for file, text := range files {
				if target, ok := strings.CutPrefix(text, "link: "); ok {
					links[file] = target
					delete(files, file)
				}
			}
			w := newWorld(t, files)
			for file, target := range links {
				w.link(target, file)
			}
			run := func() error {
				for file := range links { // by a rename, as programs do
					_ = os.Remove(w.path(file))
				}
				return w.meddle()
			}
			before := w.files(false)
			must(t, w.journal().ApplyChange(w.meddled("ours", run)))
			if got := w.read("home/settings.json"); got != "ours" {
				t.Errorf("settings: %q", got)
			}
			for file, target := range links {
				if got, _ := os.Readlink(w.path(file)); got != target {
					t.Errorf("%s leads to %q", file, got)
				}
			}
			if _, kept := before["home/trusted"]; kept != (w.files(false)["home/trusted"] != "") {
				t.Errorf("trusted: %q", w.files(false)["home/trusted"])
			}
			u, err := w.journal().PlanUndo()
			if err != nil || len(u.Entry.Calls) != 1 || u.Entry.Calls[0].Opposite().Verb != Removes {
				t.Fatalf("%+v, %v", u, err)
			}
			u.Run = func() error { return errors.Join(w.meddle(), os.RemoveAll(w.path("home", "cache"))) }
			must(t, w.journal().ApplyChange(u.Change))
			after := w.files(false)
			delete(after, "home/trusted") // an undo is told by its caller what to keep
			delete(before, "home/trusted")
			if !maps.Equal(after, before) {
				t.Errorf("\n%q\n%q", after, before)
			}
		})
	}
}

// A program that fails leaves all files, and the journal, as they were.
func TestAnotherProgramFails(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
	failed := errors.New("no such marketplace")
	err := w.journal().ApplyChange(w.meddled("ours", func() error { return errors.Join(w.meddle(), failed) }))
	if ran := (*RunError)(nil); !errors.As(err, &ran) || !errors.Is(err, failed) {
		t.Error(err)
	}
	if got := w.read("home/settings.json") + w.read("home/trusted"); got != "{ // mine\n}mine" {
		t.Errorf("%q", got)
	}
	if entries, err := w.journal().ReadEntries(); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A springfield that is killed while another program runs has the old bytes in its
// journal: an undo gives them back, whatever the program has made of the files.
func TestKilledWhileAnotherProgramRuns(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
	func() {
		defer func() { _ = recover() }()
		_ = w.journal().ApplyChange(w.meddled("ours", func() error { _ = w.meddle(); panic("killed") }))
	}()
	if got := w.read("home/settings.json"); got != "{ written anew }" {
		t.Fatalf("%q", got)
	}
	if _, cut, err := w.journal().Interrupted(); !cut || err != nil {
		t.Errorf("%t, %v", cut, err)
	}
	must(t, w.undo())
	if got := w.read("home/settings.json") + w.read("home/trusted"); got != "{ // mine\n}mine" {
		t.Errorf("%q", got)
	}
}

// Bytes that cannot be given back stay in the journal, and an undo gives them back once the
// cause is gone; it is said which file it is.
func TestBytesThatCannotBeGivenBack(t *testing.T) {
	for name, failed := range map[string]error{"it fails": errors.New("no such marketplace"), "it does its part": nil} {
		w := newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
		inTheWay := func() error {
			_ = w.meddle()
			return errors.Join(os.Remove(w.path("home", "settings.json")), os.Mkdir(w.path("home", "settings.json"), 0o755), failed)
		}
		err := w.journal().ApplyChange(w.meddled("ours", inTheWay))
		if wrote := (*WriteError)(nil); !errors.As(err, &wrote) || len(wrote.Left) != 1 || wrote.Left[0] != w.path("home", "settings.json") {
			t.Errorf("%s: %#v", name, err)
		}
		if got := w.read("home/trusted"); got != "mine" {
			t.Errorf("%s: %q", name, got)
		}
		must(t, os.Remove(w.path("home", "settings.json")))
		if err := w.undo(); err != nil || w.read("home/settings.json") != "{ // mine\n}" {
			t.Errorf("%s: %v, %q", name, err, w.read("home/settings.json"))
		}
	}
}

// Of a change that was killed long ago, what its files hold now is the user's: an undo
// refuses to write over it. An undo that was killed is as young as that.
func TestEditedSinceAnotherProgramWasKilled(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
	killed := func(apply func(run func() error) error) {
		defer func() { _ = recover() }()
		_ = apply(func() error { _ = w.meddle(); panic("killed") })
	}
	killed(func(run func() error) error { return w.journal().ApplyChange(w.meddled("ours", run)) })
	w.write("home/settings.json", "edited since")
	late := time.Now().Add(time.Hour)
	must(t, os.Chtimes(w.path("home", "settings.json"), late, late))
	if changed := (*ChangedSinceError)(nil); !errors.As(w.undo(), &changed) || changed.File != w.path("home", "settings.json") {
		t.Errorf("%+v", changed)
	}
	if got := w.read("home/settings.json"); got != "edited since" {
		t.Errorf("%q", got)
	}
	w.write("home/trusted", "mine")
	if _, cut, err := w.journal().Interrupted(); cut || err != nil {
		t.Errorf("it says %t, %v", cut, err)
	}

	w = newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
	must(t, w.journal().ApplyChange(w.meddled("ours", w.meddle)))
	entries, err := filepath.Glob(w.path("home", "springfield", "journal", "*.json"))
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	open := strings.TrimSuffix(entries[0], closedEnd) + openEnd
	if err := os.Rename(entries[0], open); err != nil { // killed when all was done
		t.Fatal(err)
	}
	if _, cut, err := w.journal().Interrupted(); cut || err != nil {
		t.Errorf("it says %t, %v", cut, err)
	}
	must(t, os.Rename(open, entries[0]))
	early := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(entries[0], early, early))
	killed(func(run func() error) error {
		u, err := w.journal().PlanUndo()
		u.Run = run
		return errors.Join(err, w.journal().ApplyChange(u.Change))
	})
	if err := w.undo(); err != nil || w.read("home/settings.json") != "{ // mine\n}" {
		t.Errorf("%v, %q", err, w.read("home/settings.json"))
	}
}

// What a change only keeps, its user may edit later: that is no reason to refuse an undo,
// and it is not taken back.
func TestKeptFilesAreTheUsers(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{}", "home/trusted": "mine"})
	must(t, w.journal().ApplyChange(w.meddled("ours", w.meddle)))
	w.write("home/trusted", "edited since")
	if entries, err := w.journal().ReadEntries(); err != nil || len(entries[0].Files()) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := w.undo(); err != nil || w.read("home/trusted") != "edited since" || w.read("home/settings.json") != "{}" {
		t.Errorf("%v, %q", err, w.files(false))
	}
}
