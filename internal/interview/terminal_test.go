package interview

import (
	"strings"
	"testing"
)

// Typing keeps what has the letters; where nothing has, all stays.
func TestListSearches(t *testing.T) {
	options := []Option{{"homer", "eats", ""}, {"marge", "paints", ""}, {"lisa", "plays", ""}}
	for typed, want := range map[string]string{"": "homer marge lisa", "L": "lisa", "bart": "homer marge lisa"} {
		var left []string
		for i, o := range options {
			if filterOptions(options)(typed, o.Value, i) {
				left = append(left, o.Value)
			}
		}
		if got := strings.Join(left, " "); got != want {
			t.Errorf("%q leaves %s", typed, got)
		}
	}
}
