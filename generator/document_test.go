package generator

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/check"
)

func TestPositions(t *testing.T) {
	for name, test := range map[string]struct {
		parse func([]byte) (document, error)
		text  string
		path  []string
		value check.Position
		key   check.Position
	}{
		"a member":        {parseJSON, "{\n  \"a\": [1, {\"é\": true,\n\"b\" : 2}]}", []string{"a", "1", "b"}, check.Position{Line: 3, Column: 7}, check.Position{Line: 3, Column: 1}},
		"after umlauts":   {parseJSON, `{"ä": 1, "b": 2}`, []string{"b"}, check.Position{Line: 1, Column: 15}, check.Position{Line: 1, Column: 10}},
		"CRLF":            {parseJSON, "{\r\n\"a\":\r\n 1}", []string{"a"}, check.Position{Line: 3, Column: 2}, check.Position{Line: 2, Column: 1}},
		"what is missing": {parseJSON, "{\n \"a\": {}}", []string{"a", "b", "c"}, check.Position{Line: 2, Column: 7}, check.Position{Line: 2, Column: 7}},
		"YAML":            {parseYAML, "a: 1\nb:\n  - c: x\n    d: y\n", []string{"b", "0", "d"}, check.Position{Line: 4, Column: 8}, check.Position{Line: 4, Column: 5}},
		"YAML, a list":    {parseYAML, "a: 1\nb:\n- x\n- y\n", []string{"b"}, check.Position{Line: 2, Column: 1}, check.Position{Line: 2, Column: 1}},
		"YAML, in a line": {parseYAML, "a: {b: [x, y]}\n", []string{"a", "b", "1"}, check.Position{Line: 1, Column: 12}, check.Position{Line: 1, Column: 12}},
		"YAML, no value":  {parseYAML, "a:\nb: 1\n", []string{"a"}, check.Position{Line: 1, Column: 1}, check.Position{Line: 1, Column: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := test.parse([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.at(test.path...); got != test.value {
				t.Errorf("value at %v, want %v", got, test.value)
			}
			if got := d.keyAt(test.path...); got != test.key {
				t.Errorf("key at %v, want %v", got, test.key)
			}
		})
	}
}

// Whatever a file holds: what encoding/json takes is taken, but for what is
// there twice or nested too deep; every place lies in the text; a fault has one.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		`{"a": [1, {"b": null}], "a": 2}`, "{\"a\":\xff}", `[`, ``, `{"a" 1}`, "a: [1\n", "a: &x 1\nb: *x\n", "- !!str 1\n-\n", "? a\n: b\n", "\ufeff{}", "a: |\n  x\n---\nb: 1\n", strings.Repeat("[", 200),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		inside := func(p check.Position) bool { return p.Line >= 1 && p.Line <= lines && p.Column >= 1 }
		d, err := parseJSON(data)
		var bad *FileError
		switch {
		case err == nil:
			if !json.Valid(data) || !utf8.Valid(data) {
				t.Errorf("taken: %q", data)
			}
		case !errors.As(err, &bad) || !inside(bad.Position):
			t.Errorf("%v has no place in %q", err, data)
		case json.Valid(data) && utf8.Valid(data) && !strings.Contains(bad.Problem, "twice") && !strings.Contains(bad.Problem, "deep"):
			t.Errorf("%v, but it is JSON: %q", err, data)
		}
		for path, p := range d.values {
			if !inside(p) {
				t.Errorf("%q at %v of %q", path, p, data)
			}
		}
		if d, err = parseYAML(data); err != nil && (!errors.As(err, &bad) || bad.Line < 1) {
			t.Errorf("%v has no place in %q", err, data)
		}
		for path, p := range d.values {
			if p.Line < 1 || p.Column < 1 {
				t.Errorf("%q at %v of %q", path, p, data)
			}
		}
	})
}

// YAML of nothing but brackets is refused before the parser takes gigabytes for it.
func TestDeepYAML(t *testing.T) {
	for _, data := range []string{strings.Repeat("[", 100_000), strings.Repeat("{a: ", 100_000), "plugins: " + strings.Repeat("[{", 50_000)} {
		if _, err := decodeSuite([]byte(data)); err == nil || !strings.Contains(err.Error(), "line 1, column ") || !strings.HasSuffix(err.Error(), "nested too deep") {
			t.Errorf("%.20s: %v", data, err)
		}
		if _, err := parseYAML([]byte(data)); err == nil || !strings.HasSuffix(err.Error(), "nested too deep") {
			t.Errorf("%.20s: %v", data, err)
		}
	}
	if _, err := parseYAML([]byte("a: " + strings.Repeat("[", 90) + strings.Repeat("]", 90))); err != nil {
		t.Error(err)
	}
}
