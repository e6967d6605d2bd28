package generator

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/check"
)

// Whatever a file holds: what encoding/json takes is taken, but for what is
// there twice or nested too deep; a fault has a place in the text.
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
		_, err := parseJSON(data)
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
		if _, err = parseYAML(data); err != nil && (!errors.As(err, &bad) || bad.Line < 1) {
			t.Errorf("%v has no place in %q", err, data)
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
