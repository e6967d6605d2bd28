package installer

// A user's own rules for a plugin: <config>/springfield/<plugin>.json, the layer
// over the plugin's strategy.json.
//
// The rules:
//   - elements are added behind those that are there; nothing else changes;
//   - a file that is not there is made, with no more in it than what is added;
//   - what comes out is looked at by the caller before it is written.

import (
	"encoding/json"
	"fmt"

	"github.com/cameronsjo/springfield/installer/document"
)

// Addition is a new last element of one of the file's arrays.
type Addition struct {
	List  string // the array's key
	Value json.RawMessage
}

// RulesFile is where a user's own rules for a plugin lie.
func (p Places) RulesFile(plugin string) string { return p.state(plugin + ".json") }

// PlanRules adds elements to arrays of the user's own rules for a plugin. It
// refuses, with a *SyntaxError inside, what Parse and Apply refuse. check looks at
// what the file would hold; its error refuses the plan.
func PlanRules(p Places, plugin string, additions []Addition, did string, check func(after []byte) error) (Plan, error) {
	plan := Plan{Did: did, kind: "rules"}
	file, err := Open(p.RulesFile(plugin))
	if err != nil {
		return plan, fmt.Errorf("read rules: %w", err)
	}
	doc, err := document.Parse(file.Data)
	if err != nil {
		return plan, fmt.Errorf("read rules: %s: %w", file.Asked, err)
	}
	var changes []document.Edit
	for _, a := range additions {
		changes = append(changes, document.Edit{Path: []string{a.List, document.Appended}, Value: a.Value})
	}
	after, err := doc.Apply(changes...)
	if err != nil {
		return plan, fmt.Errorf("read rules: %s: %w", file.Asked, err)
	}
	if err := check(after); err != nil {
		return plan, err
	}
	if len(changes) == 0 {
		return plan, nil
	}
	if err := writable(file); err != nil {
		return plan, err
	}
	known, err := p.recall(file.Path)
	if err != nil {
		return plan, err
	}
	plan.edits = append(plan.edits, newEdit(file, after, known))
	return plan, nil
}
