//go:build unix

package installer

import (
	"path/filepath"
	"testing"
)

// realDir is a temporary directory without a symbolic link on the way.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
