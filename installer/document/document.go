// Package document edits members of a user's JSON document and keeps every other byte.
//
// It accepts one object in plain JSON and UTF-8, with or without a byte order mark. An empty file is an empty
// object, as in Claude Code. Duplicate keys are an error only in the path of an edit.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	MaxSize = 8 << 20 // real settings have a few kilobytes

	ByteOrderMark = "\ufeff"
	blanks        = " \t\r\n"
)

// SyntaxError is returned if a document cannot be read or edited. Line and Column start from 1, in characters
// after any byte order mark. Line 0 means no position.
type SyntaxError struct {
	Line, Column int
	Problem      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// Document is a JSON object with the text. Edits do not change it.
type Document struct {
	source    string
	commented bool
	mark      string // the byte order mark, or ""
	text      string // without mark and comments; "{}" and a line ending for an empty file
	root      *value
}

type value struct {
	text          string
	start         int
	members       []member       // set by listChildren
	first, second map[string]int // indexes in members of a key and its first duplicate
}

// member is a member of an object or an element of an array. The key of an element is its Element, or "".
type member struct {
	gap   string // the text before it
	key   string
	start int    // of the key, or of an element
	colon string // with the blanks around it
	value value
}

// ParseDocument parses a document up to 8 MiB and 10,000 levels. The root is an object, empty for blank data. All
// errors are *SyntaxError.
func ParseDocument(data []byte) (doc *Document, err error) {
	if len(data) > MaxSize {
		return nil, &SyntaxError{Problem: "larger than 8 MiB"}
	}
	source := string(data)
	text := strings.TrimPrefix(source, ByteOrderMark)
	d := &Document{source: source, mark: strings.TrimSuffix(source, text), text: text}
	if strings.Trim(text, blanks) == "" {
		d.text = "{}\n"
		if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
			d.text = "{}\r\n"
		}
	}
	if d.root, err = parseValue(d.text); err != nil {
		return nil, err
	}
	if !d.root.isObject() {
		return nil, faultAt(d.text, d.root.start, "the document is %s, not an object", d.root.kindName())
	}
	return d, nil
}

// Decode is like json.Unmarshal, but a wrong type is a *SyntaxError.
func (d *Document) Decode(v any) error {
	err := json.Unmarshal([]byte(d.text), v)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return faultAt(d.text, max(int(wrong.Offset)-1, 0), "%s cannot be of the kind %s", keyInWords(wrong.Field),
		wrong.Value)
}

// Get returns the value for a key path, and whether it exists. A duplicate key or wrong type along the path is a
// *SyntaxError.
func (d *Document) Get(path ...string) (json.RawMessage, bool, error) {
	if len(path) == 0 {
		return json.RawMessage(d.root.text), true, nil
	}
	_, found, err := d.findPath(path)
	if err != nil || found == nil {
		return nil, false, err
	}
	return json.RawMessage(found.value.text), true, nil
}

// Fields returns the root's members. The last of duplicate keys wins.
func (d *Document) Fields() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, m := range d.root.listChildren() {
		all[m.key] = json.RawMessage(m.value.text)
	}
	return all
}

// CheckObject returns an error if the root's last member with this key is not an object.
func (d *Document) CheckObject(key string) (err error) {
	for _, m := range d.root.listChildren() {
		switch {
		case m.key != key:
		case m.value.isObject():
			err = nil
		default:
			err = faultAt(d.text, m.value.start, "%q is %s, not an object like {}", key, m.value.kindName())
		}
	}
	return err
}

// Member is a member of an object with the position, as in a SyntaxError.
type Member struct {
	Key          string
	Value        json.RawMessage
	Line, Column int
}

// Members returns the members of the object at a root key, including duplicates.
func (d *Document) Members(key string) (all []Member) {
	at := place{text: d.text, line: 1, column: 1}
	for _, outer := range d.root.listChildren() {
		if outer.key != key || !outer.value.isObject() {
			continue
		}
		for _, inner := range outer.value.listChildren() {
			at.moveToOffset(inner.start)
			all = append(all, Member{inner.key, json.RawMessage(inner.value.text), at.line, at.column})
		}
	}
	return all
}

// place is a position in a text. It only moves forward, so that a scan takes linear time.
type place struct {
	text         string
	offset       int
	line, column int
}

// moveToOffset moves forward to a byte offset, not before the current one.
func (p *place) moveToOffset(offset int) {
	between := p.text[p.offset:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		p.line, p.column = p.line+strings.Count(between, "\n"), 1
		between = between[i+1:]
	}
	p.column, p.offset = p.column+utf8.RuneCountInString(between), offset
}

// findPath returns the objects on a path, root first, and the last key's member. If found is nil, path[len(objects)-1]
// is the first missing key. path is not empty.
func (d *Document) findPath(path []string) (objects []*value, found *member, err error) {
	objects = []*value{d.root}
	if _, inArray := elementName(path[0]); inArray {
		return nil, nil, faultAt(d.text, d.root.start, "the document is an object, not an array with %s",
			keyInWords(path[0]))
	}
	for i, key := range path {
		found, err = d.memberOf(objects[i], key)
		if err != nil || found == nil || i == len(path)-1 {
			break
		}
		inside := &found.value
		name, inArray := elementName(path[i+1])
		switch {
		case inArray && inside.text[0] != '[':
			return nil, nil, faultAt(d.text, inside.start, "%s is %s, not an array of objects with a name like %q",
				keyInWords(key), inside.kindName(), name)
		case !inArray && !inside.isObject():
			return nil, nil, faultAt(d.text, inside.start, "%s is %s, not an object", keyInWords(key), inside.kindName())
		}
		objects = append(objects, inside)
	}
	return objects, found, err
}

const element = "\x00" // prefix of an Element

// Element returns a path key for the array element with this name or, if unnamed, command.
func Element(name string) string { return element + name }

func elementName(key string) (name string, ok bool) { return strings.CutPrefix(key, element) }

func keyInWords(key string) string {
	if name, ok := elementName(key); ok {
		return fmt.Sprintf("the element named %q", name)
	}
	return strconv.Quote(key)
}

// memberOf returns the member or element with a key, or nil. A duplicate is an error.
func (d *Document) memberOf(around *value, key string) (_ *member, dupErr error) {
	members := around.listChildren()
	name, inArray := elementName(key)
	i, found := around.first[key]
	if !found || inArray == around.isObject() {
		return nil, nil
	}
	if second, twice := around.second[key]; twice {
		problem := "duplicate key %q"
		if inArray {
			problem, key = "a second element named %q", name
		}
		return nil, faultAt(d.text, members[second].start, problem, key)
	}
	return &members[i], nil
}

// listChildren returns an object's members or an array's elements.
func (v *value) listChildren() []member {
	if v.first != nil || !strings.ContainsAny(v.text[:1], "{[") {
		return v.members
	}
	v.first, v.second = map[string]int{}, map[string]int{}
	end := 1
	gjson.Parse(v.text).ForEach(func(key, inner gjson.Result) bool {
		start := v.start + inner.Index
		m := member{key: key.Str, start: start, value: value{text: inner.Raw, start: start}}
		if v.isObject() {
			m.start = v.start + key.Index
			m.colon = v.text[key.Index+len(key.Raw) : inner.Index]
		} else if inner.IsObject() {
			for _, name := range []string{"name", "hooks.0.command"} {
				if named := inner.Get(name); named.Type == gjson.String && m.key == "" {
					m.key = Element(named.Str)
				}
			}
		}
		if _, had := v.first[m.key]; !had {
			v.first[m.key] = len(v.members)
		} else if _, had := v.second[m.key]; !had {
			v.second[m.key] = len(v.members)
		}
		m.gap, end = v.text[end:m.start-v.start], inner.Index+len(inner.Raw)
		v.members = append(v.members, m)
		return true
	})
	return v.members
}

func (v *value) endOffset() int   { return v.start + len(v.text) }
func (v *value) isObject() bool   { return v.text[0] == '{' }
func (v *value) kindName() string { return KindName(json.RawMessage(v.text)) }

// KindName returns a JSON value's type for messages, such as "an object".
func KindName(raw json.RawMessage) (withArticle string) {
	text := bytes.TrimLeft(raw, blanks)
	switch string(text[:min(1, len(text))]) {
	case "":
		return "nothing"
	case "{":
		return "an object"
	case "[":
		return "an array"
	case `"`:
		return "a string"
	case "t", "f":
		return "a boolean"
	case "n":
		return "null"
	}
	return "a number"
}

func parseValue(text string) (*value, error) {
	if err := checkJSON(text); err != nil {
		return nil, err
	}
	return &value{text: strings.Trim(text, blanks), start: len(text) - len(strings.TrimLeft(text, blanks))}, nil
}

// checkJSON returns an error for text that is not UTF-8 or JSON.
func checkJSON(text string) error {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return faultAt(text, 0, "the file is UTF-16, not UTF-8")
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return faultAt(text, i, "not UTF-8")
		}
	}
	if json.Valid([]byte(text)) {
		return nil
	}
	fault := codec.FindFault([]byte(text)) // accepts the same texts, and locates the fault
	before := strings.TrimRight(text[:fault.At], blanks)
	switch rest := text[fault.At:]; {
	case !strings.Contains(fault.Says, " should "): // inside a string, number or word
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), rest[0] == '#':
		return faultAt(text, fault.At, "comments are not allowed in JSON")
	case (rest[0] == '}' || rest[0] == ']') && strings.HasSuffix(before, ","):
		return faultAt(text, len(before)-1, "trailing comma: JSON allows none before %q", rest[:1])
	}
	return faultAt(text, fault.At, "%s", fault.Says)
}

func faultAt(text string, offset int, format string, args ...any) error {
	at := place{text: text, line: 1, column: 1}
	at.moveToOffset(offset)
	return &SyntaxError{Line: at.line, Column: at.column, Problem: fmt.Sprintf(format, args...)}
}

// MeanSame reports whether two JSON texts are equal apart from blanks, escapes and key order. It compares numbers as
// text.
func MeanSame(a, b json.RawMessage) bool {
	var meant [2]any
	for i, text := range [][]byte{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&meant[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(meant[0], meant[1])
}
