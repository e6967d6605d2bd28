package client

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// newPlaces is a scratch user with a project.
func newPlaces(t *testing.T) Places {
	t.Helper()
	root := t.TempDir()
	p := Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	if err := os.MkdirAll(p.Work, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func settingsOf(t *testing.T, p Places, s Scope) string {
	t.Helper()
	path, err := p.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func put(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// look is a file's content, "(none)" if there is none.
func look(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// link makes a symbolic link, or skips where the system has none.
func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
