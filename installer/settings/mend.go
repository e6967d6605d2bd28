package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Member is a change of a member of a scope's settings.
type Member struct {
	Scope client.Scope
	Path  []string
	Did   string
	// Change maps the old value, nil if absent, to the new one, nil to leave it, or Absent.
	Change func(was json.RawMessage) (json.RawMessage, error)
}

// Absent is the value of a member that is removed.
var Absent = json.RawMessage{}

func (s *Settings) PlanMember(m Member) (journal.Change, error) {
	c := journal.Change{Did: m.Did}
	f, err := s.openScope(m.Scope)
	if err != nil {
		return c, err
	}
	value, _, err := f.doc.Get(m.Path...)
	if err == nil {
		value, err = m.Change(value)
	}
	if err != nil {
		return c, f.namedError(err)
	}
	if value == nil {
		return c, nil
	}
	if len(value) == 0 {
		value = nil
	}
	return c, s.setMembers(&c, f, []document.Edit{{Path: m.Path, Value: value}}, "")
}

type EnabledPlugin struct {
	ID    string
	Scope client.Scope
	File  string // the scope's settings
}

// EnabledByUs returns the plugins that springfield has enabled in Claude Code's scopes, widest first.
func (s *Settings) EnabledByUs() (all []EnabledPlugin) {
	for _, scope := range client.AllScopes() {
		path := s.Settings(scope)
		at, _ := journal.Resolve(path) // unreadable: nothing
		m, _ := s.recallFile(at)
		for _, id := range m.pluginsEnabledByUs() {
			all = append(all, EnabledPlugin{id, scope, path})
		}
	}
	return all
}

// HasSetVariable reports whether springfield set the variable's current value.
func (s *Settings) HasSetVariable(v client.Variable) bool {
	m, _ := s.recallFile(v.At) // unreadable: not set by springfield
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return slices.Equal(r.Path, []string{"env", v.Key}) && r.Set != nil && r.isStillSet(v.Value, true)
	})
}

// Damaged returns an error for each of springfield's own files that cannot be read.
func (s *Settings) Damaged() []error {
	_, all, _ := s.allMemories()
	for i, err := range all {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			all[i] = &journal.DamagedError{File: at.Path, Err: err}
		}
	}
	return append(all, Journal(s.Places).Damaged()...)
}

// CheckState returns an error if no file can be created in the state directory or its nearest existing ancestor. It
// creates and removes a temporary file there.
func CheckState(p client.Places) error {
	dir := rooted.FindAbove(p.StatePath(), rooted.IsTaken) // StatePath would be created there
	f, err := os.CreateTemp(dir, ".springfield-check-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, errors.Unwrap(err))
	}
	_ = f.Close()
	return os.Remove(f.Name())
}
