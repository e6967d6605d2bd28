package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

const note = "# Hooks\n\nA Stop hook may continue the turn."

func TestWithParagraph(t *testing.T) {
	for name, test := range map[string]struct{ have, want string }{
		"nothing":            {"", note + "\n"},
		"a line":             {"Be kind.\n", "Be kind.\n\n" + note + "\n"},
		"no final line end":  {"Be kind.", "Be kind.\n\n" + note},
		"a blank line":       {"Be kind.\n\n", "Be kind.\n\n" + note + "\n"},
		"Windows":            {"Be kind.\r\n", "Be kind.\r\n\r\n# Hooks\r\n\r\nA Stop hook may continue the turn.\r\n"},
		"Windows, no end":    {"Be\r\nkind.", "Be\r\nkind.\r\n\r\n# Hooks\r\n\r\nA Stop hook may continue the turn."},
		"last end counts":    {"Be\r\nkind.\n", "Be\r\nkind.\n\n" + note + "\n"},
		"a byte order mark":  {"\ufeffBe kind.\n", "\ufeffBe kind.\n\n" + note + "\n"},
		"there":              {"Be kind.\n\n" + note + "\n", ""},
		"there, moved":       {note + "\nBe kind.\n", ""},
		"there, as Windows":  {"# Hooks\r\n\r\nA Stop hook may continue the turn.\r\nBe kind.\r\n", ""},
		"there, but changed": {"# Hooks\n\nA Stop hook may\n", "# Hooks\n\nA Stop hook may\n\n" + note + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := withParagraph(test.have, "\n"+note+"\n\n")
			scratch.Equal(t, got, cmp.Or(test.want, test.have))
			scratch.Equal(t, withParagraph(got, note), got, "again")
		})
	}
}

// Undo restores the bytes; mode and link stay.
func TestAppend(t *testing.T) {
	p := newPlaces(t)
	real, link := filepath.Join(p.Work, "dotfiles.md"), filepath.Join(p.Work, "CLAUDE.md")
	const mine = "Be kind.\r\n"
	put(t, real, mine)
	must(t, errors.Join(os.Chmod(real, 0o640), os.Symlink(real, link)))
	j := journal.Journal{Dir: p.StatePath()}
	appendNote := func(path string) bool {
		t.Helper()
		c, err := j.PlanAndApply(func() (journal.Change, error) {
			e, err := PlanAppendOnce("", path, note)
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
	scratch.ErrorIf(t, !appendNote(link) || appendNote(link), "appended never, or twice")
	if want := withParagraph(mine, note); look(t, real) != want {
		t.Errorf("%q", look(t, real))
	}
	scratch.Equal(t, undo().Entry.Did, "tell "+link+" about hooks", "undone")
	scratch.Equal(t, look(t, real), mine, "not as it was")
	info, err := os.Lstat(link)
	scratch.ErrorIf(t, err != nil || info.Mode()&fs.ModeSymlink == 0, "no longer a link: %v, %v", info, err)
	if info, err := os.Stat(real); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}

	fresh := filepath.Join(p.Work, "fresh", "CLAUDE.md")
	appendNote(fresh)
	if info, err := os.Stat(fresh); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	undo()
	if _, err := os.Stat(filepath.Dir(fresh)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}

	// The link and its directory are deleted; its target still exists and has the edit.
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
		put(t, path, data)
		if _, err := PlanAppendOnce("", path, note); !errors.Is(err, ErrNotText) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(p.Work, "read-only.md")
	put(t, path, "mine")
	must(t, os.Chmod(path, 0o400))
	if _, err := PlanAppendOnce("", path, note); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if _, err := PlanAppendOnce("", p.Work, note); err == nil {
		t.Error("a directory is taken")
	}
}

// Enabling and disabling in any order of scopes restores all files and directories.
func TestEveryOrderGivesTheFirstTreeBack(t *testing.T) {
	tree := func(t *testing.T, p client.Places) map[string]string {
		t.Helper()
		all := scratch.ReadTree(t, filepath.Dir(p.Home))
		maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "home/.claude/springfield/") })
		return all
	}
	layouts := map[string]func(*client.Places){
		"project":        func(*client.Places) {},
		"below its root": func(p *client.Places) { p.Root = filepath.Dir(p.Work) },
		"home":           func(p *client.Places) { p.Work, p.Root = p.Home, p.Home },
	}
	starts := map[string]func(t *testing.T, p client.Places){
		"nothing":     func(*testing.T, client.Places) {},
		"a directory": func(t *testing.T, p client.Places) { mkdir(t, filepath.Join(p.Work, ".claude")) },
		"both settings": func(t *testing.T, p client.Places) {
			put(t, p.Settings(client.Local), "{\n}\n")
			put(t, p.Settings(client.Project), twoSpaces)
		},
	}
	count := 0
	for layout, lay := range layouts {
		for start, begin := range starts {
			if layout != "project" && start != "nothing" {
				continue
			}
			for steps := range interleavings(client.AllScopes()) {
				if scratch.Skipped(8) {
					continue
				}
				p := newPlaces(t)
				lay(&p)
				mkdir(t, p.Work)
				mkdir(t, p.Config) // which holds springfield's own state in any case
				begin(t, p)
				before := tree(t, p)
				on := map[client.Scope]bool{}
				for _, scope := range steps {
					if on[scope] {
						disable(t, p, pluginOf(p, "ned-flanders"), scope)
					} else {
						enable(t, p, pluginOf(p, "ned-flanders"), scope, false)
					}
					on[scope] = !on[scope]
				}
				if after := tree(t, p); !maps.Equal(before, after) {
					t.Fatalf("%s, %s: on and off by %v: %q, was %q", layout, start, steps, after, before)
				}
				if count++; count%5 > 0 {
					continue
				}
				w := world{order: order{Places: p}}
				must(t, w.undoAll(), layout, start, "on and off by", steps, "undo")
				if after := tree(t, p); !maps.Equal(before, after) {
					t.Fatalf("%s, %s: on and off by %v, undone: %q, was %q", layout, start, steps, after, before)
				}
			}
		}
	}
	scratch.ErrorIf(t, count < 20 || count > 5*90, "%d orders", count)
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
}

// interleavings returns all orders in which each scope comes twice.
func interleavings(all []client.Scope) iter.Seq[[]client.Scope] {
	return func(yield func([]client.Scope) bool) {
		var from func(done []client.Scope) bool
		from = func(done []client.Scope) bool {
			if len(done) == 2*len(all) {
				return yield(done)
			}
			for _, s := range all {
				had := 0
				for _, d := range done {
					if d == s {
						had++
					}
				}
				if had < 2 && !from(append(slices.Clip(done), s)) {
					return false
				}
			}
			return true
		}
		from(nil)
	}
}
