//go:build unix

package command

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is a link, or a directory that leads elsewhere, is not written.
func TestStateStaysInside(t *testing.T) {
	const was = `{"tasks_total": 5, "updated_at": "2026-02-06T21:00:00Z"}`
	for name, link := range map[string]func(t *testing.T, d Console, outside string){
		"the file": func(t *testing.T, d Console, outside string) {
			if err := os.Mkdir(filepath.Join(d.Work, ".claude"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, "workflow-state.json"), filepath.Join(d.Work, ".claude", "workflow-state.json")); err != nil {
				t.Fatal(err)
			}
		},
		"the directory": func(t *testing.T, d Console, outside string) {
			if err := os.Symlink(outside, filepath.Join(d.Work, ".claude")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, _ := console(t)
			outside := filepath.Join(d.Home, "outside")
			put(t, filepath.Join(outside, "workflow-state.json"), was)
			link(t, d, outside)
			if err := d.StateSet([]string{"tasks_total=9"}, false); err == nil {
				t.Error("no error")
			}
			if err := d.StateShow(false); err == nil {
				t.Error("shown")
			}
			if got := content(t, filepath.Join(outside, "workflow-state.json")); got != was {
				t.Errorf("written outside: %s", got)
			}
			if entries, _ := os.ReadDir(outside); len(entries) != 1 {
				t.Errorf("left outside: %v", entries)
			}
		})
	}
}
