package change

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockPatience = 2 * time.Second
	lockRetry    = 50 * time.Millisecond
)

// ErrLocked says that another springfield holds the lock.
var ErrLocked = errors.New("another springfield is at work")

// Lock waits up to two seconds for the lock file at path, which it creates and
// which stays, empty, after unlock. A directory for it is the user's alone. It holds between springfields only, until
// unlock or the end of the process. Without success the error wraps ErrLocked.
func Lock(path string) (unlock func(), err error) {
	if err := MakeDirs(filepath.Dir(path), ownDirMode); err != nil {
		return nil, failed("lock", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock := flock.New(path)
	_, err = lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLocked
	}
	if err == nil {
		err = Edit{}.reach(path, ownAsAround) // or only root could ever take it
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, failed("lock", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// LockDir is a Lock for a directory, by any path that leads there. The lock file lies
// in springfield's own state.
func (j Journal) LockDir(dir string) (unlock func(), err error) {
	at, err := Resolve(dir)
	if err != nil {
		return nil, failed("lock", dir, err)
	}
	return Lock(filepath.Join(j.Dir, "locks", hash([]byte(at))[:32]+".lock"))
}

// newToken tells the temporary files of one change from those of all others.
func newToken() string { return rand.Text() }
