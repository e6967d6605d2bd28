// Compiled hooks are kept by what they are made of: sources, Go version,
// target. A kept file is believed only when it matches the checksum in its
// own name, so a damaged or forged one is compiled again.

package generator

import (
	"os"
	"path/filepath"
	"strings"
)

func (t Toolchain) slot(b Build, program Program, target Target) string {
	key := sum([]byte(b.Source + " " + b.Go + " " + string(program) + " " + target.String()))
	return filepath.Join(t.Cache, "hooks", key)
}

// cached returns a kept hook.
func (t Toolchain) cached(b Build, program Program, target Target) ([]byte, bool) {
	if t.Cache == "" {
		return nil, false
	}
	entries, err := os.ReadDir(t.slot(b, program, target))
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(t.slot(b, program, target), e.Name()))
		if err == nil && e.Name() == sum(data) {
			return data, true
		}
	}
	return nil, false
}

// keep stores a compiled hook. It is only a cache: whatever fails, the next
// build compiles again.
func (t Toolchain) keep(b Build, program Program, target Target, data []byte) {
	if t.Cache == "" {
		return
	}
	slot := t.slot(b, program, target)
	if os.MkdirAll(slot, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(slot, ".new-")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), filepath.Join(slot, sum(data))) != nil {
		os.Remove(f.Name())
	}
	// What no longer matches its name is of no use to anyone.
	entries, _ := os.ReadDir(slot)
	for _, e := range entries {
		if e.Name() != sum(data) && !strings.HasPrefix(e.Name(), ".new-") {
			os.Remove(filepath.Join(slot, e.Name()))
		}
	}
}
