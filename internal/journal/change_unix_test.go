//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Replaced files keep mode and owner; new ones get the owner of their directory, even under sudo.
func TestModeAndOwnerStay(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "old", "work/": ""})
	owner := os.Getuid()
	if owner == 0 {
		owner = scratch.Unprivileged
		for _, name := range []string{"home", "home/settings.json", "work"} {
			must(t, os.Chown(w.path(filepath.FromSlash(name)), owner, owner))
		}
	}
	must(t, os.Chmod(w.path("home", "settings.json"), 0o640|fs.ModeSetgid))
	e := w.edit("", "home/settings.json", "new")
	e.After.Mode = e.Before.Mode
	private := w.edit("work", "work/.claude/settings.json", "{}")
	private.After.Mode = 0
	w.do("edit", e, private, w.edit("work/suite", "work/suite/deep/file", "x"))
	seen := 0
	err := filepath.WalkDir(w.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == w.dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		seen++
		scratch.Equal(t, int(info.Sys().(*syscall.Stat_t).Uid), owner, name+" belongs to")
		want := map[string]fs.FileMode{"settings.json": 0o600, "deep": 0o755, "suite": 0o755, "file": 0o644, ".claude": 0o755}[d.Name()]
		if strings.HasSuffix(name, "home/settings.json") {
			want = 0o640 | fs.ModeSetgid
		}
		if has := info.Mode() &^ fs.ModeType; want != 0 && has != want {
			t.Errorf("%s is %v, want %v", name, has, want)
		}
		return nil
	})
	scratch.ErrorIf(t, err != nil || seen < 10, "%d files, %v", seen, err)
}

func TestOpenOfAPipeDoesNotWait(t *testing.T) {
	w := newWorld(t, map[string]string{})
	path := w.path("home", "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	for _, in := range []string{"", w.path("home")} {
		if _, err := OpenEdit(in, path); err == nil || err.Error() != "open "+path+": not a regular file" {
			t.Errorf("in %q: %v", in, err)
		}
	}
}

func TestWithoutPermission(t *testing.T) { scratch.AsUnprivileged(t, checkWithoutPermission) }

func checkWithoutPermission(t *testing.T, dir string) {
	if os.Geteuid() == 0 {
		t.Fatal("still root")
	}
	w := world{t: t, dir: filepath.Join(dir, "world")}
	for _, test := range []struct{ closed, names string }{
		{"home", "home/settings.json"},
		{"work", "work/suite"},
		{"home/springfield/journal", "home/springfield/journal"},
		{"home/springfield/settings.lock", "home/springfield/settings.lock"},
	} {
		w.put(map[string]string{"home/settings.json": "old", "work/file": "old"})
		w.do("first", w.edit("", "home/settings.json", "ours"))
		edits := []Edit{w.edit("", "home/settings.json", "new"), w.edit("work/suite", "work/suite/file", "new"), w.edit("work", "work/file", "new")}
		closed := w.path(filepath.FromSlash(test.closed))
		mode := fs.FileMode(0o555)
		if strings.HasSuffix(closed, ".lock") {
			mode = 0
		}
		before := w.files(false)
		must(t, os.Chmod(closed, mode))
		err := w.journal().ApplyChange(Change{Did: "second", Edits: edits})
		must(t, os.Chmod(closed, 0o755))
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), w.path(filepath.FromSlash(test.names))) {
			t.Errorf("%s: %v, want a denied permission for %s", test.closed, err, test.names)
		}
		after := w.files(false)
		if len(before) != len(after) || after["home/settings.json"] != "ours" || after["work/file"] != "old" {
			t.Errorf("%s: it is %q", test.closed, after)
		}
		scratch.Equal(t, w.journal().ApplyChange(Change{Did: "again", Edits: edits}), nil,
			test.closed, "with the permission")
	}
	w.put(map[string]string{"home/settings.json": "old"})
	must(t, os.Chmod(w.path("home", "settings.json"), 0o444))
	scratch.ErrorIs(t, w.edit("", "home/settings.json", "new").CheckAccess(), fs.ErrPermission, "a read-only file")
	for name, want := range map[string]error{"home/new/deep/file": nil, "closed/new/deep/file": fs.ErrPermission, "home/settings.json/deep/file": syscall.ENOTDIR} {
		must(t, os.MkdirAll(w.path("closed"), 0o555))
		e := Edit{Path: w.path(filepath.FromSlash(name)), After: &Content{}}
		if err := (Change{Edits: []Edit{e}}).CheckAccess(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	must(t, os.Chmod(w.path("home", "settings.json"), 0))
	if _, err := OpenEdit("", w.path("home", "settings.json")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("one that cannot be read: %v", err)
	}
}

// A mount point, as of docker run -v FILE:FILE, cannot be renamed over. Its data is replaced, or stays after an error.
func TestMountPointIsOverwritten(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "a long old text"})
	path := w.path("home", "settings.json")
	before, err := os.Stat(path)
	must(t, err)
	for _, c := range []struct {
		failing error
		after   string
	}{{syscall.ENOSPC, "a long old text"}, {nil, "new"}} {
		_, err := writeEdits([]Edit{w.edit("", "home/settings.json", "new")}, "token", func(step string) error {
			return map[string]error{"rename": syscall.EBUSY, "overwrite": c.failing}[step]
		})
		scratch.Equal(t, errors.Is(err, syscall.ENOSPC), c.failing != nil, "the error")
		w.holds("home/settings.json", c.after)
	}
	after, err := os.Stat(path)
	must(t, err)
	scratch.Equal(t, os.SameFile(before, after), true, "it is the same file")
	all, err := os.ReadDir(w.path("home"))
	must(t, err)
	scratch.Equal(t, len(all), 1, "files")
}
