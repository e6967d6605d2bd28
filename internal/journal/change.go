// Package journal applies changes to files, all or nothing, and undoes them.
//
// A Change is a list of Edits, each from one Content of a file to the next. It is planned before anything is
// written, so it can be shown as a diff. The Journal keeps an Entry with the edits of every applied change.
package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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

// Content is the bytes and the mode of a file. A nil *Content is a missing file.
type Content struct {
	Data []byte      `json:"-"`
	Mode fs.FileMode `json:"mode"` // permission bits, and fs.ModeDir for a directory
	// SHA256 replaces Data in the journal's list. It is "" elsewhere.
	SHA256 string `json:"sha256,omitempty"`
}

func (c *Content) isDirectory() bool { return c != nil && c.Mode.IsDir() }

func (c *Content) Bytes() []byte {
	if c == nil {
		return nil
	}
	return c.Data
}

func (c *Content) hasSameBytes(other *Content) bool {
	switch {
	case c == nil || other == nil:
		return c == other
	case c.isDirectory() || other.isDirectory():
		return c.isDirectory() && other.isDirectory()
	case c.SHA256 == "" && other.SHA256 == "":
		return bytes.Equal(c.Data, other.Data)
	}
	return cmp.Or(c.SHA256, HashBytes(c.Data)) == cmp.Or(other.SHA256, HashBytes(other.Data))
}

type Edit struct {
	// In is an untrusted directory: links in it are refused, and nothing outside is written. If In is "", the
	// file is the user's, and links are followed and kept.
	In     string   `json:"in,omitempty"`
	Path   string   `json:"path"` // absolute, as the user knows it
	At     string   `json:"at"`   // Path with links resolved, set by OpenEdit
	Before *Content `json:"before"`
	After  *Content `json:"after"`
	// State marks springfield's own state. Diffs and lists of files omit it, and undo skips it if it was changed since.
	State bool `json:"own,omitempty"`
	// Drop also removes directories that the removal of the file leaves empty, up to In. If In is "", it
	// removes only the parent.
	Drop bool `json:"-"`

	root string // In with links resolved
}

func (e Edit) isDirectory() bool { return e.Before.isDirectory() || e.After.isDirectory() }

// Changes reports whether the edit changes the bytes or the mode.
func (e Edit) Changes() bool {
	return !e.Before.hasSameBytes(e.After) || e.Before != nil && e.After != nil && e.Before.Mode.Perm() != e.After.Mode.Perm()
}

// CheckAccess returns an error if the file or its directory is not writable.
func (e Edit) CheckAccess() error {
	at, err := cmp.Or(e.At, e.Path), error(nil)
	if e.Before != nil && e.Before.Mode&0o222 == 0 {
		err = fs.ErrPermission
	} else if err = checkWritable(at, rooted.FindUpward(filepath.Dir(at), rooted.TargetExists)); err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: cmp.Or(e.Path, at), Err: err}
}

// PlanContent plans new content, or to remove the file if data is nil. Only new files get newMode. The error is from
// CheckAccess.
func (e *Edit) PlanContent(data []byte, newMode fs.FileMode) (accessErr error) {
	e.After = nil
	if e.Before != nil {
		newMode = e.Before.Mode
	}
	if data != nil {
		e.After = &Content{Data: data, Mode: newMode}
	}
	return e.CheckAccess()
}

// Change is a list of edits applied in order and undone in reverse.
type Change struct {
	Did    string // its name in the journal: "enable X in user settings"
	Kind   string // the kind of its files, for errors: "settings" if empty
	Edits  []Edit
	Notes  []string // consequences for the user, a sentence each
	Leaves []string // side effects that undo does not revert

	undoes Entry // the entry that this reverts; its ID is 0 for a new change
}

func (c Change) kindOfFiles() string { return cmp.Or(c.Kind, "settings") }

func (c Change) CheckAccess() error {
	for _, e := range c.Edits {
		if err := e.CheckAccess(); err != nil && e.Changes() {
			return fmt.Errorf("write %s: %w", c.kindOfFiles(), err)
		}
	}
	return nil
}

// IsEmpty reports whether applying the change is a no-op.
func (c Change) IsEmpty() bool {
	return c.undoes.ID == 0 && !slices.ContainsFunc(c.Edits, Edit.Changes)
}

// Files returns the files written and removed, including State only if In is set.
func (c Change) Files() (written, removed []string) {
	for _, e := range c.Edits {
		switch {
		case e.State && e.In == "" || e.isDirectory() || !e.Changes():
		case e.After == nil:
			removed = append(removed, e.Path)
		default:
			written = append(written, e.Path)
		}
	}
	return written, removed
}

// Diff returns the change as a unified diff.
func (c Change) Diff() string { return c.DiffIn("") }

// DiffIn returns a unified diff without modes, directories and springfield's state. Unless dir is "", paths are
// relative to dir, with prefixes a/ and b/.
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

// diffContents returns a unified diff, or that they differ if one is not text. Callers skip equal contents, and pass
// os.DevNull for a missing file.
func diffContents(from, to string, before, after *Content) string {
	was, is := before.Bytes(), after.Bytes()
	if IsText(was) && IsText(is) {
		return udiff.Unified(from, to, string(was), string(is))
	}
	return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
}

func IsText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// ErrChanged is returned if a file was changed after we read it.
var ErrChanged = errors.New("another program changed it in the meantime")

// WriteError means that a change was not applied. Nothing on disk has changed, except as Done and Left record.
type WriteError struct {
	Kind string // of the files, such as "settings"
	Err  error
	Done bool     // all files are written; only the journal is not up to date
	Left []string // files that could not be restored; the journal still has their old bytes
}

func (e *WriteError) Error() string { return fmt.Sprintf("write %s: %v", e.Kind, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

func HashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
