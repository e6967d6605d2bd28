package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
)

const note = "# Hooks\n\nA Stop hook may continue the turn."

// What is appended is taken back byte for byte; mode and link stay all the way.
func TestPlanAppend(t *testing.T) {
	p := newPlaces(t)
	real, link := filepath.Join(p.Work, "dotfiles.md"), filepath.Join(p.Work, "CLAUDE.md")
	const mine = "Be kind.\r\n"
	write(t, real, mine)
	if err := errors.Join(os.Chmod(real, 0o640), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	appendNote := func(path string) Plan {
		t.Helper()
		plan, err := PlanAppend(p, "", path, note, "tell "+path+" about hooks")
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Apply(p); err != nil {
			t.Fatal(err)
		}
		return plan
	}
	if !appendNote(link).Changes() || appendNote(link).Changes() {
		t.Error("appended never, or twice")
	}
	if want, _ := document.AppendParagraph(mine, note); look(t, real) != want {
		t.Errorf("%q", look(t, real))
	}
	entry := undo(t, p)
	if entry.Did != "tell "+link+" about hooks" {
		t.Errorf("undone: %s", entry.Did)
	}
	if look(t, real) != mine {
		t.Errorf("not as it was: %q", look(t, real))
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("no longer a link: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}

	fresh := filepath.Join(p.Work, "fresh", "CLAUDE.md")
	appendNote(fresh)
	if info, err := os.Stat(fresh); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != newTextMode {
		t.Errorf("%v, %v", info, err)
	}
	undo(t, p)
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestPlanAppendRefuses(t *testing.T) {
	p := newPlaces(t)
	for name, data := range map[string]string{"latin-1": "caf\xe9\n", "UTF-16": "\xff\xfeB\x00e\x00", "zeros": "a\x00b"} {
		path := filepath.Join(p.Work, name)
		write(t, path, data)
		if _, err := PlanAppend(p, "", path, note, "append"); !errors.Is(err, ErrNotText) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(p.Work, "read-only.md")
	write(t, path, "mine")
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanAppend(p, "", path, note, "append"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if _, err := PlanAppend(p, "", p.Work, note, "append"); err == nil {
		t.Error("a directory is taken")
	}
}
