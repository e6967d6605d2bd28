// ned-flanders: rules, first match wins, no model is asked and nothing is spent.
//
// Two rule sets. "seed" is the decision tree of the plugin's first design, to
// the letter: its order, its case-sensitive patterns anywhere in the text.
// "default" keeps its intent and its table of skill phrases, but asks first
// whether Claude asks, offers or waits, and looks at how the message ends.

package strategy

import (
	"errors"
	"slices"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/closing"
)

// NedRuleSets names the rule sets that "rules" can choose, the default first.
func NedRuleSets() []string { return []string{"default", "seed"} }

func ned() Strategy {
	return Strategy{
		Name: "ned-flanders",
		Lines: func(c Config) int {
			if c.Rules == "seed" {
				return 50
			}
			return 0
		},
		Mend:    mendNed,
		Rules:   nedRules,
		Decide:  func(c Config, s Situation) Verdict { return firstMatch(nedRules(c), s) },
		Prepare: func(c Config, kept *Kept) func(Situation) Verdict { return matching(nedRules(c), kept) },
	}
}

// nedSet is the built-in rule set of a configuration.
func nedSet(c Config) []Rule {
	if c.Rules == "seed" {
		return nedSeed()
	}
	return nedDefault()
}

func nedRules(c Config) []Rule { return arranged(c, nedSet(c)) }

// arranged are the user's additions, a built-in set, and a project's own
// continuing rules, in the user's order and without what is switched off.
func arranged(c Config, set []Rule) []Rule {
	off := func(r Rule) bool { return slices.Contains(c.Off, r.ID) }
	late := func(r Rule) bool { return r.Late && !slices.Contains(c.Order, r.ID) }
	all := ordered(slices.DeleteFunc(slices.Concat(c.Add, set), func(r Rule) bool { return off(r) || late(r) }), c.Order)
	all = slices.Insert(all, LatePlace(all), slices.DeleteFunc(slices.Clone(c.Add), func(r Rule) bool { return off(r) || !late(r) })...)
	// A project's own stay last, whatever the order says: they decide only where
	// nobody else does.
	return append(all, slices.DeleteFunc(slices.Clone(c.Last), off)...)
}

// LatePlace is where late rules stand: at the end, but in front of a rule
// "finished" that no continuing rule comes after. What such a rule stops would stop
// without it.
func LatePlace(rules []Rule) int {
	place := len(rules)
	for i := len(rules) - 1; i >= 0 && rules[i].Then == Stop; i-- {
		if rules[i].ID == "finished" {
			place = i
		}
	}
	return place
}

// ordered puts the named rules first, in the order of their names.
func ordered(rules []Rule, ids []string) []Rule {
	if len(ids) == 0 {
		return rules
	}
	first := make([]Rule, 0, len(rules))
	for _, id := range ids {
		for _, r := range rules {
			if r.ID == id {
				first = append(first, r)
			}
		}
	}
	for _, r := range rules {
		if !slices.Contains(ids, r.ID) {
			first = append(first, r)
		}
	}
	return first
}

func mendNed(c Config) (Config, []error) {
	var faults []error
	if c.Rules != "" && !slices.Contains(NedRuleSets(), c.Rules) {
		faults = append(faults, errors.New("rules: there is no rule set "+strconv.Quote(c.Rules)+": choose default or seed"))
		c.Rules = ""
	}
	c, more := mendRules(c, nedSet(c))
	return c, append(faults, more...)
}

// mendOne is Mend for a strategy that has one set of rules.
func mendOne(c Config, set []Rule) (Config, []error) {
	var faults []error
	if c.Rules != "" {
		faults = append(faults, errors.New("rules: "+c.Strategy+" has one set of rules, there is no choice"))
		c.Rules = ""
	}
	c, more := mendRules(c, set)
	return c, append(faults, more...)
}

// mendRules takes out what is wrong with the rules over a built-in set, and only
// that: a fault in one rule must not take a stop rule beside it out of force.
func mendRules(c Config, set []Rule) (Config, []error) {
	var faults []error
	for _, list := range []*[]Rule{&c.Add, &c.Last} {
		if n := len(*list); n > MaxRules {
			faults = append(faults, errors.New("add: more than "+strconv.Itoa(MaxRules)+" rules"))
			*list = (*list)[n-MaxRules:] // the newest layer lies in front: it goes first
		}
		var good []Rule
		for _, r := range *list {
			if err := r.check(); err != nil {
				faults = append(faults, errors.New("add: "+err.Error()))
				continue
			}
			good = append(good, r)
		}
		*list = good
	}
	known := slices.Concat(c.Add, set, c.Last)
	for _, list := range []struct {
		name string
		ids  []string
	}{{"off", c.Off}, {"order", c.Order}} {
		for _, id := range list.ids {
			if !slices.ContainsFunc(known, func(r Rule) bool { return r.ID == id }) {
				faults = append(faults, errors.New(list.name+": there is no rule "+strconv.Quote(id)))
			}
		}
	}
	return c, faults
}

const (
	goOnWithTodos    = "The todo list is not done ({evidence}).{todos} Go on with the next one now and mark each as done when it is; if you need a decision from the user, ask for it and wait."
	goOnWithProgress = "You said {evidence} and have not done it yet.{todos} Go on with that now. When the last step is finished, say plainly that everything is done."
	goOnWithSkill    = "You said {evidence} and its work is not finished.{todos} Take its next step now. When the work is done, or the skill says to wait for the user, say so plainly."
)

// nedSeed is the tree of the first design.
func nedSeed() []Rule {
	return []Rule{
		{ID: "asked", Tool: "AskUserQuestion", Then: Stop, window: true},
		{ID: "todos", Todo: "pending", Then: Continue, Reason: goOnWithTodos, window: true},
		{ID: "progress", Text: `Task \d+|Step \d+|Phase \d+|Moving to|Next`, Then: Continue, Reason: goOnWithProgress},
		{ID: "finished", Text: `complete|finished|done|ready for|let me know`, Then: Stop},
		{ID: "skill", Text: `I'm using the .* skill`, Then: Continue, Reason: goOnWithSkill},
	}
}

// nedDefault asks for the person first, then for work. What the last paragraph says
// outweighs what stands in front of it.
func nedDefault() []Rule {
	return []Rule{
		{ID: "asked", Asked: true, Then: Stop, Sure: 99},
		{ID: "asks", Closes: "?？؟", Then: Stop, Sure: 99},
		{ID: "choices", Lists: "?？؟", Then: Stop, Sure: 99},
		{ID: "intent", Act: closing.Starts, Then: Continue, Reason: goOnWithProgress, Sure: 95},
		{ID: "asks", Act: closing.Asks, Then: Stop, Sure: 92},
		{ID: "offers", Act: closing.Offers, Then: Stop, Sure: 97},
		{ID: "waits", Act: closing.Waits, Then: Stop, Sure: 90},
		{ID: "blocked", Act: closing.Blocked, Then: Stop, Sure: 91},
		{ID: "hands", Act: closing.Hands, Then: Stop, Sure: 92},
		{ID: "plans", Act: closing.Plans, Then: Stop, Sure: 70},
		{ID: "dialogue", Skill: []string{"brainstorming"}, Within: 1, Then: Stop},
		{ID: "dialogue", Says: []string{"brainstorming skill", "using brainstorming", "using superpowers:brainstorming"}, Then: Stop},
		{ID: "heading", Act: closing.Heads, Then: Continue, Sure: 99, Reason: goOnWithProgress},
		{ID: "progress", Act: closing.Moves, Then: Continue, Sure: 99, Reason: goOnWithProgress},
		{ID: "intent", Act: closing.Announces, Then: Continue, Sure: 97, Reason: goOnWithProgress},
		{ID: "work", Act: closing.Orders, Used: true, Then: Continue, Reason: goOnWithProgress},
		{ID: "colon", Act: closing.Breaks, Then: Continue, Sure: 97, Reason: goOnWithProgress},
		{ID: "reported", Todo: "pending", Within: 3, Act: closing.Finishes, Then: Stop, Sure: 90},
		{ID: "reported", Todo: "pending", Within: 3, own: reportsLast, Then: Stop, Sure: 90},
		{ID: "todos", Todo: "pending", Within: 3, Then: Continue, Reason: goOnWithTodos},
		{ID: "offers", Act: closing.Offers, Near: true, Then: Stop, Sure: 97},
		{ID: "waits", Act: closing.Waits, Near: true, Then: Stop, Sure: 90},
		{ID: "blocked", Act: closing.Blocked, Near: true, Then: Stop, Sure: 91},
		{ID: "hands", Act: closing.Hands, Near: true, Then: Stop, Sure: 92},
		{ID: "plans", Act: closing.Plans, Near: true, Then: Stop, Sure: 70},
		{ID: "left", Act: closing.Leaves, Then: Continue, Sure: 96, Reason: goOnWithProgress},
		{ID: "left", Act: closing.Counts, Then: Continue, Sure: 96, Reason: goOnWithProgress},
		{ID: "skill", Ending: `(I['’]m using|Using) the [^.\n]* skill[^.\n]*|Using ([a-z-]+:)?[a-z]+(-[a-z]+)+ to [^.\n]*`, Then: Continue, Reason: goOnWithSkill},
		{ID: "finished", Act: closing.Finishes, Then: Stop, Sure: 90},
	}
}

// reportsLast tests whether the last paragraph says what has been done: a list that
// is still open does not speak against it.
func reportsLast(s Situation) (evidence, reason string, ok bool) {
	e := endOf(s.Message.Text)
	for _, sentence := range e.all() {
		if said, ok := reports(sentence); ok {
			return said, "", true
		}
	}
	return "the last paragraph reports nothing", "", false
}

// personRules are those that know when a person is needed: whatever a ledger or
// a plan says remains, the message says whose turn it is.
func personRules() []Rule {
	return slices.DeleteFunc(nedDefault(), func(r Rule) bool { return r.Then != Stop || r.ID == "finished" || r.ID == "reported" })
}
