// ralph-speckit: features in .specify/specs, the state in .speckit-state.json.

package strategy

import "strings"

func speckit() Strategy {
	return specs{
		name: "ralph-speckit", title: "Ralph-speckit", noun: "feature",
		current: ".specify/.current-feature", local: ".claude/ralph-speckit.local.md", stateFile: ".speckit-state.json",
		find: speckitPlaces,
	}.strategy()
}

// speckitPlaces is where the feature lies that .specify/.current-feature names.
func speckitPlaces(s Situation, _ []string) ([]place, []Want) {
	const current, root = ".specify/.current-feature", ".specify/specs/"
	wants := []Want{{Name: current}}
	name := nameIn(s.Workspace.Files[current])
	p, ok := placeAt(root + name)
	if name == "" || !ok || !strings.HasPrefix(p.dir, root) {
		return nil, wants
	}
	p.name = plainName(name)
	return []place{p}, wants
}
