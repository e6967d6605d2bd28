// Package change is the one engine for changes to files: from these bytes and
// modes to those. A change is worked out completely before anything is written. It
// can be shown as a diff, and then applied: journalled first, all of its edits or
// none, and taken back whole by an undo.
//
// The concepts: a Content is what a file holds, an Edit leads one file from one
// content to another, a Change is edits that belong together, the Journal keeps an
// Entry of every change that was applied.
package change

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Content is what a file holds. No file is a nil *Content.
type Content struct {
	Data []byte
	Mode fs.FileMode // permission bits; with fs.ModeDir it is a directory
}

func (c *Content) isDir() bool { return c != nil && c.Mode.IsDir() }

// holds tells whether a content has the same bytes as another, or both are no file.
func (c *Content) holds(other *Content) bool {
	if c == nil || other == nil {
		return c == other
	}
	return c.isDir() == other.isDir() && bytes.Equal(c.Data, other.Data)
}

// Edit leads one file from one content to another.
type Edit struct {
	// In is a directory that writing does not leave and in which no link is followed.
	// One that does not exist comes into being with all edits in it at once. It is ""
	// for a file of the user's own: links are followed, and stay links.
	In string
	// Path is absolute, as the user knows it.
	Path          string
	Before, After *Content
	// Own marks springfield's own state. It is in no diff and in no list of files, and
	// an undo leaves it as it is once it has changed.
	Own bool
	// Drop has a file that is removed take along the directories that this leaves
	// empty: up to In, or its own.
	Drop bool
	// Tree is a directory that the edit makes a part of, such as a repository. An undo
	// takes it away only as long as it is exactly as it was made; else all of it stays.
	Tree string

	root string // In, links followed
	at   string // where the bytes are, every link followed
}

// Changes tells whether the edit makes a difference.
func (e Edit) Changes() bool {
	return !e.Before.holds(e.After) || e.Before != nil && e.After != nil && e.Before.Mode.Perm() != e.After.Mode.Perm()
}

// At is where the bytes are: Path with every link followed. It is known of an edit
// that Open made.
func (e Edit) At() string { return e.at }

// Writable refuses a file that its owner has marked read-only: a rename would
// replace it all the same.
func (e Edit) Writable() error {
	if e.Before != nil && e.Before.Mode&0o222 == 0 {
		return &fs.PathError{Op: "write", Path: e.at, Err: fs.ErrPermission}
	}
	return nil
}

// reversed leads back.
func (e Edit) reversed() Edit {
	e.Before, e.After = e.After, e.Before
	return e
}

// Change is a list of edits that belong together. They are applied in order, and
// undone in reverse.
type Change struct {
	Did   string // names it for the journal: "enable X in user settings"
	Kind  string // what its files are, for errors: "settings" if empty
	Edits []Edit
	Notes []string // what it means to the user, a sentence each
	// Leaves says what is done beside the files, and that an undo does not take back.
	Leaves []string

	// Run is another program's part of the change. It is called when the entry is in the
	// journal, before any file is written; what it has made of the files of Edits and Keep
	// is taken back then. Calls says what it does, so that an undo can do the opposite.
	Run   func() error
	Calls []Call
	// Keep are files that Run may write, and that stay as they were read.
	Keep []Edit

	undoes Entry // the entry that it takes back; without a number it is a change of its own
}

// Call is a plugin command of a host, in a way that its opposite can be told.
type Call struct {
	Host   string `json:"host"`
	Verb   string `json:"verb"` // Installs or Removes
	ID     string `json:"id"`   // as the host calls the plugin
	Plugin string `json:"plugin"`
	Suite  string `json:"suite,omitempty"` // the directory that it comes from
	Scope  string `json:"scope"`
	Forget bool   `json:"forget,omitempty"` // the marketplace, too
}

// Verbs of calls.
const (
	Installs = "install"
	Removes  = "remove"
)

// Opposite takes a call back.
func (c Call) Opposite() Call {
	if c.Verb == Installs {
		c.Verb = Removes
	} else {
		c.Verb, c.Forget = Installs, false
	}
	return c
}

// Empty tells that applying it would do nothing.
func (c Change) Empty() bool {
	if c.Run != nil {
		return false
	}
	for _, e := range c.Edits {
		if e.Changes() {
			return false
		}
	}
	return c.undoes.ID == 0
}

// Files lists what is written and what is removed, without springfield's own state.
func (c Change) Files() (written, removed []string) {
	for _, e := range c.Edits {
		switch {
		case e.Own || !e.Changes() || e.Before.isDir() || e.After.isDir():
		case e.After == nil:
			removed = append(removed, e.Path)
		default:
			written = append(written, e.Path)
		}
	}
	return written, removed
}

// Diff shows the change as a unified diff. Of what is no text it says that it differs.
func (c Change) Diff() string {
	return c.diff(func(path string) (from, to string) { return path, path })
}

// DiffIn is Diff with names as git gives them, relative to a directory.
func (c Change) DiffIn(dir string) string {
	return c.diff(func(path string) (from, to string) {
		if name, err := filepath.Rel(dir, path); err == nil {
			path = filepath.ToSlash(name)
		}
		return "a/" + path, "b/" + path
	})
}

func (c Change) diff(names func(path string) (from, to string)) string {
	var b strings.Builder
	for _, e := range c.Edits {
		if e.Own || e.Before.isDir() || e.After.isDir() || e.Before.holds(e.After) {
			continue
		}
		from, to := names(e.Path)
		var before, after Content
		if e.Before == nil {
			from = os.DevNull
		} else {
			before = *e.Before
		}
		if e.After == nil {
			to = os.DevNull
		} else {
			after = *e.After
		}
		if IsText(before.Data) && IsText(after.Data) {
			b.WriteString(udiff.Unified(from, to, string(before.Data), string(after.Data)))
		} else {
			fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
		}
	}
	return b.String()
}

// IsText tells whether bytes are text in UTF-8.
func IsText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// ErrChanged says that a file is no longer what was read from it.
var ErrChanged = errors.New("another program changed it in the meantime")

// WriteError says why a change was not applied, and what is on the disk now: all as
// before, unless it says otherwise.
type WriteError struct {
	Kind string // what the files are: "settings" for one
	Err  error
	// Done tells that every file is written, and that only the journal lags behind.
	Done bool
	// Left names what holds the edit all the same, because it could not be taken
	// back. It is still in the journal.
	Left []string
}

func (e *WriteError) Error() string { return fmt.Sprintf("write %s: %v", e.Kind, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }
