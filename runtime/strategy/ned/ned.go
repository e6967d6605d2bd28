// Package ned implements ned-flanders: rules without a model. The rule set "seed" is the decision tree of the
// first design; "default" is rules.BaseRules.
package ned

import (
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var Strategy = strategy.Strategy{Name: "ned-flanders", Event: "Stop", Default: true, New: kind.New}

var kind = rules.Kind{
	Sets: []string{"default", "seed"},
	Rules: func(set string) []rules.Rule {
		if set != "seed" {
			return rules.BaseRules
		}
		return []rules.Rule{
			{ID: "asked", Tool: "AskUserQuestion", Then: strategy.Stop, Window: true},
			{ID: "todos", Todo: "pending", Then: strategy.Continue, Reason: rules.GoOnWithTodos, Window: true},
			{ID: "progress", Text: `Task \d+|Step \d+|Phase \d+|Moving to|Next`, Then: strategy.Continue, Reason: rules.GoOnWithProgress},
			{ID: "finished", Text: `complete|finished|done|ready for|let me know`, Then: strategy.Stop},
			{ID: "skill", Text: `I'm using the .* skill`, Then: strategy.Continue, Reason: rules.GoOnWithSkill},
		}
	},
}
