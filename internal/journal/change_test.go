package journal

import (
	"errors"
	"fmt"
	"io/fs"
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

// newest returns the latest change and checks whether it was interrupted.
func (w world) newest(cut bool) (did string) {
	w.t.Helper()
	e, is, err := w.journal().Interrupted()
	must(w.t, err)
	scratch.Equal(w.t, is, cut, "cut off")
	return e.Did
}

// done returns the names of all changes in the journal.
func (w world) done() (did string) {
	w.t.Helper()
	entries, err := w.journal().ReadEntries()
	must(w.t, err)
	for _, e := range entries {
		did += e.Did + " "
	}
	return did
}

// planAndUndo undoes the latest change.
func (w world) planAndUndo() Undo {
	w.t.Helper()
	u, err := w.journal().PlanUndo()
	must(w.t, err)
	must(w.t, w.journal().ApplyChange(u.Change))
	return u
}

// do applies edits or fails.
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

// holds checks the contents of a file.
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

// A user's link stays a link: in a chain, dangling, or below another link.
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

// Another program's change is never overwritten, and no link that replaces a directory leads outside.
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

// The undo of one edit does not remove a later entry with the same number.
func TestUndoOfAnotherEntry(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old", "home/b": "old"})
	w.do("first", w.edit("", "home/a", "new"))
	w.write("home/a", "old") // by hand, so that there is nothing left to write
	u, err := w.journal().PlanUndo()
	if written, removed := u.Files(); err != nil || len(written)+len(removed) > 0 {
		t.Fatalf("%v, %v, %v", err, written, removed)
	}
	must(t, w.undo())
	w.do("second", w.edit("", "home/b", "new"))
	scratch.ErrorIs(t, w.journal().ApplyChange(u.Change), ErrChanged, "it says")
	scratch.Equal(t, w.done(), "second ", "done")
}

// What cannot be made again is synced before its rename; files in a new directory can be.
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

// Bytes that a killed program left under the next number do no harm, however many.
func TestLeftBytesOfAnEntry(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old"})
	left := w.journal().fileOf(1, bytesEnd)
	must(t, errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600), os.Truncate(left, maxSize+1)))
	w.do("edit", w.edit("", "home/a", "new"))
	must(t, w.undo())
	w.holds("home/a", "old")
}

// PlanAndApply plans again if another program came first.
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

// Readers without the lock never see a missing, damaged or partial entry.
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
