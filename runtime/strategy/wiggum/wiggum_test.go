package wiggum

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var errorIf = scratch.ErrorIf

// decide decides without settings.
func decide(s strategy.Situation) strategy.Verdict { return Strategy.New().Decide(s) }

// loopAt is a stop in a workspace with a loop's file.
func loopAt(file, text string) strategy.Situation {
	return strategy.Situation{Message: strategy.Message{Text: text}, Session: strategy.Session{ID: "s1", Now: 1_800_000_000_000}, Workspace: strategy.Workspace{Dir: "/w", Files: map[string]strategy.File{File: {Found: true, Data: []byte(file)}}}, Turn: strategy.Turn{Known: true}}
}

func goalOf(fields ...string) string {
	return "---\n" + strings.Join(fields, "\n") + "\n---\n\nMake it work.\n"
}

// words are others for each i.
func words(i int) string { return string(rune('a' + i)) }

// step takes a verdict's changes and memory over into the next stop.
func step(s *strategy.Situation, v strategy.Verdict) {
	for _, c := range v.Changes {
		s.Workspace.Files[c.Name] = strategy.File{Found: c.Data != nil, Data: c.Data}
	}
	if v.Remember.Key != "" {
		s.Memories = []activity.Memory{v.Remember}
	}
}

// A promise counts once the check has passed since the last change to a file.
func TestPromiseNeedsTheCheck(t *testing.T) {
	ran := activity.Call{Name: "Bash", Command: "make test", Done: true}
	failed, denied, elsewhere, open := ran, ran, ran, ran
	failed.Error, denied.Denied, elsewhere.Command, open.Open = true, true, "cd '/other' && make test", true
	there := ran
	there.Command = "cd /w && make test"
	write := activity.Call{Name: "Write", Writes: true, Done: true}
	for name, test := range map[string]struct {
		text   string
		calls  []activity.Call
		below  bool // the shell is in another directory
		rule   string
		reason string
	}{
		"no promise":           {text: "Working.", rule: "loop"},
		"not run":              {text: "Tests passing.", rule: "loop", reason: "run exactly this command, alone, with your Bash or shell tool in /w. Change nothing after it:\n\n    make test\n\nThen state the promise again."},
		"passed":               {text: "Tests passing.", calls: []activity.Call{write, ran}, rule: activity.LoopPromised},
		"passed, with cd":      {text: "Tests passing.", calls: []activity.Call{there}, below: true, rule: activity.LoopPromised},
		"passed elsewhere":     {text: "Tests passing.", calls: []activity.Call{elsewhere}, rule: "loop", reason: "make test"},
		"in a directory below": {text: "Tests passing.", calls: []activity.Call{ran}, below: true, rule: "loop", reason: "    cd '/w' && make test\n"},
		"failed":               {text: "Tests passing.", calls: []activity.Call{failed}, rule: "loop", reason: "The check has failed. Mend"},
		"a change after it":    {text: "Tests passing.", calls: []activity.Call{ran, write}, rule: "loop", reason: "make test"},
		"in the background":    {text: "Tests passing.", calls: []activity.Call{open}, rule: "loop", reason: "make test"},
		"denied":               {text: "Tests passing.", calls: []activity.Call{denied}, rule: "check-denied"},
	} {
		s := loopAt(goalOf("completion_promise: tests passing", "check: make test", "loop_id: abc", "started_at: 2027-01-15T07:55:00Z"), test.text)
		s.Turn.Calls, s.Workspace.CwdDiffers = test.calls, test.below
		v := decide(s)
		if v.Rule != test.rule || !strings.Contains(v.Reason, test.reason) || strings.Contains(v.Reason, "make test") != (test.reason != "") {
			t.Errorf("%s: %+v", name, v)
		}
		if test.rule == "check-denied" && (v.Decision != strategy.Stop || v.Changes != nil || !strings.Contains(v.Told, "it needs Bash(make test) in permissions.allow")) {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := decide(loopAt(goalOf("check: "+strings.Repeat("x", 121)), "x")); v.Rule != "frontmatter" {
		t.Errorf("too long: %+v", v)
	}
	scratch.Lacks(t, "a forged check", decide(loopAt(goalOf("completion_promise: ok", "check: \"a\\n\\x1b[2J\"", "max_iterations: 3"), "ok")).Reason, "\x1b")
	s := loopAt(goalOf("completion_promise: ok", "check: make test", "max_iterations: 2"), "ok")
	if v := decide(s); v.Rule != activity.LoopLimited {
		t.Errorf("at the limit: %+v", v)
	}
}

func TestGoalLoop(t *testing.T) {
	typed := func(n int) strategy.Situation {
		s := loopAt(goalOf("loop_id: abc", "started_at: 2027-01-15T07:00:00Z", "max_iterations: 400"), "x")
		s.Past = func(string, string) activity.LoopPast {
			return activity.LoopPast{Continues: n - 2, Count: n - 1, Typed: n}
		}
		return s
	}
	lowered := loopAt(goalOf("loop_id: abc", "started_at: 2027-01-15T07:00:00Z", "iteration_count: 0"), "x")
	lowered.Past = func(string, string) activity.LoopPast { return activity.LoopPast{Continues: 6, Count: 7} }
	for name, test := range map[string]struct {
		situation strategy.Situation
		decision  strategy.Decision
		rule      string
		evidence  string
	}{
		"no file":                {strategy.Situation{Workspace: strategy.Workspace{Files: map[string]strategy.File{}}}, strategy.Stop, "no-loop", "there is no"},
		"unreadable":             {strategy.Situation{Workspace: strategy.Workspace{Files: map[string]strategy.File{File: {Found: true, Problem: "larger than 256 KiB"}}}}, strategy.Stop, "unreadable", "larger than"},
		"bad frontmatter":        {loopAt("---\nactive: perhaps\n---\n", ""), strategy.Stop, "frontmatter", "line 2: active"},
		"goes on":                {loopAt(goalOf(), "Working."), strategy.Continue, "loop", "2 of 10 turns done"},
		"a first of three":       {loopAt(goalOf("iteration_count: 0", "max_iterations: 3"), "x"), strategy.Continue, "loop", "1 of 3 turns done"},
		"a third of three":       {loopAt(goalOf("iteration_count: 2", "max_iterations: 3"), "x"), strategy.Stop, activity.LoopLimited, "3 of 3 turns done"},
		"a lower count":          {lowered, strategy.Continue, "loop", "8 of 10 turns done"},
		"inactive":               {loopAt(goalOf("active: false"), "Working."), strategy.Stop, "inactive", "active is false"},
		"another session's":      {loopAt(goalOf("session_id: s2"), "Working."), strategy.Stop, "other-session", "another session"},
		"no session is known":    {func() strategy.Situation { s := loopAt(goalOf("session_id: s1"), "x"); s.Session.ID = ""; return s }(), strategy.Continue, "loop", ""},
		"promise":                {loopAt(goalOf("completion_promise: tests passing"), "Now ALL TESTS PASSING!"), strategy.Stop, activity.LoopPromised, "“tests passing”"},
		"promise, longer":        {loopAt(goalOf("completion_promise: All tests passing"), "tests passing"), strategy.Continue, "loop", ""},
		"the last one":           {loopAt(goalOf("iteration_count: 8", "max_iterations: 10"), "x"), strategy.Continue, "loop", "9 of 10 turns done"},
		"the limit":              {loopAt(goalOf("iteration_count: 9", "max_iterations: 10"), "x"), strategy.Stop, activity.LoopLimited, "10 of 10 turns done"},
		"a limit of nothing":     {loopAt(goalOf("max_iterations: 0"), "x"), strategy.Stop, activity.LoopLimited, ""},
		"promise at the limit":   {loopAt(goalOf("iteration_count: 9", "completion_promise: yes!"), "yes!"), strategy.Stop, activity.LoopPromised, ""},
		"above the ceiling":      {loopAt(goalOf("iteration_count: 24", "max_iterations: 500"), "x"), strategy.Stop, activity.LoopLimited, "25 of 25 turns done (the file asks for 500; your ceiling is 25)"},
		"the typed number":       {typed(60), strategy.Stop, activity.LoopLimited, "60 of 60 turns done (the file asks for 400; you typed 60)"},
		"timeout":                {loopAt(goalOf("timeout: 30m", "started_at: 2027-01-15T07:00:00Z"), "x"), strategy.Stop, activity.LoopTimedOut, "timeout is 30 min"},
		"timeout, started now":   {loopAt(goalOf("timeout: 30m"), "x"), strategy.Continue, "loop", ""},
		"the reminder is quoted": {loopAt(goalOf("completion_promise: tests passing"), "I was told to explicitly state the completion promise."), strategy.Continue, "loop", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := decide(test.situation)
			if v.Decision != test.decision || v.Rule != test.rule || !strings.Contains(v.Evidence, test.evidence) {
				t.Errorf("%s by %s: %s\nwant %s by %s: …%s…", v.Decision, v.Rule, v.Evidence, test.decision, test.rule, test.evidence)
			}
		})
	}
}

// Three continues that bring the same words and no tool call end it; a tool call,
// other words, or calls that are not known do not. The file stays.
func TestGoalLoopStalls(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(i int, s *strategy.Situation)
		continues int
	}{
		"nothing happens": {func(int, *strategy.Situation) {}, 3},
		"other words":     {func(i int, s *strategy.Situation) { s.Message.Text = words(i) }, 8},
		"other numbers":   {func(i int, s *strategy.Situation) { s.Message.Text = "Attempt " + strconv.Itoa(9+i) + " of 20." }, 3},
		"as the original": {func(i int, s *strategy.Situation) { s.Session.Protocol, s.Message.Text = "exit2", strconv.Itoa(i) }, 8},
		"tool calls":      {func(i int, s *strategy.Situation) { s.Turn.Count = i }, 8},
		"not known":       {func(_ int, s *strategy.Situation) { s.Turn.Known = false }, 8},
		"words at last":   {func(i int, s *strategy.Situation) { s.Message.Text = words(i / 3) }, 8},
		"the count is set": {func(i int, s *strategy.Situation) {
			if i == 2 {
				data, _ := SetFields(s.Workspace.Files[File].Data, [2]string{"iteration_count", "5"})
				s.Workspace.Files[File] = strategy.File{Found: true, Data: data}
			}
		}, 5},
	} {
		s := loopAt(goalOf(), "Still at it.")
		n := 0
		for i := 0; i < 20; i++ {
			test.change(i, &s)
			v := decide(s)
			step(&s, v)
			if v.Decision == strategy.Stop {
				if v.Rule == activity.LoopStalled && (!s.Workspace.Files[File].Found || !strings.Contains(string(s.Workspace.Files[File].Data), "active: false") || v.Told == "") {
					t.Errorf("%s: a loop that stalled has lost its file, is active, or says nothing", name)
				}
				break
			}
			n++
		}
		errorIf(t, n != test.continues, "%s: %d continues, want %d", name, n, test.continues)
	}
}

// A promise counts only if Claude made it since our last continue.
func TestGoalLoopPromiseOfAnotherTime(t *testing.T) {
	file := goalOf("completion_promise: tests passing")
	for name, test := range map[string]struct {
		change   func(*strategy.Situation)
		decision strategy.Decision
	}{
		"the event's own":          {func(s *strategy.Situation) { s.Message.FromEvent = true }, strategy.Stop},
		"the transcript's":         {func(*strategy.Situation) {}, strategy.Stop},
		"an earlier turn's":        {func(s *strategy.Situation) { s.Message.Earlier = true }, strategy.Continue},
		"from before our continue": {func(s *strategy.Situation) { s.Memories[0].Text = quotation.HashText(s.Message.Text) }, strategy.Continue},
		"said again, by the event": {func(s *strategy.Situation) {
			s.Memories[0].Text, s.Message.FromEvent = quotation.HashText(s.Message.Text), true
		}, strategy.Stop},
		"a loop without a promise": {func(s *strategy.Situation) {
			s.Workspace.Files[File] = strategy.File{Found: true, Data: []byte(goalOf())}
		}, strategy.Continue},
		"nothing said, and no file": {func(s *strategy.Situation) { s.Message.Text, s.Workspace.Files = "", nil }, strategy.Stop},
	} {
		s := loopAt(file, "Working.")
		step(&s, decide(s))
		s.Message.Text = "All tests passing now."
		test.change(&s)
		v := decide(s)
		errorIf(t, v.Decision != test.decision, "%s: %s by %s: %s", name, v.Decision, v.Rule, v.Evidence)
	}
}

// A file that comes back after its loop's end, ID and all, is that loop, with the turns that it has had; one with
// an ID that cannot be one is a new loop.
func TestGoalLoopIDs(t *testing.T) {
	s := loopAt(goalOf("completion_promise: yes"), "a")
	step(&s, decide(s))
	kept := s.Workspace.Files[File]
	goal, err := ReadLoop(kept.Data)
	if err != nil || !activity.IsShortLowerID(goal.ID) {
		t.Fatalf("%+v, %v", goal, err)
	}
	s.Message.Text = "yes"
	step(&s, decide(s))
	s.Workspace.Files[File], s.Message.Text = kept, "b"
	s.Past = func(string, string) activity.LoopPast { return activity.LoopPast{Continues: 7, Count: 8} }
	v := decide(s)
	if v.Decision != strategy.Continue || len(v.Events) != 1 || v.Events[0].Loop != goal.ID || v.Events[0].Count != 9 {
		t.Errorf("%s by %s: %s, %+v", v.Decision, v.Rule, v.Evidence, v.Events)
	}
	for _, id := range []string{`"../../x"`, strings.Repeat("a", 300), `"A"`, `"a b"`} {
		s := loopAt(goalOf("loop_id: "+id, "started_at: 2027-01-15T07:59:00Z"), "a")
		v := decide(s)
		if v.Decision != strategy.Continue || !activity.IsShortLowerID(v.Events[0].Loop) || !strings.Contains(string(v.Changes[0].Data), "loop_id: "+v.Events[0].Loop+"\n") {
			t.Errorf("%s: %s by %s, %+v", id, v.Decision, v.Rule, v.Events)
		}
	}
}

// The user is notified once of each fault of the file, and a running loop goes on when the file is repaired.
func TestGoalLoopFileIsBroken(t *testing.T) {
	s := loopAt(goalOf(), "a")
	step(&s, decide(s))
	good := s.Workspace.Files[File]
	for i, want := range []string{"line 2: active", "", "larger than"} {
		s.Workspace.Files[File] = strategy.File{Found: true, Data: []byte("---\nactive: perhaps\n---\n")}
		if i == 2 {
			s.Workspace.Files[File] = strategy.File{Found: true, Problem: "larger than 256 KiB"}
		}
		v := decide(s)
		if step(&s, v); v.Decision != strategy.Stop || len(v.Changes) != 0 || (want == "") != (v.Told == "") || !strings.Contains(v.Told, want) {
			t.Errorf("%d: %+v", i, v)
		}
	}
	s.Workspace.Files[File], s.Message.Text = good, "b"
	if v := decide(s); v.Decision != strategy.Continue || len(v.Events) != 1 || !strings.HasPrefix(v.Evidence, "3 of 10 turns done") {
		t.Errorf("mended: %s by %s: %s, %+v", v.Decision, v.Rule, v.Evidence, v.Events)
	}
}

// A person between two stops has taken the time, not the iteration; and calls of two prompts are not compared.
func TestGoalLoopAcrossPrompts(t *testing.T) {
	s := loopAt(goalOf("iteration_timeout: 10m"), "a")
	s.Turn.PromptID = "p1"
	step(&s, decide(s))
	s.Session.Now, s.Turn.PromptID = s.Session.Now+3_600_000, "p2"
	v := decide(s)
	if step(&s, v); v.Decision != strategy.Continue || v.Remember.Stalls != 1 {
		t.Errorf("another prompt: %s by %s: %s, %+v", v.Decision, v.Rule, v.Evidence, v.Remember)
	}
	s.Session.Now += 3_600_000
	if v := decide(s); v.Rule != activity.LoopTimedOut {
		t.Errorf("the same prompt: %s by %s", v.Decision, v.Rule)
	}
}

const guide = `---
iteration_count: 1
max_iterations: 15
completion_promise: "✅ All tests passing"
active: true
---

Goal: Fix failing tests in test_auth.py
- Run pytest
`

func TestReadGoal(t *testing.T) {
	base := Goal{Count: 1, Max: 10, Active: true}
	with := func(change func(*Goal)) Goal { g := base; change(&g); return g }
	for name, test := range map[string]struct {
		text string
		want Goal
	}{
		"the guide's example": {guide, with(func(g *Goal) {
			g.Max, g.Promises, g.Body = 15, []string{"✅ All tests passing"}, "Goal: Fix failing tests in test_auth.py\n- Run pytest"
		})},
		"missing fields": {"---\n---\nGo.\n", with(func(g *Goal) { g.Body = "Go." })},
		"CRLF":           {strings.ReplaceAll("---\nmax_iterations: 3\nactive: false\n---\nGo.\nOn.\n", "\n", "\r\n"), with(func(g *Goal) { g.Max, g.Active, g.Body = 3, false, "Go.\r\nOn." })},
		"comments": {"---\n# a loop\nmax_iterations: 3 # few\ncompletion_promise: \"it is # done\" # said\n\n---\n",
			with(func(g *Goal) { g.Max, g.Promises = 3, []string{"it is # done"} })},
		"bare text":      {"---\ncompletion_promise: All tests passing\n---\n", with(func(g *Goal) { g.Promises = []string{"All tests passing"} })},
		"a hash inside":  {"---\ncompletion_promise: issue #5 fixed#\n---\n", with(func(g *Goal) { g.Promises = []string{"issue"} })},
		"single quotes":  {"---\ncompletion_promise: 'it''s done'\n---\n", with(func(g *Goal) { g.Promises = []string{"it's done"} })},
		"escapes":        {"---\ncompletion_promise: \"a \\\"b\\\" \\u00e9 \\\\\"\n---\n", with(func(g *Goal) { g.Promises = []string{`a "b" é \`} })},
		"a list":         {"---\ncompletion_promise: [All tests passing, \"a|b\", 'c']\n---\n", with(func(g *Goal) { g.Promises = []string{"All tests passing", "a|b", "c"} })},
		"Python's False": {"---\nactive: False\n---\n", with(func(g *Goal) { g.Active = false })},
		"unknown fields": {"---\nmood: sunny\nmax_iterations: 3\n---\n", with(func(g *Goal) { g.Max = 3 })},
		"times": {"---\ntimeout: 2h\niteration_timeout: 90s\nstarted_at: 2026-02-06T21:30:00Z\nsession_id: abc\n---\n", with(func(g *Goal) {
			g.Timeout, g.IterationTimeout, g.Started, g.Session = 7_200_000, 90_000, 1770413400000, "abc"
		})},
		"a line in the text": {"---\n---\none\n---\niteration_count: 7\n", with(func(g *Goal) { g.Body = "one\n---\niteration_count: 7" })},
	} {
		if got, err := ReadLoop([]byte(test.text)); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, err, test.want)
		}
	}
}

func TestNoGoal(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      `line 1: the first line is not "---"`,
		"\ufeff---\n---\n":                      `line 1: the first line is not "---"`,
		"---\nactive: true\n":                   `line 3: no line "---" ends the fields`,
		"---\nactive\n---\n":                    "line 2: it is not a field: write `key: value`, and a list as [a, b]",
		"---\nactive:true\n---\n":               "line 2: a space is missing after the colon",
		"---\n\nmax_iterations: many\n---\n":    "line 3: max_iterations: it is a whole number, and not below 0",
		"---\nmax_iterations: -1\n---\n":        "line 2: max_iterations: it is a whole number, and not below 0",
		"---\nactive: perhaps\n---\n":           "line 2: active: it is true or false",
		"---\ntimeout: soon\n---\n":             "line 2: timeout: it must be a duration, like 30m or 2h",
		"---\ncompletion_promise: \"x\n---\n":   "line 2: the quotes are not closed",
		"---\ncompletion_promise: \"x\" y\n---": "line 2: there is more text after the value",
		"---\ncompletion_promise: [a, b\n---\n": "line 2: the list is not closed",
		"---\ncompletion_promise: {a: b}\n---":  "line 2: a value that begins with { needs quotes",
		"---\nactive: true\n- a\n---\n":         "line 3: it is not a field: write `key: value`, and a list as [a, b]",
		"---\nactive: true\nactive: no\n---\n":  "line 3: active is given twice",
		"---\nx: \"\\q\"\n---\n":                "line 2: an unknown escape",
		"---\nx: \xff\n---\n":                   "line 1: it is not text in UTF-8",
	} {
		_, err := ReadLoop([]byte(text))
		errorIf(t, err == nil || err.Error() != want, "%q: %v, want %s", text, err, want)
	}
}

func TestSetGoal(t *testing.T) {
	for name, test := range map[string]struct {
		before, key, value, after string
	}{
		"a number":             {guide, "iteration_count", "2", strings.Replace(guide, "count: 1", "count: 2", 1)},
		"a new field":          {guide, "session_id", `"s1"`, strings.Replace(guide, "active: true\n", "active: true\nsession_id: \"s1\"\n", 1)},
		"CRLF":                 {"---\r\nactive: true\r\n---\r\nx", "active", "false", "---\r\nactive: false\r\n---\r\nx"},
		"a comment stays":      {"---\nactive: true # mine\n---\n", "active", "false", "---\nactive: false # mine\n---\n"},
		"taken out":            {guide, "completion_promise", "", strings.Replace(guide, "completion_promise: \"✅ All tests passing\"\n", "", 1)},
		"none yet":             {"---\n---", "active", "false", "---\nactive: false\n---"},
		"the text is no field": {"---\nactive: true\n---\nactive: true\n", "active", "false", "---\nactive: false\n---\nactive: true\n"},
	} {
		if got, err := SetFields([]byte(test.before), [2]string{test.key, test.value}); err != nil || string(got) != test.after {
			t.Errorf("%s: got %q, %v\nwant %q", name, got, err, test.after)
		}
	}
	if _, err := SetFields([]byte("no fields"), [2]string{"active", "false"}); err == nil {
		t.Error("a file without fields took one")
	}
}

func TestSetGoalBody(t *testing.T) {
	for name, test := range map[string]struct{ file, body, want string }{
		"a new one":        {"---\na: b # c\n---\n\nOld.\n---\nOlder.\n", " New.\n\n- one \n", "---\na: b # c\n---\n\nNew.\n\n- one\n"},
		"CRLF":             {"---\r\na: b\r\n---\r\nOld.\r\n", "New.\n- one\r\n- two", "---\r\na: b\r\n---\r\n\r\nNew.\r\n- one\r\n- two\r\n"},
		"no body, no end":  {"---\na: b\n---", "New.", "---\na: b\n---\nNew.\n"},
		"nothing any more": {"---\na: b\n---\nOld.", "", "---\na: b\n---\n\n\n"},
	} {
		got, err := SetBody([]byte(test.file), test.body)
		errorIf(t, err != nil || string(got) != test.want, "%s: %q, %v, want %q", name, got, err, test.want)
	}
	if _, err := SetBody([]byte("no loop"), "New."); err == nil {
		t.Error("a file that is no loop got a goal")
	}
}

// A file of too many fields would take longer than the hook has.
func TestGoalOfManyFields(t *testing.T) {
	fields := func(n int) (all []string) {
		for i := range n {
			all = append(all, "f"+strconv.Itoa(i)+": 1")
		}
		return all
	}
	_, err := ReadLoop([]byte(goalOf(fields(maxFields)...)))
	scratch.Must(t, err)
	_, err = ReadLoop([]byte(goalOf(fields(maxFields + 1)...)))
	errorIf(t, err == nil || !strings.Contains(err.Error(), "line 202: more than 200 fields"), "%v", err)
}

func FuzzGoal(f *testing.F) {
	f.Add(guide, "iteration_count", "a \"b\" | c")
	f.Add("---\r\na: [x, 'y', \"z\"] # c\r\nb:\r\n - 1\r\n---\r\n", "b", "")
	f.Add("---\n#\n\nx: ''\n---", "x", "\n\t\x00")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		before, err := ReadLoop([]byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%q: no line in %v", text, err)
			}
			return
		}
		after, err := SetFields([]byte(text), [2]string{"completion_promise", QuoteValues([]string{value, "x"})}, [2]string{"iteration_count", "41"})
		scratch.Must(t, err, text)
		now, err := ReadLoop(after)
		scratch.Must(t, err, text, after)
		if now.Count != 41 || now.Promises[len(now.Promises)-1] != "x" || now.Body != before.Body || now.Max != before.Max || now.Active != before.Active {
			t.Fatalf("%q became %q: %+v, was %+v", text, after, now, before)
		}
		printable := !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
		if value = strings.TrimSpace(value); printable && value != "" && (len(now.Promises) != 2 || now.Promises[0] != value) {
			t.Fatalf("%q was set, and is %q", value, now.Promises)
		}
	})
}
