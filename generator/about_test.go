package generator

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// What a strategy says of itself is complete, and each of it fits into a table's cell.
func TestAbout(t *testing.T) {
	for _, name := range registry.StrategyNames() {
		a, err := ReadAbout(name)
		must(t, err)
		for _, text := range []string{a.Title, a.Summary, a.Description, a.Reads, a.When, a.Cost, a.Changes, a.Complexity, a.Needs} {
			if text == "" || strings.ContainsAny(text, "\n|") {
				t.Errorf("%s says %q", name, text)
			}
		}
		// However a suite comes to have the plugin, it has its first version.
		made, err := NewPlugin("mine", name, nil)
		if err != nil {
			t.Fatal(err) // a version that is none, among others
		}
		older := Suite{Spec: Spec{Plugins: []Plugin{{Name: "mine", Strategy: name}}}}
		older.complete()
		if made.Version != a.firstVersion() || older.Plugins[0].Version != a.firstVersion() {
			t.Errorf("%s begins with %s, in an older suite with %s, want %s", name, made.Version, older.Plugins[0].Version, a.firstVersion())
		}
	}
}
