package ned

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// decide decides with what a file has chosen.
func decide(chosen rules.Options, s strategy.Situation) strategy.Verdict {
	o := Strategy().New().(rules.Ruled)
	*o.Chosen() = chosen
	return o.Decide(s)
}

// mend is what is in force of what a user's file has chosen.
func mend(chosen rules.Options) (rules.Options, []error) {
	o, l := Strategy().New().(rules.Ruled), &strategy.Layer{By: strategy.User, Strategy: Name}
	*o.Chosen() = chosen
	o.Over(Strategy().New(), l)
	var faults []error
	for _, says := range l.Faults {
		faults = append(faults, errors.New(says))
	}
	return *o.Chosen(), faults
}

// The skill table of the first design, with its literal texts, and the
// phrases that superpowers skills really use.
func TestNedRuleSets(t *testing.T) {
	pending := []activity.Todo{{Content: "write the parser", Status: "completed"}, {Content: "write the printer", Status: "pending"}, {Content: "write the docs", Status: "pending"}}
	done := []activity.Todo{{Content: "write the parser", Status: "completed"}}
	for name, test := range map[string]struct {
		situation      strategy.Situation
		seed, standard strategy.Decision // under the two rule sets
		rule           string            // that decides under default
	}{
		"announcement":       {strategy.Situation{Message: strategy.Message{Text: "I'm using the X skill"}}, strategy.Continue, strategy.Continue, "skill"},
		"AskUserQuestion":    {strategy.Situation{Message: strategy.Message{Text: "Task 2 complete. Moving to Task 3."}, Turn: strategy.Turn{LastTool: "AskUserQuestion"}, Todos: strategy.Todos{List: pending}}, strategy.Stop, strategy.Stop, "asked"},
		"pending todos":      {strategy.Situation{Message: strategy.Message{Text: "Wrote the parser."}, Todos: strategy.Todos{List: pending}}, strategy.Continue, strategy.Continue, "todos"},
		"ready for feedback": {strategy.Situation{Message: strategy.Message{Text: "Ready for feedback"}}, strategy.Stop, strategy.Stop, "hands"},
		"progress":           {strategy.Situation{Message: strategy.Message{Text: "Task 1 complete. Moving to Task 2."}}, strategy.Continue, strategy.Continue, "progress"},
		"announcement, to complete": {
			strategy.Situation{Message: strategy.Message{Text: "I'm using the finishing-a-development-branch skill to complete this work."}}, strategy.Stop, strategy.Continue, "skill"},
		"announcement, to implement": {
			strategy.Situation{Message: strategy.Message{Text: "I'm using the executing-plans skill to implement this plan."}}, strategy.Continue, strategy.Continue, "skill"},
		"all done":            {strategy.Situation{Message: strategy.Message{Text: "All three tasks are done."}}, strategy.Stop, strategy.Stop, "finished"},
		"nothing known":       {strategy.Situation{}, strategy.Stop, strategy.Stop, "otherwise"},
		"todos all completed": {strategy.Situation{Message: strategy.Message{Text: "That is it."}, Todos: strategy.Todos{List: done}}, strategy.Stop, strategy.Stop, "otherwise"},
		"in progress only":    {strategy.Situation{Message: strategy.Message{Text: "Hm."}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "in_progress"}}}}, strategy.Stop, strategy.Stop, "otherwise"},

		// Where the sets part: the seed tree looks anywhere in the text.
		"question at the end":  {strategy.Situation{Message: strategy.Message{Text: "Task 1 complete. Should I go on with Task 2?"}}, strategy.Continue, strategy.Stop, "asks"},
		"question before":      {strategy.Situation{Message: strategy.Message{Text: "Why did it fail? The path was wrong.\n\nNow I'll fix the path."}}, strategy.Stop, strategy.Continue, "intent"},
		"offer":                {strategy.Situation{Message: strategy.Message{Text: "Phase 1 works. If you like, the rest can follow."}}, strategy.Continue, strategy.Stop, "offers"},
		"waiting":              {strategy.Situation{Message: strategy.Message{Text: "Step 2 runs. I'll wait for the build to finish."}}, strategy.Continue, strategy.Stop, "waits"},
		"Next.js":              {strategy.Situation{Message: strategy.Message{Text: "It is built with Next.js."}}, strategy.Continue, strategy.Stop, "otherwise"},
		"abandoned":            {strategy.Situation{Message: strategy.Message{Text: "The branch was abandoned. Let me look at the other one."}}, strategy.Stop, strategy.Continue, "intent"},
		"intent":               {strategy.Situation{Message: strategy.Message{Text: "The test fails. Let me fix the parser."}}, strategy.Stop, strategy.Continue, "intent"},
		"a colon, then a list": {strategy.Situation{Message: strategy.Message{Text: "What changed:\n\n- the parser"}}, strategy.Stop, strategy.Stop, "otherwise"},
		"em dash":              {strategy.Situation{Message: strategy.Message{Text: "I'll start on Task 3 next—let me know if you'd rather not."}}, strategy.Continue, strategy.Stop, "offers"},
		"question, emoji":      {strategy.Situation{Message: strategy.Message{Text: "Which one fits best? 🙂"}, Todos: strategy.Todos{List: pending}}, strategy.Continue, strategy.Stop, "asks"},
		"question, Japanese":   {strategy.Situation{Message: strategy.Message{Text: "どちらにしますか？"}, Todos: strategy.Todos{List: pending}}, strategy.Continue, strategy.Stop, "asks"},
		"question, then list":  {strategy.Situation{Message: strategy.Message{Text: "Which do you prefer?\n\n- A\n- B"}, Todos: strategy.Todos{List: pending}}, strategy.Continue, strategy.Stop, "choices"},
		"CRLF":                 {strategy.Situation{Message: strategy.Message{Text: "Which one?\r\n\r\nNow I'll fix the path."}}, strategy.Stop, strategy.Continue, "intent"},
		"now, imperative":      {strategy.Situation{Message: strategy.Message{Text: "All tests pass. Now update the table and commit."}, Turn: strategy.Turn{Count: 3}}, strategy.Stop, strategy.Continue, "work"},
		"now, to the reader":   {strategy.Situation{Message: strategy.Message{Text: "All tests pass. Now update the table and commit."}}, strategy.Stop, strategy.Stop, "otherwise"},
		"now, a statement":     {strategy.Situation{Message: strategy.Message{Text: "Now it works."}}, strategy.Stop, strategy.Stop, "otherwise"},
		"doing, as a subject":  {strategy.Situation{Message: strategy.Message{Text: "Adding a parser is easy."}}, strategy.Stop, strategy.Stop, "otherwise"},
		"told to the user":     {strategy.Situation{Message: strategy.Message{Text: "Now restart your editor."}}, strategy.Stop, strategy.Stop, "hands"},
		"begun, then a list":   {strategy.Situation{Message: strategy.Message{Text: "I see it now. Let me add both:\n\n1. the flag\n2. the test"}}, strategy.Stop, strategy.Continue, "intent"},
		"done above, intent below": {
			strategy.Situation{Message: strategy.Message{Text: "The parser is done.\n\nNow I'll write the printer."}}, strategy.Stop, strategy.Continue, "intent"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &test.situation // as a short session has it: all of it is in the window
			s.Window = activity.Window{LastTool: s.Turn.LastTool, Todos: s.Todos.List}
			if s.Turn.LastTool == "AskUserQuestion" {
				s.Turn.Asked = s.Turn.LastTool
			}
			if v := decide(rules.Options{Set: "seed"}, test.situation); v.Decision != test.seed {
				t.Errorf("seed: %s by %s (%s), want %s", v.Decision, v.Rule, v.Evidence, test.seed)
			}
			v := decide(rules.Options{}, test.situation)
			if v.Decision != test.standard || v.Rule != test.rule {
				t.Errorf("default: %s by %s (%s), want %s by %s", v.Decision, v.Rule, v.Evidence, test.standard, test.rule)
			}
			if v.Decision == strategy.Continue && v.Reason == "" {
				t.Error("default: continues without a reason for the model")
			}
			if v.Decision == strategy.Stop && v.Reason != "" {
				t.Errorf("default: stops with a reason for the model: %q", v.Reason)
			}
		})
	}
}

// Closings that sound like work and wait for a person.
func TestNedWaitsForThePerson(t *testing.T) {
	for _, text := range []string{
		"Let me know how you want to proceed:\n\n1. Fix the tests\n2. Skip them",
		"I'll proceed once you confirm.",
		"I'll hold off until you approve it.",
		"I'll need the password from you.",
		"You can pick A or B. Let me hear which one.",
		"I'll continue after CI passes.",
		"I should mention that the tests were never run.",
		"We need to decide between A and B.",
		"I need to pick a license: MIT or Apache.",
		"Reply with one of these:",
		"Everything is set up. Now run `make install`.",
		"Deleting the branch cannot be undone.",
		"Testing needs a staging key.",
		"Which database should the service use? I need to know this before I go on.",
	} {
		if v := decide(rules.Options{}, strategy.Situation{Message: strategy.Message{Text: text}}); v.Decision != strategy.Stop {
			t.Errorf("%q: %s by %s (%s)", text, v.Decision, v.Rule, v.Evidence)
		}
	}
}

func TestNedConfiguration(t *testing.T) {
	deploys := rules.Rule{ID: "deploys", Ending: "deploy(ing|ment)", Then: strategy.Stop}
	for name, test := range map[string]struct {
		config   rules.Options
		text     string
		decision strategy.Decision
		rule     string
		refused  string // in the error of Check
	}{
		"added rule comes first":   {rules.Options{Add: []rules.Rule{deploys}}, "Now I'll start the deployment.", strategy.Stop, "deploys", ""},
		"phrase in any case":       {rules.Options{Add: []rules.Rule{{ID: "ship", Says: []string{"Ship IT"}, Then: strategy.Stop}}}, "Let me ship it.", strategy.Stop, "ship", ""},
		"phrase, whole words":      {rules.Options{Add: []rules.Rule{{ID: "ship", Says: []string{"ship"}, Then: strategy.Stop}}}, "Let me fix the shipping.", strategy.Continue, "intent", ""},
		"opening and closing":      {rules.Options{Add: []rules.Rule{{ID: "x", Opens: []string{"I’ll"}, Closes: ".", Then: strategy.Stop}}}, "Fine: I'll do it.", strategy.Stop, "x", ""},
		"added continue":           {rules.Options{Add: []rules.Rule{{ID: "doh", Text: "^D'oh", Then: strategy.Continue, Reason: "Mend it: {evidence}"}}}, "D'oh!", strategy.Continue, "doh", ""},
		"switched off":             {rules.Options{Off: []string{"intent"}}, "Let me fix it.", strategy.Stop, "otherwise", ""},
		"a fault beside a stop":    {rules.Options{Add: []rules.Rule{deploys, {ID: "a", Text: "a", Then: "block"}}}, "Now I'll start the deployment.", strategy.Stop, "deploys", "then must be"},
		"order":                    {rules.Options{Order: []string{"intent"}}, "I'll add it if you like.", strategy.Stop, "offers", ""},
		"unknown in order":         {rules.Options{Order: []string{"x"}}, "Let me fix it.", strategy.Continue, "intent", `order: there is no rule "x"`},
		"a project's own":          {rules.Options{Last: []rules.Rule{{ID: "p", Text: ".", Then: strategy.Continue}}}, "Which one do you prefer?", strategy.Stop, "asks", ""},
		"a project's own, ordered": {rules.Options{Order: []string{"p"}, Last: []rules.Rule{{ID: "p", Text: ".", Then: strategy.Continue}}}, "Which one do you prefer?", strategy.Stop, "asks", ""},
		"a project's fault":        {rules.Options{Last: []rules.Rule{{ID: "p\x1b", Text: ".", Then: strategy.Continue}, {ID: "q", Text: "."}}}, "Hm.", strategy.Stop, "otherwise", "then must be"},
		"too many in front":        {rules.Options{Add: append(make([]rules.Rule, 200), deploys)}, "Now I'll start the deployment.", strategy.Stop, "deploys", "more than 200"},
		"long id":                  {rules.Options{Add: []rules.Rule{{ID: strings.Repeat("a", 41), Text: "a", Then: strategy.Stop}}}, "", strategy.Stop, "otherwise", "an id has at most"},
		"unknown set":              {rules.Options{Set: "homer"}, "Let me fix it.", strategy.Continue, "intent", `no rule set "homer"`},
		"unknown id":               {rules.Options{Off: []string{"intents"}}, "Let me fix it.", strategy.Continue, "intent", `no rule "intents"`},
		"no condition":             {rules.Options{Add: []rules.Rule{{ID: "a", Then: strategy.Stop}}}, "Let me fix it.", strategy.Continue, "intent", "no condition"},
		"bad decision":             {rules.Options{Add: []rules.Rule{{ID: "a", Text: "a", Then: "block"}}}, "Let me fix it.", strategy.Continue, "intent", "then must be"},
		"bad pattern":              {rules.Options{Add: []rules.Rule{{ID: "a", Text: "(", Then: strategy.Stop}}}, "Let me fix it.", strategy.Continue, "intent", "missing closing )"},
		"long reason":              {rules.Options{Add: []rules.Rule{{ID: "a", Text: "a", Then: strategy.Continue, Reason: strings.Repeat("a", 2001)}}}, "", strategy.Stop, "otherwise", "longer than 2000"},
	} {
		t.Run(name, func(t *testing.T) {
			mended, faults := mend(test.config)
			v := decide(mended, strategy.Situation{Message: strategy.Message{Text: test.text}})
			said := fmt.Sprint(append(faults, v.Faults...))
			if test.refused == "" && said != "[]" || !strings.Contains(said, test.refused) {
				t.Errorf("faults %s, want %q", said, test.refused)
			}
			if v.Decision != test.decision || v.Rule != test.rule {
				t.Errorf("%s by %s, want %s by %s", v.Decision, v.Rule, test.decision, test.rule)
			}
		})
	}
}

func FuzzNed(f *testing.F) {
	for _, text := range []string{"", "Task 1 complete. Moving to Task 2.", "a?\n\nb:", "\xff\xfe", strings.Repeat("“", 400)} {
		f.Add(text, "Bash", "todo", "pending")
	}
	f.Fuzz(func(t *testing.T, text, tool, content, status string) {
		s := strategy.Situation{Message: strategy.Message{Text: text}, Turn: strategy.Turn{LastTool: tool}, Todos: strategy.Todos{List: []activity.Todo{{Content: content, Status: status}}}}
		for _, set := range rules.RuleSetsOf(Strategy()) {
			v := decide(rules.Options{Set: set}, s)
			if v.Rule == "" || (v.Decision == strategy.Continue) != (v.Reason != "") {
				t.Errorf("%s: %+v", set, v)
			}
			if len(v.Evidence) > 300 {
				t.Errorf("%s: evidence of %d bytes", set, len(v.Evidence))
			}
		}
	})
}
