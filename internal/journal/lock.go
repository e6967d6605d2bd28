package journal

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gofrs/flock"
)

// TakeLock locks the file at path, created if needed. unlock keeps the file. If the lock is not free within two
// seconds, even if held by this process, the error wraps ErrLocked. Only springfield respects the lock.
func TakeLock(path string) (unlock func(), err error) {
	if err := MakeDirs(filepath.Dir(path)); err != nil {
		return nil, nameFailure("lock", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock := flock.New(path)
	_, err = lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLocked
	}
	if err == nil {
		err = Edit{}.reachAbove(path, ownAsAround) // under sudo: else only root could take it
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, nameFailure("lock", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// LockDir locks dir with a lock file in springfield's state directory. If the lock is not free within two seconds, it
// returns ErrLocked.
func (j Journal) LockDir(dir string) (unlock func(), err error) {
	at, err := Resolve(dir)
	if err != nil {
		return nil, nameFailure("lock", dir, err)
	}
	unlock, err = TakeLock(filepath.Join(j.Dir, "locks", HashBytes([]byte(at))[:32]+".lock"))
	if errors.Is(err, ErrLocked) { // without the name of the lock file, which is a hash
		err = ErrLocked
	}
	return unlock, err
}

var ErrLocked = errors.New("another springfield is running")
