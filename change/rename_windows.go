package change

import (
	"errors"
	"syscall"
	"time"
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
