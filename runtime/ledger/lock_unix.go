//go:build unix

package ledger

import (
	"os"
	"syscall"
)

// tryLock takes the lock if it is free. Closing the file gives it back,
// and so does the end of the process, however it ends.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
		return false, nil
	}
	return err == nil, err
}

// isStillAt tells whether an open file is still the one at a path.
func isStillAt(f *os.File, path string) bool {
	var open, named syscall.Stat_t
	return syscall.Fstat(int(f.Fd()), &open) == nil && syscall.Stat(path, &named) == nil &&
		open.Dev == named.Dev && open.Ino == named.Ino
}

// renameOver replaces a file. Not os.Rename, which looks at the target first and
// brings in 120 KB with that look.
func renameOver(from, to string) error { return syscall.Rename(from, to) }
