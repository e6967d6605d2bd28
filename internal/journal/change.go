// Package journal is the one engine for changes to files: from these bytes and
// modes to those. A change is worked out completely before anything is written. It
// can be shown as a diff, and then applied: journalled first, all of its edits or
// none, and taken back whole by an undo.
//
// A Content is what a file holds, an Edit leads one file from one content to another,
// a Change is edits that belong together, the Journal keeps an Entry with the edits of
// every change that was applied.
package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Content is what a file holds. No file is a nil *Content.
type Content struct {
	Data []byte      `json:"-"`
	Mode fs.FileMode `json:"mode"` // permission bits; with fs.ModeDir it is a directory
	// SHA256 stands for Data in the journal's list; "" elsewhere.
	SHA256 string `json:"sha256,omitempty"`
}

func (c *Content) isDirectory() bool { return c != nil && c.Mode.IsDir() }

// Bytes are what the file holds, nothing if there is none.
func (c *Content) Bytes() []byte {
	if c == nil {
		return nil
	}
	return c.Data
}

func (c *Content) hashOf() string {
	if c.SHA256 != "" {
		return c.SHA256
	}
	return HashBytes(c.Data)
}

// hasSameBytes tells whether a content has the same bytes as another, or both are no file.
func (c *Content) hasSameBytes(other *Content) bool {
	switch {
	case c == nil || other == nil:
		return c == other
	case c.isDirectory() || other.isDirectory():
		return c.isDirectory() && other.isDirectory()
	case c.SHA256 == "" && other.SHA256 == "":
		return bytes.Equal(c.Data, other.Data)
	}
	return c.hashOf() == other.hashOf()
}

// Edit leads one file, or one directory, from one content to another.
type Edit struct {
	// In is a directory that writing does not leave and in which no link is followed.
	// It is "" for a file of the user's own: links are followed, and stay links.
	In string `json:"in,omitempty"`
	// Path is absolute, as the user knows it.
	Path string `json:"path"`
	// At is where the bytes are: Path with every link followed. OpenEdit finds it.
	At     string   `json:"at"`
	Before *Content `json:"before"`
	After  *Content `json:"after"`
	// Own marks springfield's own state. It is in no diff and in no list of files, and
	// an undo leaves it as it is once it has changed.
	State bool `json:"own,omitempty"`
	// Drop has a file that is removed take along the directories that this leaves
	// empty: up to In, or its own.
	Drop bool `json:"-"`
	// Tree is a directory that the edit makes a part of, such as a repository. An undo
	// takes it away only as long as it is exactly as it was made; else all of it stays.
	Tree string `json:"tree,omitempty"`

	root string // In, links followed
}

func (e Edit) isDirectory() bool { return e.Before.isDirectory() || e.After.isDirectory() }

// Changes tells whether the edit makes a difference.
func (e Edit) Changes() bool {
	return !e.Before.hasSameBytes(e.After) || e.Before != nil && e.After != nil && e.Before.Mode.Perm() != e.After.Mode.Perm()
}

// Writable refuses a file that its owner has marked read-only: a rename would
// replace it all the same. It also refuses one in a directory that takes no new file: what replaces it is
// written beside it.
func (e Edit) Writable() error {
	at, err := cmp.Or(e.At, e.Path), error(nil)
	if e.Before != nil && e.Before.Mode&0o222 == 0 {
		err = fs.ErrPermission
	} else if err = checkWritable(rooted.FindAbove(filepath.Dir(at), rooted.PathExists)); err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: at, Err: err}
}

// ChangeTo has the file hold other bytes, with the mode that it has, or else with one for a new
// file. Without bytes it goes. One that is not Writable is refused.
func (e *Edit) ChangeTo(data []byte, fresh fs.FileMode) error {
	e.After = nil
	if e.Before != nil {
		fresh = e.Before.Mode
	}
	if data != nil {
		e.After = &Content{Data: data, Mode: fresh}
	}
	return e.Writable()
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

	undoes Entry // the entry that it takes back; without a number it is a change of its own
}

func (c Change) kindOfChange() string { return cmp.Or(c.Kind, "settings") }

// Writable refuses a change of a file that is not.
func (c Change) Writable() error {
	for _, e := range c.Edits {
		if err := e.Writable(); err != nil && e.Changes() {
			return fmt.Errorf("write %s: %w", c.kindOfChange(), err)
		}
	}
	return nil
}

// IsEmpty tells that applying it would do nothing.
func (c Change) IsEmpty() bool {
	return c.undoes.ID == 0 && !slices.ContainsFunc(c.Edits, Edit.Changes)
}

// Files lists what is written and what is removed, without springfield's own state.
func (c Change) Files() (written, removed []string) {
	for _, e := range c.Edits {
		switch {
		case e.State || e.isDirectory() || !e.Changes():
		case e.After == nil:
			removed = append(removed, e.Path)
		default:
			written = append(written, e.Path)
		}
	}
	return written, removed
}

// Diff shows the change as a unified diff. Of what is no text it says that it differs.
func (c Change) Diff() string { return c.DiffIn("") }

// DiffIn is Diff with names as git gives them, relative to a directory.
func (c Change) DiffIn(dir string) string {
	var b strings.Builder
	for _, e := range c.Edits {
		if e.State || e.isDirectory() || e.Before.hasSameBytes(e.After) {
			continue
		}
		from, to := e.Path, e.Path
		if dir != "" {
			if name, err := filepath.Rel(dir, e.Path); err == nil {
				to = filepath.ToSlash(name)
			}
			from, to = "a/"+to, "b/"+to
		}
		if e.Before == nil {
			from = os.DevNull
		}
		if e.After == nil {
			to = os.DevNull
		}
		b.WriteString(diffContents(from, to, e.Before, e.After))
	}
	return b.String()
}

func diffContents(from, to string, before, after *Content) string {
	was, is := before.Bytes(), after.Bytes()
	if IsText(was) && IsText(is) {
		return udiff.Unified(from, to, string(was), string(is))
	}
	return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
}

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
