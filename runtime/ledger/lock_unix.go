//go:build unix

package ledger

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock if nobody holds it. Closing the file gives it back,
// and so does the end of the process, however it ends.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
