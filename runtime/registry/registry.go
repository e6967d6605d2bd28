// Package registry knows all strategies: one for each folder of runtime/strategy. Its
// list is made from the folders by `make generate`.
package registry

import (
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// AllStrategies lists what exists, in alphabetical order. A function, so that nothing is
// built before a decision needs it.
func AllStrategies() (all []strategy.Strategy) {
	for _, known := range strategyConstructors() {
		all = append(all, known())
	}
	return all
}

// StrategyNamed returns the strategy with this name.
func StrategyNamed(name string) (strategy.Strategy, bool) {
	if known := constructorNamed(name); known != nil {
		return known(), true
	}
	return strategy.Strategy{}, false
}

// StrategyNames lists the names of all strategies.
func StrategyNames() (names []string) {
	for _, s := range AllStrategies() {
		names = append(names, s.Name)
	}
	return names
}

// Default names the strategy that is meant where none is named.
func Default() string {
	for _, s := range AllStrategies() {
		if s.Default {
			return s.Name
		}
	}
	return ""
}

// RuleSets names the rule sets of all strategies that have a choice of them.
func RuleSets() (names []string) {
	for _, s := range AllStrategies() {
		names = append(names, rules.RuleSetsOf(s)...)
	}
	return names
}
