// Package ned is ned-flanders: rules, first match wins, no model is asked and nothing
// is spent.
//
// Two rule sets. "seed" is the decision tree of the plugin's first design, to the
// letter: its order, its case-sensitive patterns anywhere in the text. "default" keeps
// its intent and its table of skill phrases, but asks first whether Claude asks,
// offers or waits, and looks at how the message ends.
package ned

import (
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Name is the strategy's name.
const Name = "ned-flanders"

// Strategy is ned-flanders.
func Strategy() strategy.Strategy {
	return strategy.Strategy{Name: Name, Default: true, New: func() strategy.Options { return &Options{} }}
}

// Options are those of rules.
type Options struct{ rules.Options }

// RuleSets names the rule sets that "rules" can choose, the default first.
func (o *Options) RuleSets() []string { return []string{"default", "seed"} }

// Over puts a file over what is in force below.
func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	o.Put(&below.(*Options).Options, o.RuleSets(), set, false, l)
}

// Needs are what rules look at, and the last lines for the first design.
func (o *Options) Needs() strategy.Needs {
	needs := o.Options.Needs()
	if o.Set == "seed" {
		needs.Lines = 50
	}
	return needs
}

// Rules are the rules in the order in which they are asked.
func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, set(o.Set)) }

// Prepare is Decide for many situations.
func (o *Options) Prepare(kept *rules.Kept) func(strategy.Situation) strategy.Verdict {
	return rules.Matching(o.Rules(), kept)
}

// Decide asks the rules.
func (o *Options) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// set is a built-in rule set.
func set(name string) []rules.Rule {
	if name == "seed" {
		return seed()
	}
	return rules.Base()
}

// seed is the tree of the first design.
func seed() []rules.Rule {
	return []rules.Rule{
		{ID: "asked", Tool: "AskUserQuestion", Then: strategy.Stop, Window: true},
		{ID: "todos", Todo: "pending", Then: strategy.Continue, Reason: rules.GoOnWithTodos, Window: true},
		{ID: "progress", Text: `Task \d+|Step \d+|Phase \d+|Moving to|Next`, Then: strategy.Continue, Reason: rules.GoOnWithProgress},
		{ID: "finished", Text: `complete|finished|done|ready for|let me know`, Then: strategy.Stop},
		{ID: "skill", Text: `I'm using the .* skill`, Then: strategy.Continue, Reason: rules.GoOnWithSkill},
	}
}
