package interview

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// No line of a list is longer than the terminal, and none ends in the middle of a word.
// At 80 columns every label is whole.
func TestListFits(t *testing.T) {
	questions := map[string][]Option{}
	plugins, err := strategies(registry.Default())
	if err != nil {
		t.Fatal(err)
	}
	questions["Which plugins?"] = plugins
	for _, name := range registry.Names() {
		about, err := generator.ReadAbout(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range about.Questions {
			questions[q.Ask] = choices(q)
		}
	}
	for question, options := range questions {
		for width := 30; width <= 120; width++ {
			l := newList(width, question, options, "arrows move")
			fits := func(text string) {
				for line := range strings.Lines(text) {
					if layout.Width(strings.TrimRight(line, "\n")) >= width {
						t.Errorf("%d columns: %q", width, line)
					}
				}
			}
			fits("? " + l.question)
			fits(l.text(theKeys, 0))
			fits(l.text(theKeys+" quite a lot of letters", 0))
			heights := map[int]bool{}
			for i, o := range options {
				beside := l.text(o.Value, i)
				fits("> [x]  " + o.Value + beside)
				label := strings.TrimSpace(beside)
				cut, isCut := strings.CutSuffix(label, " …")
				switch {
				case label == o.Label:
				case width >= 80 || isCut && !strings.HasPrefix(o.Label, cut+" ") || !isCut && label != "":
					t.Errorf("%d columns: %s is %q of %q", width, o.Value, label, o.Label)
				case !strings.HasPrefix(strings.Join(strings.Fields(l.text(theHelp+o.Value, i)), " "), o.Label+"."):
					t.Errorf("%d columns: %s is cut, and its help is %q", width, o.Value, l.text(theHelp+o.Value, i))
				}
				fits(l.text(theHelp+o.Value, i))
				heights[strings.Count(l.text(theHelp+o.Value, i), "\n")] = true
			}
			if len(heights) != 1 {
				t.Errorf("%d columns: helps of %v lines", width, heights)
			}
		}
	}
}

// Typing keeps what has the letters; where nothing has, that is said and all stays.
func TestListSearches(t *testing.T) {
	options := []Option{{"homer", "eats", ""}, {"marge", "paints", ""}, {"lisa", "plays", ""}}
	l := newList(80, "Who?", options, "arrows move")
	for typed, want := range map[string]struct{ left, keys string }{
		"":      {"homer marge lisa", "arrows move"},
		"L":     {"lisa", `with "L"; Backspace takes it back`},
		"paint": {"marge", `with "paint"; Backspace takes it back`},
		"bart":  {"homer marge lisa", `no match for "bart"; Backspace takes it back`},
	} {
		var left []string
		for i, o := range options {
			if l.filter(typed, o.Value, i) {
				left = append(left, o.Value)
			}
		}
		if got := strings.Join(left, " "); got != want.left {
			t.Errorf("%q leaves %s", typed, got)
		}
		if got := strings.TrimSpace(l.text(theKeys+" "+typed, 0)); got != want.keys {
			t.Errorf("%q: %s", typed, got)
		}
	}
}
