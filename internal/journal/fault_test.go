package journal

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A kill, a full disk and a broken disk at every step of writing:
//   - Every file has the bytes from before or after.
//   - After an error all files are as before, unless only the journal lags.
//   - Only a kill leaves temporary files.
//   - Undo restores the bytes from before.

func TestMain(m *testing.M) {
	flush = func(*os.File) error { return nil }
	os.Exit(m.Run())
}

// world is a user's directories, on which a change is repeated.
type world struct {
	t    *testing.T
	dir  string
	plan func() (Change, error)
	at   fault
}

func (w world) path(name ...string) string {
	return filepath.Join(append([]string{w.dir}, name...)...)
}

func (w world) journal() Journal {
	return Journal{Dir: w.path("home", "springfield"), atStep: w.at}
}

// edit sets a file's bytes, or removes it.
func (w world) edit(in, name, after string) Edit {
	if in != "" {
		in = w.path(in)
	}
	e, err := OpenEdit(in, w.path(filepath.FromSlash(name)))
	must(w.t, err)
	e.After = &Content{Data: []byte(after), Mode: 0o644}
	if after == "" {
		e.After = nil
	}
	return e
}

// files returns all files and directories, the journal's own only if whole.
func (w world) files(whole bool) map[string]string {
	all := scratch.ReadTree(w.t, w.dir)
	maps.DeleteFunc(all, func(name, _ string) bool {
		own := strings.HasPrefix(name, "home/springfield/journal") || strings.HasSuffix(name, ".lock") || name == "home/springfield/"
		return name == "" || own && !whole
	})
	return all
}

func (w world) put(files map[string]string) {
	must(w.t, os.RemoveAll(w.dir))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path, data := w.path(filepath.FromSlash(name)), files[name]
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case strings.HasSuffix(name, "link.json"):
			err = os.Symlink(data, path)
		default:
			err = os.WriteFile(path, []byte(data), 0o644)
		}
		must(w.t, err)
	}
}

// killed ends the process at a step. The panic runs no cleanup but closing files and unlocking.
type killed struct{}

// with applies a change with a fault at one step, none for -1, and returns the steps.
func (w world) with(fault string, at int, do func(world) error) (steps []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			err = errors.New("killed")
		}
	}()
	w.at = func(step string) error {
		steps = append(steps, step)
		if len(steps)-1 != at {
			return nil
		}
		switch fault {
		case "ENOSPC":
			return syscall.ENOSPC
		case "EIO":
			return syscall.EIO
		}
		panic(killed{})
	}
	err = do(w)
	return steps, err
}

func (w world) apply() error {
	_, err := w.journal().PlanAndApply(w.plan)
	return err
}

func (w world) undo() error {
	_, err := w.journal().PlanAndApply(func() (Change, error) {
		u, err := w.journal().PlanUndo()
		return u.Change, err
	})
	return err
}

func (w world) undoAll() error {
	for {
		if err := w.undo(); errors.Is(err, ErrNothingToUndo) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// beginning is a world before a change, and the change.
type beginning struct {
	files map[string]string
	plan  func(w world) Change
}

func worlds() map[string]beginning {
	return map[string]beginning{
		"settings": {
			map[string]string{"home/dotfiles/settings.json": "{}\n", "home/link.json": "dotfiles/settings.json", "work/": ""},
			func(w world) Change {
				memory := w.edit("", "home/springfield/edits/1.json", "before: {}")
				memory.State = true
				return Change{Did: "enable", Edits: []Edit{memory, w.edit("", "home/link.json", `{"x": 1}`), w.edit("work", "work/.claude/settings.json", "{}")}}
			},
		},
		"settings given back": {
			map[string]string{"home/settings.json": `{"x": 1}`, "home/springfield/edits/1.json": "before: {}", "work/.claude/settings.json": "{}"},
			func(w world) Change {
				memory := w.edit("", "home/springfield/edits/1.json", "")
				memory.State = true
				project := w.edit("work", "work/.claude/settings.json", "")
				project.Drop = true
				return Change{Did: "disable", Edits: []Edit{w.edit("", "home/settings.json", "{}\n"), project, memory}}
			},
		},
		"new suite": {
			map[string]string{"work/": "", "home/CLAUDE.md": "mine\n"},
			func(w world) Change {
				in := "work/new/suite"
				c := Change{Did: "init", Kind: "suite", Edits: []Edit{
					w.edit(in, in+"/springfield.yaml", "a"), w.edit(in, in+"/ned/hooks/hook", strings.Repeat("\x00binary", 100)), w.edit(in, in+"/lisa/hooks/hook", strings.Repeat("\x00binary", 100)),
				}}
				list := w.edit("", "home/springfield/suites.json", "suite")
				list.State = true
				c.Edits = append(c.Edits, w.edit("", "home/CLAUDE.md", "mine\n\nhooks\n"), list)
				return c
			},
		},
		"suite in an empty directory": {
			map[string]string{"work/suite/": "", "home/": ""},
			func(w world) Change {
				return Change{Did: "init", Kind: "suite", Edits: []Edit{w.edit("work/suite", "work/suite/a", "a"), w.edit("work/suite", "work/suite/ned/b", "b")}}
			},
		},
		"suite": {
			map[string]string{"work/suite/springfield.yaml": "a", "work/suite/ned/hooks/linux": "\x00old", "work/suite/ned/hooks/old/darwin": "\x00old", "home/": ""},
			func(w world) Change {
				gone := w.edit("work/suite", "work/suite/ned/hooks/old/darwin", "")
				gone.Drop = true
				return Change{Did: "build", Kind: "suite", Edits: []Edit{
					gone, w.edit("work/suite", "work/suite/ned/hooks/linux", "\x00new"), w.edit("work/suite", "work/suite/lisa/hooks/linux", "\x00new"), w.edit("work/suite", "work/suite/springfield.yaml", "b"),
				}}
			},
		},
		"marketplace": {
			map[string]string{"work/market/.claude-plugin/marketplace.json": "{}", "work/suite/CHANGELOG.md": "old", "home/": ""},
			func(w world) Change {
				return Change{Did: "publish", Kind: "release", Edits: []Edit{
					w.edit("work/suite", "work/suite/CHANGELOG.md", "new"), w.edit("work/suite", "work/suite/ned/CHANGELOG.md", "first"), w.edit("work/market", "work/market/.claude-plugin/marketplace.json", `{"plugins": []}`),
				}}
			},
		},
	}
}

func TestFaultsAtEveryStep(t *testing.T) {
	for name, begin := range worlds() {
		for _, do := range []string{"apply", "undo"} {
			t.Run(name+"/"+do, func(t *testing.T) {
				t.Parallel()
				w := world{t: t, dir: filepath.Join(t.TempDir(), "world")}
				w.plan = func() (Change, error) { return begin.plan(w), nil }
				w.put(begin.files)
				act, original := world.apply, w.files(false)
				if do == "undo" {
					must(t, w.apply())
					act = world.undo
				}
				start, old := w.files(true), w.files(false)
				steps, err := w.with("", -1, act)
				must(t, err)
				all := w.files(false)
				if len(steps) < 7 || maps.Equal(old, all) {
					t.Fatalf("%d steps, and nothing has changed", len(steps))
				}
				if do == "undo" && !maps.Equal(all, original) {
					t.Fatalf("undone, it is\n%q, was\n%q", all, original)
				}
				torn := 0
				for at, step := range steps {
					for _, fault := range []string{"kill", "ENOSPC", "EIO"} {
						if fault == "ENOSPC" && !slices.Contains([]string{"make directory", "create", "write", "sync", "rename"}, step) {
							continue // nothing takes room there
						}
						what := fmt.Sprintf("%s before step %d of %d (%s)", fault, at+1, len(steps), step)
						w.put(start)
						_, err := w.with(fault, at, act)
						if fault != "kill" {
							w.checkFailed(what, step, err, old, all)
						}
						torn += w.checkParts(what, old, all)
						scratch.Equal(t, w.undoAll(), nil, what, "then undo")
						if is := w.files(false); !maps.Equal(is, original) && (step != "remove directory" || fault == "kill") {
							t.Errorf("%s, then undo: it is\n%q, was\n%q", what, is, original)
						}
					}
				}
				t.Logf("%d steps, %d torn", len(steps), torn)
			})
		}
	}
}

// checkFailed checks the files after an error.
func (w world) checkFailed(what, step string, err error, old, all map[string]string) {
	want, is := old, w.files(false)
	switch step {
	case "finish entry", "remove directory": // all is written by then
		want = all
		if step == "remove directory" {
			return // a directory that is left empty is no failure
		}
		scratch.ErrorIf(w.t, err != nil, "%s: %v", what, err)
	case "forget entry":
		want = all
		fallthrough
	default:
		var failure *WriteError
		if !errors.As(err, &failure) || len(failure.Left) > 0 || failure.Done != (step == "forget entry") {
			w.t.Errorf("%s: %v", what, err)
		}
	}
	scratch.Equal(w.t, is, want, what)
}

// checkParts checks that every file is as before or as after, and returns 1 if both occur.
func (w world) checkParts(what string, old, all map[string]string) int {
	before, after := 0, 0
	is := w.files(false)
	for name := range is {
		if _, known := all[name]; known || strings.Contains(name, tempMark) || strings.HasSuffix(name, "/") {
			continue
		}
		if _, known := old[name]; !known {
			w.t.Errorf("%s: %s is new", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		got, there := is[name]
		was, had := old[name]
		switch {
		case strings.HasSuffix(name, "/"), had && was == all[name]:
		case there == had && got == was:
			before++
		case there && got == all[name]:
			after++
		default:
			w.t.Errorf("%s: %s is %q", what, name, got)
		}
	}
	if before > 0 && after > 0 {
		return 1
	}
	return 0
}

// An undo that was planned during the change undoes all of it or nothing.
func TestUndoPlannedDuringTheChange(t *testing.T) {
	for name, begin := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world{t: t, dir: filepath.Join(t.TempDir(), "world")}
			w.plan = func() (Change, error) { return begin.plan(w), nil }
			w.put(begin.files)
			original := w.files(false)
			var plans []Undo
			writing := w
			writing.at = func(string) error {
				u, err := w.journal().PlanUndo()
				if err == nil {
					plans = append(plans, u)
				}
				return nil
			}
			must(t, writing.apply())
			scratch.ErrorIf(t, len(plans) < 4, "only %d plans", len(plans))
			all, written := w.files(false), w.files(true)
			for n, u := range plans {
				w.put(written)
				err := w.journal().ApplyChange(u.Change)
				switch is := w.files(false); {
				case err == nil:
					scratch.Equal(t, is, original, "undone by plan", n)
				case errors.Is(err, ErrChanged):
					scratch.Equal(t, is, all, "refused plan", n)
					scratch.Equal(t, w.undoAll(), nil, "undo after plan", n)
					scratch.Equal(t, w.files(false), original, "undone after plan", n)
				default:
					t.Errorf("plan %d: %v", n, err)
				}
			}
		})
	}
}
