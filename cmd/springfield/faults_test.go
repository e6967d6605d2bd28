package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// claims is one user's files, and a springfield whose steps can be made to fail.
type claims struct {
	program string
	dir     string
	env     []string
}

func (c claims) path(name ...string) string {
	return filepath.Join(append([]string{c.dir}, name...)...)
}

func (c claims) run(fault, verb string, args ...string) (out string, err error) {
	cmd := exec.Command(c.program, append([]string{verb}, args...)...)
	cmd.Dir, cmd.Env = c.path("project"), append(slices.Clone(c.env), "SPRINGFIELD_FAULT="+fault, "SPRINGFIELD_STEPS="+c.path("steps"))
	_ = os.Remove(c.path("steps"))
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// state returns the files of the project and of Claude Code, springfield's own only if whole.
func (c claims) state(t *testing.T, whole bool) map[string]string {
	t.Helper()
	all := scratch.ReadTree(t, c.dir)
	maps.DeleteFunc(all, func(name, _ string) bool {
		own := strings.HasPrefix(name, "home/.claude/springfield/")
		users := strings.HasPrefix(name, "home/.claude/") || strings.HasPrefix(name, "project/")
		return strings.HasSuffix(name, "/") || !users || own && !whole
	})
	return all
}

// modes returns the modes of the user's files.
func (c claims) modes(t *testing.T) map[string]string {
	t.Helper()
	all := c.state(t, false)
	for name := range all {
		info, err := os.Lstat(c.path(filepath.FromSlash(name)))
		must(t, err)
		all[name] = info.Mode().String()
	}
	return all
}

// isTakenBack checks that after a kill every file has its old bytes and mode, if need be after undo.
func (c claims) isTakenBack(t *testing.T, what string, kill func() error) {
	t.Helper()
	before, modes := c.state(t, false), c.modes(t)
	had, err := c.run("", "undo", "--list")
	must(t, err, what, had)
	if kill() == nil {
		t.Fatalf("%s: it goes on", what)
	}
	has, err := c.run("", "undo", "--list")
	if err == nil && has != had {
		has, err = c.run("", "undo")
	}
	scratch.ErrorIf(t, err != nil, "%s: %v\n%s", what, err, has)
	if is := c.state(t, false); !maps.Equal(is, before) || !maps.Equal(c.modes(t), modes) {
		t.Errorf("%s: %q are not as before, modes of %q", what, differs(is, before), differs(c.modes(t), modes))
	}
}

// reset puts every file as it was.
func (c claims) reset(t *testing.T, files map[string]string) {
	t.Helper()
	is := c.state(t, true)
	for name := range is {
		if _, wanted := files[name]; !wanted {
			must(t, os.Remove(c.path(filepath.FromSlash(name))))
		}
	}
	var dirs []string // that nothing is in any more go too, or init would not take theirs for free
	_ = filepath.WalkDir(c.path("project"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name != c.path("project") {
			dirs = append(dirs, name)
		}
		return err
	})
	for _, dir := range slices.Backward(dirs) {
		_ = os.Remove(dir)
	}
	for name, data := range files {
		if had, ok := is[name]; ok && had == data {
			continue
		}
		path := c.path(filepath.FromSlash(name))
		mode := fs.FileMode(0o644)
		if strings.Contains(name, "springfield-hook") {
			mode = 0o755
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(data), mode))
	}
}

// differs returns the names of the files that are not the same in both.
func differs(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(name, _ string) bool {
		was, had := a[name]
		is, has := b[name]
		return was == is && had == has
	})
	return slices.Sorted(maps.Keys(all))
}

var leftFiles = regexp.MustCompile(`still changed: (.*?);`)

// A verb reports the state of the files correctly if one step of writing fails, or every one from there on.
func TestWhatIsSaidIsWhatHappened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := claims{program: scratch.Program(t, "cmd/springfield", "-tags", "faults", scratch.WriteOverlay(t, carriedHeads(t), "../../generator/prebuilt")), dir: filepath.Join(dir, "world")}
	for _, name := range []string{"home", "project", "tmp"} {
		must(t, os.MkdirAll(c.path(name), 0o755))
	}
	c.env = []string{
		"HOME=" + c.path("home"), "USERPROFILE=" + c.path("home"),
		"TMPDIR=" + c.path("tmp"), "TMP=" + c.path("tmp"), "SystemRoot=" + os.Getenv("SystemRoot"), "PATH=",
	}
	must(t, scratch.TurnGoTelemetryOff(c.path("home")))
	prepare := func(verb string, args ...string) {
		t.Helper()
		if out, err := c.run("", verb, args...); err != nil {
			t.Fatalf("%s: %v\n%s", verb, err, out)
		}
	}
	host := generator.HostTarget().String()
	prepare("init", "suite", "--yes", "--owner", "Ned")
	enabling := []string{"ned-flanders", "--scope", "project", "--no-activate"}
	disabling := []string{"ned-flanders", "--scope", "project"}
	publishing := []string{"suite", "--target", host}
	files := c.state(t, true)
	files["home/.claude/settings.json"] = "{\n  \"x\": 1\n}\n"
	files["project/.claude/settings.json"] = "{}\n"

	spoil := func() { // hooks, so that they are made again
		for name := range c.state(t, true) {
			if strings.HasSuffix(name, "hooks/springfield-hook") || strings.HasSuffix(name, ".exe") && strings.Contains(name, "hooks/") {
				must(t, os.WriteFile(c.path(filepath.FromSlash(name)), []byte("old"), 0o755))
			}
		}
	}
	making := []string{"another", "--yes", "--owner", "Ned", "--memory", "CLAUDE.md"}
	files["project/CLAUDE.md"] = "mine\n"

	for _, test := range []struct {
		name  string
		verb  string
		args  []string
		to    func() // what was done before
		every int    // of how many steps one is tried, but with -full each
	}{
		{"enable", "enable", enabling, func() {}, 18},
		{"disable", "disable", disabling, func() { prepare("enable", enabling...) }, 18},
		{"undo", "undo", nil, func() { prepare("enable", enabling...) }, 18},
		{"publish", "publish", publishing, spoil, 24},
		{"undo publish", "undo", nil, func() { prepare("publish", publishing...) }, 16},
		// Suites take many similar steps; TestFaultsAtEveryStep of the journal tries each.
		{"init", "init", making, func() {}, 120},
		{"undo init", "undo", nil, func() { prepare("init", making...) }, 32},
		{"build", "build", []string{"suite"}, spoil, 18},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.reset(t, files)
			test.to()
			start, before := c.state(t, true), c.state(t, false)
			prepare(test.verb, test.args...)
			after := c.state(t, false)
			data, err := os.ReadFile(c.path("steps"))
			steps := strings.Split(strings.TrimSpace(string(data)), "\n")
			if err != nil || len(steps) < 5 || maps.Equal(before, after) {
				t.Fatalf("%d steps that change %d files, %v", len(steps), len(differs(before, after)), err)
			}
			said := map[string]int{}
			every, first := scratch.EveryStep(test.every)
			for i, step := range steps {
				if i%every != first && !strings.HasSuffix(step, "entry") {
					continue
				}
				for _, fault := range []string{fmt.Sprintf("%d:EIO", i+1), fmt.Sprintf("%d+:EIO", i+1)} {
					c.reset(t, start)
					out, err := c.run(fault, test.verb, test.args...)
					is := c.state(t, false)
					changed := differs(before, is)
					what := fmt.Sprintf("%s (%s)", fault, step)
					left := leftFiles.FindStringSubmatch(out)
					switch {
					case err == nil:
						said["nothing"]++
						if !maps.Equal(is, after) {
							t.Errorf("%s: it succeeds, but %q are not as they should be\n%s", what, differs(is, after), out)
						}
					case strings.Contains(out, "reverted, but the edit is still in the list"):
						said["done"]++
						if !maps.Equal(is, after) {
							t.Errorf("%s: %q are not done\n%s", what, differs(is, after), out)
						}
						if out, err := c.run("", "undo", "--forget"); err != nil {
							t.Errorf("%s: forget: %v\n%s", what, err, out)
						}
					case left != nil:
						said["left"]++
						var names []string
						for name := range strings.SplitSeq(left[1], ", ") {
							if short, ok := strings.CutPrefix(name, "~"); ok {
								name = c.path("home") + short
							}
							relative, err := filepath.Rel(c.dir, name)
							must(t, err)
							names = append(names, filepath.ToSlash(relative))
						}
						slices.Sort(names)
						scratch.Equal(t, names, changed, what, "changed", out)
						want := before
						if test.verb == "undo" {
							want = after
						}
						if out, err := c.run("", "undo"); err != nil || !maps.Equal(c.state(t, false), want) {
							t.Errorf("%s, then undo: %v, %q are not as they should be\n%s", what, err, differs(c.state(t, false), want), out)
						}
					case strings.Contains(out, "hint: your settings are unchanged"), strings.Contains(out, "hint: nothing was changed"):
						said["untouched"]++
						scratch.ErrorIf(t, len(changed) > 0, "%s: changed are %q\n%s", what, changed, out)
					default:
						t.Errorf("%s: it does not say what has happened; changed are %q\n%s", what, changed, out)
					}
				}
			}
			if slices.Contains([]string{"publish", "init", "build"}, test.name) {
				for i, step := range steps {
					if i%every != first {
						continue
					}
					c.reset(t, start)
					c.isTakenBack(t, fmt.Sprintf("killed before step %d (%s)", i+1, step), func() error {
						_, err := c.run(fmt.Sprintf("%d:kill", i+1), test.verb, test.args...)
						return err
					})
				}
			}
			t.Logf("%d steps, every %d. from %d: %v", len(steps), every, first, said)
			if said["untouched"] == 0 || strings.HasPrefix(test.name, "undo") && said["done"] == 0 {
				t.Errorf("%v", said)
			}
		})
	}
}
