package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/change"
)

// Names, contents and which file is started make the digest; changelog, modes and
// time do not.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, "p", filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	digest := func() string {
		t.Helper()
		files, err := readTree(dir)
		must(t, err)
		d, err := files.digest("p")
		must(t, err)
		return d
	}
	write("hooks/springfield-hook", "x")
	write("README.md", "a")
	base := digest()
	write("CHANGELOG.md", "# one")
	must(t, os.Chmod(filepath.Join(dir, "p", "hooks", "springfield-hook"), 0o755))
	if digest() != base {
		t.Error("a changelog, or a mode that a checkout can lose, changed it")
	}
	for _, test := range []struct {
		name, lf, crlf string
		same           bool
	}{
		{"lines.md", "a\nb\n", "a\r\nb\r\n", true}, {"data", "a\x00\n", "a\x00\r\n", false}, {"hooks/springfield-hook", "a\n", "a\r\n", false},
	} {
		write(test.name, test.lf)
		lf := digest()
		write(test.name, test.crlf)
		if same := digest() == lf; same != test.same {
			t.Errorf("%s with other line ends: the same is %v", test.name, same)
		}
	}
	for name, text := range map[string]string{"README.md": "b", "hooks/springfield-hook": "y", "more/CHANGELOG.md": "z"} {
		write(name, text)
		if next := digest(); next == base {
			t.Errorf("%s did not change it", name)
		} else {
			base = next
		}
	}
	must(t, os.Symlink("README.md", filepath.Join(dir, "link")))
	if _, err := readTree(dir); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link: %v", err)
	}
}

// A tree is what is on the disk with edits laid over it, and its changes are what
// makes a difference.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "a", "gone.txt": "old", "same.txt": "same", "p/hooks/springfield-hook": "hook", ".git/HEAD": "ref", "sub/.git": "gitdir: x"} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	was, err := readTree(dir)
	must(t, err)
	is := was
	for name, text := range map[string]string{"p/new.txt": "n", "same.txt": "same", "p/hooks/springfield-hook": "other"} {
		if is, err = is.with(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := change.Open(dir, filepath.Join(dir, "gone.txt"))
	must(t, err)
	gone.After = nil
	is = is.edited(gone)
	var changed []string
	for _, e := range is.changes("") {
		changed = append(changed, filepath.Base(e.Path))
	}
	if got, want := strings.Join(changed, " "), "gone.txt springfield-hook new.txt"; got != want {
		t.Errorf("changed: %s, want %s", got, want)
	}
	if len(is.changes("p")) != 2 || len(is.changes("q")) != 0 || len(is.compiled()) != 1 {
		t.Errorf("%d changes in p, %d in q, %d compiled", len(is.changes("p")), len(is.changes("q")), len(is.compiled()))
	}
	copied := filepath.Join(t.TempDir(), "copy")
	must(t, is.write(copied))
	again, err := readTree(copied)
	must(t, err)
	if got, want := strings.Join(again.list(""), " "), "a.txt p/hooks/springfield-hook p/new.txt same.txt"; got != want {
		t.Errorf("the copy has %s, want %s", got, want)
	}
	if data, err := again.read("p/hooks/springfield-hook"); err != nil || string(data) != "other" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := is.read("gone.txt"); !errors.Is(err, fs.ErrNotExist) || is.has("gone.txt") {
		t.Errorf("a file that goes: %v", err)
	}
	if len(was.changes("")) != 0 {
		t.Error("the tree that it was made from has changed")
	}
}
