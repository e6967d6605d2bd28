package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sums are the checksums of the files of a release, by name.
type sums map[string]string

// readSums reads SHA256SUMS. A name stands there once.
func readSums(dist string) (sums, error) {
	file, err := os.Open(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all, number := sums{}, 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		number++
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if digest, err := hex.DecodeString(sum); !ok || err != nil || len(digest) != sha256.Size {
			return nil, fmt.Errorf("%s: line %d: want a SHA-256 checksum, two blanks and a name", file.Name(), number)
		}
		if all[name] != "" {
			return nil, fmt.Errorf("%s: line %d: %s is listed a second time", file.Name(), number, name)
		}
		all[name] = sum
	}
	return all, lines.Err()
}

// copyFile copies a file of the release and fails unless the bytes that it has copied have the checksum that is listed.
func (s sums) copyFile(dist, name, to string) error {
	want, ok := s[name]
	if !ok {
		return fmt.Errorf("SHA256SUMS has no %s", name)
	}
	from, err := os.Open(filepath.Join(dist, name))
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	digest := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, digest), from)
	if err := errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != want {
		return fmt.Errorf("%s has the checksum %s, and SHA256SUMS says %s", from.Name(), got, want)
	}
	return nil
}
