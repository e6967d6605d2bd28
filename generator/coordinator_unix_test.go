//go:build unix

package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
