// Package settings plans edits of agents' settings: it enables and disables plugins, and restores previous
// values. A plan is a journal.Change, based on one read of the settings and of springfield's memory of edits.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Settings holds Claude Code's files and springfield's memories of edits. It reads each file once, on demand.
type Settings struct {
	*client.Snapshot
	kept map[string]*kept
}

// NewSettings returns settings that read each file once. Create new settings after a change.
func NewSettings(p client.Places) *Settings {
	return &Settings{client.NewSnapshot(p), map[string]*kept{}}
}

// Journal returns the journal of a user's edits, which undo reads.
func Journal(p client.Places) journal.Journal { return journal.Journal{Dir: p.StatePath()} }

// PlanAndApply plans a change and applies it. If a file changes in between, it plans again.
func PlanAndApply(p client.Places, plan func(*Settings) (journal.Change, error)) (journal.Change, error) {
	return Journal(p).PlanAndApply(func() (journal.Change, error) { return plan(NewSettings(p)) })
}

type file struct {
	journal.Edit
	doc  *document.Document
	host string // "" for Claude Code
}

// openScope opens a scope's settings for an edit. Only user settings may be a symlink.
func (s *Settings) openScope(scope client.Scope) (file, error) {
	path := s.Settings(scope)
	switch {
	case scope == client.User || filepath.Dir(path) == filepath.Clean(s.Config): // a session in the home
		return s.openFile("", path)
	case scope == client.Project:
		return s.openFile(s.Work, path)
	}
	return s.openFile(s.Root, path)
}

// openFile opens a settings file for an edit. Unless root is "", a file outside it is an error.
func (s *Settings) openFile(root, path string) (f file, err error) {
	read, err := s.ReadOrEmpty(path)
	if err == nil {
		f.Edit = read.Edit
	}
	if root != "" { // a refused link takes precedence over read errors
		bound, refused := journal.OpenEdit(root, path)
		if link := (*rooted.LinkError)(nil); errors.As(refused, &link) { // it has the path
			err = link
		} else if refused != nil {
			err = refused
		}
		bound.Before, bound.After = f.Before, f.After
		f.Edit = bound
	}
	if err != nil {
		return file{}, fmt.Errorf("read settings: %w", err)
	}
	if f.doc, err = read.SettingsDocument(); err != nil {
		return file{}, f.namedError(err)
	}
	return f, nil
}

// namedError prefixes the file's path, except to a *client.NameTakenError.
func (f file) namedError(cause error) error {
	if conflict := (*client.NameTakenError)(nil); errors.As(cause, &conflict) {
		return cause
	}
	return fmt.Errorf("read settings: %s: %w", f.Path, cause)
}

// newFileMode is private because env in settings can hold tokens.
const newFileMode fs.FileMode = 0o600

// setMembers adds settings file edits to a plan, unless they change nothing. If neededBy is set, an earlier edit
// records who needs them. neededBy is a settings file's At, or for agents other than Claude Code, a plugin's ID. f
// already contains c's earlier edits.
func (s *Settings) setMembers(c *journal.Change, f file, edits []document.Edit, neededBy string) error {
	after, err := f.doc.ApplyEdits(edits...)
	if err != nil {
		return f.namedError(err)
	}
	m, err := s.recallFile(f.At)
	if err != nil {
		return err
	}
	if bytes.Equal(after, f.Before.Bytes()) {
		if neededBy == "" || !m.sharesEdits(edits, neededBy) {
			return nil
		}
		after = f.Before.Bytes()
	}
	edit := f.Edit
	if err := edit.PlanContent(after, newFileMode); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	if neededBy != "" {
		next, err := m.noteEdits(f, edits, neededBy)
		if err != nil {
			return f.namedError(err)
		}
		next.Left = journal.HashBytes(after)
		if next.Origin != nil && f.Before == nil && s.hasMadeDir(filepath.Dir(f.At)) {
			next.Origin = &origin{Existed: next.Origin.Existed, Data: next.Origin.Data, NoDir: true}
		}
		remembering, err := s.editAndCache(next)
		if err != nil {
			return err
		}
		c.Edits = append(c.Edits, remembering)
	}
	c.Edits = append(c.Edits, edit)
	return nil
}

// planRelease plans to restore unchanged members selected by only that just neededBy needed. The memory goes with the
// last member. For neededBy and f see setMembers.
func (s *Settings) planRelease(c *journal.Change, f file, neededBy string, only func(remembered) bool) error {
	m, err := s.recallFile(f.At)
	serves := func(r remembered) bool { return slices.Contains(r.For, neededBy) && only(r) }
	if err != nil || m == nil || !slices.ContainsFunc(m.Members, serves) {
		return err
	}
	back, err := m.planReleased(f, neededBy, only)
	if err != nil {
		return f.namedError(err)
	}
	return s.addRelease(c, f, back)
}

func (s *Settings) addRelease(c *journal.Change, f file, back released) (err error) {
	edit := f.Edit
	if f.Before != nil {
		if err := edit.PlanContent(back.data, newFileMode); err != nil { // no bytes: it is removed
			return fmt.Errorf("write settings: %w", err)
		}
	}
	if back.before == nil {
		c.Edits = append(c.Edits, edit)
		return nil
	}
	c.Notes = append(c.Notes, back.notesOn(f)...)
	edit.Drop = back.before.Origin != nil && back.before.Origin.NoDir
	forgetting, err := s.editAndCache(back.next)
	c.Edits = append(c.Edits, edit, forgetting)
	return err
}
