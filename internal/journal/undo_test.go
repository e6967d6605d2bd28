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
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Changes are undone in reverse order, each as a whole.
func TestUndoWalksBack(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "0", "work/": ""})
	var before []map[string]string
	for i, edits := range [][]Edit{
		{w.edit("", "home/settings.json", "1"), w.edit("work", "work/.claude/a", "1")},
		{w.edit("work", "work/.claude/b", "2")},
		{w.edit("work/suite", "work/suite/deep/file", "3")},
	} {
		before = append(before, w.files(false))
		w.do(fmt.Sprint("edit ", i), edits...)
	}
	entries, err := w.journal().ReadEntries()
	if err != nil || len(entries) != 3 || entries[0].Did != "edit 2" || !slices.Equal(entries[2].Files(), []string{w.path("home", "settings.json"), w.path("work", ".claude", "a")}) {
		t.Fatalf("%+v, %v", entries, err)
	}
	for _, want := range slices.Backward(before) {
		if err := w.undo(); err != nil || !maps.Equal(w.files(false), want) {
			t.Errorf("%v, it is\n%q, was\n%q", err, w.files(false), want)
		}
	}
	scratch.ErrorIs(t, w.undo(), ErrNothingToUndo, "with an empty journal")
}

// Joined changes are undone as one, unless another came between.
func TestJoined(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old\n", "home/b": "\x00old", "work/": ""})
	w.do("first", w.edit("", "home/c", "1"))
	before := w.files(false)
	w.do("one", w.edit("", "home/a", "new\n"))
	w.do("two", w.edit("", "home/b", "\x00new"), w.edit("work/suite", "work/suite/deep/file", "3"))
	done := w.files(false)
	for _, others := range [][]string{{"one", "three"}, {"two"}, {"none", "first", "one", "two"}} {
		err := w.journal().MergeNewest(others)
		if entries, _ := w.journal().ReadEntries(); len(others) > 1 && (!errors.Is(err, ErrChanged) || len(entries) != 3) {
			t.Errorf("%v are joined: %v, %v", others, err, entries)
		}
	}
	must(t, w.journal().MergeNewest([]string{"one", "two"}))
	entries, err := w.journal().ReadEntries()
	must(t, err)
	if len(entries) != 2 || entries[0].Did != "one, two" || len(entries[0].Files()) != 3 || !maps.Equal(w.files(false), done) {
		t.Errorf("%+v", entries)
	}
	w.write("home/b", "\x00theirs") // of which nothing is known but its hash
	var changed *ChangedSinceError
	if err := w.undo(); !errors.As(err, &changed) || changed.File != w.path("home", "b") {
		t.Errorf("%v", err)
	}
	w.write("home/b", "\x00new")
	must(t, w.undo())
	if is := w.files(false); !maps.Equal(is, before) {
		t.Errorf("it is\n%q, was\n%q", is, before)
	}
}

// A later change is shown, and nothing is undone.
func TestUndoRefusesWhatHasChangedSince(t *testing.T) {
	for name, test := range map[string]struct {
		since func(w world)
		diff  string
	}{
		"a text":             {func(w world) { w.write("home/a", "theirs\n") }, "-new\n+theirs\n"},
		"a text, now binary": {func(w world) { w.write("home/a", "\x00") }, "a now differ\n"},
		"a binary":           {func(w world) { w.write("work/hook", "\x00theirs") }, "hook now differ\n"},
		"removed":            {func(w world) { _ = os.Remove(w.path("home", "a")) }, "-new\n"},
		"a link":             {func(w world) { _ = os.Rename(w.path("work"), w.path("moved")); w.link("moved", "work") }, ""},
		"a link inside":      {func(w world) { _ = os.Remove(w.path("work", "hook")); w.link("../home/a", "work/hook") }, "is a link"},
		"a large text":       {func(w world) { w.write("home/a", strings.Repeat("line\n", 2<<20)) }, "10485760"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/a": "old\n", "work/hook": "\x00old"})
			w.do("edit", w.edit("", "home/a", "new\n"), w.edit("work", "work/hook", "\x00new"))
			test.since(w)
			before := w.files(false)
			err := w.undo()
			var changed *ChangedSinceError
			if !errors.As(err, &changed) || changed.Entry.Did != "edit" || !strings.Contains(changed.Diff, test.diff) || len(changed.Diff) > 1000 {
				t.Errorf("%v, with\n%+v", err, changed)
			}
			scratch.Equal(t, w.files(false), before)
			if e, err := w.journal().ForgetNewest(); err != nil || e.Did != "edit" {
				t.Errorf("forget: %v, %v", e.Did, err)
			}
			scratch.ErrorIs(t, w.undo(), ErrNothingToUndo, "forgotten")
		})
	}
}

// Own state that has changed since is left, and a file in a deleted directory is skipped.
func TestUndoPassesOver(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old", "work/project/b": "old", "home/own": "[]"})
	own := w.edit("", "home/own", "[1]")
	own.State = true
	w.do("edit", own, w.edit("", "home/a", "new"), w.edit("work", "work/project/b", "new"))
	w.write("home/own", "[1,2]")
	must(t, os.RemoveAll(w.path("work", "project")))
	u := w.planAndUndo()
	written, removed := u.Files()
	scratch.Equal(t, fmt.Sprint(u.Gone), fmt.Sprint([]string{w.path("work", "project", "b")}), "gone")
	scratch.Equal(t, fmt.Sprint(written), fmt.Sprint([]string{w.path("home", "a")}), "written")
	scratch.Equal(t, len(removed), 0, "removed")
	w.holds("home/a", "old")
	w.holds("home/own", "[1,2]")
	scratch.Equal(t, len(u.Entry.Files()), 2, "files")
}

// Directories that a change removed come back with their modes.
func TestUndoOfDroppedDirectories(t *testing.T) {
	w := newWorld(t, map[string]string{
		"work/suite/plugin/hooks/linux/hook": "old", "work/suite/plugin/manifest": "old", "work/suite/list": "old", "home/private/settings.json": "{}",
	})
	modes := map[string]os.FileMode{"work/suite/plugin": 0o700, "work/suite/plugin/hooks": 0o775, "home/private": 0o750}
	for name, mode := range modes {
		must(t, os.Chmod(w.path(filepath.FromSlash(name)), mode))
	}
	before := w.files(false)
	edits := []Edit{
		w.edit("work/suite", "work/suite/plugin/hooks/linux/hook", ""), w.edit("work/suite", "work/suite/plugin/manifest", ""), w.edit("", "home/private/settings.json", ""),
	}
	for n := range edits {
		edits[n].Drop = true
	}
	w.do("remove", edits...)
	for name := range modes {
		if !isAbsent(w.path(filepath.FromSlash(name))) {
			t.Fatalf("%s is still there", name)
		}
	}
	scratch.Equal(t, len(w.planAndUndo().Gone), 0, "gone")
	scratch.Equal(t, w.files(false), before)
	for name, want := range modes {
		scratch.Equal(t, scratch.ModeOf(t, w.path(filepath.FromSlash(name))), want, name)
	}
}

// After a kill, undo restores the files that were written.
func TestInterrupted(t *testing.T) {
	w := newWorld(t, map[string]string{"home/a": "old", "home/b": "old"})
	w.newest(false)
	w.plan = func() (Change, error) {
		return Change{Did: "edit", Edits: []Edit{w.edit("", "home/a", "new"), w.edit("", "home/b", "new")}}, nil
	}
	steps, _ := w.with("", -1, world.apply)
	scratch.Equal(t, w.newest(false), "edit", "a whole one")
	must(t, w.undo())
	renames := 0
	at := slices.IndexFunc(steps, func(step string) bool {
		if step == "rename" {
			renames++
		}
		return renames == 4 // the bytes, the list, a, b
	})
	_, _ = w.with("kill", at, world.apply)
	scratch.Equal(t, w.newest(true), "edit", "one that was killed")
	must(t, w.undo())
	w.holds("home/a", "old")
	w.holds("home/b", "old")
}

// The journal stores each content once and prunes old entries, never the latest.
func TestJournalSize(t *testing.T) {
	w := newWorld(t, map[string]string{})
	hook := strings.Repeat("\x00some machine code", 1<<16)
	var edits, next []Edit
	for i := range 8 {
		name := fmt.Sprintf("suite/%d/hook", i)
		w.write(name, hook)
		edits = append(edits, w.edit("suite", name, "\x00other"))
	}
	w.do("build", edits...)
	for i := range 8 {
		next = append(next, w.edit("suite", fmt.Sprintf("suite/%d/hook", i), hook))
	}
	w.do("build", next...)
	size := 0
	files, err := filepath.Glob(w.path("home", "springfield", "journal", "*"))
	for _, file := range files {
		info, err := os.Stat(file)
		scratch.ErrorIf(t, err != nil || info.Mode().Perm() != 0o600, "%s: %v, %v", file, info.Mode(), err)
		size += int(info.Size())
	}
	scratch.Equal(t, scratch.ModeOf(t, w.path("home", "springfield", "journal")), 0o700)
	if err != nil || len(files) != 4 || size > 1<<16 {
		t.Errorf("%d files of %d bytes, %v", len(files), size, err)
	}
	for i := range journalKeeps {
		w.do("edit", w.edit("", "home/a", fmt.Sprint(i)))
	}
	entries, err := w.journal().ReadEntries()
	if files, _ := filepath.Glob(w.path("home", "springfield", "journal", "*")); err != nil || len(entries) != journalKeeps || entries[0].ID != journalKeeps+2 || len(files) != 2*journalKeeps {
		t.Errorf("%d entries in %d files, %v", len(entries), len(files), err)
	}
	ids, _ := w.journal().listIDs()
	w.journal().pruneEntries(ids[:len(ids)-1], journalSize)
	if entries, err := w.journal().ReadEntries(); err != nil || len(entries) != 1 || entries[0].ID != journalKeeps+2 {
		t.Errorf("of large ones %d are left, %v", len(entries), err)
	}
}

// An unreadable entry is named and can be forgotten.
func TestDamaged(t *testing.T) {
	for name, test := range map[string]struct{ file, data string }{
		"cut off":        {"00000001.json", "{"},
		"empty":          {"00000001.json", ""},
		"another number": {"00000001.json", `{"id": 7, "token": "x"}`},
		"no archive":     {"00000001.zip", "PK"},
		"a wrong path":   {"00000001.json", `{"id": 1, "token": "x", "edits": [{"path": "a", "at": "/a", "after": {}}]}`},
		"outside":        {"00000001.json", `{"id": 1, "token": "x", "edits": [{"in": "/b", "path": "/b/../a", "at": "/a", "after": {}}]}`},
		"a wrong token":  {"00000001.json", `{"id": 1, "token": "../x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/a": "old"})
			w.do("edit", w.edit("", "home/a", "new"))
			file := filepath.ToSlash(filepath.Join("home", "springfield", "journal", test.file))
			w.write(file, test.data)
			var damaged *DamagedError
			if err := w.undo(); !errors.As(err, &damaged) || damaged.File != w.path(filepath.FromSlash(file)) {
				t.Errorf("%v", err)
			}
			if strings.HasSuffix(test.file, ".json") && len(w.journal().Damaged()) != 1 {
				t.Errorf("damaged: %v", w.journal().Damaged())
			}
			w.do("another edit does not depend on it", w.edit("", "home/b", "new"))
			must(t, w.undo())
			_, err := w.journal().ForgetNewest()
			must(t, err)
			scratch.ErrorIs(t, w.undo(), ErrNothingToUndo)
		})
	}
}

// Every path in a decoded entry is absolute and within its directory.
func FuzzEntry(f *testing.F) {
	for _, seed := range []string{
		"", "{", `{"id": 1}`, `{"id": 1, "token": "X", "edits": [{"path": "/a/b", "in": "/a", "at": "/a/b", "before": {"sha256": "00", "mode": 420}, "after": null}]}`,
		`{"id": 1, "files": [{"path": "/a", "asked": "/a", "mode": 420, "before": {"existed": true, "data": "aGk="}, "after": {"existed": false}, "memory": {"file": "/a"}}]}`,
		`{"id": 1, "files": [{"path": "../a", "asked": "/a"}]}`, `{"id": 1, "token": "../..", "edits": []}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decodeEntry(data)
		if err != nil {
			return
		}
		for _, edit := range e.Edits {
			name, err := filepath.Rel(edit.In, edit.Path)
			if !filepath.IsAbs(edit.Path) || !filepath.IsAbs(edit.At) || edit.In != "" && (err != nil || !filepath.IsLocal(name)) {
				t.Errorf("%+v", edit)
			}
			if edit.Before.hasSameBytes(nil) && edit.After.hasSameBytes(nil) && e.Token != "" {
				t.Errorf("no content: %+v", edit)
			}
		}
		_ = e.Files()
	})
}

// A file's mode is restored unless it has changed since.
func TestUndoAndModes(t *testing.T) {
	mode := func(path string) fs.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Mode().Perm()
	}
	for _, test := range []struct{ before, after, since, want fs.FileMode }{
		{0o644, 0o644, 0o644, 0o644},
		{0o644, 0o755, 0o755, 0o644},
		{0o644, 0o755, 0o700, 0o700},
		{0o644, 0o644, 0o600, 0o600},
	} {
		for _, data := range []string{"new", "old"} {
			w := newWorld(t, map[string]string{"work/hook": "old"})
			path := w.path("work", "hook")
			must(t, os.Chmod(path, test.before))
			e := w.edit("work", "work/hook", data)
			e.After.Mode = test.after
			w.do("edit", e)
			scratch.Equal(t, mode(path), test.after, test)
			must(t, os.Chmod(path, test.since))
			if err := w.undo(); err != nil && !errors.Is(err, ErrNothingToUndo) || mode(path) != test.want || w.read("work/hook") != "old" {
				t.Errorf("%v: undone it is %v %q, %v", test, mode(path), w.read("work/hook"), err)
			}
		}
	}
}
