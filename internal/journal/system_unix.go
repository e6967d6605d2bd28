//go:build unix

package journal

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// checkWritable says why a directory takes no new file.
func checkWritable(dir string) error {
	return syscall.Access(dir+"/.", 2|1) // write and enter
}

// keepOwner gives temp the owner of the file it will replace. Root must succeed, or a user
// run under sudo would lose the file to root; everyone else can at most keep a group they
// are in.
func keepOwner(temp *os.File, old fs.FileInfo) error {
	owner, known := old.Sys().(*syscall.Stat_t)
	if known && os.Geteuid() == 0 {
		return temp.Chown(int(owner.Uid), int(owner.Gid))
	}
	if known {
		_ = temp.Chown(-1, int(owner.Gid))
	}
	return nil
}

// ownAsAround gives what root has made in a directory of another user to that owner.
func ownAsAround(in rooted.Folder, name string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	around, err := in.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if owner, known := around.Sys().(*syscall.Stat_t); known {
		return in.Lchown(name, int(owner.Uid), int(owner.Gid))
	}
	return nil
}

// persist tries once: it does not matter which program has a file open.
func persist(attempt func() error) error { return attempt() }
