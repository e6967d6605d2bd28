package settings

import (
	"fmt"
	"slices"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// HostFile is a settings file of an agent other than Claude Code: JSON, possibly with comments.
type HostFile struct{ Host, Path string }

func (s *Settings) openHostFile(upTo *journal.Change, of HostFile) (f file, err error) {
	f.host = of.Host
	if f.Edit, err = journal.OpenEdit("", of.Path); err != nil {
		return f, fmt.Errorf("read settings: %w", err)
	}
	for _, e := range upTo.Edits {
		if e.At == f.At {
			f.Before = e.After
		}
	}
	if f.doc, err = document.ParseCommented(f.Before.Bytes()); err != nil {
		return f, f.namedError(err)
	}
	return f, nil
}

// SetForPlugin adds edits to a plan. plugin is its ID on that host. Unless plugin is "", ReleaseFor can undo them.
func (s *Settings) SetForPlugin(c *journal.Change, of HostFile, plugin string, edits []document.Edit) error {
	return s.editHostFile(c, of, func(f file) error { return s.setMembers(c, f, edits, plugin) })
}

// CheckHostFile returns an error if it cannot be parsed or written.
func (s *Settings) CheckHostFile(of HostFile) error {
	return s.editHostFile(&journal.Change{}, of, file.CheckAccess)
}

// ReleaseFor plans to undo SetForPlugin, except in members that another plugin needs or that were changed since. plugin
// is as in SetForPlugin.
func (s *Settings) ReleaseFor(c *journal.Change, of HostFile, plugin string) error {
	return s.editHostFile(c, of, func(f file) error { return s.planRelease(c, f, plugin, allMembers) })
}

// editHostFile runs step and merges its edits with c's of the file.
func (s *Settings) editHostFile(c *journal.Change, of HostFile, step func(f file) error) error {
	f, err := s.openHostFile(c, of)
	if err != nil {
		return err
	}
	before := len(c.Edits)
	if err := step(f); err != nil {
		return err
	}
	added := slices.Clone(c.Edits[before:])
	c.Edits = c.Edits[:before]
	for _, e := range added {
		if i := slices.IndexFunc(c.Edits, func(was journal.Edit) bool { return was.At == e.At }); i >= 0 {
			e.Before = c.Edits[i].Before
			c.Edits = slices.Delete(c.Edits, i, i+1)
		}
		c.Edits = append(c.Edits, e)
	}
	return nil
}

// EnabledByUsOn returns the plugins springfield enabled for an agent, with ID on that host. Scope is not set. For
// Claude Code use EnabledByUs.
func (s *Settings) EnabledByUsOn(host string) (all []EnabledPlugin, err error) {
	memories, err := s.memoriesOf(host)
	for _, m := range memories {
		var ids []string
		for _, r := range m.Members {
			ids = append(ids, r.For...)
		}
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			all = append(all, EnabledPlugin{ID: id, File: m.File})
		}
	}
	return all, err
}
