// Package registry knows all strategies: one for each folder of runtime/strategy. Its
// list is made from the folders by `make generate`.
package registry

import (
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// All lists what exists, in alphabetical order. A function, so that nothing is
// built before a decision needs it.
func All() (all []strategy.Strategy) {
	for _, known := range list() {
		all = append(all, known())
	}
	return all
}

// Named returns the strategy with this name.
func Named(name string) (strategy.Strategy, bool) {
	if known := named(name); known != nil {
		return known(), true
	}
	return strategy.Strategy{}, false
}

// Names lists the names of all strategies.
func Names() (names []string) {
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// Default names the strategy that is meant where none is named.
func Default() string {
	for _, s := range All() {
		if s.Default {
			return s.Name
		}
	}
	return ""
}

// RuleSets names the rule sets of all strategies that have a choice of them.
func RuleSets() (names []string) {
	for _, s := range All() {
		names = append(names, rules.SetsOf(s)...)
	}
	return names
}
