// Files of the workspace, as a strategy sees them: it names what it wants to
// read, gets what was found, and says what shall change. Names are relative to
// the workspace and have slashes; what leads out of the workspace is not there.

package strategy

import (
	"github.com/cameronsjo/springfield/runtime/excerpt"
	"github.com/cameronsjo/springfield/runtime/fact"
)

// Want names a file to read. A name that ends in a slash is a directory, whose
// entries are read.
type Want struct {
	Name string
	// Whole tells whether what was read can be all of it. A file that changed in
	// the last two seconds is read again until it is whole and stays the same, for
	// a second at most: its writer may be at work. nil: any content will do.
	Whole func([]byte) bool
}

// File is what was found under a name.
type File struct {
	// Found tells that there is something.
	Found bool
	// Data is what it holds, at most 256 KiB.
	Data []byte
	// Names are the entries of a directory, sorted, at most 1000.
	Names []string
	// Age is how long ago it changed, in milliseconds. Undated tells that its time is one
	// to come, so that this is not known.
	Age     int64
	Undated bool
	// Problem is why it could not be read, "" if it could: it is larger, no
	// regular file, not readable, or lies outside of the workspace.
	Problem string
}

// Readable tells that a file is there and was read.
func (f File) Readable() bool { return f.Found && f.Problem == "" }

// Change is what happens to a file.
type Change struct {
	Name string
	// Data is what it shall hold; nil: it shall be gone.
	Data []byte
	// Was is what it must hold still: if it has changed since it was
	// read, the change does not happen. nil: whatever it holds.
	Was []byte
	// Optional changes may fail.
	Optional bool
}

// MemoryKey names a loop by the path of its state file. Eight of them have to go
// into one record of the ledger, and to come out as they went in: a letter that
// JSON cannot hold would make a loop a stranger at every stop.
func MemoryKey(path string) string {
	if key := excerpt.Plain(path, 200); key != path {
		return key + excerpt.Hash(path)
	}
	return path
}

// Memory is what is remembered under a key.
func (s Situation) Memory(key string) (fact.Memory, bool) {
	for _, m := range s.Memories {
		if m.Key == key {
			return m, true
		}
	}
	return fact.Memory{Key: key}, false
}
