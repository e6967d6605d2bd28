package interview

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// typed returns an Asker whose input is these lines.
func typed(t *testing.T, lines string) (Asker, *strings.Builder) {
	t.Helper()
	in, out, err := os.Pipe()
	scratch.Must(t, err)
	t.Cleanup(func() { in.Close() })
	_, err = out.WriteString(lines)
	scratch.Must(t, err)
	out.Close()
	screen := &strings.Builder{}
	return Terminal{In: in, Out: screen, Plain: true, Hint: func(err error) string { return "mind the gap" }}.NewAsker(t.Context()), screen
}

// Answers are lines of one pipe, and an invalid one is asked for again.
func TestLines(t *testing.T) {
	options := []Option{{"homer", "eats", ""}, {"marge", "", ""}, {"lisa", "plays", ""}}
	a, screen := typed(t, "bart\n2, lisa\nall\n\n3\nx\ny\nperhaps\nNO\n")
	several := func(chosen []string) error {
		if len(chosen) < 3 {
			return errors.New("too few")
		}
		return nil
	}
	if got, err := a.Many("Who?", options, nil, several); err != nil || !slices.Equal(got, []string{"homer", "marge", "lisa"}) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := a.One("Who?", options, "marge"); err != nil || got != "marge" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := a.One("Who?", options, "marge"); err != nil || got != "lisa" {
		t.Errorf("%q, %v", got, err)
	}
	notX := func(s string) error {
		if s == "x" {
			return errors.New("no x")
		}
		return nil
	}
	if got, err := a.Text("What?", "z", notX); err != nil || got != "y" {
		t.Errorf("%q, %v", got, err)
	}
	if yes, err := a.Confirm("So?"); err != nil || yes {
		t.Errorf("%v, %v", yes, err)
	}
	if _, err := a.Confirm("So?"); !errors.Is(err, ErrCancelled) {
		t.Errorf("the end of input: %v", err)
	}
	scratch.Holds(t, "the screen", screen.String(), "2. marge, preset\n", "1. homer: eats\n", `"bart" is neither a number from 1 to 3`, "too few; mind the gap.\n", "no x; mind the gap.\n", `"perhaps" is neither yes nor no`)
}

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
