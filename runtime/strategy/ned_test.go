package strategy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/fact"
)

// The skill table of the first design, with its literal texts, and the
// phrases that superpowers skills really use.
func TestNedRuleSets(t *testing.T) {
	pending := []fact.Todo{{Content: "write the parser", Status: "completed"}, {Content: "write the printer", Status: "pending"}, {Content: "write the docs", Status: "pending"}}
	done := []fact.Todo{{Content: "write the parser", Status: "completed"}}
	for name, test := range map[string]struct {
		situation      Situation
		seed, standard Decision // under the two rule sets
		rule           string   // that decides under default
	}{
		"announcement":       {Situation{Message: Message{Text: "I'm using the X skill"}}, Continue, Continue, "skill"},
		"AskUserQuestion":    {Situation{Message: Message{Text: "Task 2 complete. Moving to Task 3."}, Turn: Turn{LastTool: "AskUserQuestion"}, Todos: Todos{List: pending}}, Stop, Stop, "asked"},
		"pending todos":      {Situation{Message: Message{Text: "Wrote the parser."}, Todos: Todos{List: pending}}, Continue, Continue, "todos"},
		"ready for feedback": {Situation{Message: Message{Text: "Ready for feedback"}}, Stop, Stop, "hands"},
		"progress":           {Situation{Message: Message{Text: "Task 1 complete. Moving to Task 2."}}, Continue, Continue, "progress"},
		"announcement, to complete": {
			Situation{Message: Message{Text: "I'm using the finishing-a-development-branch skill to complete this work."}}, Stop, Continue, "skill"},
		"announcement, to implement": {
			Situation{Message: Message{Text: "I'm using the executing-plans skill to implement this plan."}}, Continue, Continue, "skill"},
		"all done":            {Situation{Message: Message{Text: "All three tasks are done."}}, Stop, Stop, "finished"},
		"nothing known":       {Situation{}, Stop, Stop, "otherwise"},
		"todos all completed": {Situation{Message: Message{Text: "That is it."}, Todos: Todos{List: done}}, Stop, Stop, "otherwise"},
		"in progress only":    {Situation{Message: Message{Text: "Hm."}, Todos: Todos{List: []fact.Todo{{Content: "a", Status: "in_progress"}}}}, Stop, Stop, "otherwise"},

		// Where the sets part: the seed tree looks anywhere in the text.
		"question at the end":   {Situation{Message: Message{Text: "Task 1 complete. Should I go on with Task 2?"}}, Continue, Stop, "asks"},
		"question, bold":        {Situation{Message: Message{Text: "Task 1 is in place.\n\n**Shall I go on?**"}}, Continue, Stop, "asks"},
		"question before":       {Situation{Message: Message{Text: "Why did it fail? The path was wrong.\n\nNow I'll fix the path."}}, Stop, Continue, "intent"},
		"offer":                 {Situation{Message: Message{Text: "Phase 1 works. If you like, the rest can follow."}}, Continue, Stop, "offers"},
		"offer with todos":      {Situation{Message: Message{Text: "Happy to do the rest."}, Todos: Todos{List: pending}}, Continue, Stop, "offers"},
		"waiting":               {Situation{Message: Message{Text: "Step 2 runs. I'll wait for the build to finish."}}, Continue, Stop, "waits"},
		"topic":                 {Situation{Message: Message{Text: "Moving to a new topic is always hard."}}, Continue, Stop, "otherwise"},
		"Next.js":               {Situation{Message: Message{Text: "It is built with Next.js."}}, Continue, Stop, "otherwise"},
		"abandoned":             {Situation{Message: Message{Text: "The branch was abandoned. Let me look at the other one."}}, Stop, Continue, "intent"},
		"incomplete":            {Situation{Message: Message{Text: "The table is incomplete, so here are the missing rows:"}}, Stop, Continue, "colon"},
		"intent":                {Situation{Message: Message{Text: "The test fails. Let me fix the parser."}}, Stop, Continue, "intent"},
		"a colon, then a list":  {Situation{Message: Message{Text: "What changed:\n\n- the parser"}}, Stop, Stop, "otherwise"},
		"em dash":               {Situation{Message: Message{Text: "I'll start on Task 3 next—let me know if you'd rather not."}}, Continue, Stop, "offers"},
		"let me know, dots":     {Situation{Message: Message{Text: "Let me know…"}}, Stop, Stop, "offers"},
		"waiting, em dash":      {Situation{Message: Message{Text: "I'm moving on to the next step once the build passes—waiting for CI."}}, Stop, Stop, "waits"},
		"question, emoji":       {Situation{Message: Message{Text: "Which one fits best? 🙂"}, Todos: Todos{List: pending}}, Continue, Stop, "asks"},
		"question, Japanese":    {Situation{Message: Message{Text: "どちらにしますか？"}, Todos: Todos{List: pending}}, Continue, Stop, "asks"},
		"question, then list":   {Situation{Message: Message{Text: "Which do you prefer?\n\n- A\n- B"}, Todos: Todos{List: pending}}, Continue, Stop, "choices"},
		"question, numbered":    {Situation{Message: Message{Text: "Which do you prefer?\n\n1. **A**: this\n2. **B**: that"}, Todos: Todos{List: pending}}, Continue, Stop, "choices"},
		"CRLF":                  {Situation{Message: Message{Text: "Which one?\r\n\r\nNow I'll fix the path."}}, Stop, Continue, "intent"},
		"now, imperative":       {Situation{Message: Message{Text: "All tests pass. Now update the table and commit."}, Turn: Turn{Count: 3}}, Stop, Continue, "work"},
		"now, to the reader":    {Situation{Message: Message{Text: "All tests pass. Now update the table and commit."}}, Stop, Stop, "otherwise"},
		"now, a statement":      {Situation{Message: Message{Text: "Now it works."}}, Stop, Stop, "otherwise"},
		"doing":                 {Situation{Message: Message{Text: "Diff clean. Committing with the usual message."}}, Stop, Continue, "intent"},
		"doing, as a subject":   {Situation{Message: Message{Text: "Adding a parser is easy."}}, Stop, Stop, "otherwise"},
		"told to the user":      {Situation{Message: Message{Text: "Now restart your editor."}}, Stop, Stop, "hands"},
		"begun, then a thought": {Situation{Message: Message{Text: "Let me check what is stored. The source files might not be."}}, Stop, Continue, "intent"},
		"begun, then a list":    {Situation{Message: Message{Text: "I see it now. Let me add both:\n\n1. the flag\n2. the test"}}, Stop, Continue, "intent"},
		"clause":                {Situation{Message: Message{Text: "The race is fixed - let me check the other test."}}, Stop, Continue, "intent"},
		"done above, intent below": {
			Situation{Message: Message{Text: "The parser is done.\n\nNow I'll write the printer."}}, Stop, Continue, "intent"},
	} {
		t.Run(name, func(t *testing.T) {
			ned, _ := Named("ned-flanders")
			s := &test.situation // as a short session has it: all of it is in the window
			s.Window = fact.Window{LastTool: s.Turn.LastTool, Todos: s.Todos.List}
			if s.Turn.LastTool == "AskUserQuestion" {
				s.Turn.Asked = s.Turn.LastTool
			}
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
	v := ned.Decide(Config{}, Situation{Todos: Todos{List: []fact.Todo{{Content: "write the printer", Status: "pending"}, {Content: "write the docs", Status: "pending"}}}})
	for _, want := range []string{"2 pending", "write the printer"} {
		if !strings.Contains(v.Reason, want) {
			t.Errorf("reason %q does not say %q", v.Reason, want)
		}
	}
}

// Closings that sound like work and wait for a person.
func TestNedWaitsForThePerson(t *testing.T) {
	ned, _ := Named("ned-flanders")
	for _, text := range []string{
		"Let me know how you want to proceed:\n\n1. Fix the tests\n2. Skip them",
		"I'll proceed once you confirm.",
		"I'll hold off until you approve it.",
		"I'll stop here.",
		"I'll pause here for your review.",
		"I will not push without your approval.",
		"I'll need the password from you.",
		"I'll go with whichever you choose.",
		"You can pick A or B. Let me hear which one.",
		"I'll continue after CI passes.",
		"I should mention that the tests were never run.",
		"We need to decide between A and B.",
		"I need to pick a license: MIT or Apache.",
		"Pick one:",
		"Reply with one of these:",
		"Everything is set up. Now run `make install`.",
		"Finally, add the token in Settings > Secrets.",
		"Deleting the branch cannot be undone.",
		"Testing needs a staging key.",
		"Which database should the service use? I need to know this before I go on.",
	} {
		if v := ned.Decide(Config{}, Situation{Message: Message{Text: text}}); v.Decision != Stop {
			t.Errorf("%q: %s by %s (%s)", text, v.Decision, v.Rule, v.Evidence)
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
		"added rule comes first":   {Config{Add: []Rule{deploys}}, "Now I'll start the deployment.", Stop, "deploys", ""},
		"phrase in any case":       {Config{Add: []Rule{{ID: "ship", Says: []string{"Ship IT"}, Then: Stop}}}, "Let me ship it.", Stop, "ship", ""},
		"phrase, whole words":      {Config{Add: []Rule{{ID: "ship", Says: []string{"ship"}, Then: Stop}}}, "Let me fix the shipping.", Continue, "intent", ""},
		"opening and closing":      {Config{Add: []Rule{{ID: "x", Opens: []string{"I’ll"}, Closes: ".", Then: Stop}}}, "Fine: I'll do it.", Stop, "x", ""},
		"empty phrase":             {Config{Add: []Rule{{ID: "a", Says: []string{""}, Then: Stop}}}, "", Stop, "otherwise", "phrases must not be empty"},
		"added continue":           {Config{Add: []Rule{{ID: "doh", Text: "^D'oh", Then: Continue, Reason: "Mend it: {evidence}"}}}, "D'oh!", Continue, "doh", ""},
		"both conditions":          {Config{Add: []Rule{{ID: "x", Text: "a", Tool: "Bash", Then: Continue}}}, "a", Stop, "otherwise", ""},
		"switched off":             {Config{Off: []string{"intent"}}, "Let me fix it.", Stop, "otherwise", ""},
		"a fault beside a stop":    {Config{Add: []Rule{deploys, {ID: "a", Text: "a", Then: "block"}}}, "Now I'll start the deployment.", Stop, "deploys", "then must be"},
		"a fault beside seed":      {Config{Rules: "seed", Add: []Rule{{ID: "a", Text: "(", Then: Stop}}}, "Next.js", Continue, "progress", "missing closing )"},
		"order":                    {Config{Order: []string{"intent"}}, "I'll add it if you like.", Stop, "offers", ""},
		"unknown in order":         {Config{Order: []string{"x"}}, "Let me fix it.", Continue, "intent", `order: there is no rule "x"`},
		"a project's own":          {Config{Last: []Rule{{ID: "p", Text: ".", Then: Continue}}}, "Which one do you prefer?", Stop, "asks", ""},
		"a project's own, ordered": {Config{Order: []string{"p"}, Last: []Rule{{ID: "p", Text: ".", Then: Continue}}}, "Which one do you prefer?", Stop, "asks", ""},
		"a project's fault":        {Config{Last: []Rule{{ID: "p\x1b", Text: ".", Then: Continue}, {ID: "q", Text: "."}}}, "Hm.", Stop, "otherwise", "then must be"},
		"too many in front":        {Config{Add: append(make([]Rule, 200), deploys)}, "Now I'll start the deployment.", Stop, "deploys", "more than 200"},
		"long id":                  {Config{Add: []Rule{{ID: strings.Repeat("a", 41), Text: "a", Then: Stop}}}, "", Stop, "otherwise", "an id is at most"},
		"control sign in id":       {Config{Add: []Rule{{ID: "a\x1bb", Text: "a", Then: Stop}}}, "", Stop, "otherwise", "an id is at most"},
		"unknown set":              {Config{Rules: "homer"}, "Let me fix it.", Continue, "intent", `no rule set "homer"`},
		"unknown id":               {Config{Off: []string{"intents"}}, "Let me fix it.", Continue, "intent", `no rule "intents"`},
		"no id":                    {Config{Add: []Rule{{Text: "a", Then: Stop}}}, "Let me fix it.", Continue, "intent", "no id"},
		"no condition":             {Config{Add: []Rule{{ID: "a", Then: Stop}}}, "Let me fix it.", Continue, "intent", "no condition"},
		"bad decision":             {Config{Add: []Rule{{ID: "a", Text: "a", Then: "block"}}}, "Let me fix it.", Continue, "intent", "then must be"},
		"bad pattern":              {Config{Add: []Rule{{ID: "a", Text: "(", Then: Stop}}}, "Let me fix it.", Continue, "intent", "missing closing )"},
		"long pattern":             {Config{Add: []Rule{{ID: "a", Ending: strings.Repeat("a", 1001), Then: Stop}}}, "", Stop, "otherwise", "longer than 1000"},
		"long reason":              {Config{Add: []Rule{{ID: "a", Text: "a", Then: Continue, Reason: strings.Repeat("a", 2001)}}}, "", Stop, "otherwise", "longer than 2000"},
		"too many":                 {Config{Add: make([]Rule, 201)}, "", Stop, "otherwise", "more than 200"},
	} {
		t.Run(name, func(t *testing.T) {
			ned, _ := Named("ned-flanders")
			mended, faults := ned.Mend(test.config)
			v := ned.Decide(mended, Situation{Message: Message{Text: test.text}})
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
		s := Situation{Message: Message{Text: text}, Turn: Turn{LastTool: tool}, Todos: Todos{List: []fact.Todo{{Content: content, Status: status}}}}
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

// A late rule decides only where the others do not; "finished" behind all
// continuing rules is none of them.
func TestLateRules(t *testing.T) {
	onwards := Rule{ID: "onwards", Says: []string{"onwards"}, Late: true, Then: Continue}
	rests := Rule{ID: "rests", Says: []string{"onwards"}, Late: true, Then: Stop}
	first := Rule{ID: "first", Says: []string{"onwards"}, Then: Stop}
	for name, test := range map[string]struct {
		strategy string
		config   Config
		text     string
		want     Decision
		rule     string
	}{
		"decides where none does":     {"ned-flanders", Config{Add: []Rule{onwards}}, "Onwards with the rest", Continue, "onwards"},
		"in front of finished":        {"ned-flanders", Config{Add: []Rule{onwards}}, "The first is done. Onwards with the rest", Continue, "onwards"},
		"behind what asks":            {"ned-flanders", Config{Add: []Rule{onwards}}, "Onwards. Shall I?", Stop, "asks"},
		"behind what offers":          {"ned-flanders", Config{Add: []Rule{onwards}}, "Onwards. Just say so.", Stop, "offers"},
		"behind what goes on":         {"ned-flanders", Config{Add: []Rule{rests}}, "Now I'll go onwards.", Continue, "intent"},
		"behind the seed's finished":  {"ned-flanders", Config{Rules: "seed", Add: []Rule{onwards}}, "The first is done. Onwards", Stop, "finished"},
		"in the seed":                 {"ned-flanders", Config{Rules: "seed", Add: []Rule{onwards}}, "Onwards", Continue, "onwards"},
		"behind one of the same file": {"ned-flanders", Config{Add: []Rule{onwards, first}}, "Onwards with the rest", Stop, "first"},
		"switched off":                {"ned-flanders", Config{Add: []Rule{onwards}, Off: []string{"onwards"}}, "Onwards with the rest", Stop, "otherwise"},
		"in an order":                 {"ned-flanders", Config{Add: []Rule{onwards}, Order: []string{"onwards"}}, "Onwards. Shall I?", Continue, "onwards"},
		"nothing else continues":      {"ned-flanders", Config{Add: []Rule{onwards}, Off: []string{"todos", "progress", "intent", "work", "heading", "left", "colon", "skill"}}, "Onwards. Shall I?", Stop, "asks"},
		"of another strategy":         {"lisa-simpson", Config{Add: []Rule{onwards}}, "Onwards with the rest", Continue, "onwards"},
		"bart's last task":            {"bart-simpson", Config{Add: []Rule{onwards}}, "Task 3/3 done, onwards", Stop, "announced-last"},
	} {
		known, _ := Named(test.strategy)
		if v := known.Decide(test.config, Situation{Message: Message{Text: test.text}}); v.Decision != test.want || v.Rule != test.rule {
			t.Errorf("%s: %s by %s", name, v.Decision, v.Rule)
		}
	}
}

// Who prepares for many situations decides as who asks once, in whichever order
// they come.
func TestPreparedDecidesAlike(t *testing.T) {
	texts := []string{
		"", "Done.", "Now I'll write the tests.", "Shall I go on?", "Task 1 is there. Moving to Task 2.", "Let me know what you think.", "One of us should look.",
		"I'm using the writing-plans skill to plan this.", "Hm.", "Using executing-plans to go on. Task 3/5.", "Next step <!-- el-barto:continue -->",
		strings.Repeat("It was so. ", 90), "All 12 tests pass; PR created.", "Waiting for the build.",
	}
	configs := []Config{{}, {Rules: "seed"}, {Add: []Rule{{ID: "mine", Text: `\bHm\b`, Then: Continue}, {ID: "broken", Ending: "(", Then: Continue}}, Off: []string{"waits"}}}
	prepared, kept := 0, &Kept{}
	for _, s := range All() {
		if s.Prepare == nil {
			continue
		}
		for _, c := range configs {
			if c.Rules == "seed" && s.Name != "ned-flanders" {
				continue
			}
			prepared++
			decide := s.Prepare(c, kept)
			for range 2 {
				for i, text := range texts {
					situation := Situation{Message: Message{Text: text}, Turn: Turn{Known: true, Count: i % 3}, Todos: Todos{List: []fact.Todo{{Content: "a", Status: "pending"}}, Turns: i % 4}}
					if got, want := decide(situation), s.Decide(c, situation); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %q: %+v, want %+v", s.Name, text, got, want)
					}
				}
			}
		}
	}
	if prepared < 4 {
		t.Errorf("%d prepared", prepared)
	}
}
