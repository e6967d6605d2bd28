package settings

import (
	"encoding/json"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
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

// PlanMember plans to change a member of a scope's settings. disable does not restore it.
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
