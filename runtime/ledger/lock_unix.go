//go:build unix

package ledger

import (
	"os"
	"syscall"
)

// tryLock locks the file unless another process, or this one with the file opened again, has locked it, and reports
// whether it did. Closing the file releases the lock.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
		return false, nil
	}
	return err == nil, err
}

func renameOver(from, to string) error { return syscall.Rename(from, to) }
