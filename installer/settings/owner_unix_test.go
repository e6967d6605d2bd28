//go:build unix

package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
)

// Under sudo, what root makes in a user's home is the user's: settings that they
// and their client could not read would lock them out. As anybody else every new
// file is one's own.
func TestNewFilesBelongToTheirHome(t *testing.T) {
	p := newPlaces(t)
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65534
		if err := filepath.WalkDir(filepath.Dir(p.Home), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = os.Chown(path, owner, owner)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		must(t, os.MkdirAll(p.Home, 0o755))
		must(t, os.Chown(p.Home, owner, owner))
	}
	enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
	must(t, remember(p, filepath.Join(p.Work, "hooks")))
	n := 0
	for _, root := range []string{p.Home, p.Work} {
		if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			n++
			if is := info.Sys().(*syscall.Stat_t); int(is.Uid) != owner {
				t.Errorf("%s belongs to %d, not to %d", path, is.Uid, owner)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if n < 10 {
		t.Errorf("only %d files were looked at", n)
	}
}
