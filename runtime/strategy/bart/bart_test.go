package bart

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var errorIf = scratch.ErrorIf

const (
	markedContinue = "<!-- el-barto:continue -->"
	markedStop     = "<!-- el-barto:stop -->"
)

// decide decides with settings.
func decide(chosen rules.Options, s strategy.Situation) strategy.Verdict {
	o := Strategy.New().(rules.Ruled)
	*o.Chosen() = chosen
	return o.Decide(s)
}

func TestBart(t *testing.T) {
	open := []activity.Todo{{Content: "write the parser", Status: "completed"}, {Content: "write the printer", Status: "in_progress"}}
	theirs := []activity.Todo{{Content: "write the printer", Status: "pending", Owner: "reviewer"}, {Content: "write the docs", Status: "pending", Blocked: true}}
	for name, test := range map[string]struct {
		situation strategy.Situation
		want      strategy.Decision
		rule      string
	}{
		"nothing":              {strategy.Situation{}, strategy.Stop, "otherwise"},
		"no marker, todos":     {strategy.Situation{Message: strategy.Message{Text: "The parser is in place."}, Todos: strategy.Todos{List: open}}, strategy.Stop, "otherwise"},
		"continue":             {strategy.Situation{Message: strategy.Message{Text: "The parser is in place.\n\n" + markedContinue}}, strategy.Continue, "marker"},
		"continue, alone":      {strategy.Situation{Message: strategy.Message{Text: markedContinue}}, strategy.Continue, "marker"},
		"stop":                 {strategy.Situation{Message: strategy.Message{Text: "Task 2/5 is done. " + markedStop}}, strategy.Stop, "marker-stop"},
		"case and blanks":      {strategy.Situation{Message: strategy.Message{Text: "On.\n<!--\tEl-Barto :  CONTINUE\n-->"}}, strategy.Continue, "marker"},
		"the last wins":        {strategy.Situation{Message: strategy.Message{Text: markedStop + " I was wrong. " + markedContinue}}, strategy.Continue, "marker"},
		"another word after":   {strategy.Situation{Message: strategy.Message{Text: markedContinue + " <!-- el-barto:pause -->"}}, strategy.Continue, "marker"},
		"another comment":      {strategy.Situation{Message: strategy.Message{Text: "On. <!-- continue -->"}}, strategy.Stop, "otherwise"},
		"unfinished":           {strategy.Situation{Message: strategy.Message{Text: "On. <!-- el-barto:continue"}}, strategy.Stop, "otherwise"},
		"one comment, not two": {strategy.Situation{Message: strategy.Message{Text: "<!-- el-barto: On. " + markedContinue}}, strategy.Stop, "otherwise"},
		"too long to be one":   {strategy.Situation{Message: strategy.Message{Text: "<!-- el-barto:" + strings.Repeat(" ", 200) + "continue -->"}}, strategy.Stop, "otherwise"},

		// Quoted text and code are not statements.
		"in a code block":      {strategy.Situation{Message: strategy.Message{Text: "It ends so:\n\n```html\n" + markedContinue + "\n```\n\nThat is all."}}, strategy.Stop, "otherwise"},
		"in an unclosed fence": {strategy.Situation{Message: strategy.Message{Text: "```\n" + markedContinue}}, strategy.Stop, "otherwise"},
		"behind a code block":  {strategy.Situation{Message: strategy.Message{Text: "```\nx\n```\n" + markedContinue}}, strategy.Continue, "marker"},
		"in indented code":     {strategy.Situation{Message: strategy.Message{Text: "So:\n\n    " + markedContinue + "\n"}}, strategy.Stop, "otherwise"},
		"in a list":            {strategy.Situation{Message: strategy.Message{Text: "- one\n    " + markedContinue}}, strategy.Continue, "marker"},
		"in inline code":       {strategy.Situation{Message: strategy.Message{Text: "End with `" + markedContinue + "` and it goes on."}}, strategy.Stop, "otherwise"},
		"beside a lone tick":   {strategy.Situation{Message: strategy.Message{Text: "A ` and\n\n" + markedContinue + "\n\nanother ` tick."}}, strategy.Continue, "marker"},
		"in a quotation":       {strategy.Situation{Message: strategy.Message{Text: "> " + markedContinue + "\n\nThat is what it said."}}, strategy.Stop, "otherwise"},
		"stop in code":         {strategy.Situation{Message: strategy.Message{Text: "`" + markedStop + "` would end it.\n\n" + markedContinue}}, strategy.Continue, "marker"},
		"a question beside it": {strategy.Situation{Message: strategy.Message{Text: "Which one do you want?\n\n" + markedContinue}}, strategy.Stop, "asks"},
		"choices":              {strategy.Situation{Message: strategy.Message{Text: "Which one?\n\n- A\n- B\n\n" + markedContinue}}, strategy.Stop, "choices"},
		"a menu":               {strategy.Situation{Message: strategy.Message{Text: "Select an option:\n[A] Advanced\n[C] Continue (Step 3 of 11)"}}, strategy.Stop, "asks"},
		"asked by a tool":      {strategy.Situation{Message: strategy.Message{Text: markedContinue}, Turn: strategy.Turn{Asked: "AskUserQuestion"}}, strategy.Stop, "asked"},
		"an offer beside it":   {strategy.Situation{Message: strategy.Message{Text: "Let me know what you think of it. I go on meanwhile. " + markedContinue}}, strategy.Continue, "marker"},
		"an old message":       {strategy.Situation{Message: strategy.Message{Text: markedContinue, Earlier: true}}, strategy.Stop, "otherwise"},

		// Announcements.
		"a task":                {strategy.Situation{Message: strategy.Message{Text: "I'm using executing-plans. Task 3/5."}}, strategy.Continue, "announced"},
		"the last task":         {strategy.Situation{Message: strategy.Message{Text: "I'm using executing-plans. Task 5/5."}}, strategy.Stop, "announced-last"},
		"the last one counts":   {strategy.Situation{Message: strategy.Message{Text: "Task 1/3 is in place. Task 3/3 is in place."}}, strategy.Stop, "announced-last"},
		"with a question":       {strategy.Situation{Message: strategy.Message{Text: "Task 3/5 is in place. Shall I go on?"}}, strategy.Stop, "asks"},
		"waiting":               {strategy.Situation{Message: strategy.Message{Text: "Task 3/5 runs; I'll wait for it to finish."}}, strategy.Stop, "waits"},
		"an old announcement":   {strategy.Situation{Message: strategy.Message{Text: "Task 3/5.", Earlier: true}}, strategy.Stop, "otherwise"},
		"in code":               {strategy.Situation{Message: strategy.Message{Text: "It prints `Task 3/5`."}}, strategy.Stop, "otherwise"},
		"in a comment":          {strategy.Situation{Message: strategy.Message{Text: "All in place. <!-- Task 3/5 -->"}}, strategy.Stop, "otherwise"},
		"a date":                {strategy.Situation{Message: strategy.Message{Text: "Step 3/5/2026"}}, strategy.Stop, "otherwise"},
		"more than all":         {strategy.Situation{Message: strategy.Message{Text: "Task 6/5"}}, strategy.Stop, "otherwise"},
		"another word in front": {strategy.Situation{Message: strategy.Message{Text: "Multitask 1/2"}}, strategy.Stop, "otherwise"},
		"a number alone":        {strategy.Situation{Message: strategy.Message{Text: "Task 3 is in place."}}, strategy.Stop, "otherwise"},
		"in a report":           {strategy.Situation{Message: strategy.Message{Text: "# Status\n\nFour of five.\n\n## Where we are\n\nTask 4/5\n\n## Later\n\n---\n\nThe rest.\n\nAll of it."}}, strategy.Stop, "otherwise"},
		"below a report":        {strategy.Situation{Message: strategy.Message{Text: "## Files\n\n- a\n\n## Tests\n\nThey pass.\n\nThat was task 4/5.\n\n---\n\nThe printer comes after it."}}, strategy.Continue, "announced"},
		"huge numbers":          {strategy.Situation{Message: strategy.Message{Text: "Task 1/99999999999999999999"}}, strategy.Stop, "otherwise"},
		"letters that grow":     {strategy.Situation{Message: strategy.Message{Text: strings.Repeat("İ", 50) + "\xff\xff Task 1/3"}}, strategy.Continue, "announced"},

		// The list that changed since knows better.
		"an open list":     {strategy.Situation{Message: strategy.Message{Text: "Task 5/5."}, Todos: strategy.Todos{List: open}}, strategy.Continue, "todos"},
		"an older list":    {strategy.Situation{Message: strategy.Message{Text: "Task 5/5."}, Todos: strategy.Todos{List: open, Turns: 1}}, strategy.Stop, "announced-last"},
		"others' todos":    {strategy.Situation{Message: strategy.Message{Text: "Task 5/5."}, Todos: strategy.Todos{List: theirs}}, strategy.Stop, "announced-last"},
		"a list and stop":  {strategy.Situation{Message: strategy.Message{Text: "Task 5/5. " + markedStop}, Todos: strategy.Todos{List: open}}, strategy.Stop, "marker-stop"},
		"a list, and asks": {strategy.Situation{Message: strategy.Message{Text: "Task 5/5. Is that right?"}, Todos: strategy.Todos{List: open}}, strategy.Stop, "asks"},
	} {
		t.Run(name, func(t *testing.T) {
			v := decide(rules.Options{}, test.situation)
			if v.Decision != test.want || v.Rule != test.rule {
				t.Errorf("%s by %s (%s), want %s by %s", v.Decision, v.Rule, v.Evidence, test.want, test.rule)
			}
			errorIf(t, (v.Decision == strategy.Continue) != (v.Reason != "") || !v.Once, "%+v", v)
			// Explaining asks every rule, and the first that holds is the one.
			for _, a := range rules.AskEach(ruleSet(""), test.situation) {
				if a.Holds {
					errorIf(t, a.Rule.ID != v.Rule, "explained by %s, decided by %s", a.Rule.ID, v.Rule)
					return
				}
			}
			errorIf(t, v.Rule != "otherwise", "nothing explains %s", v.Rule)
		})
	}
}

// A marker that counts is visible in the message.
func FuzzBart(f *testing.F) {
	for _, seed := range []string{
		markedContinue, "`" + markedContinue + "`", "```\n" + markedContinue, "> " + markedStop, "Task 3/5", "Task 3 of (5", "``` `` ` \n\n `",
		"<!--<!--<!-- el-barto:continue -->", "phase 1/2\xff", "İ task 1/2", "    " + markedContinue,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := decide(rules.Options{}, strategy.Situation{Message: strategy.Message{Text: text}})
		folded := strings.ToLower(text)
		switch v.Rule {
		case "marker", "marker-stop":
			errorIf(t, !strings.Contains(folded, "el-barto"), "a marker in %q", text)
		case "announced", "announced-last":
			if !strings.Contains(folded, "task") && !strings.Contains(folded, "step") && !strings.Contains(folded, "phase") {
				t.Errorf("an announcement in %q", text)
			}
		}
		// In a fence that nothing in it closes, nothing counts.
		fence := strings.Repeat("~", len(text)+3)
		if v := decide(rules.Options{}, strategy.Situation{Message: strategy.Message{Text: "So:\n" + fence + "\n" + text + "\n" + fence}}); v.Decision == strategy.Continue {
			t.Errorf("%s by %s in a code block: %q", v.Decision, v.Rule, text)
		}
	})
}
