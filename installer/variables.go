package installer

// Variables that settings set. Claude Code hands them to every hook that it
// starts, a project's too, and in a directory that its user has not accepted yet.

import (
	"encoding/json"
	"slices"
)

// Variable is a member of a settings file's env.
type Variable struct {
	Name, Value  string // a value that is no string: its JSON text
	Layer        string // "managed", "local", "project" or "user"
	File         string
	Line, Column int  // where it is set, from 1; columns in characters
	Ours         bool // springfield has set it to this value
}

// Variables are all that the settings of all layers set, the highest layer
// first, in the order of the file. A name that is set twice is there twice.
func (i Inventory) Variables(p Places) []Variable {
	var all []Variable
	for _, l := range i.Settings {
		all = append(all, l.variables(p)...)
	}
	return all
}

func (l Layer) variables(p Places) []Variable {
	if l.doc == nil {
		return nil
	}
	m, _ := p.recall(l.path) // without a memory nothing is ours
	var all []Variable
	for _, member := range l.doc.Members("env") {
		v := Variable{
			Name: member.Key, Value: string(member.Value), Layer: l.Name, File: l.File,
			Line: member.Line, Column: member.Column, Ours: m.hasSet(member.Key, member.Value),
		}
		if text := stringIn(member.Value); text != "" || v.Value == `""` {
			v.Value = text
		}
		all = append(all, v)
	}
	return all
}

// hasSet tells whether springfield has given a variable the value that it has.
func (m *memory) hasSet(name string, raw json.RawMessage) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return len(r.Path) == 2 && r.Path[0] == "env" && r.Path[1] == name && r.Set != nil && r.still(raw, true)
	})
}
