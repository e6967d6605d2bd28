//go:build unix

package settings

import (
	"bytes"
	"os"
	"testing"
)

func TestSecret(t *testing.T) {
	p := newPlaces(t)
	secret := func() []byte {
		t.Helper()
		key, err := ReadSecret(p)
		if err != nil || len(key) != secretSize {
			t.Fatalf("%d bytes, %v", len(key), err)
		}
		info, err := os.Stat(p.StatePath("secret"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		return key
	}
	first := secret()
	if !bytes.Equal(first, secret()) {
		t.Error("it does not stay")
	}
	if other, err := ReadSecret(newPlaces(t)); err != nil || bytes.Equal(other, first) {
		t.Errorf("another user has the same, %v", err)
	}
	for name, spoil := range map[string]func() error{
		"read by others": func() error { return os.Chmod(p.StatePath("secret"), 0o644) },
		"too short":      func() error { return os.WriteFile(p.StatePath("secret"), nil, 0o600) },
	} {
		before := secret()
		must(t, spoil())
		if bytes.Equal(before, secret()) {
			t.Errorf("%s: it stays", name)
		}
	}
}
