package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

const note = "# Hooks\n\nA Stop hook may continue the turn."

// What is appended is taken back byte for byte; mode and link stay all the way.
func TestAppend(t *testing.T) {
	p := newPlaces(t)
	real, link := filepath.Join(p.Work, "dotfiles.md"), filepath.Join(p.Work, "CLAUDE.md")
	const mine = "Be kind.\r\n"
	write(t, real, mine)
	must(t, errors.Join(os.Chmod(real, 0o640), os.Symlink(real, link)))
	j := journal.Journal{Dir: p.StatePath()}
	appendNote := func(path string) bool {
		t.Helper()
		c, err := j.PlanAndApply(func() (journal.Change, error) {
			e, err := AppendParagraph("", path, note)
			return journal.Change{Did: "tell " + path + " about hooks", Kind: "text", Edits: []journal.Edit{e}}, err
		})
		must(t, err)
		return !c.IsEmpty()
	}
	undo := func() (u journal.Undo) {
		t.Helper()
		if _, err := j.PlanAndApply(func() (c journal.Change, err error) {
			u, err = j.PlanUndo()
			return u.Change, err
		}); err != nil {
			t.Fatal(err)
		}
		return u
	}
	if !appendNote(link) || appendNote(link) {
		t.Error("appended never, or twice")
	}
	if want, _ := document.AppendParagraph(mine, note); look(t, real) != want {
		t.Errorf("%q", look(t, real))
	}
	if u := undo(); u.Entry.Did != "tell "+link+" about hooks" {
		t.Errorf("undone: %s", u.Entry.Did)
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
	undo()
	if _, err := os.Stat(filepath.Dir(fresh)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}

	// A link that is gone with its directory: the file it led to is still there, and
	// has the edit.
	linked := filepath.Join(p.Home, "notes", "CLAUDE.md")
	must(t, errors.Join(os.MkdirAll(filepath.Dir(linked), 0o755), os.Symlink(real, linked)))
	appendNote(linked)
	must(t, os.RemoveAll(filepath.Dir(linked)))
	if u := undo(); len(u.Gone) > 0 || look(t, real) != mine {
		t.Errorf("gone: %v; the target has\n%s", u.Gone, look(t, real))
	}
}

func TestAppendRefuses(t *testing.T) {
	p := newPlaces(t)
	for name, data := range map[string]string{"latin-1": "caf\xe9\n", "UTF-16": "\xff\xfeB\x00e\x00", "zeros": "a\x00b"} {
		path := filepath.Join(p.Work, name)
		write(t, path, data)
		if _, err := AppendParagraph("", path, note); !errors.Is(err, ErrNotText) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(p.Work, "read-only.md")
	write(t, path, "mine")
	must(t, os.Chmod(path, 0o400))
	if _, err := AppendParagraph("", path, note); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if _, err := AppendParagraph("", p.Work, note); err == nil {
		t.Error("a directory is taken")
	}
}
