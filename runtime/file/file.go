// Package file opens files that others may have put in place: a link, a named pipe
// or a device there holds nothing up, and what is read is bounded.
package file

import (
	"errors"
	"io"
	"os"
	"strconv"
)

// errIrregular says that something else lies in a file's place.
var errIrregular = errors.New("not a regular file")

// OpenRegular opens a regular file for reading and tells how large it is. Flags may be
// Nofollow.
func OpenRegular(path string, flags int) (f *os.File, size int64, err error) {
	f, size, err = openWithoutWaiting(path, flags)
	if err != nil {
		return nil, 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return f, size, nil
}

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
	data := make([]byte, size)
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // it has become shorter
		err = nil
	}
	return data[:n], err
}

// IsReadable tells whether a regular file can be opened.
func IsReadable(path string) bool {
	f, _, err := OpenRegular(path, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}
