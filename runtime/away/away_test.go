package away

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const hour = 3600 * 1000

func order(change func(*ledger.AwayOrder)) ledger.AwayOrder {
	o := ledger.AwayOrder{ID: "o", At: 10 * hour, Until: 18 * hour, Project: "/p", Most: 50, From: "/dev/pts/3"}
	if change != nil {
		change(&o)
	}
	return o
}

func stopped(text string) Stop {
	return Stop{Situation: &strategy.Situation{Message: strategy.Message{Text: text, FromEvent: true}, Turn: strategy.Turn{Known: true, Count: 4}},
		Verdict: strategy.Verdict{Decision: strategy.Stop, Rule: "asks"}, Session: "s", Key: "k", Now: 12 * hour, Dir: "/p"}
}

func past(events ...ledger.AwayEvent) []ledger.AwayEvent {
	for i := range events {
		if events[i].Session == "" {
			events[i].Session = "s"
		}
	}
	return events
}

// A question, a choice and an offer are answered once each; nothing else is, and nothing that is the user's alone.
func TestAnswerStop(t *testing.T) {
	did := func(d string) ledger.AwayEvent { return ledger.AwayEvent{Did: d} }
	answered := func(same string, work int) ledger.AwayEvent {
		return ledger.AwayEvent{Did: ledger.AwayAnswered, Same: same, Work: work}
	}
	first := AnswerStop(&ledger.Away{Order: order(nil)}, stopped("Shall the cache live in memory or on disk?"))
	for name, test := range map[string]struct {
		order  func(*ledger.AwayOrder)
		past   []ledger.AwayEvent
		stop   Stop
		did    string
		goesOn bool
		says   string
	}{
		"a question":          {stop: stopped("Shall the cache live in memory or on disk?"), did: ledger.AwayAnswered, goesOn: true, says: "Decided while you were away"},
		"a choice":            {stop: stopped("Which one do you prefer?\n\n1. A ring buffer\n2. A linked list"), did: ledger.AwayAnswered, goesOn: true, says: "safest option"},
		"an offer":            {stop: stopped("The parser is done. If you like, I can add a cache."), did: ledger.AwayAnswered, goesOn: true},
		"an obstacle":         {stop: stopped("I could not run it."), did: ledger.AwayAnswered, goesOn: true, says: "you are away, and it says: “I could not run it.”"},
		"in German":           {stop: stopped("Soll ich den Puffer im Speicher halten oder auf der Platte?"), did: ledger.AwayAnswered, goesOn: true},
		"a note":              {order: noted, stop: stopped("Tabs or blanks?"), did: ledger.AwayAnswered, goesOn: true, says: "for another 6 h. They left a note: “prefer TOML[2J”. Decide yourself"},
		"a forged note":       {order: func(o *ledger.AwayOrder) { noted(o); o.Project = "" }, stop: stopped("Tabs or blanks?"), did: ledger.AwayAnswered, goesOn: true, says: "for another 6 h. Decide yourself"},
		"a report":            {stop: stopped("All 40 tests pass. Everything is done.")},
		"a wait":              {stop: stopped("The build runs in the background; I'll be notified when it finishes.")},
		"blocked":             {stop: stopped("I'm blocked: I have no access to the repository.")},
		"grave words before":  {stop: stopped("The old backups were deleted yesterday, as you asked.\n\nShould the new index be built on the name or on the date of each entry?"), did: ledger.AwayAnswered, goesOn: true},
		"a short question":    {stop: stopped("Next I would delete the old backups.\n\nShall I do that?"), did: ledger.AwayLeft},
		"a plan":              {stop: stopped("Here's my plan for your approval: first the schema, then the API.")},
		"deletion":            {stop: stopped("Shall I delete the old backups?"), did: ledger.AwayLeft, says: "yours to decide (“"},
		"in the options":      {stop: stopped("What now?\n\n1. Keep both tables\n2. Drop table `users_old`"), did: ledger.AwayLeft},
		"asked again":         {past: past(answered(first.Event.Same, 0)), stop: stopped("Shall the cache live in memory or on disk?"), did: ledger.AwayLeft, says: "asks again"},
		"a second question":   {past: past(answered("x", 0)), stop: stopped("Tabs or blanks?"), did: ledger.AwayAnswered, goesOn: true},
		"a third":             {past: past(answered("x", 0), answered("y", 0)), stop: stopped("Tabs or blanks?"), did: ledger.AwayLeft, says: "it asks a third thing"},
		"a third, after work": {past: past(answered("x", 0), answered("y", 1)), stop: with(stopped("Tabs or blanks?"), func(s *Stop) { s.Work = 2 }), did: ledger.AwayAnswered, goesOn: true},
		"another session's":   {past: []ledger.AwayEvent{{Session: "t", Did: ledger.AwayAnswered, Same: first.Event.Same}}, stop: stopped("Shall the cache live in memory or on disk?"), did: ledger.AwayAnswered, goesOn: true},
		"another plugin has":  {past: past(ledger.AwayEvent{Did: ledger.AwayAnswered, Key: "k", By: "marge", At: 12*hour - 1000}), stop: stopped("Tabs or blanks?")},
		"itself, long ago":    {past: past(ledger.AwayEvent{Did: ledger.AwayAnswered, Key: "k", At: 12*hour - 1000}), stop: stopped("Tabs or blanks?"), did: ledger.AwayAnswered, goesOn: true},
		"after a dialog": {stop: with(stopped("I choose sqlite. Decided while you were away: sqlite."), func(s *Stop) {
			s.Situation.Turn.Asked, s.Situation.Turn.Calls = "AskUserQuestion", []activity.Call{{Name: "AskUserQuestion", Error: true, Done: true, Result: "The user is away for another 6 h."}}
		})},
		"all spent":        {order: func(o *ledger.AwayOrder) { o.Most = 1 }, past: past(answered("x", 0)), stop: stopped("Tabs or blanks?"), did: ledger.AwaySpent, says: "1 continues"},
		"the user is back": {stop: with(stopped("Tabs or blanks?"), func(s *Stop) { s.Typed, s.Turns = 11*hour, 3 }), did: ledger.AwayPresent},
		"typed on leaving": {stop: with(stopped("Tabs or blanks?"), func(s *Stop) { s.Typed, s.Turns = 10*hour+60_000, 3 }), did: ledger.AwayAnswered, goesOn: true},
		"a new session":    {stop: with(stopped("Tabs or blanks?"), func(s *Stop) { s.Typed, s.Turns = 11*hour, 1 }), did: ledger.AwayAnswered, goesOn: true},
		"back for good":    {past: past(did(ledger.AwayPresent)), stop: stopped("Tabs or blanks?")},
		"a wrap-up before a limit": {stop: with(stopped("I'm checkpointing here. What's left:\n\n- the docs"), func(s *Stop) {
			s.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: rules.Checkpoint, Evidence: "I'm checkpointing here."}
		}), did: ledger.AwayContinued, goesOn: true, says: "No usage limit has been reached"},
		"the strategy goes on": {stop: with(stopped("On to the docs."), func(s *Stop) {
			s.Verdict = strategy.Verdict{Decision: strategy.Continue, Rule: "progress", Reason: "Do it."}
		}), did: ledger.AwayContinued, goesOn: true, says: "Do it."},
	} {
		t.Run(name, func(t *testing.T) {
			a := AnswerStop(&ledger.Away{Order: order(test.order), Past: test.past}, test.stop)
			says := a.Verdict.Reason + a.Verdict.Evidence
			if goesOn := a.Verdict.Decision == strategy.Continue; a.Event.Did != test.did || goesOn != test.goesOn || a.Counts != test.goesOn || !strings.Contains(says, test.says) {
				t.Errorf("%q, %+v, counts %v", a.Event.Did, a.Verdict, a.Counts)
			}
		})
	}
}

func noted(o *ledger.AwayOrder) { o.Note = "prefer TOML\x1b[2J" }

// The user's wishes are in a denial and in the demand for the check, too.
func TestEachAnswerHasTheNote(t *testing.T) {
	a := &ledger.Away{Order: order(noted)}
	a.Order.Check = "make test"
	denied, _ := AnswerRequest(a, Request{Tool: "Bash", About: "curl x", Session: "s", Now: 12 * hour})
	closed, _ := AnswerRequest(a, Request{Tool: "AskUserQuestion", Questions: "Tabs or blanks?", Session: "s", Now: 12 * hour})
	done := AnswerStop(a, with(stopped("All is done."), func(s *Stop) { s.Verdict.Rule = "reported" })).Verdict.Reason
	for _, words := range []string{denied, closed, done} {
		scratch.Holds(t, "the note", words, "They left a note: “prefer TOML[2J”.")
	}
}

func with(s Stop, change func(*Stop)) Stop {
	change(&s)
	return s
}

// Done is a command: it has to pass after the last change to a file.
func TestCheck(t *testing.T) {
	bash := func(command string, failed bool, seen string) activity.Call {
		return activity.Call{Name: "Bash", Input: command, Command: command, Error: failed, Seen: seen, Done: true}
	}
	denied := func(command string) activity.Call {
		return activity.Call{Name: "Bash", Command: command, Error: true, Denied: true, Done: true, Seen: "d"}
	}
	edit := activity.Call{Name: "Edit", Input: "a.go", Done: true, Writes: true}
	checked := func(same string) ledger.AwayEvent { return ledger.AwayEvent{Did: ledger.AwayChecked, Same: same} }
	for name, test := range map[string]struct {
		past   []ledger.AwayEvent
		calls  []activity.Call
		dir    string
		did    string
		goesOn bool
		says   string
		check  string // make test, if it is empty
		in     string // the project, /p if it is empty
	}{
		"its own way there":       {calls: []activity.Call{bash("cd /p && make test", false, "")}, did: ledger.AwayPassed, check: "cd /p && make test"},
		"its own way, elsewhere":  {calls: []activity.Call{bash("cd '/p' && cd /p && make test", false, "")}, dir: "/q", did: ledger.AwayPassed, check: "cd /p && make test"},
		"an apostrophe":           {dir: "/q", did: ledger.AwayChecked, goesOn: true, in: "/ned's $(x)", says: "    cd '/ned'\\''s $(x)' && make test\n"},
		"run behind it":           {calls: []activity.Call{bash(`cd '/ned'\''s $(x)' && make test`, false, "")}, dir: "/q", did: ledger.AwayPassed, in: "/ned's $(x)"},
		"not run":                 {calls: []activity.Call{edit}, did: ledger.AwayChecked, goesOn: true, says: "run exactly this command, alone, with your Bash or shell tool in /p. Change nothing after it:\n\n    make test\n"},
		"passed":                  {calls: []activity.Call{edit, bash("make test", false, "")}, did: ledger.AwayPassed},
		"from elsewhere":          {calls: []activity.Call{edit, bash("cd /p && make test", false, "")}, did: ledger.AwayPassed},
		"in another directory":    {calls: []activity.Call{bash("make test", false, "")}, dir: "/p/build/x", did: ledger.AwayChecked, goesOn: true, says: "\n\n    cd '/p' && make test\n"},
		"there from elsewhere":    {calls: []activity.Call{bash("cd '/p' && make test", false, "")}, dir: "/p/build/x", did: ledger.AwayPassed},
		"an unknown tool after":   {calls: []activity.Call{bash("make test", false, ""), {Name: "mcp__disk__write", Done: true, Writes: true}}, did: ledger.AwayChecked, goesOn: true},
		"before a change":         {calls: []activity.Call{bash("make test", false, ""), edit}, did: ledger.AwayChecked, goesOn: true},
		"from a place of its own": {calls: []activity.Call{bash("cd /tmp/evil && make test", false, "")}, did: ledger.AwayChecked, goesOn: true},
		"what looks like it":      {calls: []activity.Call{{Name: "Grep", Input: "make test", Done: true}}, did: ledger.AwayChecked, goesOn: true},
		"on two lines":            {calls: []activity.Call{bash("make\ntest", false, "")}, did: ledger.AwayChecked, goesOn: true},
		"in the background":       {calls: []activity.Call{{Name: "Bash", Command: "make test", Done: true, Open: true}}, did: ledger.AwayChecked, goesOn: true},
		"still running":           {calls: []activity.Call{{Name: "Bash", Command: "make test"}}, did: ledger.AwayChecked, goesOn: true},
		"another one after":       {calls: []activity.Call{bash("make test", false, ""), bash("echo x >a.go", false, "")}, did: ledger.AwayChecked, goesOn: true},
		"a look after":            {calls: []activity.Call{bash("make test", false, ""), {Name: "Read", Done: true}}, did: ledger.AwayPassed},
		"another command":         {calls: []activity.Call{bash("make test || true", false, "")}, did: ledger.AwayChecked, goesOn: true},
		"failed":                  {calls: []activity.Call{edit, bash("make test", true, "f")}, did: ledger.AwayChecked, goesOn: true, says: "The check has failed."},
		"failed three times":      {past: past(checked("f"), checked("f"), checked("f")), calls: []activity.Call{bash("make test", true, "f")}, did: ledger.AwayFailed, says: "in the same way"},
		"failed in other way":     {past: past(checked("g"), checked("f"), checked("f")), calls: []activity.Call{bash("make test", true, "h")}, did: ledger.AwayChecked, goesOn: true},
		"denied":                  {calls: []activity.Call{edit, denied("make test")}, did: ledger.AwaySeen, says: "was denied, so it did not run: make test; it needs Bash(make test) in permissions.allow"},
		"denied, then a look":     {past: past(checked("")), calls: []activity.Call{denied("make test"), edit, bash("ls", false, "")}, did: ledger.AwaySeen, says: "was denied"},
		"denied by an order":      {calls: []activity.Call{{Name: "Bash", Command: "make test", Done: true, Error: true, Result: "The user is away for another 6 h."}}, did: ledger.AwaySeen, says: "was denied"},
		"denied, then passed":     {calls: []activity.Call{denied("make test"), bash("make test", false, "")}, did: ledger.AwayPassed},
		"another one denied":      {calls: []activity.Call{denied("make test | tail")}, did: ledger.AwayChecked, goesOn: true, says: "has not been run"},
		"never run":               {past: past(checked(""), checked(""), checked("")), did: ledger.AwayFailed, says: "was not run"},
	} {
		t.Run(name, func(t *testing.T) {
			s := stopped("All is done.")
			s.Verdict.Rule, s.Situation.Turn.Calls = "finished", test.calls
			if test.dir != "" {
				s.Dir = test.dir
			}
			a := AnswerStop(&ledger.Away{Order: order(func(o *ledger.AwayOrder) {
				o.Check, o.Project = cmp.Or(test.check, "make test"), cmp.Or(test.in, o.Project)
			}), Past: test.past}, s)
			if goesOn := a.Verdict.Decision == strategy.Continue; a.Event.Did != test.did || goesOn != test.goesOn || !strings.Contains(a.Verdict.Reason+a.Verdict.Evidence, test.says) {
				t.Errorf("%q, %+v", a.Event.Did, a.Verdict)
			}
		})
	}
}

// A request is denied with a reason or left to the client; it is never allowed.
func TestAnswerRequest(t *testing.T) {
	denied := activity.Call{Name: "Bash", Error: true, Done: true, Result: "The user is away for another 6 h. They cannot allow this."}
	ran := activity.Call{Name: "Read", Done: true}
	asks := func(change func(*Request)) Request {
		r := Request{Tool: "Bash", About: "npm publish", Session: "s", Key: "k", Now: 12 * hour}
		if change != nil {
			change(&r)
		}
		return r
	}
	var many []ledger.AwayEvent
	for range 20 {
		many = append(many, ledger.AwayEvent{Session: "s", Did: ledger.AwayDenied})
	}
	for name, test := range map[string]struct {
		past    []ledger.AwayEvent
		request Request
		did     string
		says    string
	}{
		"a permission":           {request: asks(nil), did: ledger.AwayDenied, says: "They cannot allow this."},
		"a dialog":               {request: asks(func(r *Request) { r.Tool, r.Questions = "AskUserQuestion", "Tabs or blanks?" }), did: ledger.AwayDialog, says: "Decide yourself"},
		"a grave dialog":         {request: asks(func(r *Request) { r.Tool, r.Questions = "AskUserQuestion", "Delete the branch?" }), did: ledger.AwayLeft, says: "theirs to decide"},
		"plan mode":              {request: asks(func(r *Request) { r.Plan = true })},
		"the user is there":      {request: asks(func(r *Request) { r.Present = true })},
		"after two in a row":     {request: asks(func(r *Request) { r.Calls = []activity.Call{ran, denied, denied} }), did: ledger.AwayDenied, says: "away"},
		"after three in a row":   {request: asks(func(r *Request) { r.Calls = []activity.Call{denied, denied, denied, {Name: "Bash"}} }), did: ledger.AwayStands},
		"after another between":  {request: asks(func(r *Request) { r.Calls = []activity.Call{denied, denied, denied, ran} }), did: ledger.AwayDenied, says: "away"},
		"after twenty":           {past: many, request: asks(nil), did: ledger.AwayStands},
		"after twenty elsewhere": {past: many, request: asks(func(r *Request) { r.Session = "t" }), did: ledger.AwayDenied, says: "away"},
		"many stand":             {past: slices.Repeat(append(slices.Clone(many), ledger.AwayEvent{Session: "s", Did: ledger.AwayStands, Key: "other"}), 20), request: asks(nil)},
		"stands already":         {past: append(many, ledger.AwayEvent{Session: "s", Did: ledger.AwayStands, Key: "k"}), request: asks(nil)},
	} {
		words, e := AnswerRequest(&ledger.Away{Order: order(nil), Past: test.past}, test.request)
		if e.Did != test.did || (words == "") != (test.says == "") || !strings.Contains(words, test.says) || strings.Contains(words, "allowed") {
			t.Errorf("%s: %q, %q", name, e.Did, words)
		}
	}
}

// The result of the check is recorded at a stop that needs the user, too.
func TestCheckIsSeenAtAQuestion(t *testing.T) {
	o := order(func(o *ledger.AwayOrder) { o.Check = "make test" })
	for text, did := range map[string]string{"All is done. Shall I delete the old branch?": ledger.AwayLeft, "I'm blocked: I have no access to the repository.": ledger.AwaySeen} {
		s := stopped(text)
		s.Situation.Turn.Calls = []activity.Call{{Name: "Bash", Command: "make test", Done: true}}
		if e := AnswerStop(&ledger.Away{Order: o}, s).Event; e.Did != did || e.Check != ledger.AwayPassed {
			t.Errorf("%s: %+v", text, e)
		}
	}
}
