package tune

import (
	"slices"

	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// RulesError says that a plugin does not decide by rules that can be tuned.
type RulesError struct{ Plugin string }

func (e *RulesError) Error() string {
	return e.Plugin + " does not decide at Stop by rules, so there is nothing to tune"
}

// Check refuses a plugin whose strategy does not decide by rules.
func Check(plugin string, s strategy.Strategy) error {
	if !slices.Contains(Ruled(), s.Name) {
		return &RulesError{plugin}
	}
	return nil
}

// Ruled names the strategies that decide at Stop by rules, which a file can add to.
func Ruled() []string {
	var names []string
	for _, s := range registry.All() {
		if _, ok := s.New().(rules.Ruled); ok && s.Answers() == "Stop" {
			names = append(names, s.Name)
		}
	}
	return names
}
