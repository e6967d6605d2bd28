package interview

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Typing filters the options; if none matches, all stay.
func TestListSearches(t *testing.T) {
	options := []Option{{"homer", "eats", ""}, {"marge", "paints", ""}, {"lisa", "plays", ""}}
	for typed, want := range map[string]string{"": "homer marge lisa", "L": "lisa", "bart": "homer marge lisa"} {
		var left []string
		for i, o := range options {
			if filterOptions(options)(typed, o.Value, i) {
				left = append(left, o.Value)
			}
		}
		scratch.Equal(t, strings.Join(left, " "), want, typed)
	}
}
