// Package file opens files that others may have put in place: a link, a named pipe
// or a device there holds nothing up, and what is read is bounded.
package file

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// errIrregular says that something else lies in a file's place.
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

// ReadBeginning reads the beginning of a regular file, at most so many bytes.
func ReadBeginning(path string, flags, most int) ([]byte, error) {
	return readPart(path, flags, func(size int64) (at, n int64) { return 0, min(size, int64(most)) })
}

// ReadEnd reads the end of a regular file, at most so many bytes.
func ReadEnd(path string, most int) ([]byte, error) {
	return readPart(path, 0, func(size int64) (at, n int64) { return max(0, size-int64(most)), min(size, int64(most)) })
}

// readPart reads the part of a file that follows from its size, or less if it has become shorter.
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

// LiesWithin tells whether a path is a directory or lies in it, as both are written.
func LiesWithin(path, dir string) bool {
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// IsReadable tells whether a regular file can be opened.
func IsReadable(path string) bool {
	f, _, err := OpenRegular(path, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}
