// Package settings holds springfield's edits of settings: switching plugins on and
// off, and giving back what was there before. A plan is a journal.Change, worked out
// from one reading of the settings and of what springfield remembers of its edits.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// Settings are what plans are made from: what Claude Code's files say, and what
// springfield remembers of its edits. Each file is read once.
type Settings struct {
	*client.Snapshot
	kept map[string]*kept // by where it is remembered
}

// ReadSettings begins to read settings.
func ReadSettings(p client.Places) *Settings {
	return &Settings{client.NewSnapshot(p), map[string]*kept{}}
}

// Journal keeps every edit of one user's, so that it can be undone.
func Journal(p client.Places) journal.Journal { return journal.Journal{Dir: p.StatePath()} }

// PlanAndApply applies a plan. When another program came first, it is made anew from settings
// as they are by then.
func (s *Settings) PlanAndApply(first journal.Change, again func(*Settings) (journal.Change, error)) (journal.Change, error) {
	err := Journal(s.Places).ApplyChange(first)
	if !errors.Is(err, journal.ErrChanged) {
		return first, err
	}
	return Journal(s.Places).PlanAndApply(func() (journal.Change, error) { return again(ReadSettings(s.Places)) })
}

// file is a settings file to edit.
type file struct {
	journal.Edit
	doc *document.Document // of Claude Code's settings
	as  Document           // what is edited: doc, or what another host has
	of  Foreign            // whose it is; empty for Claude Code
}

// openScope opens a scope's settings for an edit. Those of the user's own may be
// links, as in a dotfiles repository. A project must not choose by one which other
// settings are edited.
func (s *Settings) openScope(scope client.Scope) (file, error) {
	path := s.Settings(scope)
	switch {
	case scope == client.User || filepath.Dir(path) == filepath.Clean(s.Config): // also of a session in the home
		return s.openFile("", path)
	case scope == client.Project:
		return s.openFile(s.Work, path)
	}
	return s.openFile(s.Root, path)
}

// openFile opens a settings file that an edit does not leave a directory for.
func (s *Settings) openFile(in, path string) (f file, err error) {
	read, err := s.OpenFile(path)
	if err == nil {
		f.Edit = read.Edit
	}
	if in != "" { // whatever it leads to, that it is a link comes first
		bound, refused := journal.OpenEdit(in, path)
		if refused != nil {
			err = refused
		}
		bound.Before, bound.After = f.Before, f.After
		f.Edit = bound
	}
	if err != nil {
		return file{}, fmt.Errorf("read settings: %w", err)
	}
	if f.doc, err = read.Document(); err != nil {
		return file{}, f.namedError(err)
	}
	f.as = f.doc
	return f, nil
}

// namedError says which file an error is about, but for one about marketplaces.
func (f file) namedError(err error) error {
	if conflict := (*client.NameTakenError)(nil); errors.As(err, &conflict) {
		return err
	}
	return fmt.Errorf("read settings: %s: %w", f.Path, err)
}

// newFileMode is for files that did not exist: settings can hold tokens in their
// environment, so they are their owner's alone. A project's settings that are
// committed do not mind, since git keeps only the executable bit.
const newFileMode fs.FileMode = 0o600

// editTo is the edit that leaves the file with other bytes; nil: without the file.
func (f file) editTo(data []byte) (journal.Edit, error) {
	e := f.Edit
	if err := e.ChangeTo(data, newFileMode); err != nil {
		return e, fmt.Errorf("write settings: %w", err)
	}
	return e, nil
}

// setMembers adds edits of a settings file to a plan, and remembers them on behalf of a
// file. An empty behalf remembers nothing.
//
// What is set is remembered before the file changes: a crash in between leaves a
// memory of something that did not happen, never an edit that is not remembered.
func (s *Settings) setMembers(c *journal.Change, f file, edits []document.Edit, behalf string) error {
	after, err := f.as.ApplyEdits(edits...)
	if err != nil {
		return f.namedError(err)
	}
	m, err := s.recallFile(f.At)
	if err != nil {
		return err
	}
	same := bytes.Equal(after, f.Before.Bytes())
	if same && (behalf == "" || !m.sharesEdits(edits, behalf)) {
		return nil
	}
	if same {
		after = f.Before.Bytes()
	}
	edit, err := f.editTo(after)
	if err != nil {
		return err
	}
	if behalf != "" {
		next, err := m.noteEdits(f, edits, behalf)
		if err != nil {
			return f.namedError(err)
		}
		next.Left = journal.HashBytes(after)
		if next.Origin != nil && f.Before == nil && s.hasMadeDir(filepath.Dir(f.At)) {
			next.Origin = &origin{Existed: next.Origin.Existed, Data: next.Origin.Data, NoDir: true}
		}
		remembering, err := s.remember(next)
		if err != nil {
			return err
		}
		c.Edits = append(c.Edits, remembering)
	}
	c.Edits = append(c.Edits, edit)
	return nil
}

// planRelease adds an edit that takes back what was set on behalf of a file. It is
// forgotten after the file has changed.
func (s *Settings) planRelease(c *journal.Change, f file, behalf string, only func(remembered) bool) error {
	m, err := s.recallFile(f.At)
	if err != nil || !m.servesFile(behalf, only) {
		return err
	}
	back, err := m.releaseSettings(f, behalf, only)
	if err != nil {
		return f.namedError(err)
	}
	return s.addRelease(c, f, back)
}

// addRelease adds what taking back comes to.
func (s *Settings) addRelease(c *journal.Change, f file, back released) (err error) {
	edit := f.Edit
	if f.Before != nil {
		if edit, err = f.editTo(back.data); err != nil {
			return err
		}
	}
	if back.before == nil { // nothing was remembered
		c.Edits = append(c.Edits, edit)
		return nil
	}
	c.Notes = append(c.Notes, back.notesOn(f)...)
	edit.Drop = back.before.Origin != nil && back.before.Origin.NoDir
	forgetting, err := s.remember(back.next)
	c.Edits = append(c.Edits, edit, forgetting)
	return err
}
