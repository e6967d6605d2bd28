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

// Windows neither replaces nor deletes a file that another program has open, and
// virus scanners open everything for an instant.
func persist(attempt func() error) error {
	for deadline := time.Now().Add(busyPatience); ; time.Sleep(busyRetry) {
		err := attempt()
		busy := errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, sharingViolation)
		if !busy || time.Now().After(deadline) {
			return err
		}
	}
}

// checkWritable does not ask: only the attempt tells what access lists allow.
func checkWritable(string) error { return nil }

// keepOwner has nothing to do: a new file belongs to its directory's rules.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

func ownAsAround(rooted.Folder, string) error { return nil }
