// Files of the workspace, as a strategy sees them: it names what it wants to
// read, gets what was found, and says what shall change. Names are relative to
// the workspace and have slashes; what leads out of the workspace is not there.

package strategy

import (
	"github.com/cameronsjo/springfield/runtime/excerpt"
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
	// Age is how long ago it changed, in milliseconds.
	Age int64
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
	// Was is what it must hold still: if somebody has changed it since it was
	// read, the change does not happen. nil: whatever it holds.
	Was []byte
	// Optional changes may fail.
	Optional bool
}

// Memory is what a loop remembers from one stop of a session to the next. The
// ledger keeps it; the newest eight of a session are kept.
type Memory struct {
	// Key names the loop: the path of its state file.
	Key string
	// Mark is where the loop stood at our last continue, in the strategy's words.
	Mark string
	// Text is the hash of the last message at our last continue, Calls the tool
	// calls of the session by then.
	Text  string
	Calls int
	// Stalls counts our continues in a row without progress, Rounds all of them
	// since the loop began.
	Stalls int
	Rounds int
	// Began and At are the times of the first continue and the last, in Unix
	// milliseconds.
	Began int64
	At    int64
	// Idle counts our continues in a row without a tool call, as Claude Code does.
	Idle int
	// Max is the loop's own maximum then.
	Max int
	// Prompt is the user's prompt that the rounds were counted in.
	Prompt string
	// Told are hashes of the errors that the model has been told of.
	Told []string
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
func (s Situation) Memory(key string) (Memory, bool) {
	for _, m := range s.Memories {
		if m.Key == key {
			return m, true
		}
	}
	return Memory{Key: key}, false
}
