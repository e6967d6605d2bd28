package rules

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// compiled returns the true number of instructions of a pattern.
func compiled(t *testing.T, text string) int {
	t.Helper()
	tree, err := syntax.Parse(text, syntax.Perl)
	scratch.Must(t, err, text)
	prog, err := syntax.Compile(tree.Simplify())
	scratch.Must(t, err, text)
	return len(prog.Inst)
}

// The measured size is never below the true one, and measuring costs no more than parsing the pattern.
func FuzzMeasure(f *testing.F) {
	for _, text := range []string{"a{0,9}", "(?:a|b*){2,}", "(?i)[k-s]{3}?", `^\b(?:)$*|x+?`, "((((a{2}){2}){2}){2}){2}", `\pL|\PL`, "(?s).{0,1000}", "(|a)*", "(?:a?){0}", "(?:){3,7}|", `[^\x00-\x{10FFFF}]{4}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxPattern || parsingCost(text) > maxProjectSteps {
			return
		}
		got, err := measurePattern(text, maxProgram)
		if err != nil {
			return
		}
		if real := compiled(t, text); got < real {
			t.Errorf("%q has %d instructions, only %d are said", text, real, got)
		}
	})
}

// costly are rules that cost more than a project's have, each in its own way.
func costly() map[string]struct {
	rules []Rule
	text  string
} {
	many := func(n int, r Rule) (all []Rule) {
		for i := range n {
			r.ID, r.Then, r.ByProject = fmt.Sprint("r", i), strategy.Stop, true
			all = append(all, r)
		}
		return all
	}
	repeated := func(n int, phrase string) (all []string) {
		for range n {
			all = append(all, phrase)
		}
		return all
	}
	type c = struct {
		rules []Rule
		text  string
	}
	paragraph := strings.Repeat("a", 600)
	return map[string]c{
		"patterns on the end":     {many(200, Rule{Ending: "(?:a| ){0,90}#"}), paragraph},
		"patterns on the message": {many(10, Rule{Text: "(?:a| )*#"}), strings.Repeat("a ", 128<<10)},
		"patterns hard to read":   {many(200, Rule{Text: "[" + strings.Repeat(`\pL`, 330) + "]#"}), "a"},
		"phrases anywhere":        {many(200, Rule{Says: repeated(1000, "a")}), paragraph},
		"phrases in the last":     {many(200, Rule{Last: repeated(1000, "a")}), paragraph},
		"phrases to begin with":   {many(200, Rule{Begins: repeated(500, "ab")}), strings.Repeat("a! ", 200)},
		"many sentences":          {many(200, Rule{Says: repeated(200, "b")}), strings.Repeat("a! ", 200)},
		"characters":              {many(200, Rule{Closes: strings.Repeat("é", 500)}), "a" + strings.Repeat("*", 599)},
	}
}

// A project's rules never take more than their steps, all together, and those that
// there are none for are named. The user's rules have their own.
func TestStepsAreBounded(t *testing.T) {
	mine := Rule{ID: "mine", Text: "^a", Then: strategy.Stop}
	for name, c := range costly() {
		for _, r := range c.rules[:1] {
			scratch.Must(t, r.checkFields(), name)
		}
		a := newEvaluation(strategy.Situation{Message: strategy.Message{Text: c.text}}, nil)
		for _, r := range c.rules {
			if _, ok := a.holdsFor(&r); ok {
				t.Errorf("%s: %s holds", name, r.ID)
			}
		}
		if spent := maxProjectSteps - a.byProject.left; spent > maxProjectSteps+maxProjectSteps/100 { // the last may take a little more
			t.Errorf("%s: %d steps", name, spent)
		}
		if faults := fmt.Sprint(a.outOfSteps()); !strings.Contains(faults, errSteps.Error()) || len(faults) > 300 {
			t.Errorf("%s: %s", name, faults)
		}
		if _, ok := a.holdsFor(&mine); !ok {
			t.Errorf("%s: the user's own rule is not asked", name)
		}
		if v := FirstMatch(append(c.rules, mine), nil)(strategy.Situation{Message: strategy.Message{Text: c.text}}); v.Rule != "mine" || len(v.Faults) != 1 {
			t.Errorf("%s: %s, %v", name, v.Rule, v.Faults)
		}
	}
}

// A rule that costs too much leaves the others their steps, and no rule holds whose unless was not asked.
func TestDearRuleAloneIsPassedOver(t *testing.T) {
	text := strings.Repeat("a ", 20<<10) + "deploying"
	rules := []Rule{
		{ID: "long", Text: strings.Repeat(".{0,1000}", 100), Then: strategy.Stop, ByProject: true},
		{ID: "dear", Text: "(?:a| ){0,60}#", Then: strategy.Stop, ByProject: true},
		{ID: "none", Text: "(", Then: strategy.Stop, ByProject: true},
		{ID: "good", Says: []string{"deploying"}, Then: strategy.Stop, ByProject: true},
	}
	v := FirstMatch(rules, nil)(strategy.Situation{Message: strategy.Message{Text: text}})
	faults := fmt.Sprint(v.Faults)
	if v.Rule != "good" || len(v.Faults) != 3 {
		t.Errorf("%s, %s", v.Rule, faults)
	}
	for _, says := range []string{`rule "long": pattern has 200002 instructions, more than 1000`, `rule "dear": takes more steps`, `rule "none": error parsing regexp`} {
		scratch.Holds(t, "the faults", faults, says)
	}
	a := newEvaluation(strategy.Situation{Message: strategy.Message{Text: "Done: a"}}, nil)
	a.byProject.left = asked + 100
	if _, ok := a.holdsFor(&Rule{ID: "unless", Closes: "a", Unless: strings.Split("b c d e f g h i j k l m n o p q r s t u v a", " "), Then: strategy.Continue, ByProject: true}); ok || len(a.unasked) != 1 {
		t.Errorf("an unless that was not asked: %v", a.unasked)
	}
	for _, r := range rules { // the user may
		r.ByProject = false
		if r.ID == "dear" {
			scratch.Equal(t, len(FirstMatch([]Rule{r}, nil)(strategy.Situation{Message: strategy.Message{Text: text}}).Faults), 0, "the user's")
		}
	}
}

// The same rules cost the same whether their patterns have been compiled before.
func TestStepsDoNotDependOnWhatWasBefore(t *testing.T) {
	c := costly()["patterns on the end"]
	decide := FirstMatch(c.rules, &Cache{})
	first := fmt.Sprint(decide(strategy.Situation{Message: strategy.Message{Text: c.text}}))
	for range 3 {
		scratch.Equal(t, fmt.Sprint(decide(strategy.Situation{Message: strategy.Message{Text: c.text}})), first)
	}
}

// ruled is a strategy without rules of its own.
type ruled struct{ Options }

func (r *ruled) Over(strategy.Options, *strategy.Layer) {}
func (r *ruled) Rules() []Rule                          { return Arranged(&r.Options, nil) }
func (r *ruled) Prepare(kept *Cache) func(strategy.Situation) strategy.Verdict {
	return FirstMatch(r.Rules(), kept)
}
func (r *ruled) Decide(s strategy.Situation) strategy.Verdict { return r.Prepare(nil)(s) }

func TestCheckPatterns(t *testing.T) {
	config := Options{
		Add:  []Rule{{ID: "mine", Text: strings.Repeat(".{0,1000}", 9), Then: strategy.Stop}, {ID: "long", Ending: strings.Repeat(".{0,1000}", 11), Then: strategy.Stop}, {ID: "ok", Text: "a", Ending: "b", Then: strategy.Stop}},
		Last: []Rule{{ID: "theirs", Text: ".{0,1000}", Then: strategy.Continue, ByProject: true}},
	}
	faults := CheckPatterns(&ruled{config})
	if len(faults) != 2 || !strings.Contains(faults[0].Error(), `rule "long": pattern has 22002`) || !strings.Contains(faults[1].Error(), `rule "theirs": pattern has 2002 instructions, more than 1000`) {
		t.Errorf("%v", faults)
	}
}

// A pattern matches as in package regexp, whatever literals are searched first.
func FuzzMatch(f *testing.F) {
	for _, pattern := range []string{`Task \d+|Step \d+|Moving to|Next`, "(I['’]m using|Using) the [^.\n]* skill[^.\n]*|Using ([a-z-]+:)?[a-z]+ to [^.\n]*", "(?i)next|done", "(a|bc)+d?", "(?:abc)*x", "a{2,}b{0}", "|abc", "(?i:k)elvin", "(?:ab|(?i)cd)e", "^$"} {
		for _, text := range []string{"", "Next", "NEXT", "Step 12", "Using the tdd skill.", "bcabcd", "x", "aa", "\u212aelvin", "CDe"} {
			f.Add(pattern, text)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > maxPattern || len(text) > 1000 {
			return
		}
		kept := &Cache{}
		for range 2 { // the second time it is known
			got, err := kept.matchPattern(pattern, text, &StepBudget{math.MaxInt, maxProgram})
			if want := re.FindStringIndex(text); err == nil && !slices.Equal(got, want) {
				t.Errorf("%q in %q: %v, want %v", pattern, text, got, want)
			}
		}
	})
}
