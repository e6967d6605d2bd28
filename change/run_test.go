package change

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
)

// meddled is a change of settings in which another program writes all files anew, as
// hosts do, and makes a copy of a plugin.
func (w world) meddled(after string, run func() error) Change {
	w.t.Helper()
	kept := w.edit("", "home/trusted", "")
	kept.After = kept.Before
	return Change{
		Did: "enable", Edits: []Edit{w.edit("", "home/settings.json", after)}, Keep: []Edit{kept}, Run: run,
		Calls: []Call{{Host: "droid", Verb: Installs, ID: "ned@s", Plugin: "ned@s", Suite: w.path("suite"), Scope: "user"}},
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
			if err := w.journal().Apply(w.meddled("ours", run)); err != nil {
				t.Fatal(err)
			}
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
			if err := w.journal().Apply(u.Change); err != nil {
				t.Fatal(err)
			}
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
	err := w.journal().Apply(w.meddled("ours", func() error { return errors.Join(w.meddle(), failed) }))
	if ran := (*RunError)(nil); !errors.As(err, &ran) || !errors.Is(err, failed) {
		t.Error(err)
	}
	if got := w.read("home/settings.json") + w.read("home/trusted"); got != "{ // mine\n}mine" {
		t.Errorf("%q", got)
	}
	if entries, err := w.journal().Entries(); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A springfield that is killed while another program runs has the old bytes in its
// journal: an undo gives them back, whatever the program has made of the files.
func TestKilledWhileAnotherProgramRuns(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"})
	func() {
		defer func() { _ = recover() }()
		_ = w.journal().Apply(w.meddled("ours", func() error { _ = w.meddle(); panic("killed") }))
	}()
	if got := w.read("home/settings.json"); got != "{ written anew }" {
		t.Fatalf("%q", got)
	}
	if _, cut, err := w.journal().Interrupted(); !cut || err != nil {
		t.Errorf("%t, %v", cut, err)
	}
	if err := w.undo(); err != nil {
		t.Fatal(err)
	}
	if got := w.read("home/settings.json") + w.read("home/trusted"); got != "{ // mine\n}mine" {
		t.Errorf("%q", got)
	}
}

// What a change only keeps, its user may edit later: that is no reason to refuse an undo,
// and it is not taken back.
func TestKeptFilesAreTheUsers(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "{}", "home/trusted": "mine"})
	if err := w.journal().Apply(w.meddled("ours", w.meddle)); err != nil {
		t.Fatal(err)
	}
	w.write("home/trusted", "edited since")
	if entries, err := w.journal().Entries(); err != nil || len(entries[0].Files()) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := w.undo(); err != nil || w.read("home/trusted") != "edited since" || w.read("home/settings.json") != "{}" {
		t.Errorf("%v, %q", err, w.files(false))
	}
}
