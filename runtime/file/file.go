// Package file reads files whose path others may control: named pipes and devices do not block, and reads are
// bounded.
package file

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

var errIrregular = errors.New("not a regular file")

// ReadRegular reads a regular file of at most so many bytes.
func ReadRegular(path string, most int) ([]byte, error) {
	size := int64(0)
	data, err := readPart(path, 0, func(n int64) (int64, int64) {
		size = n
		return 0, min(n, int64(most))
	})
	if err == nil && size > int64(most) {
		return nil, errors.New("read " + path + ": larger than " + strconv.Itoa(most) + " bytes")
	}
	return data, err
}

// ReadBeginning reads at most so many bytes from the beginning of a regular file.
func ReadBeginning(path string, flags, most int) ([]byte, error) {
	return readPart(path, flags, func(size int64) (at, n int64) { return 0, min(size, int64(most)) })
}

// ReadEnd reads at most so many bytes from the end of a regular file.
func ReadEnd(path string, most int) ([]byte, error) {
	return readPart(path, 0, func(size int64) (at, n int64) {
		n = min(size, int64(most))
		return size - n, n
	})
}

// readPart reads a part that depends on the file's size, or less of it if the file has become shorter.
func readPart(path string, flags int, part func(size int64) (at, n int64)) ([]byte, error) {
	f, size, err := OpenRegular(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at, n := part(size)
	data := make([]byte, n)
	read, err := f.ReadAt(data, at)
	if err == io.EOF {
		err = nil
	}
	return data[:read], err
}

// LiesWithin reports whether a path is a directory or in it, without resolving links.
func LiesWithin(path, dir string) bool {
	const separator = string(filepath.Separator)
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// IsReadable reports whether a path is a regular file that can be opened.
func IsReadable(path string) bool {
	f, _, err := OpenRegular(path, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}
