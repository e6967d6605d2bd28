package client

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// must fails the test where something did not go well that has to.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newPlaces is a scratch user with a project.
func newPlaces(t *testing.T) Places {
	t.Helper()
	root := t.TempDir()
	p := Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	must(t, os.MkdirAll(p.Work, 0o755))
	return p
}

func settingsOf(t *testing.T, p Places, s Scope) string {
	t.Helper()
	path, err := p.Settings(s)
	must(t, err)
	return path
}

func put(t *testing.T, path, data string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(data), 0o644))
}

// look is a file's content, "(none)" if there is none.
func look(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	must(t, err)
	return string(data)
}

// link makes a symbolic link, or skips where the system has none.
func link(t *testing.T, target, path string) {
	t.Helper()
	must(t, os.Symlink(target, path))
}
