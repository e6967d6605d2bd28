//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What a repository or a home can hold in the place of a file must not hold
// Claude up: a pipe, or a link to a terminal.
func TestNothingHoldsClaudeUp(t *testing.T) {
	for name, place := range map[string]string{
		"the project's layer": "project/.claude/springfield/ned-flanders.json",
		"the user's layer":    ".claude/springfield/ned-flanders.json",
		"ralph's file":        "project/.claude/ralph-loop.local.md",
		"the hold":            ".claude/springfield/hold",
		"the transcript":      ".claude/projects/-w/pipe.jsonl",
	} {
		for kind, make := range map[string]func(path string) error{
			"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
			"terminal": func(path string) error { return os.Symlink("/dev/ptmx", path) },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				w := newWorld(t, ned)
				must(t, os.MkdirAll(filepath.Dir(w.path(place)), 0o755))
				must(t, make(w.path(place)))
				w.host.Project = w.path("project")
				out, notes := w.run(w.event(map[string]any{
					"last_assistant_message": progress, "cwd": w.path("project"), "transcript_path": w.path(".claude/projects/-w/pipe.jsonl"),
				}))
				// Only a hold means stop: a user wanted that.
				if held := name == "the hold"; (out.Decision == "block") == held {
					t.Errorf("answer %+v, notes %s", out, notes)
				}
			})
		}
	}
}
