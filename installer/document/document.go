// Package document edits JSON documents that people own: exactly the members that
// an edit is about, and not one byte elsewhere.
package document

// Reading a document.
//
// The rules:
//   - plain JSON in UTF-8, one document, an object at its root; what Claude
//     Code would not read, or would read differently, is refused, because an
//     edit of a misread document destroys what it does not see;
//   - a byte order mark is set aside and put back;
//   - a file without content is an empty object, because Claude Code reads it so;
//   - a key given twice is refused only where a path leads through it: anywhere
//     else it is not ours to judge;
//   - encoding/json decides what is JSON, the tree only remembers where things are.

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
)

const (
	// MaxSize bounds a document: real settings are a few kilobytes, and what
	// is larger is more likely a wrong path than a document to edit.
	MaxSize = 8 << 20

	// maxDepth bounds every recursion over a document. Settings nest about six
	// deep; encoding/json itself would go to ten thousand.
	maxDepth = 100

	ByteOrderMark = "\ufeff"
	blanks        = " \t\r\n"
)

// SyntaxError says why a document cannot be read or edited and where. Line and
// Column count from 1, columns in characters, a byte order mark not counted.
// Line is 0 when the problem has no place, as with a document that is too large.
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

// Document is a JSON object as its owner wrote it. An edit gives new bytes.
type Document struct {
	source    string // as read, with its comments
	commented bool   // it may have some
	mark      string // the byte order mark, or nothing
	text      string // plain JSON without the mark; "{}" and a line end for a file without content
	root      *value
}

// value is a value in a text, which it begins at start.
type value struct {
	text          string
	start         int
	members       []member       // once list has been asked
	first, second map[string]int // where a key is in members, and where again
}

// member is a value inside an object, or inside an array, which has neither colons
// nor keys: there the key is the Element by which a path finds it, or empty.
type member struct {
	gap   string // from the brace, or the member before
	key   string
	start int    // of the key, if there is one
	colon string // with the blanks around it
	value value
}

// ParseDocument reads a document. It refuses with a *SyntaxError: what is not plain
// JSON in UTF-8 (comments and trailing commas included), a root that is not an
// object, nesting beyond 100 levels and more than 8 MiB.
func ParseDocument(data []byte) (*Document, error) {
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
	var err error
	if d.root, err = parseValue(d.text); err != nil {
		return nil, err
	}
	if !d.root.isObject() {
		return nil, faultAt(d.text, d.root.start, "the document is %s, not an object", d.root.kindName())
	}
	return d, nil
}

// Decode is json.Unmarshal of the document, with the place of a value that does not fit.
func (d *Document) Decode(v any) error {
	err := json.Unmarshal([]byte(d.text), v)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return faultAt(d.text, max(int(wrong.Offset)-1, 0), "%s cannot be of the kind %s", keyName(wrong.Field),
		wrong.Value)
}

// Get gives the text of the value at a path of keys, and whether there is one.
// It refuses with a *SyntaxError a path that leads through a key given twice
// or through something that is not an object.
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

// Fields are the members of the root; of a key that is there twice, the last.
func (d *Document) Fields() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, m := range d.root.listMembers() {
		all[m.key] = json.RawMessage(m.value.text)
	}
	return all
}

// CheckObject checks that a member of the root is an object, if it is there: the last one of that key.
func (d *Document) CheckObject(key string) (err error) {
	for _, m := range d.root.listMembers() {
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

// Member is a member of an object, and where it begins: from 1, columns in
// characters.
type Member struct {
	Top, Key     string // Top is the key of the root that it is below, or its own
	Value        json.RawMessage
	Line, Column int
}

// Members lists what the objects at a key of the root hold, in order; a key that is
// there twice has the members of both.
func (d *Document) Members(key string) []Member {
	var all []Member
	at := place{text: d.text, line: 1, column: 1}
	for _, outer := range d.root.listMembers() {
		if outer.key != key || !outer.value.isObject() {
			continue
		}
		for _, inner := range outer.value.listMembers() {
			at.moveToOffset(inner.start)
			all = append(all, Member{key, inner.key, json.RawMessage(inner.value.text), at.line, at.column})
		}
	}
	return all
}

const maxDuplicates = 10 // are listed: one is enough to know that a file has to be mended

// Duplicates lists the members whose key is there before them, in order. Of such a key
// Claude Code takes the last one, and an edit of it is refused.
func (d *Document) Duplicates() []Member {
	var all []Member
	at := place{text: d.text, line: 1, column: 1}
	var visit func(v *value, top string)
	visit = func(v *value, top string) {
		seen := map[string]bool{}
		for _, m := range v.listMembers() {
			if len(all) == maxDuplicates {
				return
			}
			if v == d.root {
				top = m.key
			}
			if v.isObject() && seen[m.key] {
				at.moveToOffset(m.start)
				all = append(all, Member{top, m.key, json.RawMessage(m.value.text), at.line, at.column})
			}
			seen[m.key] = true
			visit(&m.value, top)
		}
	}
	visit(d.root, "")
	return all
}

// place is a position in a text. It only goes forward: many are found in the time of one.
type place struct {
	text         string
	offset       int
	line, column int
}

// moveToOffset goes on to an offset behind the last one.
func (p *place) moveToOffset(offset int) {
	between := p.text[p.offset:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		p.line, p.column = p.line+strings.Count(between, "\n"), 1
		between = between[i+1:]
	}
	p.column, p.offset = p.column+utf8.RuneCountInString(between), offset
}

// findPath follows a path. It gives the objects it entered, the root first, and
// the member at the path, or nil. Without a member, the last object is the one
// that lacks the next key: path[len(objects)-1].
func (d *Document) findPath(path []string) (objects []*value, found *member, err error) {
	objects = []*value{d.root}
	if _, inArray := elementName(path[0]); inArray {
		return nil, nil, faultAt(d.text, d.root.start, "the document is an object, not an array with %s",
			keyName(path[0]))
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
				keyName(key), inside.kindName(), name)
		case !inArray && !inside.isObject():
			return nil, nil, faultAt(d.text, inside.start, "%s is %s, not an object", keyName(key), inside.kindName())
		}
		objects = append(objects, inside)
	}
	return objects, found, err
}

// element begins a key that names an element of an array. No key of an object is
// looked up by it.
const element = "\x00"

// Element is the key, in a path, for the element of an array that is an object
// with this string as its "name", or without one as the command of its first hook.
func Element(name string) string { return element + name }

// elementName tells whether a key names an element, and which.
func elementName(key string) (name string, ok bool) { return strings.CutPrefix(key, element) }

func keyName(key string) string {
	if name, ok := elementName(key); ok {
		return fmt.Sprintf("the element named %q", name)
	}
	return strconv.Quote(key)
}

// memberOf looks a key up in an object, or an element in an array; without it, the
// member is nil.
func (d *Document) memberOf(around *value, key string) (*member, error) {
	members := around.listMembers()
	name, inArray := elementName(key)
	i, found := around.first[key]
	if !found || inArray == around.isObject() {
		return nil, nil // or a key that only looks like an element's
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

// listMembers is the members of an object, or the elements of an array.
func (v *value) listMembers() []member {
	if v.first != nil || !isContainer(v.text) {
		return v.members
	}
	v.first, v.second = map[string]int{}, map[string]int{}
	end := 1 // of the one before
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

func (v *value) endOffset() int    { return v.start + len(v.text) }
func (v *value) isObject() bool    { return v.text[0] == '{' }
func (v *value) kindName() string  { return KindName(json.RawMessage(v.text)) }
func isContainer(text string) bool { return text[0] == '{' || text[0] == '[' }

// KindName names the kind of a value for people: "an object", "a string".
func KindName(raw json.RawMessage) string {
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
	for _, check := range []func(string) error{checkEncoding, checkDepth, checkSyntax} {
		if err := check(text); err != nil {
			return nil, err
		}
	}
	return &value{text: strings.Trim(text, blanks), start: len(text) - len(strings.TrimLeft(text, blanks))}, nil
}

func checkEncoding(text string) error {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return faultAt(text, 0, "the file is UTF-16, not UTF-8")
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return faultAt(text, i, "not UTF-8")
		}
	}
	return nil
}

func checkDepth(text string) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return faultAt(text, i, "nested deeper than %d levels", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

func checkSyntax(text string) error {
	var whole json.RawMessage
	var syntax, first *json.SyntaxError
	if err := json.Unmarshal([]byte(text), &whole); !errors.As(err, &syntax) {
		return err
	}
	// The offset lies behind the byte that does not fit: by one in encoding/json of
	// today, by none with GOEXPERIMENT=jsonv2.
	errors.As(json.Unmarshal([]byte("x"), &whole), &first)
	problem := syntax.Error()
	if strings.HasPrefix(problem, "unexpected end") || text == "" {
		return faultAt(text, len(text), "the document ends too early")
	}
	at := min(max(0, int(syntax.Offset-first.Offset)), len(text)-1)
	before := strings.TrimRight(text[:at], blanks)
	switch rest := text[at:]; {
	case strings.HasPrefix(problem, "invalid character ' '") && rest[0] != ' ':
		// encoding/json ends a cut off literal with a blank of its own.
		return faultAt(text, len(text), "the document ends too early")
	case strings.Contains(problem, " in "): // a string, number or literal
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), rest[0] == '#':
		return faultAt(text, at, "comments are not allowed in JSON")
	case strings.HasSuffix(problem, "after top-level value"):
		return faultAt(text, at, "more text after the end of the document")
	case (rest[0] == '}' || rest[0] == ']') && strings.HasSuffix(before, ","):
		return faultAt(text, len(before)-1, "trailing comma: JSON allows none before %q", rest[:1])
	}
	// encoding/json names the byte, which is half a character outside of ASCII.
	if _, context, ok := strings.Cut(strings.TrimPrefix(problem, "invalid character '"), "' "); ok {
		r, _ := utf8.DecodeRuneInString(text[at:])
		return faultAt(text, at, "unexpected %q %s", r, context)
	}
	return faultAt(text, at, "%s", problem)
}

func faultAt(text string, offset int, format string, args ...any) error {
	line, column := positionOf(text, offset)
	return &SyntaxError{Line: line, Column: column, Problem: fmt.Sprintf(format, args...)}
}

func positionOf(text string, offset int) (line, column int) {
	at := place{text: text, line: 1, column: 1}
	at.moveToOffset(offset)
	return at.line, at.column
}

// MeanSame tells whether two JSON texts mean the same; numbers do if they are written so.
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
