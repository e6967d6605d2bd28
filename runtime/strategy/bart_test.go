package strategy

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/fact"
)

const (
	markedContinue = "<!-- el-barto:continue -->"
	markedStop     = "<!-- el-barto:stop -->"
)

func TestBart(t *testing.T) {
	open := []fact.Todo{{Content: "write the parser", Status: "completed"}, {Content: "write the printer", Status: "in_progress"}}
	closed := []fact.Todo{{Content: "write the parser", Status: "completed"}}
	theirs := []fact.Todo{{Content: "write the printer", Status: "pending", Owner: "reviewer"}, {Content: "write the docs", Status: "pending", Blocked: true}}
	for name, test := range map[string]struct {
		situation Situation
		want      Decision
		rule      string
	}{
		"nothing":              {Situation{}, Stop, "otherwise"},
		"a message":            {Situation{Message: Message{Text: "The parser is in place."}}, Stop, "otherwise"},
		"no marker, todos":     {Situation{Message: Message{Text: "The parser is in place."}, Todos: Todos{List: open}}, Stop, "otherwise"},
		"continue":             {Situation{Message: Message{Text: "The parser is in place.\n\n" + markedContinue}}, Continue, "marker"},
		"continue, alone":      {Situation{Message: Message{Text: markedContinue}}, Continue, "marker"},
		"continue, in front":   {Situation{Message: Message{Text: markedContinue + "\nThe parser is in place."}}, Continue, "marker"},
		"stop":                 {Situation{Message: Message{Text: "Task 2/5 is done. " + markedStop}}, Stop, "marker-stop"},
		"case and blanks":      {Situation{Message: Message{Text: "On.\n<!--\tEl-Barto :  CONTINUE\n-->"}}, Continue, "marker"},
		"no blanks":            {Situation{Message: Message{Text: "On.<!--el-barto:continue-->"}}, Continue, "marker"},
		"the last wins":        {Situation{Message: Message{Text: markedStop + " I was wrong. " + markedContinue}}, Continue, "marker"},
		"the last wins, stop":  {Situation{Message: Message{Text: markedContinue + " No. " + markedStop}}, Stop, "marker-stop"},
		"another word":         {Situation{Message: Message{Text: "On. <!-- el-barto:pause -->"}}, Stop, "otherwise"},
		"another word after":   {Situation{Message: Message{Text: markedContinue + " <!-- el-barto:pause -->"}}, Continue, "marker"},
		"another comment":      {Situation{Message: Message{Text: "On. <!-- continue -->"}}, Stop, "otherwise"},
		"unfinished":           {Situation{Message: Message{Text: "On. <!-- el-barto:continue"}}, Stop, "otherwise"},
		"one comment, not two": {Situation{Message: Message{Text: "<!-- el-barto: On. " + markedContinue}}, Stop, "otherwise"},
		"too long to be one":   {Situation{Message: Message{Text: "<!-- el-barto:" + strings.Repeat(" ", 200) + "continue -->"}}, Stop, "otherwise"},

		// What Claude shows is not what it says.
		"in a code block":       {Situation{Message: Message{Text: "It ends so:\n\n```html\n" + markedContinue + "\n```\n\nThat is all."}}, Stop, "otherwise"},
		"in tildes":             {Situation{Message: Message{Text: "~~~\n" + markedContinue + "\n~~~"}}, Stop, "otherwise"},
		"in an indented fence":  {Situation{Message: Message{Text: "- so:\n  ```\n  " + markedContinue + "\n  ```\n"}}, Stop, "otherwise"},
		"in an unclosed fence":  {Situation{Message: Message{Text: "```\n" + markedContinue}}, Stop, "otherwise"},
		"a longer fence":        {Situation{Message: Message{Text: "````\n```\n" + markedContinue + "\n````"}}, Stop, "otherwise"},
		"behind a code block":   {Situation{Message: Message{Text: "```\nx\n```\n" + markedContinue}}, Continue, "marker"},
		"in indented code":      {Situation{Message: Message{Text: "So:\n\n    " + markedContinue + "\n"}}, Stop, "otherwise"},
		"in a list":             {Situation{Message: Message{Text: "- one\n    " + markedContinue}}, Continue, "marker"},
		"in inline code":        {Situation{Message: Message{Text: "End with `" + markedContinue + "` and it goes on."}}, Stop, "otherwise"},
		"in double backticks":   {Situation{Message: Message{Text: "End with `` `" + markedContinue + "` `` and it goes on."}}, Stop, "otherwise"},
		"beside a lone tick":    {Situation{Message: Message{Text: "A ` and\n\n" + markedContinue + "\n\nanother ` tick."}}, Continue, "marker"},
		"in a quotation":        {Situation{Message: Message{Text: "> " + markedContinue + "\n\nThat is what it said."}}, Stop, "otherwise"},
		"in quotation marks":    {Situation{Message: Message{Text: "It ends in \"" + markedContinue + "\" then."}}, Stop, "otherwise"},
		"in curly quotes":       {Situation{Message: Message{Text: "It ends in “" + markedContinue + "” then."}}, Stop, "otherwise"},
		"stop in code":          {Situation{Message: Message{Text: "`" + markedStop + "` would end it.\n\n" + markedContinue}}, Continue, "marker"},
		"a question beside it":  {Situation{Message: Message{Text: "Which one do you want?\n\n" + markedContinue}}, Stop, "asks"},
		"a question, same line": {Situation{Message: Message{Text: "Which one do you want? " + markedContinue}}, Stop, "asks"},
		"choices":               {Situation{Message: Message{Text: "Which one?\n\n- A\n- B\n\n" + markedContinue}}, Stop, "choices"},
		"asked by a tool":       {Situation{Message: Message{Text: markedContinue}, Turn: Turn{Asked: "AskUserQuestion"}}, Stop, "asked"},
		"an offer beside it":    {Situation{Message: Message{Text: "Let me know what you think of it. I go on meanwhile. " + markedContinue}}, Continue, "marker"},
		"an old message":        {Situation{Message: Message{Text: markedContinue, Earlier: true}}, Stop, "otherwise"},

		// Announcements.
		"a task":                {Situation{Message: Message{Text: "I'm using executing-plans. Task 3/5."}}, Continue, "announced"},
		"the last task":         {Situation{Message: Message{Text: "I'm using executing-plans. Task 5/5."}}, Stop, "announced-last"},
		"of":                    {Situation{Message: Message{Text: "Step 2 of 4 is in place."}}, Continue, "announced"},
		"out of":                {Situation{Message: Message{Text: "Step 2 out of 4 is in place."}}, Continue, "announced"},
		"a phase, bold":         {Situation{Message: Message{Text: "**Phase 1/3** is in place."}}, Continue, "announced"},
		"bold numbers":          {Situation{Message: Message{Text: "Phase **1** of **3** is in place."}}, Continue, "announced"},
		"with a colon":          {Situation{Message: Message{Text: "Task: 1/3"}}, Continue, "announced"},
		"in small letters":      {Situation{Message: Message{Text: "now at task 1/3"}}, Continue, "announced"},
		"tasks":                 {Situation{Message: Message{Text: "Tasks 2/3 are in place."}}, Continue, "announced"},
		"none yet":              {Situation{Message: Message{Text: "Task 0/3."}}, Continue, "announced"},
		"the last one counts":   {Situation{Message: Message{Text: "Task 1/3 is in place. Task 3/3 is in place."}}, Stop, "announced-last"},
		"a heading":             {Situation{Message: Message{Text: "## Task 2/3\n\nThe parser."}}, Continue, "announced"},
		"with a question":       {Situation{Message: Message{Text: "Task 3/5 is in place. Shall I go on?"}}, Stop, "asks"},
		"with an offer":         {Situation{Message: Message{Text: "Task 3/5 is in place. Let me know what you think."}}, Stop, "offers"},
		"waiting":               {Situation{Message: Message{Text: "Task 3/5 runs; I'll wait for it to finish."}}, Stop, "waits"},
		"an old announcement":   {Situation{Message: Message{Text: "Task 3/5.", Earlier: true}}, Stop, "otherwise"},
		"in code":               {Situation{Message: Message{Text: "It prints `Task 3/5`."}}, Stop, "otherwise"},
		"in a comment":          {Situation{Message: Message{Text: "All in place. <!-- Task 3/5 -->"}}, Stop, "otherwise"},
		"a date":                {Situation{Message: Message{Text: "Step 3/5/2026"}}, Stop, "otherwise"},
		"a version":             {Situation{Message: Message{Text: "Step 1/2.5"}}, Stop, "otherwise"},
		"a share":               {Situation{Message: Message{Text: "Step 1/2%"}}, Stop, "otherwise"},
		"more than all":         {Situation{Message: Message{Text: "Task 6/5"}}, Stop, "otherwise"},
		"of none":               {Situation{Message: Message{Text: "Task 0/0"}}, Stop, "otherwise"},
		"another word in front": {Situation{Message: Message{Text: "Multitask 1/2"}}, Stop, "otherwise"},
		"no gap":                {Situation{Message: Message{Text: "task1/2"}}, Stop, "otherwise"},
		"a number alone":        {Situation{Message: Message{Text: "Task 3 is in place."}}, Stop, "otherwise"},
		"in a report":           {Situation{Message: Message{Text: "# Status\n\nFour of five.\n\n## Where we are\n\nTask 4/5\n\n## Later\n\n---\n\nThe rest.\n\nAll of it."}}, Stop, "otherwise"},
		"ahead of a report":     {Situation{Message: Message{Text: "Task 4/5 is in place.\n\n## Files\n\n- a\n\n## Tests\n\nThey pass.\n\nAll of them."}}, Continue, "announced"},
		"below a report":        {Situation{Message: Message{Text: "## Files\n\n- a\n\n## Tests\n\nThey pass.\n\nThat was task 4/5.\n\n---\n\nThe printer comes after it."}}, Continue, "announced"},
		"huge numbers":          {Situation{Message: Message{Text: "Task 1/99999999999999999999"}}, Stop, "otherwise"},
		"letters that grow":     {Situation{Message: Message{Text: strings.Repeat("İ", 50) + "\xff\xff Task 1/3"}}, Continue, "announced"},

		// The list that changed since knows better.
		"an open list":     {Situation{Message: Message{Text: "Task 5/5."}, Todos: Todos{List: open}}, Continue, "todos"},
		"an older list":    {Situation{Message: Message{Text: "Task 5/5."}, Todos: Todos{List: open, Turns: 1}}, Stop, "announced-last"},
		"a closed list":    {Situation{Message: Message{Text: "Task 5/5."}, Todos: Todos{List: closed}}, Stop, "announced-last"},
		"others' todos":    {Situation{Message: Message{Text: "Task 5/5."}, Todos: Todos{List: theirs}}, Stop, "announced-last"},
		"a list and stop":  {Situation{Message: Message{Text: "Task 5/5. " + markedStop}, Todos: Todos{List: open}}, Stop, "marker-stop"},
		"a list, and asks": {Situation{Message: Message{Text: "Task 5/5. Is that right?"}, Todos: Todos{List: open}}, Stop, "asks"},
	} {
		t.Run(name, func(t *testing.T) {
			bart, _ := Named("bart-simpson")
			v := bart.Decide(Config{}, test.situation)
			if v.Decision != test.want || v.Rule != test.rule {
				t.Errorf("%s by %s (%s), want %s by %s", v.Decision, v.Rule, v.Evidence, test.want, test.rule)
			}
			if (v.Decision == Continue) != (v.Reason != "") || !v.Once {
				t.Errorf("%+v", v)
			}
			// Explaining asks every rule, and the first that holds is the one.
			for _, a := range Ask(bart.Rules(Config{}), test.situation) {
				if a.Holds {
					if a.Rule.ID != v.Rule {
						t.Errorf("explained by %s, decided by %s", a.Rule.ID, v.Rule)
					}
					return
				}
			}
			if v.Rule != "otherwise" {
				t.Errorf("nothing explains %s", v.Rule)
			}
		})
	}
}

// Rules of a user's own come before all, and any can be switched off.
func TestBartSettings(t *testing.T) {
	bart, _ := Named("bart-simpson")
	s := Situation{Message: Message{Text: "Task 1/3, the deploy. " + markedContinue}}
	for name, test := range map[string]struct {
		config Config
		rule   string
	}{
		"a rule of one's own": {Config{Add: []Rule{{ID: "deploys", Says: []string{"deploy"}, Then: Stop}}}, "deploys"},
		"the marker off":      {Config{Off: []string{"marker"}}, "announced"},
		"both off":            {Config{Off: []string{"marker", "announced"}}, "otherwise"},
		"another order":       {Config{Order: []string{"announced"}}, "announced"},
	} {
		if v := bart.Decide(test.config, s); v.Rule != test.rule {
			t.Errorf("%s: %s", name, v.Rule)
		}
	}
	for name, test := range map[string]struct {
		config Config
		faults int
	}{
		"none":           {Config{Off: []string{"marker-stop", "todos"}}, 0},
		"a rule set":     {Config{Strategy: "bart-simpson", Rules: "seed"}, 1},
		"unknown ids":    {Config{Off: []string{"progress"}, Order: []string{"intent"}}, 2},
		"a rule without": {Config{Add: []Rule{{ID: "x", Then: Stop}}}, 1},
	} {
		c, faults := bart.Mend(test.config)
		if len(faults) != test.faults || c.Rules != "" {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// However a message is made, a marker that counts stands in it in plain sight.
func FuzzBart(f *testing.F) {
	for _, seed := range []string{
		markedContinue, "`" + markedContinue + "`", "```\n" + markedContinue, "> " + markedStop, "Task 3/5", "Task 3 of (5", "``` `` ` \n\n `",
		"<!--<!--<!-- el-barto:continue -->", "phase 1/2\xff", "İ task 1/2", "    " + markedContinue,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := firstMatch(bartRules(Config{}), Situation{Message: Message{Text: text}})
		folded := strings.ToLower(text)
		switch v.Rule {
		case "marker", "marker-stop":
			if !strings.Contains(folded, "el-barto") {
				t.Errorf("a marker in %q", text)
			}
		case "announced", "announced-last":
			if !strings.Contains(folded, "task") && !strings.Contains(folded, "step") && !strings.Contains(folded, "phase") {
				t.Errorf("an announcement in %q", text)
			}
		}
		// In a fence that nothing in it closes, nothing counts.
		fence := strings.Repeat("~", len(text)+3)
		if v := firstMatch(bartRules(Config{}), Situation{Message: Message{Text: "So:\n" + fence + "\n" + text + "\n" + fence}}); v.Decision == Continue {
			t.Errorf("%s by %s in a code block: %q", v.Decision, v.Rule, text)
		}
	})
}
