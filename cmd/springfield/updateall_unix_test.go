//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A suite that cannot be written is named and left as it is, and the others are updated.
func TestUpdateAllLeavesOutWhatIsReadOnly(t *testing.T) {
	scratch.WithoutRights(t, func(t *testing.T, dir string) {
		t.Setenv("TMPDIR", dir)
		w := newWorld(t)
		for _, name := range []string{"one", "two"} {
			w.must(t, "init", name, "--yes", "--owner", "Ned", "--no-git")
			path := filepath.Join(w.work(), name, "springfield.yaml")
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append(data, "repository: evergreen/hooks\n"...), 0o644)
			}
			must(t, err)
		}
		must(t, os.Chmod(filepath.Join(w.work(), "one"), 0o555))
		defer func() { _ = os.Chmod(filepath.Join(w.work(), "one"), 0o755) }()
		c := w.call(t, "update", "--all")
		for _, part := range []string{"not updated: ", "one: write suite: ", "permission denied", "hint: nothing was changed", "error: 1 suite could not be updated: "} {
			if !strings.Contains(c.err, part) {
				t.Errorf("no %q in\n%s", part, c.err)
			}
		}
		for name, updated := range map[string]bool{"one": false, "two": true} {
			data, err := os.ReadFile(filepath.Join(w.work(), name, "README.md"))
			if err != nil || strings.Contains(string(data), "evergreen/hooks") != updated {
				t.Errorf("%s: %v\n%s", name, err, data)
			}
		}
		if c.code != failed || !strings.Contains(c.out, "updated "+filepath.Join(w.work(), "two")) {
			t.Errorf("exit code %d\n%s%s", c.code, c.out, c.err)
		}
	})
}
