// Package tables edits TOML documents that people own: exactly the members that an edit
// is about, and not one byte elsewhere. Comments and the order of tables stay.
//
// go-toml reads a document and says where its members are. An edit replaces a value where
// it stands, or adds a table behind all others, as Codex does. What an edit has come to is
// read again: if it says anything else than was asked for, it is refused. So a form that
// this package does not know (an inline table, a dotted key) is never damaged.
package tables

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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

// section is a table's header and what stands below it, until the next header.
type section struct {
	path       []string
	array      bool // an element of an array of tables
	start, end int  // of the header's line
	keys       []key
}

// key is a member of a section: its path from the root, and where it and its value lie.
type key struct {
	path       []string
	start, end int
	value      span // of a value that is no array and no table, else empty
}

type span struct{ start, end int }

// Parse reads a document. A file without content is an empty one.
func Parse(data []byte) (*Document, error) {
	if len(data) > document.MaxSize {
		return nil, &document.SyntaxError{Problem: fmt.Sprintf("it is larger than %d MiB", document.MaxSize>>20)}
	}
	d := &Document{text: string(data), members: map[string]any{}}
	located := d.locate(data)
	if large := (*document.SyntaxError)(nil); errors.As(located, &large) {
		return nil, large
	}
	if err := toml.Unmarshal(data, &d.members); err != nil {
		return nil, placed(err)
	}
	return d, located
}

// What a document of a person's has much less of: the time that it takes grows with the
// square.
const (
	maxParts   = 100    // of one name
	maxMembers = 20_000 // lines that set a member or begin a table
)

// placed is an error with its place, as one about JSON has it.
func placed(err error) error {
	var decoding *toml.DecodeError
	if !errors.As(err, &decoding) {
		return &document.SyntaxError{Problem: err.Error()}
	}
	line, column := decoding.Position()
	return &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(decoding.Error(), "toml: ")}
}

// locate notes where everything is.
func (d *Document) locate(data []byte) error {
	d.sections = []section{{}}
	var p unstable.Parser
	p.Reset(data)
	for n := 0; p.NextExpression(); n++ {
		e := p.Expression()
		if n == maxMembers {
			return &document.SyntaxError{Problem: fmt.Sprintf("it has more than %d members and tables", maxMembers)}
		}
		if isMember := e.Kind == unstable.Table || e.Kind == unstable.ArrayTable || e.Kind == unstable.KeyValue; isMember && count(e.Key()) > maxParts {
			return &document.SyntaxError{Problem: fmt.Sprintf("a name has more than %d parts", maxParts)}
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, at := keysOf(e.Key())
			start := strings.LastIndexByte(d.text[:at.start], '\n') + 1
			d.sections = append(d.sections, section{path: path, array: e.Kind == unstable.ArrayTable, start: start, end: d.lineEnd(at.end)})
		case unstable.KeyValue:
			s := &d.sections[len(d.sections)-1]
			path, _ := keysOf(e.Key())
			k := key{path: slices.Concat(s.path, path), start: int(e.Raw.Offset), end: int(e.Raw.Offset + e.Raw.Length)}
			if v := e.Value(); v.Kind != unstable.Array && v.Kind != unstable.InlineTable {
				k.value = span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
			}
			s.keys = append(s.keys, k)
		}
	}
	return p.Error()
}

// count is how many parts a key has.
func count(parts unstable.Iterator) (n int) {
	for parts.Next() {
		n++
	}
	return n
}

// keysOf is a key's parts, and where it lies.
func keysOf(it unstable.Iterator) (path []string, at span) {
	for it.Next() {
		n := it.Node()
		if path == nil {
			at.start = int(n.Raw.Offset)
		}
		path, at.end = append(path, string(n.Data)), int(n.Raw.Offset+n.Raw.Length)
	}
	return path, at
}

// lineEnd is behind the line end after a place.
func (d *Document) lineEnd(at int) int {
	if i := strings.IndexByte(d.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.text)
}

// Get is the value of a member, as JSON.
func (d *Document) Get(path ...string) (value json.RawMessage, found bool, err error) {
	at, found := d.at(path)
	if !found {
		return nil, false, nil
	}
	value, err = document.Encode(at)
	return value, err == nil, err
}

func (d *Document) at(path []string) (at any, found bool) {
	at = d.members
	for _, name := range path {
		table, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, found = table[name]; !found {
			return nil, false
		}
	}
	return at, true
}

// Apply is the document with edits, which are as those of JSON documents: their values are
// JSON. A table is set member by member.
func (d *Document) Apply(edits ...document.Edit) ([]byte, error) {
	for _, e := range edits {
		work := *d // edits of a table have several steps
		text, err := work.edited(e)
		var now *Document
		if err == nil {
			now, err = Parse([]byte(text))
		}
		if err == nil {
			err = d.compare(now, e)
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be edited in the form that it has there: %w", Name(e.Path), err)
		}
		d = now
	}
	return []byte(d.text), nil
}

// edited is the text with an edit.
func (d *Document) edited(e document.Edit) (string, error) {
	if !utf8.ValidString(strings.Join(e.Path, "")) {
		return "", errors.New("its name is not UTF-8")
	}
	if e.Value == nil {
		return d.without(e.Path), nil
	}
	value, err := decoded(e.Value)
	if err != nil {
		return "", err
	}
	return d.with(e.Path, value)
}

// compare tells whether now says what d does with an edit.
func (d *Document) compare(now *Document, e document.Edit) error {
	want := clone(d.members)
	if e.Value == nil {
		put(want, e.Path, nil)
	} else {
		value, err := decoded(e.Value)
		if err != nil {
			return err
		}
		put(want, e.Path, value)
	}
	if canonical(want) != canonical(now.members) {
		return errors.New("it would change what else the file says")
	}
	return nil
}

// put sets a member of a tree, or removes it.
func put(tree map[string]any, path []string, value any) {
	for ; len(path) > 1; path = path[1:] {
		next, ok := tree[path[0]].(map[string]any)
		if !ok {
			if value == nil {
				return
			}
			next = map[string]any{}
			tree[path[0]] = next
		}
		tree = next
	}
	if value == nil {
		delete(tree, path[0])
		return
	}
	tree[path[0]] = value
}

func clone(tree map[string]any) map[string]any {
	out := make(map[string]any, len(tree))
	for name, value := range tree {
		if sub, ok := value.(map[string]any); ok {
			value = clone(sub)
		}
		out[name] = value
	}
	return out
}

// canonical is what a value says: tables without members, which come and go with their
// headers, say nothing.
func canonical(value any) string {
	switch v := value.(type) {
	case map[string]any:
		var b strings.Builder
		for _, name := range names(v) {
			if sub := canonical(v[name]); sub != "" {
				fmt.Fprintf(&b, "%q:%s,", name, sub)
			}
		}
		if b.Len() == 0 {
			return ""
		}
		return "{" + b.String() + "}"
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(canonical(item) + ",")
		}
		return "[" + b.String() + "]"
	}
	return fmt.Sprintf("%T %q", value, fmt.Sprint(value))
}

func names(table map[string]any) (all []string) {
	for name := range table {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// decoded is a JSON value as go-toml would decode it.
func decoded(raw json.RawMessage) (any, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return converted(value)
}

func converted(value any) (_ any, err error) {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			if v[name], err = converted(v[name]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = converted(v[i]); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case string:
		if !utf8.ValidString(v) {
			return nil, errors.New("a text is not UTF-8")
		}
	case nil:
		return nil, errors.New("TOML has no null")
	}
	return value, nil
}

// Name is a member's path as TOML writes it.
func Name(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = written(part)
	}
	return strings.Join(parts, ".")
}
