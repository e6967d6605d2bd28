// Documents: a JSON or YAML file as the schemas see it, and where in the file
// everything stands, so that whatever is wrong has a line and a column.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/docs/schemas"
)

// document is a parsed file. Paths are keys and indexes, joined by join.
type document struct {
	value  any
	values map[string]check.Position // where a value begins
	keys   map[string]check.Position // where the key of a member begins
}

// at finds a value; what is not there has the place of what it would be in.
func (d document) at(path ...string) check.Position {
	for {
		if p, ok := d.values[key(path)]; ok || len(path) == 0 {
			return p
		}
		path = path[:len(path)-1]
	}
}

// keyAt finds a member's key.
func (d document) keyAt(path ...string) check.Position {
	if p, ok := d.keys[key(path)]; ok {
		return p
	}
	return d.at(path...)
}

// text is the string at a path, "" if there is none.
func (d document) text(path ...string) string {
	s, _ := d.get(path...).(string)
	return s
}

func (d document) get(path ...string) any {
	v := d.value
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// list is the array at a path.
func (d document) list(path ...string) []any {
	list, _ := d.get(path...).([]any)
	return list
}

func key(path []string) string { return strings.Join(path, "\x00") }

// FileError is a fault in a file: answers, springfield.yaml, or another text of a
// suite. Line and column count from 1, columns in characters; Line is 0 where the
// fault has no place.
type FileError struct {
	check.Position
	Problem, Hint string
	unknown       bool // a member that no program reads
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// maxDepth bounds how deep a document may be nested.
const maxDepth = 100

// parseJSON reads plain JSON. The error is a *FileError.
func parseJSON(data []byte) (document, error) {
	d := document{values: map[string]check.Position{}, keys: map[string]check.Position{}}
	if at := invalidUTF8(data); at >= 0 {
		return d, &FileError{Position: positionOf(data, at), Problem: "not UTF-8"}
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil { // raw: a number may be too large for any type
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return d, &FileError{Position: positionOf(data, int(syntax.Offset)-1), Problem: "not JSON: " + err.Error()}
		}
		return d, &FileError{Position: check.Position{Line: 1, Column: 1}, Problem: "not JSON: " + err.Error()}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var err error
	d.value, err = d.read(dec, data, nil)
	return d, err
}

// read takes one value and notes where it and everything in it stands.
func (d document) read(dec *json.Decoder, data []byte, path []string) (any, error) {
	start := positionOf(data, begin(data, dec.InputOffset()))
	d.values[key(path)] = start
	if len(path) > maxDepth {
		return nil, &FileError{Position: start, Problem: "nested too deep"}
	}
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for dec.More() {
			at := positionOf(data, begin(data, dec.InputOffset()))
			name, err := dec.Token()
			if err != nil {
				return nil, err
			}
			member := append(slices.Clone(path), name.(string))
			if _, twice := object[name.(string)]; twice {
				return nil, &FileError{Position: at, Problem: fmt.Sprintf("%q is defined twice", name)}
			}
			d.keys[key(member)] = at
			if object[name.(string)], err = d.read(dec, data, member); err != nil {
				return nil, err
			}
		}
		_, err = dec.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			item, err := d.read(dec, data, append(slices.Clone(path), strconv.Itoa(len(list))))
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = dec.Token()
		return list, err
	}
	return token, nil
}

// begin is where the next token begins.
func begin(data []byte, offset int64) int {
	i := int(offset)
	for i < len(data) && strings.IndexByte(" \t\r\n,:", data[i]) >= 0 {
		i++
	}
	return i
}

func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func positionOf(data []byte, offset int) check.Position {
	before := data[:max(0, min(offset, len(data)))]
	return check.Position{Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])}
}

// maxBrackets is how many brackets may be open at once in YAML. The parser takes
// gigabytes for a hundred thousand. Those in texts and comments count as well,
// and no document that means something has so many there.
const maxBrackets = 1000

// deep refuses YAML with more.
func deep(data []byte) error {
	open := 0
	for i, c := range data {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(open-1, 0)
		}
		if open > maxBrackets {
			return &FileError{Position: positionOf(data, i), Problem: "nested too deep"}
		}
	}
	return nil
}

// parseYAML reads one YAML document. The error is a *FileError.
func parseYAML(data []byte) (document, error) {
	d := document{values: map[string]check.Position{}, keys: map[string]check.Position{}}
	if err := deep(data); err != nil {
		return d, err
	}
	file, err := parser.ParseBytes(data, 0)
	if err == nil {
		err = yaml.NewDecoder(bytes.NewReader(data)).Decode(&d.value)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return d, inSyntax(err)
	}
	d.values[""] = check.Position{Line: 1, Column: 1}
	if len(file.Docs) > 0 {
		d.walk(file.Docs[0].Body, nil)
	}
	return d, nil
}

func (d document) walk(node ast.Node, path []string) {
	if node == nil || len(path) > maxDepth {
		return
	}
	if _, known := d.values[key(path)]; !known {
		at := node.GetToken().Position
		d.values[key(path)] = check.Position{Line: at.Line, Column: at.Column}
	}
	member := func(v *ast.MappingValueNode) {
		at := v.Key.GetToken().Position
		name := append(slices.Clone(path), v.Key.GetToken().Value)
		d.keys[key(name)] = check.Position{Line: at.Line, Column: at.Column}
		switch v.Value.(type) {
		case *ast.MappingNode, *ast.MappingValueNode, *ast.SequenceNode, *ast.NullNode:
			d.values[key(name)] = d.keys[key(name)] // its own first token may be lines below
		}
		d.walk(v.Value, name)
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			member(v)
		}
	case *ast.MappingValueNode:
		member(n)
	case *ast.SequenceNode:
		for i, v := range n.Values {
			d.walk(v, append(slices.Clone(path), strconv.Itoa(i)))
		}
	case *ast.AnchorNode:
		d.walk(n.Value, path)
	case *ast.TagNode:
		d.walk(n.Value, path)
	}
}

// schemaSet are the published schemas, compiled when first asked for.
type schemaSet struct{ compiler *jsonschema.Compiler }

func readSchemas() (schemaSet, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	entries, err := schemas.Files.ReadDir(".")
	if err != nil {
		return schemaSet{}, err
	}
	for _, e := range entries {
		data, err := schemas.Files.ReadFile(e.Name())
		if err != nil {
			return schemaSet{}, err
		}
		text, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return schemaSet{}, fmt.Errorf("read schema %s: %w", e.Name(), err)
		}
		if err := c.AddResource(schemaURL(e.Name()), text); err != nil {
			return schemaSet{}, fmt.Errorf("read schema %s: %w", e.Name(), err)
		}
	}
	return schemaSet{c}, nil
}

// schemaURL is where a schema is published.
func schemaURL(file string) string {
	return "https://raw.githubusercontent.com/cameronsjo/springfield/main/docs/schemas/" + file
}

// judge says what of a document does not fit a schema.
func (s schemaSet) judge(d document, name string) ([]FileError, error) {
	schema, err := s.compiler.Compile(schemaURL(name + ".schema.json"))
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", name, err)
	}
	var bad *jsonschema.ValidationError
	if err := schema.Validate(d.value); !errors.As(err, &bad) {
		return nil, err
	}
	english := message.NewPrinter(language.English)
	var flaws []FileError
	for _, e := range leaves(bad) {
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, p := range k.Properties {
				flaws = append(flaws, FileError{Position: d.keyAt(append(slices.Clone(e.InstanceLocation), p)...), Problem: within(e.InstanceLocation) + fmt.Sprintf("unknown member %q", p), unknown: true})
			}
		case *kind.PropertyNames:
			path := d.member(len(e.InstanceLocation), k.Property)
			flaws = append(flaws, FileError{Position: d.keyAt(path...), Problem: within(path[:len(path)-1]) + fmt.Sprintf("%q is not a known name here", k.Property)})
		case *kind.AnyOf, *kind.OneOf:
			flaws = append(flaws, FileError{Position: d.at(e.InstanceLocation...), Problem: within(e.InstanceLocation) + "it is incomplete"})
		default:
			flaws = append(flaws, FileError{Position: d.at(e.InstanceLocation...), Problem: within(e.InstanceLocation) + e.ErrorKind.LocalizedString(english)})
		}
	}
	slices.SortFunc(flaws, func(a, b FileError) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return flaws, nil
}

// member finds a member by its name and how deep it lies. The library has that
// depth right, but overwrites the names on the way to it (v6.0.3, propertyNames).
func (d document) member(depth int, name string) []string {
	var found []string
	for k := range d.keys {
		path := strings.Split(k, "\x00")
		if len(path) == depth+1 && path[depth] == name && (found == nil || k < key(found)) {
			found = path
		}
	}
	if found == nil {
		return []string{name}
	}
	return found
}

// leaves are the errors that say something: alternatives as one, since which
// was meant is not known.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.PropertyNames:
		return []*jsonschema.ValidationError{e}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// within names a place in a document, for the beginning of a sentence.
func within(path []string) string {
	if len(path) == 0 {
		return ""
	}
	var b strings.Builder
	for i, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			fmt.Fprintf(&b, "[%s]", step)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String() + ": "
}
