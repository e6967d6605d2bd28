package doctor

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func kindOfStrategy(name string) strategy.Kind {
	known, ok := registry.StrategyNamed(name)
	if !ok {
		return strategy.Daily
	}
	return known.KindOf()
}

// doubled are those of which another does the same. Of one kind, one is to be on.
func doubled[P any](all []P, strategyOf func(P) string) (twice []P) {
	kinds := map[strategy.Kind]int{}
	for _, p := range all {
		kinds[kindOfStrategy(strategyOf(p))]++
	}
	for _, p := range all {
		if kinds[kindOfStrategy(strategyOf(p))] > 1 {
			twice = append(twice, p)
		}
	}
	return twice
}

// whoDecides says which plugin decides when Claude stops, where none is doubled.
func whoDecides(all []Plugin) string {
	var daily, loops []string
	for _, p := range all {
		if kind := kindOfStrategy(p.Strategy); kind == strategy.GoalLoop || kind == strategy.SpecLoop {
			loops = append(loops, p.ID)
		} else {
			daily = append(daily, p.ID)
		}
	}
	switch {
	case len(loops) == 0:
		return strings.Join(daily, ", ") + " decides when Claude stops"
	case len(daily) == 0:
		return strings.Join(loops, " or ") + " decides when Claude stops, while its loop runs"
	}
	return strings.Join(daily, ", ") + " decides when Claude stops; while a loop runs, " + strings.Join(loops, " or ") + " does"
}
