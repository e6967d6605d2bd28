//go:build unix

package generator

import (
	"os"
	"path/filepath"
	"testing"
)

// A kept file that others can write, or that is theirs, is passed over.
func TestKeptFilesOfOthers(t *testing.T) {
	key, err := keyOf("ours")()
	must(t, err)
	s := shelf{t.TempDir(), key}
	path := filepath.Join(s.slotDir("m"), s.fileName("m", []byte("hook")))
	for name, spoil := range map[string]func() error{
		"others can write it": func() error { return os.Chmod(path, 0o602) },
		"a group can":         func() error { return os.Chmod(path, 0o620) },
		"of another user": func() error {
			if os.Geteuid() != 0 { // only root can give it away
				return os.Remove(path)
			}
			return os.Chown(path, 1234, 1234)
		},
	} {
		s.keepProgram("m", []byte("hook"))
		if data, ok := s.takeProgram("m"); !ok || string(data) != "hook" {
			t.Fatalf("%s: at first %q, %v", name, data, ok)
		}
		must(t, spoil())
		if data, ok := s.takeProgram("m"); ok {
			t.Errorf("%s: taken: %q", name, data)
		}
	}
}
