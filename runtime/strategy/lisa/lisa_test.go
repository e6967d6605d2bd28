package lisa

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func TestLisa(t *testing.T) {
	work := func(s strategy.Situation) strategy.Situation {
		s.Turn.Known, s.Turn.Count = true, 3
		s.Turn.Calls = []activity.Call{{Name: "Bash", Input: "npm test", Result: "exit 0"}}
		return s
	}
	todos := []activity.Todo{{Content: "a", Status: "completed"}, {Content: "b", Status: "in_progress"}}
	for name, test := range map[string]struct {
		situation strategy.Situation
		decision  strategy.Decision
		rule      string
		asks      bool
	}{
		// The table of the first design.
		"an announced skill": {work(strategy.Situation{Message: strategy.Message{Text: "I'm using the executing-plans skill to implement this plan."}}), strategy.Continue, "skill", false},
		"AskUserQuestion":    {work(strategy.Situation{Message: strategy.Message{Text: "Two ways are open."}, Turn: strategy.Turn{Asked: "AskUserQuestion"}}), strategy.Stop, "asked", false},
		"pending todos":      {work(strategy.Situation{Message: strategy.Message{Text: "The parser is in place."}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "pending"}}}}), strategy.Continue, "todos", false},
		"ready for feedback": {work(strategy.Situation{Message: strategy.Message{Text: "Batch 1 is complete. Ready for feedback."}}), strategy.Stop, "hands", false},
		"moving on":          {work(strategy.Situation{Message: strategy.Message{Text: "Task 2 complete. Moving to Task 3."}}), strategy.Continue, "progress", false},

		"a fault that was found":     {work(strategy.Situation{Message: strategy.Message{Text: "Line 58 has bytes, which should be a slice."}}), strategy.Stop, "unsure", true},
		"work in progress":           {work(strategy.Situation{Message: strategy.Message{Text: "The parser is in place." + strings.Repeat(" It is long.", 60)}, Todos: strategy.Todos{List: todos}}), strategy.Stop, "left", true},
		"work in progress, long ago": {work(strategy.Situation{Message: strategy.Message{Text: "The parser is in place." + strings.Repeat(" It is long.", 60)}, Todos: strategy.Todos{List: todos, Turns: 1}}), strategy.Stop, "long", false},
		"an agent's todo":            {work(strategy.Situation{Message: strategy.Message{Text: "PR created: http://x"}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "in_progress", Owner: "bart"}}}}), strategy.Stop, "report", false},
		"nothing said":               {work(strategy.Situation{}), strategy.Stop, "silent", false},
		"said in an earlier turn":    {work(strategy.Situation{Message: strategy.Message{Text: "Line 58 is wrong.", Earlier: true}}), strategy.Stop, "silent", false},
		"an answer":                  {strategy.Situation{Turn: strategy.Turn{Known: true}, Message: strategy.Message{Text: "Line 58 is wrong."}}, strategy.Stop, "talk", false},
		"no work is known":           {strategy.Situation{Message: strategy.Message{Text: "Line 58 is wrong."}}, strategy.Stop, "unsure", true},
		"a report":                   {work(strategy.Situation{Message: strategy.Message{Text: "Pushed. The branch is up to date."}}), strategy.Stop, "report", false},
		"a result within a sentence": {work(strategy.Situation{Message: strategy.Message{Text: "Rewrite touches what is already pushed, with lease."}}), strategy.Stop, "unsure", true},
		"a long message":             {work(strategy.Situation{Message: strategy.Message{Text: strings.Repeat("The hook reads the log. ", 20)}}), strategy.Stop, "long", false},
	} {
		v := (&Options{}).Decide(test.situation)
		if v.Decision != test.decision || v.Rule != test.rule || (v.Page != "") != test.asks {
			t.Errorf("%s: %+v", name, v)
		}
		if (v.Page != "") != (v.Going != "") || v.Page != "" && v.Reason != "" {
			t.Errorf("%s: page %q, going %q, reason %q", name, v.Page, v.Going, v.Reason)
		}
		// Without the cascade everything is asked where there is something to ask.
		if v := (&Options{always: true}).Decide(test.situation); (v.Page == "") != (test.rule == "silent") || v.Page != "" && v.Decision != strategy.Stop {
			t.Errorf("%s: asked every time: %+v", name, v)
		}
	}
}

// A user's own rule can leave the decision to the judge by its number.
func TestLisaBelievesWhoIsSure(t *testing.T) {
	s := strategy.Situation{Message: strategy.Message{Text: "Deploying is next on the list of things."}, Turn: strategy.Turn{Known: true, Count: 1}}
	for sure, asks := range map[int]bool{0: false, 40: true, 74: true, 75: false, 100: false} {
		v := (&Options{Options: rules.Options{Add: []rules.Rule{{ID: "deploys", Text: "Deploying", Then: strategy.Continue, Sure: sure}}}}).Decide(s)
		if v.Rule != "deploys" || (v.Page != "") != asks || (v.Decision == strategy.Continue) == asks {
			t.Errorf("sure %d: %+v", sure, v)
		}
	}
}

func TestLisaRulesAreSure(t *testing.T) {
	for _, r := range ruleSet("") {
		if r.Test != nil && r.Sure == 0 {
			t.Errorf("rule %s does not say how sure it is", r.ID)
		}
	}
}
