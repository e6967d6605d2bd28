// Package speckit implements ralph-speckit: features in .specify/specs, the state in .speckit-state.json.
package speckit

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/specs"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var Strategy = specs.StrategyOf(&specs.Kind{
	Name: "ralph-speckit", Title: "Ralph-speckit", Noun: "feature",
	Current: ".specify/.current-feature", Local: ".claude/ralph-speckit.local.md", StateFile: ".speckit-state.json",
	Find: speckitPlaces,
})

// speckitPlaces returns the current feature's place and the file naming it, which callers read first.
func speckitPlaces(s strategy.Situation, _ []string) (onlyCurrent []specs.Place, _ []strategy.WantedFile) {
	const current, root = ".specify/.current-feature", ".specify/specs/"
	wants := []strategy.WantedFile{{Name: current}}
	name := specs.WholeAsName(s.Workspace.Files[current])
	p, ok := specs.PlaceAt(root + name)
	if name == "" || !ok || !strings.HasPrefix(p.Dir, root) {
		return nil, wants
	}
	p.Name = quotation.PlainName(name)
	return []specs.Place{p}, wants
}
