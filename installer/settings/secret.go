package settings

// A random key of the user's own, by which springfield recognises what it has put
// into places that others may write.

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
)

// secretSize is the size of the key in bytes.
const secretSize = 32

// ReadSecret is the key of 32 bytes in the state directory, which is made when it is
// first asked for. One that others can read, or of another size, is made anew:
// what was recognised by it then no longer is.
func ReadSecret(p client.Places) (key []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read secret: %w", err)
		}
	}()
	unlock, err := journal.TakeLock(p.StatePath("secret.lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	e, err := journal.OpenEdit("", p.StatePath("secret"))
	if err != nil {
		return nil, err
	}
	if e.Before != nil && len(e.Before.Data) == secretSize && !isShared(e.Before.Mode) {
		return e.Before.Data, nil
	}
	key = make([]byte, secretSize)
	_, _ = rand.Read(key) // it never fails
	e.After = &journal.Content{Data: key, Mode: newFileMode}
	return key, e.WriteUnjournaled()
}

// isShared tells whether others than a file's owner have a right to it. On Windows a
// mode does not say.
func isShared(mode fs.FileMode) bool { return runtime.GOOS != "windows" && mode&0o077 != 0 }
