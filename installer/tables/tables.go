// Package tables edits TOML documents that people own: exactly the members that an edit
// is about, and not one byte elsewhere. Comments and the order of tables stay.
//
// go-toml reads a document and says where its members are. An edit replaces a value where
// it stands, adds a member to its table, however that is written, or adds a table behind
// all others, as Codex does. What an edit has come to is read again: if it says anything
// else than was asked for, it is refused. So a form that this package does not know (an
// array of tables) is never damaged.
package tables

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
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
	names    int       // of members and tables
}

// section is a table: a header and what stands below it, until the next one, or what stands in the braces of an inline
// table. An element of an array of tables is one, too.
type section struct {
	path   []string
	name   span // in its header; of an inline table the brace
	inline bool
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
	maxMembers = 20_000 // and tables
)

// ParseDocument reads a document. A file without content is an empty one.
func ParseDocument(data []byte) (*Document, error) {
	if len(data) > document.MaxSize {
		return nil, formatFault("it is larger than %d MiB", document.MaxSize>>20)
	}
	d := &Document{text: string(data), members: map[string]any{}, sections: []section{{}}}
	var p unstable.Parser
	p.Reset(data)
	current := 0
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			if err := d.addKey(current, e); err != nil {
				return nil, err
			}
			continue
		}
		path, name, err := d.nameOf(e)
		if err != nil {
			return nil, err
		}
		current = len(d.sections)
		d.sections = append(d.sections, section{path: path, name: name})
	}
	err := toml.Unmarshal(data, &d.members)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		return nil, &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return d, cmp.Or(err, p.Error())
}

// nameOf is the name of a member or a table, and where it lies.
func (d *Document) nameOf(e *unstable.Node) (path []string, at span, err error) {
	if d.names++; d.names > maxMembers {
		return nil, at, formatFault("it has more than %d members and tables", maxMembers)
	}
	for it := e.Key(); it.Next(); {
		part := it.Node()
		if path == nil {
			at.start = int(part.Raw.Offset)
		}
		path, at.end = append(path, string(part.Data)), int(part.Raw.Offset+part.Raw.Length)
		if len(path) > maxParts {
			return nil, at, formatFault("a name has more than %d parts", maxParts)
		}
	}
	return path, at, nil
}

// addKey adds a member to a section, and an inline table that is its value to the sections.
func (d *Document) addKey(to int, e *unstable.Node) error {
	name, _, err := d.nameOf(e)
	if err != nil {
		return err
	}
	path, v := slices.Concat(d.sections[to].path, name), e.Value()
	k := key{path: path, whole: span{int(e.Raw.Offset), int(e.Raw.Offset + e.Raw.Length)}}
	at := span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
	if v.Kind != unstable.Array && v.Kind != unstable.InlineTable {
		k.value = at
	}
	d.sections[to].keys = append(d.sections[to].keys, k)
	if v.Kind == unstable.InlineTable && len(path) <= maxParts {
		inside := len(d.sections)
		d.sections = append(d.sections, section{path: path, name: at, inline: true})
		for it := v.Children(); it.Next() && err == nil; {
			err = d.addKey(inside, it.Node())
		}
	}
	return err
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
	return value, true, err
}

// A quote in a comment, or a # in a string, is none.
var commentOrString = regexp.MustCompile(`(?s)"""(?:\\.|[^\\])*?"""|'''.*?'''|"(?:\\.|[^"\\])*"|'[^'\n]*'|#[^\n]*`)

// Comments are those of the document.
func (d *Document) Comments() []string { return commentsIn(d.text) }

func commentsIn(text string) (all []string) {
	for _, found := range commentOrString.FindAllString(text, -1) {
		if found[0] == '#' {
			all = append(all, strings.TrimSpace(found))
		}
	}
	return all
}

// Names are those of the members of a table.
func (d *Document) Names(table string) []string {
	members, _ := d.members[table].(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// Says is what the document says, by names.
func (d *Document) Says() map[string]string {
	return document.AddSaid(map[string]string{}, "", d.members)
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
	table, name := MemberName(e.Edit.Path[:len(e.Edit.Path)-1]), MemberName(e.Edit.Path[len(e.Edit.Path)-1:])
	return "edit the file yourself, in lines of their own: [" + table + "] and " + name + " = " + literalOf(e.Edit.Value)
}

// ApplyEdits is the document with edits, which are as those of JSON documents: their values are
// JSON, and no tables.
func (d *Document) ApplyEdits(edits ...document.Edit) ([]byte, error) {
	for _, e := range edits {
		if was, found, err := d.Get(e.Path...); err == nil && found == (e.Value != nil) && (!found || document.MeanSame(was, e.Value)) {
			continue
		}
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

// editText is the text with an edit.
func (d *Document) editText(e document.Edit) (string, error) {
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
	if e.Value == nil {
		return d.withoutMember(e.Path, breaks)
	}
	at, text := d.addition(e, breaks)
	for _, s := range d.sections {
		for _, k := range s.keys {
			if slices.Equal(k.path, e.Path) {
				at, text = k.value, literalOf(e.Value)
			}
		}
	}
	if at == (span{}) && d.text != "" {
		return "", errors.New("its value is an array or a table")
	}
	return d.text[:at.start] + text + d.text[at.end:], nil
}

// addition is the text of a new member, and its place: behind the last member of its table, else in a new table behind
// all others.
func (d *Document) addition(e document.Edit, breaks string) (at span, text string) {
	table, value := e.Path[:len(e.Path)-1], " = "+literalOf(e.Value)
	for _, s := range slices.Backward(d.sections) {
		if !hasPrefix(table, s.path) {
			continue
		}
		within := s.inline || len(s.path) == len(table) && len(table) > 0
		behind, comma := s.name, ""
		for _, k := range s.keys {
			if within || len(k.path) > len(table) && hasPrefix(k.path, table) { // beside names of several parts, too
				behind, comma = k.whole, ", "
			}
		}
		switch text := MemberName(e.Path[len(s.path):]) + value; {
		case s.inline:
			return span{behind.end, behind.end}, comma + text
		case within || comma != "":
			end := d.wholeLines(behind).end
			return span{end, end}, text + breaks
		}
	}
	text = "[" + MemberName(table) + "]" + breaks + MemberName(e.Path[len(table):]) + value + breaks
	if d.text != "" {
		text = breaks + text
	}
	return span{len(d.text), len(d.text)}, text
}

// withoutMember is the text without a member and what is below it. Comments stay: one beside it becomes a line of its own,
// and an empty line keeps it, or one above the member, from the neighbour below.
func (d *Document) withoutMember(path []string, breaks string) (string, error) {
	type cut struct {
		span
		left string
	}
	var cuts []cut
	line := func(of span, isHeader bool) {
		at := d.wholeLines(of)
		beside := strings.TrimSpace(strings.TrimLeft(d.text[of.end:at.end], " \t]"))
		above := strings.TrimSuffix(strings.TrimSuffix(d.text[:at.start], "\n"), "\r")
		if isHeader && beside == "" && strings.HasSuffix(above, "\n") { // with the blank line before it
			at.start = len(above)
		}
		left := commentsIn(d.text[of.start:of.end]) // in an array of several lines
		if beside != "" {
			left = append(left, beside)
		}
		for i := range left {
			left[i] += breaks
		}
		cuts = append(cuts, cut{at, strings.Join(left, "")})
	}
	for _, s := range d.sections {
		if inside := hasPrefix(s.path, path); inside && s.inline {
			continue // it goes with the member that has it
		} else if inside {
			line(s.name, true)
		}
		for i, k := range s.keys {
			at := k.whole
			switch {
			case !hasPrefix(k.path, path):
				continue
			case !s.inline:
				line(at, false)
				continue
			case i+1 < len(s.keys):
				at.end = s.keys[i+1].whole.start
			case i > 0:
				at.start = s.keys[i-1].whole.end
			}
			if len(commentsIn(d.text[at.start:at.end])) > 0 {
				return "", errors.New("a comment stands beside it")
			}
			cuts = append(cuts, cut{at, ""})
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	text := d.text
	for _, c := range slices.Backward(cuts) {
		above, below := text[:c.start], text[c.end:]
		last := above[strings.LastIndexByte(strings.TrimSuffix(above, "\n"), '\n')+1:]
		next, _, _ := strings.Cut(below, "\n")
		if (c.left != "" || strings.HasPrefix(strings.TrimSpace(last), "#")) && strings.TrimSpace(next) != "" {
			c.left += breaks
		}
		text = above + c.left + below
	}
	return text, nil
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// compareEdit tells whether now says what d does with an edit.
func (d *Document) compareEdit(now *Document, e document.Edit) error {
	want, path := d.Says(), document.NameSaid(e.Path...)
	maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, path) })
	if e.Value != nil {
		var value any
		if err := json.Unmarshal(e.Value, &value); err != nil {
			return err
		}
		document.AddSaid(want, path, value)
	}
	if !maps.Equal(want, now.Says()) {
		return errors.New("it would change what else the file says")
	}
	return nil
}

// literalOf is a value as JSON writes it and TOML reads it: there is no table in it.
func literalOf(value any) string {
	if raw, is := value.(json.RawMessage); is {
		var text string // whose escapes TOML may not know
		if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
			value = text
		}
	}
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
