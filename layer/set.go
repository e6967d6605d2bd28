package layer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/installer/document"
)

// Assignment gives a key a value; nil takes the key out of the file.
type Assignment struct {
	Key   Key
	Value json.RawMessage
}

// ErrInvalid is that a file of settings cannot be read, or would not be in force.
var ErrInvalid = errors.New("read settings")

// Set plans to give keys values in the file of a scope, byte-exactly. A value that the
// hook would not take from that file is a *UsageError. What else is wrong with the
// file is an error with ErrInvalid inside: with it, nothing of the file is in force.
func (s Stack) Set(scope Scope, assignments []Assignment) (c change.Change, err error) {
	c = change.Change{Did: "set " + s.Plugin.Name, Kind: "rules"}
	var edits []document.Edit
	for _, a := range assignments {
		c.Did += " " + a.Key.Name
		edits = append(edits, document.Edit{Path: a.Key.path(), Value: a.Value})
	}
	f, err := s.file(scope)
	if err != nil {
		return c, err
	}
	var link *folder.LinkError
	if errors.As(f.err, &link) { // which says where it is, and has a hint of its own
		return c, fmt.Errorf("%w: %w", ErrInvalid, link)
	}
	if f.Fault != "" {
		return c, fmt.Errorf("%w: %s: %s", ErrInvalid, f.Path, f.Fault)
	}
	after, err := f.doc.Apply(edits...)
	if err == nil {
		after, err = withoutEmpty(after, edits)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %s: %w", ErrInvalid, f.Path, err)
	}
	if len(after) == 0 {
		after = f.data() // of a file that is not there nothing is taken out
	}
	// What the value itself is refused for says more than what is wrong with the file.
	d, _ := document.Parse(after)
	for _, a := range assignments {
		if a.Value == nil {
			continue
		}
		if why := s.refused(f, d, a.Key, s.under(scope, a.Key)); why != "" {
			return change.Change{}, &UsageError{a.Key.Name + " would not be in force: " + why,
				"springfield set " + s.Plugin.Name + " " + a.Key.Name + " shows what each file says; it takes " + a.Key.Accepts()}
		}
	}
	if _, faults := s.below(scope).Layered(after, f.writer()); len(faults) > 0 {
		return c, fmt.Errorf("%w: %s: %s", ErrInvalid, f.Path, faults[0])
	}
	if bytes.Equal(after, f.data()) {
		return c, nil
	}
	e, err := f.with(after)
	c.Edits = []change.Edit{e}
	return c, err
}

// under is what is in force of a key below the file of a scope.
func (s Stack) under(scope Scope, k Key) json.RawMessage {
	i := slices.IndexFunc(s.Files, func(f File) bool { return f.Scope == scope })
	below := s
	below.Files = s.Files[:i]
	return below.Value(k).Value
}

// withoutEmpty takes objects away that removing their last member has left empty.
func withoutEmpty(after []byte, edits []document.Edit) ([]byte, error) {
	for _, e := range edits {
		if e.Value != nil || len(e.Path) < 2 {
			continue
		}
		d, err := document.Parse(after)
		if err != nil {
			return nil, err
		}
		around := e.Path[:len(e.Path)-1]
		if raw, ok, err := d.Get(around...); err == nil && ok && document.Same(raw, json.RawMessage("{}")) {
			if after, err = d.Apply(document.Edit{Path: around}); err != nil {
				return nil, err
			}
		}
	}
	return after, nil
}

// newFileMode is for files that did not exist: a progress command can hold a secret, and
// a project's file is there to be committed.
func newFileMode(scope Scope) fs.FileMode {
	if scope == User {
		return 0o600
	}
	return 0o644
}

func (s Stack) file(scope Scope) (File, error) {
	for _, f := range s.Files {
		if f.Scope == scope {
			return f, nil
		}
	}
	says := s.Plugin.Name + " is not in a suite"
	if scope == Project {
		says = "this directory is your home, where a project's settings would be your own"
	}
	return File{}, &UsageError{says, "--scope user changes it for all your sessions"}
}

// with is the edit that leaves the file with other bytes. A file of the user's or the
// project's that says nothing any more goes.
func (f File) with(after []byte) (change.Edit, error) {
	e := f.edit
	mode := newFileMode(f.Scope)
	if e.Before != nil {
		mode = e.Before.Mode
	}
	e.After = &change.Content{Data: after, Mode: mode}
	info, err := os.Lstat(f.Path)
	linked := err == nil && info.Mode()&fs.ModeSymlink != 0 // without its file it would lead nowhere
	if d, err := document.Parse(after); err == nil && len(d.Fields()) == 0 && f.Scope != Suite && !linked {
		e.After = nil
	}
	if err := e.Writable(); err != nil {
		return e, fmt.Errorf("write settings: %w", err)
	}
	return e, nil
}
