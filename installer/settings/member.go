package settings

import (
	"encoding/json"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
)

// PlanMember plans to set one member of a scope's settings, which undo takes back. change makes of
// what it is, nil if it is absent, what it is to be, nil to leave it as it is.
func (s *Settings) PlanMember(scope client.Scope, did string, change func(was json.RawMessage) (json.RawMessage, error), path ...string) (journal.Change, error) {
	c := journal.Change{Did: did}
	f, err := s.openScope(scope)
	if err != nil {
		return c, err
	}
	was, _, err := f.doc.Get(path...)
	if err != nil {
		return c, f.namedError(err)
	}
	value, err := change(was)
	if err != nil {
		return c, f.namedError(err)
	}
	if value == nil {
		return c, nil
	}
	return c, s.setMembers(&c, f, []document.Edit{{Path: path, Value: value}}, "")
}
