package installer

// A random key of the user's own, by which springfield recognises what it has put
// into places that others may write.

import (
	"crypto/rand"
	"fmt"
)

// secretSize is the size of the key in bytes.
const secretSize = 32

// Secret is the key of 32 bytes in the state directory, which is made when it is
// first asked for. One that others can read, or of another size, is made anew:
// what was recognised by it then no longer is.
func Secret(p Places) (key []byte, err error) {
	fail := func(err error) ([]byte, error) { return nil, fmt.Errorf("read secret: %w", err) }
	if err := p.makeState(""); err != nil {
		return fail(err)
	}
	unlock, err := Lock(p.state("secret.lock"))
	if err != nil {
		return fail(err)
	}
	defer unlock()
	file, err := Open(p.state("secret"))
	if err != nil {
		return fail(err)
	}
	if len(file.Data) == secretSize && !isOpen(file.Mode) {
		return file.Data, nil
	}
	key = make([]byte, secretSize)
	if _, err := rand.Read(key); err != nil {
		return fail(err)
	}
	file.Mode = newFileMode
	if err := file.Replace(key); err != nil {
		return fail(err)
	}
	return key, nil
}
