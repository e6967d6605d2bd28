//go:build unix

package replay

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Unreadable files are reported, and the rest is read.
func TestUnreadable(t *testing.T) {
	scratch.AsUnprivileged(t, func(t *testing.T, home string) {
		secret := stopped("secret").write(t, home)
		stopped("open").write(t, home)
		closed := filepath.Join(ProjectsDir(home), "closed")
		must(t, errors.Join(os.Mkdir(closed, 0), os.Chmod(secret, 0)))
		t.Cleanup(func() { os.Chmod(closed, 0o700) })
		r := replayed(t, home)
		want := []Skipped{{closed, "permission denied"}, {secret, "permission denied"}}
		if r.Files != 1 || len(r.Rows) != 1 || !slices.Equal(r.Skipped, want) {
			t.Errorf("%d files, %d rows, skipped %v", r.Files, len(r.Rows), r.Skipped)
		}
	})
}

// Links are followed; loops, dangling links, second names and pipes are skipped.
func TestLinksAndPipes(t *testing.T) {
	home := t.TempDir()
	path := stopped("a").write(t, home)
	dir := filepath.Dir(path)
	elsewhere := t.TempDir()
	stopped("b").write(t, elsewhere)
	for name, target := range map[string]string{
		"up": ProjectsDir(home), "round.jsonl": "round.jsonl", "there": "back", "back": "there", "nowhere.jsonl": "gone", "again.jsonl": path, "out": elsewhere,
	} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600))
	r := replayed(t, home)
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, filepath.Base(s.File)+": "+s.Why)
	}
	slices.Sort(skipped)
	round := "too many levels of symbolic links"
	want := []string{"back: " + round, "nowhere.jsonl: not found", "pipe.jsonl: neither a file nor a directory", "round.jsonl: " + round, "there: " + round}
	if r.Files != 2 || len(r.Rows) != 2 || !slices.Equal(skipped, want) {
		t.Errorf("%d files, %d rows, skipped %q", r.Files, len(r.Rows), skipped)
	}
}
