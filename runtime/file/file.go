// Package file opens files that others may have put in place: a link, a named pipe
// or a device there holds nothing up, and what is read is bounded.
package file

import (
	"errors"
	"io"
	"os"
	"strconv"
)

// Open opens a file for reading and tells how large it is. A pipe or a terminal is an
// error. The size is asked for by Seek: Stat would bring 120 KB of time formatting
// into the hook.
func Open(path string, flags int) (f *os.File, size int64, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|Nonblock|flags, 0)
	if err != nil {
		return nil, 0, err
	}
	if size, err = f.Seek(0, io.SeekEnd); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// Read reads a file of at most so many bytes.
func Read(path string, most int) ([]byte, error) {
	f, size, err := Open(path, 0)
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

// Exists tells whether a file can be opened.
func Exists(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|Nonblock, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}
