//go:build unix

package journal

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// checkWritable returns an error if an existing file is not writable, or if no file can be made in dir, the nearest
// existing directory.
func checkWritable(file, dir string) error {
	if err := syscall.Access(file, 2); err != nil && err != syscall.ENOENT {
		return err
	}
	return syscall.Access(dir+"/.", 2|1) // write and enter
}

// keepOwner gives temp the old file's owner. Failing is an error for root. Other users only keep the group.
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

// MayChmod reports whether the user may change a file's mode.
func MayChmod(info fs.FileInfo) (userMay bool) {
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && (os.Geteuid() == 0 || int(owner.Uid) == os.Geteuid())
}

// ownAsAround gives a file created by root to its directory's owner.
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

// retryWhileBusy calls attempt once, because Unix can replace open files.
func retryWhileBusy(attempt func() error) error { return attempt() }
