package main

import (
	"strings"
	"testing"
)

func TestItem(t *testing.T) {
	for text, want := range map[string]string{
		"short":                     "  - short\n",
		"a \x1b[31mred\nb":          "  - a [31mred b\n",
		strings.Repeat("word ", 20): "  - " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n    word word word word word\n",
		strings.Repeat("x", 100):    "  - " + strings.Repeat("x", 100) + "\n",
	} {
		var out strings.Builder
		(&app{out: &out}).item("- ", text)
		if out.String() != want {
			t.Errorf("%q: %q", text, out.String())
		}
	}
}
