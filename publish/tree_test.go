package publish

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		d, err := files.digestOf("p")
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
