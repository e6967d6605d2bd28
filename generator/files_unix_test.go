//go:build unix

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A directory of the suite that turns into a link while the suite is written: what
// it leads to stays as it was, whichever is faster.
func TestLinksThatComeWhileWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	_, files := write(t, dir)
	canary := t.TempDir()
	for _, f := range files {
		if inside, ok := cutTop(f.Path); ok {
			put(t, filepath.Join(canary, inside), []byte("theirs"), 0o644)
		}
	}
	laid := func() (all string) {
		if err := filepath.WalkDir(canary, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			all += fmt.Sprintf("%s: %.40q, %v\n", name, data, err)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := laid()
	plugin := filepath.Join(dir, "ned-flanders")
	aside := filepath.Join(t.TempDir(), "ned-flanders")
	done, swapped := make(chan struct{}), 0
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if errors.Join(os.Rename(plugin, aside), os.Symlink(canary, plugin), os.Remove(plugin), os.Rename(aside, plugin)) != nil {
				return // a directory was made in between
			}
			swapped++
		}
	})
	wrote := 0
	for n := range 100 {
		for i := range files {
			if files[i].Compiled {
				files[i].Data = []byte{byte(n), byte(n >> 8)}
			}
		}
		if _, _, err := Write(dir, files); err == nil {
			wrote++
		}
	}
	close(done)
	swapping.Wait()
	if after := laid(); after != before {
		t.Errorf("after %d writes and %d swaps the directory beside it has\n%s", wrote, swapped, after)
	}
}

// cutTop is a path without its plugin.
func cutTop(name string) (inside string, ok bool) {
	plugin, inside, ok := strings.Cut(name, "/")
	return inside, ok && plugin == "ned-flanders"
}

// A kept file that others can write, or that is theirs, is passed over.
func TestKeptFilesOfOthers(t *testing.T) {
	key, err := keyOf("ours")()
	must(t, err)
	s := shelf{t.TempDir(), key}
	path := filepath.Join(s.slotDir("m"), s.fileName("m", []byte("hook")))
	for name, spoil := range map[string]func() error{
		"others can write it": func() error { return os.Chmod(path, 0o602) },
		"a group can":         func() error { return os.Chmod(path, 0o620) },
		"of another user": func() error {
			if os.Geteuid() != 0 { // only root can give it away
				return os.Remove(path)
			}
			return os.Chown(path, 1234, 1234)
		},
	} {
		s.keepProgram("m", []byte("hook"))
		if data, ok := s.takeProgram("m"); !ok || string(data) != "hook" {
			t.Fatalf("%s: at first %q, %v", name, data, ok)
		}
		must(t, spoil())
		if data, ok := s.takeProgram("m"); ok {
			t.Errorf("%s: taken: %q", name, data)
		}
	}
}

// A directory may be named with what a pattern would take for a set.
func TestMakeExecutableInAnyDirectory(t *testing.T) {
	hooks := filepath.Join(t.TempDir(), "plugins [old", "hooks")
	var all []string
	for _, file := range []string{"springfield-hook", "linux-amd64/springfield-hook", "darwin-arm64/springfield-hook"} {
		path := filepath.Join(hooks, filepath.FromSlash(file))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, nil, 0o644))
		all = append(all, path)
	}
	must(t, makeExecutable(filepath.Dir(hooks)))
	for _, path := range all {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// The commands by which the coordinator counts: how many tasks there are, and
// which one is the first that is open.
func TestCoordinatorCounts(t *testing.T) {
	for _, c := range coordinators() {
		var commands []string
		for line := range strings.Lines(string(texts(t, c.strategy, c.strategy)["commands/implement.md"])) {
			if command, ok := strings.CutPrefix(line, "    grep "); ok {
				commands = append(commands, "grep "+strings.TrimSpace(command))
			}
		}
		if len(commands) != 2 {
			t.Fatalf("%s has the commands %q", c.strategy, commands)
		}
		for name, test := range map[string]struct{ tasks, total, first string }{
			"none done":  {"# Tasks\n\n- [ ] 1.1 a\n  - [ ] a part of it\n- [ ] 1.2 b\n", "2", "1:- [ ] 1.1 a"},
			"some done":  {"- [x] 1.1 a\n  - **Do**: - [ ] no task\n- [X] 1.2 b\n\n## Phase 2\n\n- [ ] 2.1 c\n- [x] 2.2 d\n- [ ] 2.3 [P] e", "5", "3:- [ ] 2.1 c"},
			"box in it":  {"- [x] 1.1 draw a - [ ] box\n* [ ] 1.2 b\n", "2", "2:* [ ] 1.2 b"},
			"all done":   {"- [x] T001 a\n- [x] T002 b\n", "2", ""},
			"no tasks":   {"# Tasks\n\nsoon\n", "0", ""},
			"of Windows": {"- [x] 1.1 a\r\n- [ ] 1.2 b\r\n", "2", "2:- [ ] 1.2 b"},
		} {
			t.Run(c.strategy+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				must(t, os.WriteFile(filepath.Join(dir, "tasks.md"), []byte(test.tasks), 0o600))
				for i, want := range []string{test.total, test.first} {
					out, _ := exec.Command("sh", "-c", strings.ReplaceAll(commands[i], "DIR", dir)).Output() // grep exits 1 where it finds nothing
					if got := strings.TrimSpace(string(out)); got != want {
						t.Errorf("%s prints %q, want %q", commands[i], got, want)
					}
				}
			})
		}
	}
}
