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

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

// Addition is a new last element of one of the file's arrays.
type Addition struct {
	List  string // the array's key
	Value json.RawMessage
}

// AddRules plans to add elements to arrays of the user's own rules for a plugin. It
// refuses, with a *document.SyntaxError inside, what Parse and Apply refuse. check
// looks at what the file would hold; its error refuses the plan.
func AddRules(p client.Places, plugin string, additions []Addition, check func(after []byte) error) (change.Change, error) {
	c := change.Change{Did: "tune " + plugin, Kind: "rules"}
	e, err := change.Open("", p.RulesFile(plugin))
	if err != nil {
		return c, fmt.Errorf("read rules: %w", err)
	}
	f := file{Edit: e}
	if f.doc, err = document.Parse(f.data()); err != nil {
		return c, fmt.Errorf("read rules: %s: %w", f.Path, err)
	}
	var edits []document.Edit
	for _, a := range additions {
		edits = append(edits, document.Edit{Path: []string{a.List, document.Appended}, Value: a.Value})
	}
	after, err := f.doc.Apply(edits...)
	if err != nil {
		return c, fmt.Errorf("read rules: %s: %w", f.Path, err)
	}
	if err := check(after); err != nil || len(edits) == 0 {
		return c, err
	}
	edit, err := f.with(after)
	c.Edits = []change.Edit{edit}
	return c, err
}
