package strategy

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/fact"
)

func TestLisa(t *testing.T) {
	work := func(s Situation) Situation {
		s.Turn.Known, s.Turn.Count = true, 3
		s.Turn.Calls = []fact.Call{{Name: "Bash", Input: "npm test", Result: "exit 0"}}
		return s
	}
	todos := []fact.Todo{{Content: "a", Status: "completed"}, {Content: "b", Status: "in_progress"}}
	for name, test := range map[string]struct {
		situation Situation
		decision  Decision
		rule      string
		asks      bool
	}{
		// The table of the first design: what a signal means to her.
		"an announced skill": {work(Situation{Message: Message{Text: "I'm using the executing-plans skill to implement this plan."}}), Continue, "skill", false},
		"AskUserQuestion":    {work(Situation{Message: Message{Text: "Two ways are open."}, Turn: Turn{Asked: "AskUserQuestion"}}), Stop, "asked", false},
		"pending todos":      {work(Situation{Message: Message{Text: "The parser is in place."}, Todos: Todos{List: []fact.Todo{{Content: "a", Status: "pending"}}}}), Continue, "todos", false},
		"ready for feedback": {work(Situation{Message: Message{Text: "Batch 1 is complete. Ready for feedback."}}), Stop, "hands", false},
		"moving on":          {work(Situation{Message: Message{Text: "Task 2 complete. Moving to Task 3."}}), Continue, "progress", false},

		"a fault that was found":      {work(Situation{Message: Message{Text: "Line 58 has bytes, which should be a slice."}}), Stop, "unsure", true},
		"a headline":                  {work(Situation{Message: Message{Text: "**Issue 11: use the resolved number**"}}), Continue, "heading", false},
		"work in progress":            {work(Situation{Message: Message{Text: "The parser is in place." + strings.Repeat(" It is long.", 60)}, Todos: Todos{List: todos}}), Stop, "left", true},
		"work in progress, long ago":  {work(Situation{Message: Message{Text: "The parser is in place." + strings.Repeat(" It is long.", 60)}, Todos: Todos{List: todos, Turns: 1}}), Stop, "long", false},
		"an agent's todo":             {work(Situation{Message: Message{Text: "PR created: http://x"}, Todos: Todos{List: []fact.Todo{{Content: "a", Status: "in_progress", Owner: "bart"}}}}), Stop, "report", false},
		"nothing said":                {work(Situation{}), Stop, "silent", false},
		"said in an earlier turn":     {work(Situation{Message: Message{Text: "Line 58 is wrong.", Earlier: true}}), Stop, "silent", false},
		"an answer":                   {Situation{Turn: Turn{Known: true}, Message: Message{Text: "Line 58 is wrong."}}, Stop, "talk", false},
		"nobody knows of any work":    {Situation{Message: Message{Text: "Line 58 is wrong."}}, Stop, "unsure", true},
		"a report":                    {work(Situation{Message: Message{Text: "Pushed. The branch is up to date."}}), Stop, "report", false},
		"a report, later":             {work(Situation{Message: Message{Text: "Good catch. PR created: 12"}}), Stop, "report", false},
		"a link":                      {work(Situation{Message: Message{Text: "The log is at https://example.invalid/pull/1"}}), Stop, "report", false},
		"all of something":            {work(Situation{Message: Message{Text: "All five threads resolved."}}), Stop, "report", false},
		"a result within a sentence":  {work(Situation{Message: Message{Text: "Rewrite touches what is already pushed, with lease."}}), Stop, "unsure", true},
		"a long message":              {work(Situation{Message: Message{Text: strings.Repeat("The hook reads the log. ", 20)}}), Stop, "long", false},
		"a question to the user":      {work(Situation{Message: Message{Text: "Which one?"}}), Stop, "asks", false},
		"finished, in ned's own rule": {work(Situation{Message: Message{Text: "It is done."}}), Stop, "finished", false},
	} {
		t.Run(name, func(t *testing.T) {
			v := lisa().Decide(Config{}, test.situation)
			if v.Decision != test.decision || v.Rule != test.rule || (v.Page != "") != test.asks {
				t.Errorf("%+v", v)
			}
			if (v.Page != "") != (v.Going != "") || v.Page != "" && v.Reason != "" {
				t.Errorf("page %q, going %q, reason %q", v.Page, v.Going, v.Reason)
			}
			// Without the cascade everything is asked where there is something to ask.
			no := false
			if v := lisa().Decide(Config{Cascade: &no}, test.situation); (v.Page == "") != (test.rule == "silent") || v.Page != "" && v.Decision != Stop {
				t.Errorf("asked every time: %+v", v)
			}
		})
	}
}

// What is sure is so by its number: a user's own rule can leave it to the judge.
func TestLisaBelievesWhoIsSure(t *testing.T) {
	s := Situation{Message: Message{Text: "Deploying is next on the list of things."}, Turn: Turn{Known: true, Count: 1}}
	for sure, asks := range map[int]bool{0: false, 40: true, 74: true, 75: false, 100: false} {
		v := lisa().Decide(Config{Add: []Rule{{ID: "deploys", Text: "Deploying", Then: Continue, Sure: sure}}}, s)
		if v.Rule != "deploys" || (v.Page != "") != asks || (v.Decision == Continue) == asks {
			t.Errorf("sure %d: %+v", sure, v)
		}
	}
}

// Every rule that is hers says how sure it is.
func TestLisaRulesAreSure(t *testing.T) {
	for _, r := range lisaSet() {
		if r.own != nil && r.Sure == 0 {
			t.Errorf("rule %s does not say how sure it is", r.ID)
		}
	}
}
