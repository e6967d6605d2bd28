package installer

// Variables that settings set. Claude Code hands them to every hook that it
// starts, a project's too, and in a directory that its user has not accepted yet.

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
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
	at := place{text: l.doc.text, line: 1, column: 1}
	var all []Variable
	for _, env := range l.doc.root.members {
		if env.key != "env" || !l.doc.isObject(env.value) {
			continue
		}
		for _, member := range env.value.members {
			raw := json.RawMessage(l.doc.raw(member.value))
			v := Variable{Name: member.key, Value: string(raw), Layer: l.Name, File: l.File, Ours: m.hasSet(member.key, raw)}
			v.Line, v.Column = at.to(member.start)
			if text := stringIn(raw); text != "" || v.Value == `""` {
				v.Value = text
			}
			all = append(all, v)
		}
	}
	return all
}

// place is a position in a text that only goes forward, so that many are found in
// the time of one.
type place struct {
	text         string
	offset       int
	line, column int
}

// to is the line and the column of an offset behind the last one.
func (p *place) to(offset int) (line, column int) {
	between := p.text[p.offset:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		p.line, p.column = p.line+strings.Count(between, "\n"), 1
		between = between[i+1:]
	}
	p.column, p.offset = p.column+utf8.RuneCountInString(between), offset
	return p.line, p.column
}

// hasSet tells whether springfield has given a variable the value that it has.
func (m *memory) hasSet(name string, raw json.RawMessage) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return len(r.Path) == 2 && r.Path[0] == "env" && r.Path[1] == name && r.Set != nil && r.still(raw, true)
	})
}
