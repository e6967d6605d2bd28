package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/cameronsjo/springfield/docs/schemas"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/codec"
)

type document struct {
	value   any
	text    []byte
	offsets map[string]int // where the members and elements of JSON begin, by placeOf
}

func (d document) textAt(path ...string) string {
	s, _ := d.valueAt(path...).(string)
	return s
}

func (d document) valueAt(path ...string) any {
	v := d.value
	for _, step := range path {
		object, _ := v.(map[string]any)
		v = object[step]
	}
	return v
}

// FileError is an error in a file of a suite. Line and Column, in characters, start at 1. Line is 0 if the
// position is unknown.
type FileError struct {
	check.Position
	Problem, Advice string
}

func (e *FileError) Hint() string { return e.Advice }

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Problem
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

const maxDepth = 100

// parseJSON parses strict UTF-8 JSON, with json.Number for numbers. It rejects duplicate keys and more than maxDepth
// levels. All errors are *FileError.
func parseJSON(data []byte) (document, error) {
	fault := func(offset int64, format string, args ...any) error {
		return &FileError{Position: positionOf(data, int(offset)), Problem: fmt.Sprintf(format, args...)}
	}
	for at, r := range string(data) {
		if r == utf8.RuneError && !bytes.HasPrefix(data[at:], []byte("\ufffd")) {
			return document{}, fault(int64(at), "not UTF-8")
		}
	}
	if wrong := codec.FindFault(data); wrong != nil {
		return document{}, fault(int64(wrong.At), "not JSON: %s", wrong.Says)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	offsets := map[string]int{}
	var read func(at string, depth int) (any, error)
	read = func(at string, depth int) (any, error) {
		token, err := dec.Token()
		if depth > maxDepth {
			err = fault(dec.InputOffset(), "nested too deep")
		}
		if err != nil || token != json.Delim('{') && token != json.Delim('[') {
			return token, err
		}
		object, list := map[string]any{}, []any{}
		for dec.More() {
			name, step := "", fmt.Sprintf("%s[%d]", at, len(list))
			begin := len(data) - len(bytes.TrimLeft(data[dec.InputOffset():], ", \t\r\n"))
			if token == json.Delim('{') {
				key, _ := dec.Token()
				name, _ = key.(string)
				step = at + "." + name
				if _, twice := object[name]; twice {
					return nil, fault(dec.InputOffset(), "%q is defined twice", name)
				}
			}
			offsets[step] = begin
			value, err := read(step, depth+1)
			if err != nil {
				return nil, err
			}
			object[name], list = value, append(list, value)
		}
		if _, err = dec.Token(); token == json.Delim('{') {
			return object, err
		}
		return list, err
	}
	value, err := read("", 0)
	return document{value, data, offsets}, err
}

func positionOf(data []byte, offset int) check.Position {
	before := data[:max(0, min(offset, len(data)))]
	return check.Position{Line: 1 + bytes.Count(before, []byte("\n")), Column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])}
}

// maxBrackets limits open brackets in YAML, also in strings and comments. For a hundred thousand the parser
// takes gigabytes.
const maxBrackets = 1000

// decodeAnyYAML decodes one YAML document with at most maxBrackets open brackets. All errors are *FileError.
func decodeAnyYAML(data []byte, into any) error {
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
	if err := yaml.Unmarshal(data, into); err != nil {
		return toFileError(err)
	}
	return nil
}

type published struct{}

func (published) Load(url string) (any, error) {
	data, err := schemas.Files.ReadFile(path.Base(url))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

const schemaBase = "https://raw.githubusercontent.com/cameronsjo/springfield/main/docs/schemas/"

// checkSchema returns failures, and a warning for each unknown member. against is the schema's name without
// .schema.json. schemas must load through published. The findings lack the file.
func checkSchema(schemas *jsonschema.Compiler, d document, against string) (flaws []check.Finding, err error) {
	schema, err := schemas.Compile(schemaBase + against + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("read schema %s: %w", against, err)
	}
	var bad *jsonschema.ValidationError
	if err := schema.Validate(d.value); !errors.As(err, &bad) {
		return nil, err
	}
	english := message.NewPrinter(language.English)
	for _, e := range leafErrors(bad) {
		at := placeOf(e.InstanceLocation)
		add := func(state check.State, member, says string) {
			f := check.Finding{State: state, Says: strings.TrimPrefix(strings.TrimPrefix(at+": ", "."), ": ") + says}
			if offset, ok := d.offsets[at+member]; ok {
				f.Position = positionOf(d.text, offset)
			}
			flaws = append(flaws, f)
		}
		switch k := e.ErrorKind.(type) {
		case *kind.AdditionalProperties:
			for _, p := range k.Properties {
				add(check.Warning, "."+p, fmt.Sprintf("unknown member %q", p))
			}
		case *kind.PropertyNames: // the library has overwritten the path (v6.0.3)
			flaws = append(flaws, check.Failed(fmt.Sprintf("%q is not a valid name here", k.Property), ""))
		case *kind.AnyOf: // a rule without a condition, which the hook's own parser reports
		default:
			add(check.Failure, "", e.ErrorKind.LocalizedString(english))
		}
	}
	slices.SortFunc(flaws, func(a, b check.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Says, b.Says))
	})
	return flaws, nil
}

// leafErrors returns the innermost causes of e, without descending into alternatives or invalid property names.
func leafErrors(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.PropertyNames:
		return []*jsonschema.ValidationError{e}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leafErrors(cause)...)
	}
	return all
}

// placeOf returns a place in a document, such as ".add[2].then".
func placeOf(path []string) (at string) {
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			at += "[" + step + "]"
		} else {
			at += "." + step
		}
	}
	return at
}

// toFileError converts an error to a *FileError (line 1 if unknown).
func toFileError(anyErr error) *FileError {
	var wrong *check.Advised
	var e yaml.Error
	switch {
	case errors.As(anyErr, &wrong):
		return &FileError{Problem: wrong.Error(), Advice: wrong.Advice}
	case errors.As(anyErr, &e) && e.GetToken() != nil:
		at := e.GetToken().Position
		return &FileError{Position: check.Position{Line: at.Line, Column: at.Column}, Problem: e.GetMessage()}
	}
	return &FileError{Position: check.Position{Line: 1, Column: 1}, Problem: anyErr.Error()}
}
