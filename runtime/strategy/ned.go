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
)

// NedRuleSets names the rule sets that "rules" can choose, the default first.
func NedRuleSets() []string { return []string{"default", "seed"} }

func ned() Strategy {
	return Strategy{
		Name:   "ned-flanders",
		Window: 50,
		Check:  checkNed,
		Decide: func(c Config, s Situation) Verdict {
			if checkNed(c) != nil {
				c = Config{}
			}
			if v, ok := firstMatch(nedRules(c), s); ok {
				return v
			}
			return Verdict{Decision: Stop, Rule: "otherwise", Evidence: "no rule matched"}
		},
	}
}

// nedRules are the user's additions, then the built-in set without what the
// user switched off.
func nedRules(c Config) []Rule {
	set := nedDefault()
	if c.Rules == "seed" {
		set = nedSeed()
	}
	set = slices.DeleteFunc(set, func(r Rule) bool { return slices.Contains(c.Off, r.ID) })
	return slices.Concat(c.Add, set)
}

func checkNed(c Config) error {
	set := nedDefault()
	switch c.Rules {
	case "", "default":
	case "seed":
		set = nedSeed()
	default:
		return errors.New("rules: there is no rule set " + strconv.Quote(c.Rules) + ": choose default or seed")
	}
	if len(c.Add) > maxRules {
		return errors.New("add: more than " + strconv.Itoa(maxRules) + " rules")
	}
	for _, r := range c.Add {
		if err := r.check(); err != nil {
			return errors.New("add: " + err.Error())
		}
	}
	for _, id := range c.Off {
		if !slices.ContainsFunc(set, func(r Rule) bool { return r.ID == id }) {
			return errors.New("off: there is no rule " + strconv.Quote(id))
		}
	}
	return nil
}

const (
	goOnWithTodos    = "The todo list still has open entries ({evidence}). Go on with the next one now and mark each as done when it is; if you need a decision from the user, ask for it and wait."
	goOnWithProgress = "You said {evidence} and have not done it yet. Go on with that now. When the last step is finished, say plainly that everything is done."
	goOnWithSkill    = "You said {evidence} and its work is not finished. Take its next step now. When the work is done, or the skill says to wait for the user, say so plainly."
)

// nedSeed is the tree of the first design.
func nedSeed() []Rule {
	return []Rule{
		{ID: "asked", Tool: "AskUserQuestion", Then: Stop},
		{ID: "todos", Todo: "pending", Then: Continue, Reason: goOnWithTodos},
		{ID: "progress", Text: `Task \d+|Step \d+|Phase \d+|Moving to|Next`, Then: Continue, Reason: goOnWithProgress},
		{ID: "finished", Text: `complete|finished|done|ready for|let me know`, Then: Stop},
		{ID: "skill", Text: `I'm using the .* skill`, Then: Continue, Reason: goOnWithSkill},
	}
}

// nedDefault asks for the person first, then for work.
func nedDefault() []Rule {
	return []Rule{
		{ID: "asked", Tool: "AskUserQuestion", Then: Stop},
		{ID: "asks", Closes: "?", Then: Stop},
		{ID: "offers", Then: Stop, Says: []string{
			"let me know", "would you like", "do you want", "want me to", "shall i", "should i", "if you'd like", "if you would like", "if you like",
			"if you want", "if you prefer", "say the word", "just say", "feel free", "up to you", "your call", "your turn",
			"ready for feedback", "ready for review", "ready for your", "ready when you", "ready whenever you", "happy to", "glad to",
			"please review", "please confirm", "please choose", "please provide", "please tell", "please check", "please test", "please try", "please run", "please restart",
			"can you confirm", "can you check", "can you try", "could you",
		}},
		{ID: "waits", Then: Stop, Says: []string{
			"waiting for", "waiting on", "wait for", "wait until", "i'll wait", "in the background", "notify", "notified", "check back",
			"once it finishes", "when it finishes", "once it completes", "when it completes", "once it's done", "when it's done", "when they finish", "once they finish",
		}},
		{ID: "todos", Todo: "pending", Then: Continue, Reason: goOnWithTodos},
		{ID: "progress", Then: Continue, Reason: goOnWithProgress, Says: []string{
			"moving to task", "moving to step", "moving to phase", "moving to the next",
			"moving on to task", "moving on to step", "moving on to phase", "moving on to the next",
		}},
		{ID: "intent", Then: Continue, Reason: goOnWithProgress, Opens: []string{
			"let me", "let's", "i'll", "i will", "i'm going to", "i am going to", "i need to", "i should",
			"now let me", "now let's", "now i'll", "now i will", "now i need to", "next, i'll", "next i'll", "first, let me", "first, i'll",
			"on to task", "next up",
		}},
		{ID: "colon", Closes: ":", Then: Continue, Reason: goOnWithProgress},
		{ID: "skill", Ending: `I['’]m using the [^.\n]* skill[^.\n]*`, Then: Continue, Reason: goOnWithSkill},
		{ID: "finished", Says: []string{"complete", "completed", "finished", "done"}, Then: Stop},
	}
}
