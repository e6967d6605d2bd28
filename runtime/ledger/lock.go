// Locks on things outside of the ledger: a place that only one stop at a time
// may decide about, whichever session it belongs to.

package ledger

import (
	"os"
	"path/filepath"
	"time"
)

// Lock takes the lock of a name, which is never part of a path, and waits for it
// as long as it is told. Closing the file gives it back.
func Lock(dir, name string, wait time.Duration) (*os.File, error) {
	path := filepath.Join(dir, "sessions", Key(name)+".lock")
	f, err := openFile(path)
	if os.IsNotExist(err) {
		makeDirs(dir)
		f, err = openFile(path)
	}
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		switch got, err := tryLock(f); {
		case err != nil:
			f.Close()
			return nil, err
		case got:
			return f, nil
		case time.Now().After(deadline):
			f.Close()
			return nil, ErrBusy
		}
	}
}

// LockWorkspace takes the lock under which a strategy's files in a directory are
// changed, by a stop or by a person.
func LockWorkspace(dir, workspace string, wait time.Duration) (*os.File, error) {
	return Lock(dir, "workspace:"+workspace, wait)
}
