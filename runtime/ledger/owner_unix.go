//go:build unix

package ledger

import (
	"os"
	"path/filepath"
	"syscall"
)

// After a session as root in a user's home, as with sudo or in a container, the user's own must still be able to
// record. So files and directories that root creates get the owner of the directory around them.

// openOwned opens or creates a file with mode 0600. flags include O_CREATE. As root, it gives a new file, but no
// existing one, to the directory's owner.
func openOwned(path string, flags int) (*os.File, error) {
	if syscall.Geteuid() != 0 {
		return os.OpenFile(path, flags, 0o600)
	}
	f, err := os.OpenFile(path, flags|os.O_EXCL, 0o600)
	if err == nil {
		ownAsAround(int(f.Fd()), path)
	} else if os.IsExist(err) {
		f, err = os.OpenFile(path, flags, 0o600)
	}
	return f, err
}

func ownAsAround(fd int, path string) {
	var around syscall.Stat_t
	if syscall.Stat(filepath.Dir(path), &around) == nil {
		syscall.Fchown(fd, int(around.Uid), int(around.Gid))
	}
}

// makeDirOwnedAsParent is like os.Mkdir.
func makeDirOwnedAsParent(path string) error {
	err := os.Mkdir(path, 0o700)
	if err == nil && syscall.Geteuid() == 0 {
		if fd, failed := syscall.Open(path, syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0); failed == nil {
			ownAsAround(fd, path)
			syscall.Close(fd)
		}
	}
	return err
}
