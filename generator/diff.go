// A file in a folder is compared with the one that springfield makes today, and with the record of the last write. The
// callers decide: a plan trusts the record, validate accepts a user's edits, and the check of plugins that agents run
// trusts no record.

package generator

import (
	"bytes"
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Kind is the state of a file.
type Kind int

const (
	Missing    Kind = iota
	Same            // as it is made: a text but for its line ends, a program with its bits
	Outdated        // as it is recorded, and springfield makes another today
	Edited          // neither as it is made nor as it is recorded
	Foreign         // springfield does not make it
	Link            // it, or a directory on the way to it, is a link; none is followed
	Unreadable      // it cannot be read, or is not a file
)

// Difference is a file as it is made, and as it was found.
type Difference struct {
	File
	Kind  Kind
	there bool // something is in its place
	mode  fs.FileMode
	data  []byte // nil if it was not read
	err   error  // why it was not read, nil if it is Missing
}

func (d Difference) isRead() bool { return d.there && d.err == nil }

// folder is a directory that files are compared with. Where none is open, every file is Missing.
type folder struct {
	rooted.Folder
	record record // nil if none is trusted
	limit  int64  // of a file, in bytes
}

// compareFile compares a file with what is in its place. A file with nothing but a path is not made.
func (in folder) compareFile(f File) Difference {
	d := Difference{File: f}
	if in.Root == nil {
		return d
	}
	data, info, err := in.ReadFile(f.Path, in.limit)
	if errors.Is(err, fs.ErrNotExist) {
		return d
	}
	if d.data, d.err = data, err; err != nil {
		info, err = in.Lstat(f.Path)
	}
	if d.there = err == nil; d.there {
		d.mode = info.Mode()
	}
	sum, recorded := in.record[f.Path]
	var link *rooted.LinkError
	switch {
	case errors.As(d.err, &link):
		d.Kind = Link
	case d.err != nil:
		d.Kind = Unreadable
	case !f.isMade():
		d.Kind = Foreign
	case f.isSame(d):
		d.Kind = Same
	case recorded && textSum(data) == sum:
		d.Kind = Outdated
	default:
		d.Kind = Edited
	}
	return d
}

// isMade reports whether springfield makes the file.
func (f File) isMade() bool { return f.Mode != 0 }

func (f File) isSame(d Difference) bool {
	if f.Compiled { // a program is run as it is
		bits := d.mode&0o111 == f.Mode&0o111 || runtime.GOOS == "windows"
		return bits && bytes.Equal(d.data, f.Data)
	}
	return bytes.Equal(d.data, f.Data) || textSum(d.data) == textSum(f.Data)
}

// filesBelow returns the files whose paths begin with a prefix, by the rest of their paths.
func filesBelow(prefix string, files []File) map[string]File {
	below := map[string]File{}
	for _, f := range files {
		if file, ok := strings.CutPrefix(f.Path, prefix); ok {
			f.Path = file
			below[file] = f
		}
	}
	return below
}
