// Comparison of the files in a folder with today's files of springfield and with the record. A plan trusts
// the record, validate accepts any edits by the user, and running plugins are compared with no record.

package generator

import (
	"bytes"
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

type Kind int

const (
	Missing    Kind = iota
	Same            // except for line endings of a text
	Outdated        // as recorded, but springfield makes another today
	Edited          // neither as made nor as recorded
	Foreign         // not made by springfield
	Link            // the file, or a directory on the way; not followed
	Unreadable      // or not a file
)

type Difference struct {
	File
	Kind  Kind
	there bool // its place is taken
	mode  fs.FileMode
	data  []byte // nil if unread
	err   error  // of reading; nil if Missing
}

// folder is a directory to compare with. If none is open, every file is Missing.
type folder struct {
	rooted.Folder
	checksums fileSums // nil: not trusted
	limit     int64    // of a file, in bytes
}

// compareFile compares f with the folder's file. If f.Mode is 0, an existing file is Foreign.
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
	sum, recorded := in.checksums[f.Path]
	var link *rooted.LinkError
	switch {
	case errors.As(d.err, &link):
		d.Kind = Link
	case d.err != nil:
		d.Kind = Unreadable
	case f.Mode == 0:
		d.Kind = Foreign
	case f.sameAs(d):
		d.Kind = Same
	case recorded && textSum(data) == sum:
		d.Kind = Outdated
	default:
		d.Kind = Edited
	}
	return d
}

func (f File) sameAs(onDisk Difference) bool {
	if f.Compiled { // programs are compared exactly
		return (onDisk.mode&0o111 == f.Mode&0o111 || runtime.GOOS == "windows") && bytes.Equal(onDisk.data, f.Data)
	}
	return bytes.Equal(onDisk.data, f.Data) || textSum(onDisk.data) == textSum(f.Data)
}

// filesBelow returns files with this prefix, keyed by the remaining path, which Path is set to.
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
