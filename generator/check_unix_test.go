//go:build unix

package generator

import (
	"os"
	"path/filepath"
	"testing"
)

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
