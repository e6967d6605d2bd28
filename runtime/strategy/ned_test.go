package strategy

import (
	"strings"
	"testing"
)

// The skill table of the first design, with its literal texts, and the
// phrases that superpowers skills really use.
func TestNedRuleSets(t *testing.T) {
	pending := []Todo{{"write the parser", "completed"}, {"write the printer", "pending"}, {"write the docs", "pending"}}
	done := []Todo{{"write the parser", "completed"}}
	for name, test := range map[string]struct {
		situation      Situation
		seed, standard Decision // under the two rule sets
		rule           string   // that decides under default
	}{
		"announcement":       {Situation{Text: "I'm using the X skill"}, Continue, Continue, "skill"},
		"AskUserQuestion":    {Situation{Text: "Task 2 complete. Moving to Task 3.", LastTool: "AskUserQuestion", Todos: pending}, Stop, Stop, "asked"},
		"pending todos":      {Situation{Text: "Wrote the parser.", Todos: pending}, Continue, Continue, "todos"},
		"ready for feedback": {Situation{Text: "Ready for feedback"}, Stop, Stop, "offers"},
		"progress":           {Situation{Text: "Task 1 complete. Moving to Task 2."}, Continue, Continue, "progress"},
		"announcement, to complete": {
			Situation{Text: "I'm using the finishing-a-development-branch skill to complete this work."}, Stop, Continue, "skill"},
		"announcement, to implement": {
			Situation{Text: "I'm using the executing-plans skill to implement this plan."}, Continue, Continue, "skill"},
		"all done":            {Situation{Text: "All three tasks are done."}, Stop, Stop, "finished"},
		"nothing known":       {Situation{}, Stop, Stop, "otherwise"},
		"todos all completed": {Situation{Text: "That is it.", Todos: done}, Stop, Stop, "otherwise"},
		"in progress only":    {Situation{Text: "Hm.", Todos: []Todo{{"a", "in_progress"}}}, Stop, Stop, "otherwise"},

		// Where the sets part: the seed tree looks anywhere in the text.
		"question at the end":  {Situation{Text: "Task 1 complete. Should I go on with Task 2?"}, Continue, Stop, "asks"},
		"question, bold":       {Situation{Text: "Task 1 is in place.\n\n**Shall I go on?**"}, Continue, Stop, "asks"},
		"question before":      {Situation{Text: "Why did it fail? The path was wrong.\n\nNow I'll fix the path."}, Stop, Continue, "intent"},
		"offer":                {Situation{Text: "Phase 1 works. Let me know what you think."}, Continue, Stop, "offers"},
		"offer with todos":     {Situation{Text: "Let me know which one you prefer.", Todos: pending}, Continue, Stop, "offers"},
		"waiting":              {Situation{Text: "Step 2 runs. I'll wait for the build to finish."}, Continue, Stop, "waits"},
		"topic":                {Situation{Text: "Moving to a new topic is always hard."}, Continue, Stop, "otherwise"},
		"Next.js":              {Situation{Text: "It is built with Next.js."}, Continue, Stop, "otherwise"},
		"abandoned":            {Situation{Text: "The branch was abandoned. Let me look at the other one."}, Stop, Continue, "intent"},
		"incomplete":           {Situation{Text: "The table is incomplete, so I'll add the missing rows:"}, Stop, Continue, "colon"},
		"intent":               {Situation{Text: "The test fails. Let me fix the parser."}, Stop, Continue, "intent"},
		"a colon, then a list": {Situation{Text: "What changed:\n\n- the parser"}, Stop, Stop, "otherwise"},
		"done above, intent below": {
			Situation{Text: "The parser is done.\n\nNow I'll write the printer."}, Stop, Continue, "intent"},
	} {
		t.Run(name, func(t *testing.T) {
			ned, _ := Named("ned-flanders")
			if v := ned.Decide(Config{Rules: "seed"}, test.situation); v.Decision != test.seed {
				t.Errorf("seed: %s by %s (%s), want %s", v.Decision, v.Rule, v.Evidence, test.seed)
			}
			v := ned.Decide(Config{}, test.situation)
			if v.Decision != test.standard || v.Rule != test.rule {
				t.Errorf("default: %s by %s (%s), want %s by %s", v.Decision, v.Rule, v.Evidence, test.standard, test.rule)
			}
			if v.Decision == Continue && v.Reason == "" {
				t.Error("default: continues without a reason for the model")
			}
			if v.Decision == Stop && v.Reason != "" {
				t.Errorf("default: stops with a reason for the model: %q", v.Reason)
			}
		})
	}
}

func TestReasonNamesWhatRemains(t *testing.T) {
	ned, _ := Named("ned-flanders")
	v := ned.Decide(Config{}, Situation{Todos: []Todo{{"write the printer", "pending"}, {"write the docs", "pending"}}})
	for _, want := range []string{"2 pending", "write the printer"} {
		if !strings.Contains(v.Reason, want) {
			t.Errorf("reason %q does not say %q", v.Reason, want)
		}
	}
}

func TestNedConfiguration(t *testing.T) {
	deploys := Rule{ID: "deploys", Ending: "deploy(ing|ment)", Then: Stop}
	for name, test := range map[string]struct {
		config   Config
		text     string
		decision Decision
		rule     string
		refused  string // in the error of Check
	}{
		"added rule comes first": {Config{Add: []Rule{deploys}}, "Now I'll start the deployment.", Stop, "deploys", ""},
		"phrase in any case":     {Config{Add: []Rule{{ID: "ship", Says: []string{"Ship IT"}, Then: Stop}}}, "Let me ship it.", Stop, "ship", ""},
		"phrase, whole words":    {Config{Add: []Rule{{ID: "ship", Says: []string{"ship"}, Then: Stop}}}, "Let me fix the shipping.", Continue, "intent", ""},
		"opening and closing":    {Config{Add: []Rule{{ID: "x", Opens: []string{"I’ll"}, Closes: ".", Then: Stop}}}, "Fine: I'll do it.", Stop, "x", ""},
		"empty phrase":           {Config{Add: []Rule{{ID: "a", Says: []string{""}, Then: Stop}}}, "", Stop, "otherwise", "phrases must not be empty"},
		"added continue":         {Config{Add: []Rule{{ID: "doh", Text: "^D'oh", Then: Continue, Reason: "Mend it: {evidence}"}}}, "D'oh!", Continue, "doh", ""},
		"both conditions":        {Config{Add: []Rule{{ID: "x", Text: "a", Tool: "Bash", Then: Continue}}}, "a", Stop, "otherwise", ""},
		"switched off":           {Config{Off: []string{"intent"}}, "Let me fix it.", Stop, "otherwise", ""},
		"unknown set":            {Config{Rules: "homer"}, "Let me fix it.", Continue, "intent", `no rule set "homer"`},
		"unknown id":             {Config{Off: []string{"intents"}}, "Let me fix it.", Continue, "intent", `no rule "intents"`},
		"no id":                  {Config{Add: []Rule{{Text: "a", Then: Stop}}}, "Let me fix it.", Continue, "intent", "no id"},
		"no condition":           {Config{Add: []Rule{{ID: "a", Then: Stop}}}, "Let me fix it.", Continue, "intent", "no condition"},
		"bad decision":           {Config{Add: []Rule{{ID: "a", Text: "a", Then: "block"}}}, "Let me fix it.", Continue, "intent", "then must be"},
		"bad pattern":            {Config{Add: []Rule{{ID: "a", Text: "(", Then: Stop}}}, "Let me fix it.", Continue, "intent", "missing closing )"},
		"long pattern":           {Config{Add: []Rule{{ID: "a", Ending: strings.Repeat("a", 1001), Then: Stop}}}, "", Stop, "otherwise", "longer than 1000"},
		"long reason":            {Config{Add: []Rule{{ID: "a", Text: "a", Then: Continue, Reason: strings.Repeat("a", 2001)}}}, "", Stop, "otherwise", "longer than 2000"},
		"too many":               {Config{Add: make([]Rule, 201)}, "", Stop, "otherwise", "more than 200"},
	} {
		t.Run(name, func(t *testing.T) {
			ned, _ := Named("ned-flanders")
			err := ned.Check(test.config)
			if test.refused == "" && err != nil || test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) {
				t.Errorf("Check: %v, want %q", err, test.refused)
			}
			if v := ned.Decide(test.config, Situation{Text: test.text}); v.Decision != test.decision || v.Rule != test.rule {
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
		s := Situation{Text: text, LastTool: tool, Todos: []Todo{{content, status}}}
		ned, _ := Named("ned-flanders")
		for _, set := range NedRuleSets() {
			v := ned.Decide(Config{Rules: set}, s)
			if v.Rule == "" || (v.Decision == Continue) != (v.Reason != "") {
				t.Errorf("%s: %+v", set, v)
			}
			if len(v.Evidence) > 300 {
				t.Errorf("%s: evidence of %d bytes", set, len(v.Evidence))
			}
		}
	})
}
