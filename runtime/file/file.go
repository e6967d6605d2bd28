// Package file opens files that others may have put in place: a link, a named pipe
// or a device there holds nothing up, and what is read is bounded.
package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errIrregular says that something else lies in a file's place.
var errIrregular = errors.New("not a regular file")

// ReadRegular reads a regular file of at most so many bytes.
func ReadRegular(path string, most int) ([]byte, error) {
	f, size, err := OpenRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > int64(most) {
		return nil, errors.New("read " + path + ": larger than " + strconv.Itoa(most) + " bytes")
	}
	return readAt(f, 0, size)
}

// ReadBeginning reads the beginning of a regular file, at most so many bytes.
func ReadBeginning(path string, flags, most int) ([]byte, error) {
	f, size, err := OpenRegular(path, flags)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAt(f, 0, min(size, int64(most)))
}

// ReadEnd reads the end of a regular file, at most so many bytes.
func ReadEnd(path string, most int) ([]byte, error) {
	f, size, err := OpenRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n := min(size, int64(most))
	return readAt(f, size-n, n)
}

// readAt reads so many bytes, or fewer if the file has become shorter.
func readAt(f *os.File, at, most int64) ([]byte, error) {
	data := make([]byte, most)
	n, err := f.ReadAt(data, at)
	if err == io.EOF {
		err = nil
	}
	return data[:n], err
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
