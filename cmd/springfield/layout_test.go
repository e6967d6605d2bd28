package main

import (
	"slices"
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

func TestTable(t *testing.T) {
	got := table([][]string{{"名前", "n", "says"}, {"ned", "10", ""}, {"é", "7", "x"}})
	if want := []string{"名前  n   says", "ned   10", "é     7   x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestHang(t *testing.T) {
	if got, want := hang("- ", "  ", "日本 日本 日本 x", 9), []string{"- 日本", "  日本", "  日本 x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, want := hang("- ", "  ", "one line, however  long", 0), []string{"- one line, however  long"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := clip("日本日本", 5); got != "日本…" {
		t.Errorf("%q", got)
	}
}
