// Package tables edits TOML documents that people own: exactly the members that an edit
// is about, and not one byte elsewhere. Comments and the order of tables stay.
//
// go-toml reads a document and says where its members are. An edit replaces a value where
// it stands, or adds a table behind all others, as Codex does. What an edit has come to is
// read again: if it says anything else than was asked for, it is refused. So a form that
// this package does not know (an inline table, a dotted key) is never damaged.
package tables

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/cameronsjo/springfield/installer/document"
)

// Document is a TOML document. It never changes: an edit gives new bytes.
type Document struct {
	text     string
	members  map[string]any
	sections []section // the first has no header
}

// section is the header of a table, or of an element of an array of tables, and what stands
// below it, until the next header.
type section struct {
	path   []string
	header span // its line
	keys   []key
}

// key is a member of a section: its path from the root, and where it and its value lie.
type key struct {
	path  []string
	whole span
	value span // of a value that is no array and no table, else empty
}

type span struct{ start, end int }

// What a document of a person's has much less of: the time that it takes grows with the
// square.
const (
	maxParts   = 100    // of one name
	maxMembers = 20_000 // lines that set a member or begin a table
)

// ParseDocument reads a document. A file without content is an empty one.
func ParseDocument(data []byte) (*Document, error) {
	if len(data) > document.MaxSize {
		return nil, formatFault("it is larger than %d MiB", document.MaxSize>>20)
	}
	d := &Document{text: string(data), members: map[string]any{}, sections: []section{{}}}
	var p unstable.Parser
	p.Reset(data)
	for n := 0; p.NextExpression(); n++ {
		e := p.Expression()
		if n == maxMembers {
			return nil, formatFault("it has more than %d members and tables", maxMembers)
		}
		var path []string
		var name span
		for it := e.Key(); it.Next(); {
			part := it.Node()
			if path == nil {
				name.start = int(part.Raw.Offset)
			}
			path, name.end = append(path, string(part.Data)), int(part.Raw.Offset+part.Raw.Length)
			if len(path) > maxParts {
				return nil, formatFault("a name has more than %d parts", maxParts)
			}
		}
		if e.Kind != unstable.KeyValue {
			d.sections = append(d.sections, section{path, d.wholeLines(name), nil})
			continue
		}
		s := &d.sections[len(d.sections)-1]
		k := key{path: slices.Concat(s.path, path), whole: span{int(e.Raw.Offset), int(e.Raw.Offset + e.Raw.Length)}}
		if v := e.Value(); v.Kind != unstable.Array && v.Kind != unstable.InlineTable {
			k.value = span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
		}
		s.keys = append(s.keys, k)
	}
	err := toml.Unmarshal(data, &d.members)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		return nil, &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return d, cmp.Or(err, p.Error())
}

func formatFault(format string, args ...any) error {
	return &document.SyntaxError{Problem: fmt.Sprintf(format, args...)}
}

// wholeLines are the whole lines that a span lies in.
func (d *Document) wholeLines(at span) span {
	at.start = strings.LastIndexByte(d.text[:at.start], '\n') + 1
	if i := strings.IndexByte(d.text[at.end:], '\n'); i >= 0 {
		return span{at.start, at.end + i + 1}
	}
	return span{at.start, len(d.text)}
}

// Get is the value of a member, as JSON.
func (d *Document) Get(path ...string) (value json.RawMessage, found bool, err error) {
	var at any = d.members
	for _, name := range path {
		table, _ := at.(map[string]any)
		if at, found = table[name]; !found {
			return nil, false, nil
		}
	}
	value, err = document.EncodeValue(at)
	return value, err == nil, err
}

// PartOf is a document with some of its members, by their names at the top.
func (d *Document) PartOf(names ...string) ([]byte, error) {
	members := maps.Clone(d.members)
	maps.DeleteFunc(members, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return toml.Marshal(members)
}

// RefusedError says that a document has a member in a form that is not edited.
type RefusedError struct {
	Edit document.Edit
	Err  error
}

func (e *RefusedError) Error() string {
	return MemberName(e.Edit.Path) + " cannot be edited in the form that it has there: " + e.Err.Error()
}

// Hint is what the user types.
func (e *RefusedError) Hint() string {
	if e.Edit.Value == nil {
		return "edit the file yourself: remove " + MemberName(e.Edit.Path)
	}
	table, members, _ := tableParts(e.Edit)
	return "edit the file yourself, in lines of their own: [" + MemberName(table) + "]" + assignmentLines(members, "",
		" and ")
}

// ApplyEdits is the document with edits, which are as those of JSON documents: their values are
// JSON. A table is set member by member, and has no tables in it.
func (d *Document) ApplyEdits(edits ...document.Edit) ([]byte, error) {
	for _, e := range edits {
		text, err := d.editText(e)
		var now *Document
		if err == nil {
			now, err = ParseDocument([]byte(text))
		}
		if err == nil {
			err = d.compareEdit(now, e)
		}
		if err != nil {
			return nil, &RefusedError{e, err}
		}
		d = now
	}
	return []byte(d.text), nil
}

// tableParts are the table and its members that an edit sets, each as TOML: all of them if it is
// about the whole table.
func tableParts(e document.Edit) (table []string, members map[string]string, whole bool) {
	var values map[string]any
	if table, whole = e.Path, e.Value == nil || json.Unmarshal(e.Value, &values) == nil; !whole {
		var value any // null, which TOML does not read, if it is no JSON
		_ = json.Unmarshal(e.Value, &value)
		last := len(e.Path) - 1
		table, values = e.Path[:last], map[string]any{e.Path[last]: value}
	}
	members = map[string]string{}
	for name, value := range values {
		members[name] = literalOf(value)
	}
	return table, members, whole
}

// assignmentLines are the lines of members.
func assignmentLines(members map[string]string, end, begin string) (all string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		all += begin + MemberName([]string{name}) + " = " + members[name] + end
	}
	return all
}

// editText is the text with an edit. Where a table goes, comments stay.
func (d *Document) editText(e document.Edit) (string, error) {
	table, members, whole := tableParts(e)
	breaks := "\n"
	if strings.Contains(d.text, "\r\n") {
		breaks = "\r\n"
	}
	if d.text != "" && !strings.HasSuffix(d.text, "\n") { // the last line has no end then either
		ended, err := ParseDocument([]byte(d.text + breaks))
		if err != nil {
			return "", err
		}
		text, err := ended.editText(e)
		return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
	}
	type change struct {
		span
		text string
	}
	var changes []change
	own := -1 // where a new member goes
	for _, s := range d.sections {
		if slices.Equal(s.path, table) {
			own = s.header.end
			if n := len(s.keys); n > 0 {
				own = d.wholeLines(s.keys[n-1].whole).end
			}
		}
		inside := len(s.path) >= len(table) && slices.Equal(s.path[:len(table)], table)
		if inside && whole && (e.Value == nil || len(s.path) > len(table)) {
			cut := s.header // with the blank line before it
			above := strings.TrimSuffix(strings.TrimSuffix(d.text[:cut.start], "\n"), "\r")
			if strings.HasSuffix(above, "\n") {
				cut.start = len(above)
			}
			changes = append(changes, change{cut, ""})
		}
		for _, k := range s.keys {
			if len(k.path) < len(table) || !slices.Equal(k.path[:len(table)], table) {
				continue
			}
			name := k.path[len(k.path)-1]
			value, wanted := members[name]
			if !wanted || len(k.path) != len(table)+1 {
				if whole {
					changes = append(changes, change{d.wholeLines(k.whole), ""})
				}
				continue
			}
			was, _, _ := d.Get(k.path...)
			if literalOf(was) != value {
				if k.value == (span{}) {
					return "", errors.New("its value is an array or a table")
				}
				changes = append(changes, change{k.value, value})
			}
			delete(members, name)
		}
	}
	added, text := "", d.text
	if own < 0 && len(members) > 0 {
		own, added = len(text), "["+MemberName(table)+"]"+breaks
		if text != "" {
			added = breaks + added
		}
	}
	added += assignmentLines(members, breaks, "")
	changes = append(changes, change{span{max(own, 0), max(own, 0)}, added})
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for _, c := range slices.Backward(changes) {
		text = text[:c.start] + c.text + text[c.end:]
	}
	return text, nil
}

// compareEdit tells whether now says what d does with an edit.
func (d *Document) compareEdit(now *Document, e document.Edit) error {
	want, is, path := map[string]string{}, map[string]string{}, MemberName(e.Path)+"."
	namesSaid(d.members, "", want)
	namesSaid(now.members, "", is)
	maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, path) })
	if e.Value != nil {
		var value any
		if err := json.Unmarshal(e.Value, &value); err != nil {
			return err
		}
		namesSaid(value, path, want)
	}
	if !maps.Equal(want, is) {
		return errors.New("it would change what else the file says")
	}
	return nil
}

// namesSaid is what a value says, by names. Tables without members, which come and go with their
// headers, say nothing.
func namesSaid(value any, name string, all map[string]string) {
	table, is := value.(map[string]any)
	if !is {
		all[name] = fmt.Sprintf("%#v", value)
	}
	for part, sub := range table {
		namesSaid(sub, name+MemberName([]string{part})+".", all)
	}
}

// literalOf is a value as JSON writes it and TOML reads it: there is no table in it.
func literalOf(value any) string {
	raw, _ := document.EncodeValue(value) // which was JSON, so it does not fail
	return strings.ReplaceAll(string(raw), "\x7f", `\u007F`)
}

// MemberName is a member's path as TOML writes it.
func MemberName(path []string) string {
	const bare = "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	parts := slices.Clone(path)
	for i, part := range parts {
		if part == "" || strings.Trim(part, bare) != "" {
			parts[i] = literalOf(part)
		}
	}
	return strings.Join(parts, ".")
}
