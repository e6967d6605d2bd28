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
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Document is a JSON object as its owner wrote it. It never changes: an edit
// gives new bytes.
type Document struct {
	source string // as read
	mark   string // the byte order mark, or nothing
	text   string // without the mark; "{}" and a line end for a file without content
	root   *value
}

// value is a place in the text: text[start:end] is the value.
type value struct {
	start, end int
	members    []member
	index      *index // nil until a member is looked up
}

// index is where the members of a container are, by their labels: the first, and
// the second of one that is there twice.
type index struct{ first, second map[string]int }

// member is a value inside an object, or, without a key, inside an array.
// Its key with the quotes is text[start:keyEnd].
type member struct {
	key           string
	start, keyEnd int
	value         *value
}

// Parse reads a document. It refuses with a *SyntaxError: what is not plain
// JSON in UTF-8 (comments and trailing commas included), a root that is not an
// object, nesting beyond 100 levels and more than 8 MiB.
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxSize {
		return nil, &SyntaxError{Problem: "larger than 8 MiB"}
	}
	source := string(data)
	text, marked := strings.CutPrefix(source, ByteOrderMark)
	d := &Document{source: source, text: text}
	if marked {
		d.mark = ByteOrderMark
	}
	if strings.Trim(text, blanks) == "" {
		d.text = "{}\n"
		if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
			d.text = "{}\r\n"
		}
	}
	var err error
	if d.root, err = parse(d.text); err != nil {
		return nil, err
	}
	if !d.isObject(d.root) {
		return nil, fault(d.text, d.root.start, "the document is %s, not an object", kind(d.text, d.root))
	}
	return d, nil
}

// Decode is json.Unmarshal of the document, with the place of a value that does
// not fit.
func (d *Document) Decode(v any) error {
	err := json.Unmarshal([]byte(d.text), v)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fault(d.text, max(int(wrong.Offset)-1, 0), "%s cannot be of the kind %s", called(wrong.Field), wrong.Value)
}

// Get gives the text of the value at a path of keys, and whether there is one.
// It refuses with a *SyntaxError a path that leads through a key given twice
// or through something that is not an object.
func (d *Document) Get(path ...string) (json.RawMessage, bool, error) {
	if len(path) == 0 {
		return json.RawMessage(d.raw(d.root)), true, nil
	}
	_, found, err := d.find(path)
	if err != nil || found == nil {
		return nil, false, err
	}
	return json.RawMessage(d.raw(found.value)), true, nil
}

// Fields are the members of the root; of a key that is there twice, the last.
func (d *Document) Fields() map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(d.root.members))
	for _, m := range d.root.members {
		all[m.key] = json.RawMessage(d.raw(m.value))
	}
	return all
}

// Member is a member of an object, and where it begins: from 1, columns in
// characters.
type Member struct {
	Key          string
	Value        json.RawMessage
	Line, Column int
}

// Members lists what the objects at a key of the root hold, in order; a key that is
// there twice has the members of both.
func (d *Document) Members(key string) []Member {
	var all []Member
	at := place{text: d.text, line: 1, column: 1}
	for _, outer := range d.root.members {
		if outer.key != key || !d.isObject(outer.value) {
			continue
		}
		for _, inner := range outer.value.members {
			at.to(inner.start)
			all = append(all, Member{inner.key, json.RawMessage(d.raw(inner.value)), at.line, at.column})
		}
	}
	return all
}

// Duplicate is a key that an object has twice.
type Duplicate struct {
	Path         []string // of the key
	Line, Column int      // of the second one, from 1; columns in characters
}

// maxDuplicates bounds how many are listed: one is enough to know that a file has to
// be mended.
const maxDuplicates = 10

// Duplicates lists the keys that are there twice, in order. Of such a key Claude Code
// takes the last one, and an edit of it is refused.
func (d *Document) Duplicates() []Duplicate {
	var all []Duplicate
	at := place{text: d.text, line: 1, column: 1}
	var visit func(v *value, path []string)
	visit = func(v *value, path []string) {
		seen := map[string]bool{}
		for i := range v.members {
			m := &v.members[i]
			if len(all) == maxDuplicates {
				return
			}
			if d.isObject(v) && seen[m.key] {
				at.to(m.start)
				all = append(all, Duplicate{append(slices.Clone(path), m.key), at.line, at.column})
			}
			seen[m.key] = true
			visit(m.value, append(slices.Clone(path), m.key))
		}
	}
	visit(d.root, nil)
	return all
}

// place is a position in a text that only goes forward, so that many are found in
// the time of one.
type place struct {
	text         string
	offset       int
	line, column int
}

// to goes on to an offset behind the last one.
func (p *place) to(offset int) {
	between := p.text[p.offset:offset]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		p.line, p.column = p.line+strings.Count(between, "\n"), 1
		between = between[i+1:]
	}
	p.column, p.offset = p.column+utf8.RuneCountInString(between), offset
}

// find follows a path. It gives the objects it entered, the root first, and
// the member at the path, or nil. Without a member, the last object is the one
// that lacks the next key: path[len(objects)-1].
func (d *Document) find(path []string) (objects []*value, found *member, err error) {
	objects = []*value{d.root}
	if _, inArray := elementName(path[0]); inArray {
		return nil, nil, fault(d.text, d.root.start, "the document is an object, not an array with %s", called(path[0]))
	}
	for i, key := range path {
		found, err = d.member(objects[i], key)
		if err != nil || found == nil || i == len(path)-1 {
			break
		}
		name, inArray := elementName(path[i+1])
		switch {
		case inArray && d.text[found.value.start] != '[':
			return nil, nil, fault(d.text, found.value.start, "%s is %s, not an array of objects with a name like %q", called(key), kind(d.text, found.value), name)
		case !inArray && !d.isObject(found.value):
			return nil, nil, fault(d.text, found.value.start, "%s is %s, not an object", called(key), kind(d.text, found.value))
		}
		objects = append(objects, found.value)
	}
	return objects, found, err
}

// element begins a key that names an element of an array. No key of an object is
// looked up by it.
const element = "\x00"

// Element is the key, in a path, for the element of an array that is an object
// with this string as its "name".
func Element(name string) string { return element + name }

// elementName tells whether a key names an element, and which.
func elementName(key string) (name string, ok bool) { return strings.CutPrefix(key, element) }

// called names a key of a path for people.
func called(key string) string {
	if name, ok := elementName(key); ok {
		return fmt.Sprintf("the element named %q", name)
	}
	return strconv.Quote(key)
}

// label is the key by which a path finds a member, or an element; "" if none
// does.
func (d *Document) label(in *value, m *member) string {
	if d.isObject(in) {
		return m.key
	}
	if d.isObject(m.value) {
		for _, inner := range m.value.members {
			var name string
			if inner.key == "name" && json.Unmarshal([]byte(d.raw(inner.value)), &name) == nil {
				return Element(name)
			}
		}
	}
	return ""
}

// member looks a key up in one object, or an element in an array; without it,
// the member is nil.
func (d *Document) member(object *value, key string) (*member, error) {
	name, inArray := elementName(key)
	if inArray == d.isObject(object) {
		return nil, nil // a key that only looks like an element's
	}
	if object.index == nil {
		object.index = d.indexOf(object)
	}
	i, found := object.index.first[key]
	if !found {
		return nil, nil
	}
	if second, twice := object.index.second[key]; twice {
		problem := "duplicate key %q"
		if inArray {
			problem, key = "a second element named %q", name
		}
		return nil, fault(d.text, object.members[second].start, problem, key)
	}
	return &object.members[i], nil
}

func (d *Document) indexOf(container *value) *index {
	x := &index{make(map[string]int, len(container.members)), map[string]int{}}
	for i := range container.members {
		label := d.label(container, &container.members[i])
		if _, had := x.first[label]; !had {
			x.first[label] = i
		} else if _, had := x.second[label]; !had {
			x.second[label] = i
		}
	}
	return x
}

func (d *Document) raw(v *value) string      { return d.text[v.start:v.end] }
func (d *Document) isObject(v *value) bool   { return d.text[v.start] == '{' }
func (v *value) last() member                { return v.members[len(v.members)-1] }
func isContainer(text string, v *value) bool { return text[v.start] == '{' || text[v.start] == '[' }

// Kind names the kind of a value for people: "an object", "a string".
func Kind(raw json.RawMessage) string {
	text := strings.TrimLeft(string(raw), blanks)
	if text == "" {
		return "nothing"
	}
	return kind(text, &value{})
}

func kind(text string, v *value) string {
	switch text[v.start] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// parse reads one JSON value of any kind.
func parse(text string) (*value, error) {
	for _, check := range []func(string) error{checkEncoding, checkDepth, checkSyntax} {
		if err := check(text); err != nil {
			return nil, err
		}
	}
	return tree(text), nil
}

func checkEncoding(text string) error {
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return fault(text, 0, "the file is UTF-16, not UTF-8")
	}
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return fault(text, i, "not UTF-8")
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
				return fault(text, i, "nested deeper than %d levels", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

func checkSyntax(text string) error {
	if json.Valid([]byte(text)) {
		return nil
	}
	var whole json.RawMessage
	err := json.Unmarshal([]byte(text), &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	problem := syntax.Error()
	if strings.HasPrefix(problem, "unexpected end") || text == "" {
		return fault(text, len(text), "the document ends too early")
	}
	at := min(max(0, int(syntax.Offset-behind())), len(text)-1)
	before := strings.TrimRight(text[:at], blanks)
	switch rest := text[at:]; {
	case strings.HasPrefix(problem, "invalid character ' '") && rest[0] != ' ':
		// encoding/json ends a cut off literal with a blank of its own.
		return fault(text, len(text), "the document ends too early")
	case strings.Contains(problem, " in "): // a string, number or literal
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"), rest[0] == '#':
		return fault(text, at, "comments are not allowed in JSON")
	case strings.HasSuffix(problem, "after top-level value"):
		return fault(text, at, "more text after the end of the document")
	case (rest[0] == '}' || rest[0] == ']') && strings.HasSuffix(before, ","):
		return fault(text, len(before)-1, "trailing comma: JSON allows none before %q", rest[:1])
	}
	// encoding/json names the byte, which is half a character outside of ASCII.
	if _, context, ok := strings.Cut(strings.TrimPrefix(problem, "invalid character '"), "' "); ok {
		r, _ := utf8.DecodeRuneInString(text[at:])
		return fault(text, at, "unexpected %q %s", r, context)
	}
	return fault(text, at, "%s", problem)
}

// behind is how far the offset of an error lies behind the byte that does not
// fit: one in encoding/json of today, none with GOEXPERIMENT=jsonv2.
func behind() int64 {
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal([]byte("x"), new(any)), &syntax) {
		return syntax.Offset
	}
	return 0
}

// slabSize is how many values are made at once: one by one they cost more than
// all else that is done with a large document.
const slabSize = 256

// tree reads where the values of a valid text are.
func tree(text string) *value {
	var (
		root  *value
		open  []*value // the containers around the next value
		key   member   // whose value comes next, if there is one
		named bool
		slab  []value // values that are still to be given out
	)
	for i := 0; i < len(text); {
		switch text[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
			continue
		case '}', ']':
			i++
			open[len(open)-1].end = i
			open = open[:len(open)-1]
			continue
		}
		start := i
		i = endOf(text, start)
		if len(open) > 0 && !named && text[open[len(open)-1].start] == '{' {
			key, named = member{key: unquote(text[start:i]), start: start, keyEnd: i}, true
			continue
		}
		if len(slab) == 0 {
			slab = make([]value, min(slabSize, 1+(len(text)-start)/2)) // a value and a comma take two bytes
		}
		v := &slab[0]
		slab = slab[1:]
		v.start, v.end = start, i
		if len(open) == 0 {
			root = v
		} else {
			m := member{start: start, keyEnd: start}
			if named {
				m = key
			}
			m.value = v
			around := open[len(open)-1]
			around.members = append(around.members, m)
		}
		named = false
		if isContainer(text, v) {
			open = append(open, v)
		}
	}
	return root
}

// endOf is where a string, number or literal ends; of a container it is where its
// inside begins.
func endOf(text string, start int) int {
	switch text[start] {
	case '{', '[':
		return start + 1
	case '"':
		for i := start + 1; ; i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	}
	if n := strings.IndexAny(text[start:], blanks+",:]}"); n >= 0 {
		return start + n
	}
	return len(text)
}

// unquote is what a string says.
func unquote(text string) (says string) {
	if !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	_ = json.Unmarshal([]byte(text), &says) // it is valid
	return says
}

func fault(text string, offset int, format string, args ...any) error {
	line, column := position(text, offset)
	return &SyntaxError{Line: line, Column: column, Problem: fmt.Sprintf(format, args...)}
}

// position is the line and the column of an offset, from 1.
func position(text string, offset int) (line, column int) {
	at := place{text: text, line: 1, column: 1}
	at.to(offset)
	return at.line, at.column
}

// decode reads a valid text into plain Go values, numbers as their text.
func decode(text string) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return v, err
}

// Same tells whether two JSON texts mean the same.
func Same(a, b json.RawMessage) bool {
	x, errX := decode(string(a))
	y, errY := decode(string(b))
	return errX == nil && errY == nil && equal(x, y)
}

// equal tells whether two decoded texts mean the same. reflect.DeepEqual does too,
// and takes most of the time that an edit of a large file has.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false // which == cannot compare
	}
	return a == b
}
