package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	busyPatience = time.Second
	busyRetry    = 20 * time.Millisecond

	sharingViolation syscall.Errno = 32
)

// retryWhileBusy retries attempt for up to a second while the file is in use.
func retryWhileBusy(attempt func() error) error {
	for deadline := time.Now().Add(busyPatience); ; time.Sleep(busyRetry) {
		err := attempt()
		busy := errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, sharingViolation)
		if !busy || time.Now().After(deadline) {
			return err
		}
	}
}

// checkWritable is a no-op, because access lists can only be tried.
func checkWritable(string, string) error { return nil }

func MayChmod(fs.FileInfo) bool { return true }

// keepOwner is a no-op: a new file inherits from its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func ownAsAround(rooted.Folder, string) error { return nil }
