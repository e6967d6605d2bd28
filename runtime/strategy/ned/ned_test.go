package ned

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// decide decides with settings.
func decide(chosen rules.Options, s strategy.Situation) strategy.Verdict {
	o := Strategy.New().(rules.Ruled)
	*o.Chosen() = chosen
	return o.Decide(s)
}

// mend returns the valid part of a user's settings, and the faults.
func mend(chosen rules.Options) (rules.Options, []error) {
	o, l := Strategy.New().(rules.Ruled), &strategy.Layer{By: strategy.User, Strategy: Strategy.Name}
	*o.Chosen() = chosen
	o.Over(Strategy.New(), l)
	var faults []error
	for _, says := range l.Faults {
		faults = append(faults, errors.New(says))
	}
	return *o.Chosen(), faults
}

// The skill table of the first design, with its literal texts, and the phrases that superpowers skills really use.
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
		"nothing known":       {strategy.Situation{}, strategy.Stop, strategy.Stop, "silent"},
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
		"too many in front":        {rules.Options{Add: append([]rules.Rule{deploys}, make([]rules.Rule, 200)...)}, "Now I'll start the deployment.", strategy.Stop, "deploys", "more than 200"},
		"long id":                  {rules.Options{Add: []rules.Rule{{ID: strings.Repeat("a", 41), Text: "a", Then: strategy.Stop}}}, "", strategy.Stop, "silent", "an id has at most"},
		"unknown set":              {rules.Options{Set: "homer"}, "Let me fix it.", strategy.Continue, "intent", `no rule set "homer"`},
		"unknown id":               {rules.Options{Off: []string{"intents"}}, "Let me fix it.", strategy.Continue, "intent", `no rule "intents"`},
		"no condition":             {rules.Options{Add: []rules.Rule{{ID: "a", Then: strategy.Stop}}}, "Let me fix it.", strategy.Continue, "intent", "no condition"},
		"bad decision":             {rules.Options{Add: []rules.Rule{{ID: "a", Text: "a", Then: "block"}}}, "Let me fix it.", strategy.Continue, "intent", "then must be"},
		"bad pattern":              {rules.Options{Add: []rules.Rule{{ID: "a", Text: "(", Then: strategy.Stop}}}, "Let me fix it.", strategy.Continue, "intent", "missing closing )"},
		"an act":                   {rules.Options{Add: []rules.Rule{{ID: "x", Act: "announces", Then: strategy.Stop}}}, "Ich passe jetzt die Tests an.", strategy.Stop, "x", ""},
		"in a language":            {rules.Options{Add: []rules.Rule{{ID: "x", Act: "announces", Lang: []string{"de", "nl"}, Then: strategy.Stop}}}, "Ich passe jetzt die Tests an.", strategy.Stop, "x", ""},
		"in another":               {rules.Options{Add: []rules.Rule{{ID: "x", Act: "announces", Lang: []string{"fr"}, Then: strategy.Stop}}}, "Ich passe jetzt die Tests an.", strategy.Continue, "intent", ""},
		"near":                     {rules.Options{Add: []rules.Rule{{ID: "x", Act: "waits", Near: true, Then: strategy.Stop}}}, "CI is running.\n\nThe sign has four letters.", strategy.Stop, "x", ""},
		"tools were used":          {rules.Options{Add: []rules.Rule{{ID: "x", Used: true, Then: strategy.Stop}}}, "Let me hang the sign.", strategy.Continue, "intent", ""},
		"no such act":              {rules.Options{Add: []rules.Rule{{ID: "x", Act: "sings", Then: strategy.Stop}}}, "", strategy.Stop, "silent", "no act \"sings\""},
		"no pack":                  {rules.Options{Add: []rules.Rule{{ID: "x", Lang: []string{"sv"}, Then: strategy.Stop}}}, "", strategy.Stop, "silent", "no language pack"},
		"nothing to go by":         {rules.Options{Add: []rules.Rule{{ID: "x", Near: true, Then: strategy.Stop}}}, "", strategy.Stop, "silent", "no condition"},
		"a phrase in Chinese":      {rules.Options{Add: []rules.Rule{{ID: "x", Says: []string{"挂招牌"}, Then: strategy.Stop}}}, "我来挂招牌了。", strategy.Stop, "x", ""},
		"a beginning behind 。":     {rules.Options{Add: []rules.Rule{{ID: "x", Opens: []string{"挂招牌"}, Then: strategy.Stop}}}, "好。挂招牌了。", strategy.Stop, "x", ""},
		"long reason":              {rules.Options{Add: []rules.Rule{{ID: "a", Text: "a", Then: strategy.Continue, Reason: strings.Repeat("a", 2001)}}}, "", strategy.Stop, "silent", "longer than 2000"},
	} {
		mended, faults := mend(test.config)
		v := decide(mended, strategy.Situation{Message: strategy.Message{Text: test.text}})
		said := fmt.Sprint(append(faults, v.Faults...))
		if test.refused == "" && said != "[]" || !strings.Contains(said, test.refused) {
			t.Errorf("%s: faults %s, want %q", name, said, test.refused)
		}
		if v.Decision != test.decision || v.Rule != test.rule {
			t.Errorf("%s: %s by %s, want %s by %s", name, v.Decision, v.Rule, test.decision, test.rule)
		}
	}
}

func FuzzNed(f *testing.F) {
	for _, text := range []string{"", "Task 1 complete. Moving to Task 2.", "a?\n\nb:", "\xff\xfe", strings.Repeat("“", 400)} {
		f.Add(text, "Bash", "todo", "pending")
	}
	f.Fuzz(func(t *testing.T, text, tool, content, status string) {
		s := strategy.Situation{Message: strategy.Message{Text: text}, Turn: strategy.Turn{LastTool: tool}, Todos: strategy.Todos{List: []activity.Todo{{Content: content, Status: status}}}}
		for _, set := range rules.RuleSetsOf(Strategy) {
			v := decide(rules.Options{Set: set}, s)
			if v.Rule == "" || (v.Decision == strategy.Continue) != (v.Reason != "") {
				t.Errorf("%s: %+v", set, v)
			}
			scratch.ErrorIf(t, len(v.Evidence) > 300, "%s: evidence of %d bytes", set, len(v.Evidence))
		}
	})
}

// How messages end that were got wrong once, by class.
func TestNedReadsEndings(t *testing.T) {
	tools := strategy.Situation{Turn: strategy.Turn{Known: true, Count: 3}}
	for want, texts := range map[strategy.Decision][]string{
		strategy.Continue: {
			"✅ Task 1 complete. Now **Task 2: add the endpoint**", "Moving on to **Task 3**", "Phase 1 is finished. On to Phase 2.", "Task 1 complete. Next: Task 2.",
			"Next I will update the docs.", "**Next up:** task 8.3", "Task 3 done, moving on to Task 4.",
			"No stuck jobs. Proceeding to Step 2: fetch completed runs",
			// Not a pause.
			"I'll now stop the server and run the tests.", "I'll now pause the worker and migrate the queue.", "Je vais maintenant arrêter le serveur et lancer les tests.",
			"Voy a parar el servidor y ejecutar las pruebas.", "これからサーバーを停止してテストを実行します。", "我现在停止服务器并运行测试。",
			"I'm picking up the third one now.", "Writes still use the old store; that's what I'm converting next.", "The log says \"no route\": I'll add a trace and run it once more.",
		},
		strategy.Stop: {
			// A last line in bold, or a label with a value.
			"All 14 screens are ported.\n\n**Your application is now fully functional!** 🚀", "**Running at:** http://localhost:3000", "**Verdict:** ship it", "**Ready for review!** 🎉",
			"## Task 3: Wire the router", "**Step 5 — Create theme-constants.ts**",
			// Technical prose, about a result.
			"Switching to `fixed` takes it out of the flow.", "Removing it collapses back to one container.", "The table is back to the original 11 rows.", "That would be a step backward.",
			"Restarting the services cleared the cache.", "So now `grid` returns a path.",
			// Work of the person, and what follows from it.
			"The server is set up. Now run:\n\n```sh\nmake serve\n```", "Then re-paste the URL and I'll test it.", "They differ in two places; say the word and I'll align them.", "After /compact I go on with the second half.",
			"The spec is written. Next: `/implement S4`", "Run the test again and we'll see what is in the log.",
			// A promise, a menu, an offer, and work that was left on purpose.
			"Understood. I will follow this from now on.", "Step 3 is drafted.\n\n[A] Elicit [C] Continue", "Next, I can add the read routes or refactor the page.", "The fix is in, but not committed, as you asked.",
			"I'm checkpointing here. What's left:\n\n- the docs\n- the second test",
			// Words of work that wait for the person.
			"Let me know how you want to proceed:\n\n1. Fix the tests\n2. Skip them", "I'll proceed once you confirm.", "I'll hold off until you approve it.",
			"I'll need the password from you.", "You can pick A or B. Let me hear which one.", "I'll continue after CI passes.",
			"I should mention that the tests were never run.", "We need to decide between A and B.", "I need to pick a license: MIT or Apache.",
			"Reply with one of these:", "Everything is set up. Now run `make install`.", "Deleting the branch cannot be undone.", "Testing needs a staging key.",
			"Which database should the service use? I need to know this before I go on.",
			// An announced pause, or the work that is handed over.
			"I'll now wait for your decision.", "I'll now stop and wait.", "Let me stop here.", "Now I'll wait for CI to finish.", "I'm going to wait here", "I'll now hand it back to you.",
			"Ich höre jetzt hier auf.", "Jetzt mache ich hier eine Pause.", "Je vais m'arrêter ici.", "Je fais une pause maintenant.",
			"Voy a detenerme aquí.", "Ora faccio una pausa.", "Сейчас остановлюсь.", "Teraz się zatrzymam.", "Şimdi duruyorum.",
			"今からCIの完了を待ちます。", "이제 중단하겠습니다.", "我现在等待您的决定。", "让我先停下。", "मैं यहाँ रुकूंगा।", "دعني أتوقف هنا.",
			"Working tree clean.", "I'll check for this on every future PR.", "I need you to pick one of the two. Then I'll write it.", "I'll monitor progress.",
			"Draft PR created: https://example.invalid/1", "Fixed and pushed.", "Everything is set up. Now run `npm start` and open the page in your browser.",
		},
	} {
		for _, text := range texts {
			s := tools
			s.Message.Text = text
			if v := decide(rules.Options{}, s); v.Decision != want {
				t.Errorf("%q: %s by %s (%s)", text, v.Decision, v.Rule, v.Evidence)
			}
		}
	}
}

// Whose the open tasks are, and whether the message closes the work at hand.
func TestTodosOfOthers(t *testing.T) {
	task := func(status, owner string) activity.Todo {
		return activity.Todo{Content: "hang the sign", Status: status, Owner: owner}
	}
	for name, test := range map[string]struct {
		situation strategy.Situation
		want      strategy.Decision
		rule      string
	}{
		"pending":                       {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Continue, "todos"},
		"a teammate's":                  {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe")}}}, strategy.Stop, "otherwise"},
		"a teammate's, another to take": {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe"), task("pending", "")}}}, strategy.Stop, "otherwise"},
		"teammates, and its own action": {strategy.Situation{Message: strategy.Message{Text: "Let me read what moe has found."}, Todos: strategy.Todos{List: []activity.Todo{task("in_progress", "moe")}}}, strategy.Continue, "intent"},
		"a blocked one":                 {strategy.Situation{Message: strategy.Message{Text: "The sign has four letters."}, Todos: strategy.Todos{List: []activity.Todo{{Content: "a", Status: "pending", Blocked: true}}}}, strategy.Stop, "otherwise"},
		"a report over an open list":    {strategy.Situation{Message: strategy.Message{Text: "Fixed and pushed."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Stop, "reported"},
		"a report, then the next step":  {strategy.Situation{Message: strategy.Message{Text: "Fixed and pushed. Now I'll hang the sign."}, Todos: strategy.Todos{List: []activity.Todo{task("pending", "")}}}, strategy.Continue, "intent"},
	} {
		if v := decide(rules.Options{}, test.situation); v.Decision != test.want || v.Rule != test.rule {
			t.Errorf("%s: %s by %s (%s)", name, v.Decision, v.Rule, v.Evidence)
		}
	}
}

// A verdict names the languages that were read.
func TestVerdictHasLanguages(t *testing.T) {
	v := decide(rules.Options{}, strategy.Situation{Message: strategy.Message{Text: "Ich passe jetzt die Tests an."}})
	if strings.Join(v.Languages, " ") != "de" || v.Decision != strategy.Continue || !strings.HasPrefix(v.Reason, "You said") {
		t.Errorf("%+v", v)
	}
}

// A todo list of an earlier prompt is not taken up unless the message refers to it.
func TestNedLeavesOldTodos(t *testing.T) {
	for _, test := range []struct {
		text  string
		turns int
		want  strategy.Decision
	}{
		{"The sign has four letters.", 0, strategy.Continue},
		{"The sign has four letters.", 1, strategy.Stop},
		{"The sign has four letters.", 2, strategy.Stop},
		{"Both fixes have tests. Task 4 (look into the door) remains pending.", 1, strategy.Stop},
		{"Pushed.\n\nThe page has both signs.", 1, strategy.Stop},
		{"Now I'll paint the door.", 1, strategy.Continue},
		{"The sign is up. Next: task 4.", 2, strategy.Continue},
	} {
		s := strategy.Situation{Message: strategy.Message{Text: test.text}, Turn: strategy.Turn{Known: true, Count: 3}}
		s.Todos.List = []activity.Todo{{Content: "paint the door", Status: "pending"}}
		s.Todos.Turns = test.turns
		if v := decide(rules.Options{Off: []string{rules.Opinion}}, s); v.Decision != test.want {
			t.Errorf("%q, %d turns: %s by %s (%s)", test.text, test.turns, v.Decision, v.Rule, v.Evidence)
		}
	}
}

// A list has any of the marks that Markdown knows.
func TestNedKnowsLists(t *testing.T) {
	for _, mark := range []string{"- ", "* ", "+ ", "1. ", "a) "} {
		s := strategy.Situation{Message: strategy.Message{Text: "These stay:\n\n" + mark + "the door\n" + mark + "the sign"}}
		v := decide(rules.Options{Add: []rules.Rule{{ID: "lists", Lists: ":", Then: strategy.Continue}}}, s)
		scratch.ErrorIf(t, v.Rule != "lists", "%q: %s by %s", mark, v.Decision, v.Rule)
	}
}
