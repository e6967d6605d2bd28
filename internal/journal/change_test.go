package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

var must = scratch.Must

func newWorld(t *testing.T, files map[string]string) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := world{t: t, dir: filepath.Join(dir, "world")}
	files["home/"] = ""
	w.put(files)
	return w
}

// newest is what the newest change did; it was cut off, or it was not.
func (w world) newest(cut bool) (did string) {
	w.t.Helper()
	e, is, err := w.journal().Interrupted()
	must(w.t, err)
	scratch.Equal(w.t, is, cut, "cut off")
	return e.Did
}

// done are the names of all changes in the journal.
func (w world) done() (did string) {
	w.t.Helper()
	entries, err := w.journal().ReadEntries()
	must(w.t, err)
	for _, e := range entries {
		did += e.Did + " "
	}
	return did
}

// planAndUndo takes back the newest change, and says how.
func (w world) planAndUndo() Undo {
	w.t.Helper()
	u, err := w.journal().PlanUndo()
	must(w.t, err)
	must(w.t, w.journal().ApplyChange(u.Change))
	return u
}

// do applies edits, which have to go well.
func (w world) do(did string, edits ...Edit) {
	w.t.Helper()
	must(w.t, w.journal().ApplyChange(Change{Did: did, Edits: edits}))
}

func (w world) read(name string) string {
	data, err := os.ReadFile(w.path(filepath.FromSlash(name)))
	if err != nil {
		return "(none)"
	}
	return string(data)
}

// holds demands what is in a file.
func (w world) holds(name, want string) {
	w.t.Helper()
	scratch.Equal(w.t, w.read(name), want, name)
}

func (w world) write(name, data string) {
	w.t.Helper()
	scratch.PutFile(w.t, w.path(filepath.FromSlash(name)), data)
}

func (w world) link(target, name string) {
	w.t.Helper()
	path := w.path(filepath.FromSlash(name))
	must(w.t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(filepath.FromSlash(target), path)))
}

// A link of the user's stays one, also in a chain, to what is not there, and where
// `link/..` is not the directory that the link is in.
func TestLinksOfTheUserStay(t *testing.T) {
	for _, test := range []struct{ name, target, real, text string }{
		{"relative", "../dotfiles/deep/settings.json", "dotfiles/deep/settings.json", "linked"},
		{"chain", "relative", "dotfiles/deep/settings.json", "linked"},
		{"directory/settings.json", "", "dotfiles/deep/settings.json", "linked"},
		{"up", "directory/../up.json", "dotfiles/up.json", "up"},
		{"dangling", "../dotfiles/missing/settings.json", "dotfiles/missing/settings.json", ""},
		{"nowhere/settings.json", "", "elsewhere/settings.json", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"dotfiles/deep/settings.json": "linked", "dotfiles/up.json": "up", "up.json": "not this one"})
			w.link("../dotfiles/deep/settings.json", "home/relative")
			w.link("../dotfiles/deep", "home/directory")
			w.link("../elsewhere", "home/nowhere")
			if test.target != "" && test.name != "relative" {
				w.link(test.target, "home/"+test.name)
			}
			before := w.files(false)
			e := w.edit("", "home/"+test.name, "new")
			if e.At != w.path(filepath.FromSlash(test.real)) || (e.Before != nil) != (test.text != "") || e.Before != nil && string(e.Before.Data) != test.text {
				t.Errorf("it is %s, %v", e.At, e.Before)
			}
			w.do("edit", e)
			after := w.files(false)
			scratch.Equal(t, after[test.real], "new", test.real)
			for name, data := range before {
				if name != test.real && after[name] != data {
					t.Errorf("%s became %q", name, after[name])
				}
			}
			if err := w.undo(); err != nil || w.files(false)[test.real] != before[test.real] {
				t.Errorf("undone: %v, %q", err, w.files(false)[test.real])
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"file": "", "work/deep/file": "", "outside/secret": "theirs"})
	w.link("b", "a")
	w.link("a", "b")
	w.link("../outside", "work/out")
	w.link("deep", "work/in")
	w.link("../outside/secret", "work/file")
	must(t, errors.Join(os.WriteFile(w.path("large"), nil, 0o600), os.Truncate(w.path("large"), maxSize+1)))
	for _, test := range []struct{ in, path, want string }{
		{"", "a", "too many symbolic links"},
		{"", "", "not a regular file"},
		{"", "large", "larger than 64 MiB"},
		{"", "file/settings.json", "not a directory"},
		{"work", "work/out/secret", "is a link"},
		{"work", "work/in/file", "is a link"},
		{"work", "work/file", "is a link"},
		{"work", "outside/secret", "not in "},
		{"work", "work", "not a regular file"},
	} {
		path, in := w.path(filepath.FromSlash(test.path)), ""
		if test.in != "" {
			in = w.path(test.in)
		}
		_, err := OpenEdit(in, path)
		var pathErr *fs.PathError
		if !errors.As(err, &pathErr) || pathErr.Path != path || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in %s: %v, want %s", test.path, test.in, err, test.want)
		}
		if link := (*rooted.LinkError)(nil); (test.want == "is a link") != errors.As(err, &link) {
			t.Errorf("%s: %v", test.path, err)
		}
	}
}

// Another program's change is never written over, and no link that takes the place of
// a directory of anyone's leads outside.
func TestWhatChangesAfterThePlan(t *testing.T) {
	for name, test := range map[string]struct {
		in, file  string
		interfere func(w world)
	}{
		"changed":        {"", "home/settings.json", func(w world) { w.write("home/settings.json", "theirs") }},
		"in one byte":    {"", "home/settings.json", func(w world) { w.write("home/settings.json", "ourS") }},
		"emptied":        {"", "home/settings.json", func(w world) { w.write("home/settings.json", "") }},
		"deleted":        {"", "home/settings.json", func(w world) { _ = os.Remove(w.path("home", "settings.json")) }},
		"appeared":       {"", "home/new.json", func(w world) { w.write("home/new.json", "theirs") }},
		"appeared empty": {"", "home/new.json", func(w world) { w.write("home/new.json", "") }},
		"became a link": {"", "home/settings.json", func(w world) {
			_ = os.Remove(w.path("home", "settings.json"))
			w.write("home/theirs", "ours")
			w.link("theirs", "home/settings.json")
		}},
		"a link to a directory": {"work", "work/ned/file", func(w world) {
			_ = os.Rename(w.path("work", "ned"), w.path("aside"))
			w.link("../outside", "work/ned")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/settings.json": "ours", "home/first.json": "first", "work/ned/file": "ours", "outside/file": "ours"})
			first, second := w.edit("", "home/first.json", "new"), w.edit(test.in, test.file, "new")
			test.interfere(w)
			before := w.files(false)
			var failure *WriteError
			if err := w.journal().ApplyChange(Change{Did: "edit", Edits: []Edit{first, second}}); !errors.As(err, &failure) || len(failure.Left) > 0 {
				t.Errorf("it says %v", err)
			}
			for path, data := range w.files(false) {
				if had, ok := before[path]; !ok || had != data {
					t.Errorf("%s became %q", path, data)
				}
			}
			scratch.Equal(t, w.done(), "", "done")
		})
	}
}

// The undo of one edit does not take another one out of the journal, which has got
// its number since.
func TestUndoOfAnotherEntry(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old", "home/b": "old"})
	w.do("first", w.edit("", "home/a", "new"))
	w.write("home/a", "old") // by hand, so that there is nothing left to write
	u, err := w.journal().PlanUndo()
	if err != nil || len(u.Edits) > 0 {
		t.Fatalf("%v, %+v", err, u.Edits)
	}
	must(t, w.undo())
	w.do("second", w.edit("", "home/b", "new"))
	scratch.ErrorIs(t, w.journal().ApplyChange(u.Change), ErrChanged, "it says")
	scratch.Equal(t, w.done(), "second ", "done")
}

// What cannot be made again is on the disk before it takes its place, also in a
// directory that is not left; what lies in a directory that the change makes can.
func TestWhatOutlastsAPowerCut(t *testing.T) {
	w := newWorld(t, map[string]string{"work/old": "mine"})
	was := flush
	t.Cleanup(func() { flush = was })
	var flushed []string
	flush = func(f *os.File) error {
		name, _, _ := strings.Cut(filepath.Base(f.Name()), tempMark)
		flushed = append(flushed, name)
		return nil
	}
	w.do("edit", w.edit("work", "work/old", ""), w.edit("work", "work/new", "x"), w.edit("work/suite", "work/suite/made", "x"))
	if !slices.Contains(flushed, ".new") || slices.Contains(flushed, ".made") || slices.Contains(flushed, "made") {
		t.Errorf("written: %v", flushed)
	}
	flushed = nil
	if err := w.undo(); err != nil || w.read("work/old") != "mine" || !slices.Contains(flushed, ".old") {
		t.Errorf("given back: %v, %v", flushed, err)
	}
}

// Bytes that a killed program has left under the next number are in no way, however
// many they are.
func TestLeftBytesOfAnEntry(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old"})
	left := w.journal().fileOf(1, bytesEnd)
	must(t, errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600), os.Truncate(left, maxSize+1)))
	w.do("edit", w.edit("", "home/a", "new"))
	must(t, w.undo())
	w.holds("home/a", "old")
}

// Do plans anew when another program came first.
func TestDoPlansAnew(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "1"})
	plans := 0
	c, err := w.journal().PlanAndApply(func() (Change, error) {
		e := w.edit("", "home/settings.json", w.read("home/settings.json")+", ours")
		if plans++; plans < 3 {
			w.write("home/settings.json", strings.Repeat("1", plans+1))
		}
		return Change{Did: "edit", Edits: []Edit{e}}, nil
	})
	if err != nil || plans != 3 || w.read("home/settings.json") != "111, ours" || c.IsEmpty() {
		t.Errorf("%v, %d plans, %q", err, plans, w.read("home/settings.json"))
	}
	w.plan = func() (Change, error) {
		e := w.edit("", "home/settings.json", "never")
		w.write("home/settings.json", w.read("home/settings.json")+"1")
		return Change{Edits: []Edit{e}}, nil
	}
	scratch.ErrorIs(t, w.apply(), ErrChanged, "when it changes always")
}

func TestLock(t *testing.T) {
	w := newWorld(t, map[string]string{})
	path := w.path("state", "lock")
	unlock, err := TakeLock(path)
	must(t, err)
	if _, err := TakeLock(path); !errors.Is(err, ErrLocked) || err.Error() != "lock "+path+": "+ErrLocked.Error() {
		t.Errorf("a second Lock = %v", err)
	}
	released := make(chan struct{})
	go func() {
		defer close(released)
		time.Sleep(4 * lockRetry)
		unlock()
	}()
	again, err := TakeLock(path)
	<-released
	must(t, err)
	again()
	w.write("state/file", "")
	if _, err := TakeLock(w.path("state", "file", "lock")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a lock below a file: %v", err)
	}
}

// Other programs read the journal without its lock while one writes and undoes: to
// them no entry is missing, damaged or half there.
func TestReadersOfABusyJournal(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "0"})
	w.do("the first", w.edit("", "home/settings.json", "1"))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	read := func(what string, look func() error, fine ...error) {
		readers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				err := look()
				var since *ChangedSinceError
				if err != nil && !errors.As(err, &since) && !slices.ContainsFunc(fine, func(f error) bool { return errors.Is(err, f) }) {
					t.Errorf("%s, look %d: %v", what, n, err)
					return
				}
			}
		})
	}
	j := w.journal()
	read("plan", func() error { _, err := j.PlanUndo(); return err }, ErrChanged)
	read("list", func() error {
		all, err := j.ReadEntries()
		if err == nil && (len(all) == 0 || len(all) > 2) {
			err = fmt.Errorf("%d entries", len(all))
		}
		return err
	})
	read("damaged", func() error { return errors.Join(j.Damaged()...) })
	read("interrupted", func() error { _, _, err := j.Interrupted(); return err })
	for n := range 150 {
		w.do(fmt.Sprint("edit ", n), w.edit("", "home/settings.json", fmt.Sprint("n", n)))
		must(t, w.undo())
	}
	close(stop)
	readers.Wait()
}

// mine are files of the user's that another program writes.
var mine = map[string]string{"home/settings.json": "{ // mine\n}", "home/trusted": "mine"}

// meddled is a change of settings in which another program writes all files anew, as
// hosts do, and makes a copy of a plugin.
func (w world) meddled(after string, run func() error) Change {
	w.t.Helper()
	kept := w.edit("", "home/trusted", "")
	kept.After = kept.Before
	return Change{
		Did: "enable", Edits: []Edit{w.edit("", "home/settings.json", after)}, Keep: []Edit{kept}, Run: run, Explains: byMeddling,
		Calls: []Call{{Host: "droid", Verb: Installs, ID: "ned@s", Plugin: "ned@s", Suite: w.path("suite")}},
	}
}

// byMeddling knows what meddle writes.
func byMeddling(_ []Call, _ string, was, is []byte) bool {
	return string(is) == "theirs" || string(is) == "{ written anew }"
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
		"files":    maps.Clone(mine),
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
			w.holds("home/settings.json", "ours")
			for file, target := range links {
				got, _ := os.Readlink(w.path(file))
				scratch.Equal(t, got, target, file)
			}
			if _, kept := before["home/trusted"]; kept != (w.files(false)["home/trusted"] != "") {
				t.Errorf("trusted: %q", w.files(false)["home/trusted"])
			}
			u, err := w.journal().PlanUndo()
			if err != nil || len(u.Entry.Calls) != 1 || u.Entry.Calls[0].Opposite().Verb != Removes {
				t.Fatalf("%+v, %v", u, err)
			}
			u.Run, u.Explains = func() error { return errors.Join(w.meddle(), os.RemoveAll(w.path("home", "cache"))) }, byMeddling
			must(t, w.journal().ApplyChange(u.Change))
			after := w.files(false)
			delete(after, "home/trusted") // an undo is told by its caller what to keep
			delete(before, "home/trusted")
			scratch.Equal(t, after, before)
		})
	}
}

// A program that fails leaves all files, and the journal, as they were.
func TestAnotherProgramFails(t *testing.T) {
	w := newWorld(t, maps.Clone(mine))
	failed := errors.New("no such marketplace")
	err := w.journal().ApplyChange(w.meddled("ours", func() error { return errors.Join(w.meddle(), failed) }))
	if ran := (*RunError)(nil); !errors.As(err, &ran) || !errors.Is(err, failed) {
		t.Error(err)
	}
	w.holds("home/settings.json", mine["home/settings.json"])
	w.holds("home/trusted", "mine")
	scratch.Equal(t, w.done(), "", "done")
}

// A springfield that is killed while another program runs has the old bytes in its
// journal: an undo gives them back, whatever the program has made of the files.
func TestKilledWhileAnotherProgramRuns(t *testing.T) {
	w := newWorld(t, maps.Clone(mine))
	func() {
		defer func() { _ = recover() }()
		_ = w.journal().ApplyChange(w.meddled("ours", func() error { _ = w.meddle(); panic("killed") }))
	}()
	w.holds("home/settings.json", "{ written anew }")
	w.newest(true)
	must(t, w.undo())
	w.holds("home/settings.json", mine["home/settings.json"])
	w.holds("home/trusted", "mine")
}

// Bytes that cannot be given back stay in the journal, and an undo gives them back once the
// cause is gone; it is said which file it is.
func TestBytesThatCannotBeGivenBack(t *testing.T) {
	for name, failed := range map[string]error{"it fails": errors.New("no such marketplace"), "it does its part": nil} {
		w := newWorld(t, maps.Clone(mine))
		inTheWay := func() error {
			_ = w.meddle()
			return errors.Join(os.Remove(w.path("home", "settings.json")), os.Mkdir(w.path("home", "settings.json"), 0o755), failed)
		}
		err := w.journal().ApplyChange(w.meddled("ours", inTheWay))
		if wrote := (*WriteError)(nil); !errors.As(err, &wrote) || len(wrote.Left) != 1 || wrote.Left[0] != w.path("home", "settings.json") {
			t.Errorf("%s: %#v", name, err)
		}
		scratch.Equal(t, w.read("home/trusted"), "mine", name)
		must(t, os.Remove(w.path("home", "settings.json")))
		must(t, w.undo())
		scratch.Equal(t, w.read("home/settings.json"), mine["home/settings.json"], name)
	}
}

// What another hand writes while the program is at work stays, and the change is planned anew. The journal keeps what was there.
func TestAnotherHandBesideAnotherProgram(t *testing.T) {
	w := newWorld(t, maps.Clone(mine))
	w.plan = func() (Change, error) {
		c := w.meddled("ours", nil)
		runs := 0
		c.Run = func() error {
			if err := w.meddle(); w.done() != "enable " {
				return err
			}
			w.write("home/settings.json", "edited meanwhile")
			runs++
			return c.CheckRun()
		}
		if w.read("home/settings.json") == "edited meanwhile" {
			c.Edits[0].After = &Content{Data: []byte("ours, edited meanwhile"), Mode: 0o600}
		}
		return c, nil
	}
	must(t, w.apply())
	w.holds("home/settings.json", "ours, edited meanwhile")
	w.holds("home/trusted", "mine")
	scratch.Equal(t, w.done(), "enable enable ", "done")
	must(t, w.undo())
	w.holds("home/settings.json", "edited meanwhile")
	if changed := (*ChangedSinceError)(nil); !errors.As(w.undo(), &changed) {
		t.Error("the first can be undone")
	}
	w.holds("home/settings.json", "edited meanwhile")
	w.write("home/settings.json", mine["home/settings.json"])
	must(t, w.undo())
}

// What its user has written since a change was killed, an undo does not write over. Of an undo that was killed
// the same is true.
func TestEditedSinceAnotherProgramWasKilled(t *testing.T) {
	w := newWorld(t, maps.Clone(mine))
	killed := func(apply func(run func() error) error) {
		defer func() { _ = recover() }()
		_ = apply(func() error { _ = w.meddle(); panic("killed") })
	}
	refused := func() {
		t.Helper()
		w.write("home/settings.json", "edited since")
		if changed := (*ChangedSinceError)(nil); !errors.As(w.undo(), &changed) || changed.File != w.path("home", "settings.json") {
			t.Errorf("%+v", changed)
		}
		w.holds("home/settings.json", "edited since")
		w.newest(true)
		_ = w.meddle()
	}
	killed(func(run func() error) error { return w.journal().ApplyChange(w.meddled("ours", run)) })
	refused()
	w.write("home/trusted", "edited since") // it was only kept
	must(t, w.undo())
	w.holds("home/settings.json", mine["home/settings.json"])
	w.holds("home/trusted", "edited since")

	must(t, w.journal().ApplyChange(w.meddled("ours", w.meddle)))
	killed(func(run func() error) error {
		u, err := w.journal().PlanUndo()
		u.Run = run
		return errors.Join(err, w.journal().ApplyChange(u.Change))
	})
	refused()
	must(t, w.undo())
	w.holds("home/settings.json", mine["home/settings.json"])
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
