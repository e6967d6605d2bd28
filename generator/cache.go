// Compiled hooks are kept by what they are made of: sources, Go version, program
// and target. The directory may be shared, restored by a CI service or chosen by
// a variable, so a kept file is believed only if it is the user's own, no other user
// can write it, and its name is its HMAC under a key that lies elsewhere: knowing
// what a hook is made of is not enough to make that name. What is not believed is
// compiled again.

package generator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// shelf is where compiled hooks are kept. The zero value keeps nothing.
type shelf struct {
	dir string
	key []byte
}

// maxKept bounds what is read of a kept file.
const maxKept = 64 << 20

// openShelf is the toolchain's own; without a key there is none.
func (t Toolchain) openShelf() shelf {
	if t.Cache == "" || t.Key == nil {
		return shelf{}
	}
	key, err := t.Key()
	if err != nil || len(key) < sha256.Size {
		return shelf{}
	}
	return shelf{filepath.Join(t.Cache, "hooks"), key}
}

func (s shelf) slotDir(made string) string { return filepath.Join(s.dir, checksum([]byte(made))) }

func (s shelf) fileName(made string, data []byte) string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = io.WriteString(mac, made+"\x00") // a hash takes everything
	_, _ = mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil))
}

func ingredientsOf(b Build, program Program, target Target) string {
	return b.Source + " " + b.Go + " " + string(program) + " " + target.String()
}

func (s shelf) takeProgram(made string) ([]byte, bool) {
	if s.dir == "" {
		return nil, false
	}
	entries, err := os.ReadDir(s.slotDir(made))
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		path := filepath.Join(s.slotDir(made), e.Name())
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxKept || !isOnlyOurs(info) {
			continue
		}
		data, err := os.ReadFile(path)
		if err == nil && hmac.Equal([]byte(e.Name()), []byte(s.fileName(made, data))) {
			return data, true
		}
	}
	return nil, false
}

// keepProgram stores a compiled program. It is only a cache: whatever fails, the next
// build compiles again.
func (s shelf) keepProgram(made string, data []byte) {
	if s.dir == "" {
		return
	}
	slot, name := s.slotDir(made), s.fileName(made, data)
	if os.MkdirAll(slot, 0o700) != nil {
		return
	}
	in, err := rooted.OpenFolder(slot)
	if err != nil {
		return
	}
	defer func() { _ = in.Close() }()
	_ = in.Replace(name, ".new-", func(w io.Writer) error { _, err := w.Write(data); return err })
	// What is not taken is of no use to anyone.
	entries, _ := os.ReadDir(slot)
	for _, e := range entries {
		if e.Name() != name && !strings.HasPrefix(e.Name(), ".new-") {
			_ = in.Remove(e.Name())
		}
	}
}
