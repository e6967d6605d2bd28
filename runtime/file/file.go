// Package file reads files when other people might control the path. Reads are bounded and do not block on
// named pipes and devices.
package file

import (
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

var errIrregular = errors.New("not a regular file")

// ReadRegular reads a regular file, following links. Over most bytes is an error.
func ReadRegular(path string, most int) ([]byte, error) {
	data, err := ReadBeginning(path, 0, most+1)
	if len(data) > most {
		return nil, errors.New("read " + path + ": larger than " + strconv.Itoa(most) + " bytes")
	}
	return data, err
}

// ReadBeginning reads up to most bytes from a regular file's start. flags are OpenRegular's.
func ReadBeginning(path string, flags, most int) ([]byte, error) {
	f, size, err := OpenRegular(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(size, int64(most)))
	n, err := f.ReadAt(data, 0)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// ReadEnd reads up to most bytes from a regular file's end. flags are OpenRegular's.
func ReadEnd(path string, flags, most int) ([]byte, error) {
	f, size, err := OpenRegular(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(size, int64(most)))
	n, err := f.ReadAt(data, size-int64(len(data)))
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// WithinByName reports whether path is dir or below it, without resolving symlinks.
func WithinByName(path, dir string) bool {
	const separator = string(filepath.Separator)
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator)
}

// IsReadable reports whether a path is a regular file that opens.
func IsReadable(path string) bool {
	f, _, err := OpenRegular(path, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}
