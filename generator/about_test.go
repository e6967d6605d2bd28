package generator

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// What a strategy says of itself is complete, and short enough for a table of 80
// columns.
func TestAbout(t *testing.T) {
	for _, name := range registry.Names() {
		a, err := ReadAbout(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, cell := range map[string]struct {
			text  string
			limit int
		}{
			"title": {a.Title, 30}, "summary": {a.Summary, 70}, "description": {a.Description, 300}, "reads": {a.Reads, 80}, "when": {a.When, 80},
			"cost": {a.Cost, 7}, "changes": {a.Changes, 6}, "complexity": {a.Complexity, 6}, "needs": {a.Needs, 12}, "accuracy": {a.Accuracy(), 30},
		} {
			if n := utf8.RuneCountInString(cell.text); n == 0 || n > cell.limit || strings.ContainsAny(cell.text, "\n|") {
				t.Errorf("%s: %s is %q, want one line of at most %d", name, what, cell.text, cell.limit)
			}
		}
		if !slices.Contains([]string{"low", "medium", "high"}, a.Complexity) {
			t.Errorf("%s: complexity %q", name, a.Complexity)
		}
		if len(a.Keywords) == 0 {
			t.Errorf("%s has no keywords", name)
		}
		// However a suite comes to have the plugin, it has its first version.
		made, err := NewPlugin("mine", name, nil)
		if err != nil {
			t.Fatal(err) // a version that is none, among others
		}
		older := Suite{Spec: Spec{Plugins: []Plugin{{Name: "mine", Strategy: name}}}}
		older.complete()
		if made.Version != a.first() || older.Plugins[0].Version != a.first() {
			t.Errorf("%s begins with %s, in an older suite with %s, want %s", name, made.Version, older.Plugins[0].Version, a.first())
		}
	}
}

func TestFirstVersion(t *testing.T) {
	if got := (About{}).first(); got != FirstVersion {
		t.Errorf("%q", got)
	}
	if got := (About{Version: "3.2.0"}).first(); got != "3.2.0" {
		t.Errorf("%q", got)
	}
}

func TestMeasured(t *testing.T) {
	rates := Rates{Stops: 556, Wrong: 48, Work: 391, Caught: 344}
	for want, m := range map[string]*Measured{
		"8.6 % wrong, 88 % caught": {English: rates},
		"0 % wrong, 0 % caught":    {Others: rates},
		"not measured":             nil,
	} {
		if got := (About{Measured: m}).Accuracy(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := rates.RunOver(); got != "8.6 %" {
		t.Errorf("%q", got)
	}
	if got := (Rates{}).RunOver(); got != "0 %" {
		t.Errorf("%q", got)
	}
}
