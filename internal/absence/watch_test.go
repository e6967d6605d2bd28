package absence

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// A session is seen by its process, its log and its last decision.
func TestPresent(t *testing.T) {
	const asks, done = "Done so far. Tabs or blanks?", "All three tasks are done."
	stop := func(rule string) ledger.Record {
		return ledger.Record{Plugin: "ned-flanders", Decision: "stop", Rule: rule, Evidence: "evidence", At: 1000}
	}
	status := func(is string) claude.Process { return claude.Process{ID: 1, Status: is, Waits: "permission prompt"} }
	talked := func(words string) sessionLog { return sessionLog{asked: "Go.", words: words, spoke: 900, last: 900} }
	for name, test := range map[string]struct {
		s    session
		want string
	}{
		"new":                        {session{process: status("idle")}, "new: "},
		"busy":                       {session{process: status("busy"), log: sessionLog{asked: "Go.", turn: true, doing: "Bash make"}}, "working: Bash make"},
		"busy after its last words":  {session{process: status("busy"), log: talked(asks)}, "working: "},
		"a permission prompt":        {session{process: status("waiting"), log: sessionLog{asked: "Go.", turn: true, doing: "Bash rm x"}}, "waits for you: permission prompt: Bash rm x"},
		"a dialog":                   {session{process: status("waiting"), log: sessionLog{asked: "Go.", turn: true, doing: "AskUserQuestion Which colour?"}}, "waits for you: Which colour?"},
		"a plan":                     {session{process: status("waiting"), log: sessionLog{asked: "Go.", turn: true, doing: "ExitPlanMode 1. Test"}}, "waits for you: a plan to approve: 1. Test"},
		"a question":                 {session{process: status("idle"), log: talked(asks), decision: stop("asks")}, "waits for you: “Tabs or blanks?”"},
		"a stop that asks nothing":   {session{process: status("idle"), log: talked("It is raining."), decision: stop("nothing")}, "waits for you: It is raining."},
		"done":                       {session{process: status("idle"), log: talked(done), decision: stop("reported")}, "finished: " + done},
		"a hold, which may be over":  {session{process: status("idle"), log: talked("It is raining."), decision: stop("hold")}, "finished: It is raining."},
		"work at a hold":             {session{ended: true, log: talked("Moving to Task 2."), decision: stop("hold")}, "waits for you: it stopped with work left: Moving to Task 2."},
		"a question at a hold":       {session{process: status("idle"), log: talked(asks), decision: stop("hold")}, "waits for you: “Tabs or blanks?”"},
		"no need, by the rules":      {session{process: status("idle"), log: talked("It is raining."), decision: stop("otherwise")}, "finished: It is raining."},
		"a spec":                     {session{process: status("idle"), log: talked("ALL_TASKS_COMPLETE"), decision: stop("signal")}, "finished: ALL_TASKS_COMPLETE"},
		"a promise, and a question":  {session{process: status("idle"), log: talked(asks), decision: stop("promise")}, "waits for you: “Tabs or blanks?”"},
		"a ledger":                   {session{process: status("idle"), log: talked("It is raining."), decision: stop("plan-done")}, "finished: It is raining."},
		"a check, with no order now": {session{process: status("idle"), log: talked(done), decision: ledger.Record{Plugin: "p", Decision: "stop", Rule: "away", Evidence: "the check has passed: make test", At: 1000}}, "finished: " + done},
		"without a plugin":           {session{process: status("idle"), log: talked("It is raining.")}, "waits for you: It is raining."},
		"a limit":                    {session{process: status("idle"), log: talked("It is raining."), decision: stop("budget")}, "waits for you: it stopped with work left: evidence"},
		"an error":                   {session{process: status("idle"), log: sessionLog{asked: "Go.", failure: "API Error: 529", spoke: 900}}, "failed: API Error: 529"},
		"a shell":                    {session{process: status("shell"), log: talked("It runs.")}, "in the background: It runs."},
		"a server, by the guards":    {session{process: status("shell"), log: talked(done), decision: stop("reported")}, "finished: " + done},
		"a subagent, by the guards":  {session{process: status("idle"), log: talked("It runs."), decision: stop("background")}, "in the background: It runs."},
		"a shell, by the log":        {session{process: status("idle"), log: sessionLog{asked: "Go.", words: "It runs.", spoke: 900, background: true}}, "in the background: It runs."},
		"ended at work":              {session{ended: true, log: sessionLog{asked: "Go.", turn: true, doing: "Bash make"}}, "failed: Bash make"},
		"ended after a report":       {session{ended: true, log: talked(done), decision: stop("reported")}, "finished: " + done},
		"another agent asks":         {session{host: "codex", log: talked(asks), decision: stop("asks")}, "waits for you: “Tabs or blanks?”"},
		"another agent, continued":   {session{host: "codex", decision: ledger.Record{Plugin: "p", Decision: "continue", At: 1000}}, "working: "},
		"another agent, with a log":  {session{host: "codex", log: sessionLog{asked: "Go.", turn: true, doing: "shell ls"}}, "working: shell ls"},
		"another agent, it finished": {session{host: "codex", log: talked(done), decision: stop("finished")}, "finished: " + done},
	} {
		seen := test.s.sightAt(2000)
		scratch.Equal(t, string(seen.State)+": "+seen.Text, test.want, name)
	}
}

// The continues left are those of the last prompt; those of five minutes come back.
func TestContinuesLeft(t *testing.T) {
	s := session{left: &ledger.Record{At: 1000, Left: &ledger.Left{Burst: 1, Prompt: 18, Hour: 40}}}
	for now, want := range map[int64]int{2000: 1, 400_000: 18} {
		if got := s.continuesLeft(now); got == nil || *got != want {
			t.Errorf("%d: %v, want %d", now, got, want)
		}
	}
	if s.ended = true; s.continuesLeft(2000) != nil || (&session{}).continuesLeft(0) != nil {
		t.Error("it is shown for a closed session, or without a continue")
	}
}

// A log is read on from its last line, a rewritten one from the beginning.
func TestFollow(t *testing.T) {
	n := newNight(t)
	n.log(t, "aaaaaaaa-1", "0 asks "+strings.Repeat("Tidy up. ", 1000), "1 says "+strings.Repeat("Moving on. ", 100))
	path, _ := n.FindLog("aaaaaaaa-1")
	whole := scratch.ReadOrNone(t, path)
	f := followed{path: path}
	first := f.readOn()
	// Of what it has read it needs only the end: the rest is overwritten.
	blank := strings.Repeat(" ", 9000) + whole[9000:]
	must(t, os.WriteFile(path, []byte(blank+`{"type":"assistant","uuid":"u8","message":{"id":"m8","content":[{"type":"text","text":"Tabs or`), 0o600))
	if got := f.readOn(); got.words != first.words || f.cursor.Log.Offset != int64(len(blank)) {
		t.Errorf("an incomplete line counts: %q at %d", got.words, f.cursor.Log.Offset)
	}
	must(t, os.WriteFile(path, []byte(blank+`{"type":"assistant","uuid":"u8","message":{"id":"m8","content":[{"type":"text","text":"Tabs or blanks?"}]}}`+"\n"), 0o600))
	if got := f.readOn(); got.words != "Tabs or blanks?" || got.asked != first.asked || f.cursor.Number != 3 {
		t.Errorf("%q after %d lines; asked %q", got.words, f.cursor.Number, got.asked)
	}
	n.log(t, "aaaaaaaa-1", "0 asks Anew.", "1 says Yes.")
	if got := f.readOn(); got.asked != "Anew." || got.words != "Yes." {
		t.Errorf("rewritten: %q, %q", got.asked, got.words)
	}
}

// Watch lists sessions of all projects without an order, sees changes and writes nothing.
func TestWatch(t *testing.T) {
	n := newNight(t)
	n.Now = time.UnixMilli(n.at(12))
	n.log(t, "aaaaaaaa-1", "0 asks Go.", "10 says Tabs or \u202eblanks?\x1b[2J")
	n.running(t, os.Getpid(), "aaaaaaaa-1", "busy")
	n.log(t, "bbbbbbbb-2", "0 asks Go.", "8 says All is done.")
	n.decide(t, 8, ledger.Record{Session: "bbbbbbbb-2", Host: "codex", Decision: "stop", Rule: "reported", Evidence: "done"})
	before := filesIn(t, n.dir)
	w := n.NewWatch()
	first := w.Look(n.Now)
	scratch.Equal(t, namesOf(first), "working aaaaaaaa-1 true, finished bbbbbbbb-2 false", "at first")
	if again := w.Look(n.Now); len(again.ChangesSince(first)) != 0 {
		t.Errorf("a change without one: %v", again.ChangesSince(first))
	}
	scratch.Equal(t, filesIn(t, n.dir), before, "watch writes nothing")

	n.running(t, os.Getpid(), "aaaaaaaa-1", "idle")
	n.decide(t, 11, ledger.Record{Session: "cccccccc-3", Host: "qwen", Decision: "stop", Rule: "blocked", Evidence: "no disk"})
	n.event(t, 11, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayAnswered})
	must(t, n.ReplaceInScope(n.order))
	second := w.Look(n.Now.Add(time.Second))
	scratch.Equal(t, namesOf(second), "waits for you aaaaaaaa-1 true, waits for you cccccccc-3 false, finished bbbbbbbb-2 false", "then")
	var lines []string
	for _, c := range second.ChangesSince(first) {
		line, err := json.Marshal(c)
		must(t, err)
		lines = append(lines, string(line))
	}
	all := strings.Join(lines, "\n")
	scratch.Holds(t, "JSON", all, `"orders":[{"id":"o1"`, `"holds":[]`, `"session":"aaaaaaaa-1"`, `"state":"waits for you"`, `"text":"Tabs or blanks?`, `"left":49`, `"host":"Qwen Code"`)
	scratch.Lacks(t, "JSON", all, `\u001b`, `\u202e`)
	must(t, os.Remove(filepath.Join(n.dir, "sessions", fmt.Sprint(os.Getpid())+".json")))
	third := w.Look(n.Now.Add(10 * time.Minute))
	scratch.Equal(t, namesOf(third), "waits for you cccccccc-3 false, finished aaaaaaaa-1 false, finished bbbbbbbb-2 false", "when its process has ended")
	last := w.Look(n.Now.Add(13 * time.Hour))
	scratch.Equal(t, namesOf(last), "", "after half a day")
	if c := last.ChangesSince(third); len(c) == 0 || c[len(c)-1].State != Gone {
		t.Errorf("they are gone: %v", c)
	}
}

// A command that the host runs itself leaves the state as it was.
func TestLocalCommand(t *testing.T) {
	n := newNight(t)
	n.running(t, os.Getpid(), "aaaaaaaa-1", "idle")
	for _, words := range []string{"<command-name>/model</command-name>", "<bash-input>ls</bash-input>"} {
		for lines, want := range map[string]State{
			"0 asks Go.|8 says Tabs or blanks?|9 asks ": Waiting, "0 asks Go.|8 fails API Error|9 asks ": Failed, "9 asks ": Fresh, "10 says Hello.|9 asks ": Waiting,
		} {
			n.log(t, "aaaaaaaa-1", strings.Split(lines+words, "|")...)
			scratch.Equal(t, n.NewWatch().Look(time.UnixMilli(n.at(12))).Sessions[0].State, want, lines+words)
		}
	}
	n.running(t, os.Getpid(), "aaaaaaaa-1", "busy")
	n.log(t, "aaaaaaaa-1", "2 asks Go.", "9 asks <command-name>/status</command-name>")
	scratch.Equal(t, n.NewWatch().Look(time.UnixMilli(n.at(12))).Sessions[0].Since, n.at(2), "since when it works")
}

// A dialog that the user opens, such as /model, is no need of the agent's.
func TestDialogOfTheUser(t *testing.T) {
	n := newNight(t)
	n.Now = time.UnixMilli(n.at(12))
	n.log(t, "aaaaaaaa-1", "0 asks Go.", "8 says All is done.")
	n.decide(t, 8, ledger.Record{Session: "aaaaaaaa-1", Decision: "stop", Rule: "reported", Evidence: "done"})
	text := fmt.Sprintf(`{"pid":%d,"sessionId":"aaaaaaaa-1","cwd":"/p","status":"waiting","statusUpdatedAt":1,"waitingFor":"dialog open"}`, os.Getpid())
	must(t, os.WriteFile(filepath.Join(n.dir, "sessions", fmt.Sprint(os.Getpid())+".json"), []byte(text), 0o600))
	scratch.Equal(t, namesOf(n.NewWatch().Look(n.Now)), "finished aaaaaaaa-1 true", "sessions")
}

func namesOf(v View) string {
	var all []string
	for _, s := range v.Sessions {
		all = append(all, fmt.Sprint(s.State, " ", s.Session, " ", s.Live))
	}
	return strings.Join(all, ", ")
}

func filesIn(t *testing.T, dir string) (all string) {
	t.Helper()
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		all += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
		return err
	}))
	return all
}

// The user hears once of each change to a need that has lasted for five seconds, and of none at the beginning.
func TestTeller(t *testing.T) {
	var told Teller
	for _, step := range []struct {
		at    int64
		is    State
		since int64
		want  int
	}{
		{0, Waiting, 1, 0}, {6000, Waiting, 1, 0}, // it waited before
		{7000, Working, 2, 0}, {20_000, Working, 2, 0},
		{21_000, Finished, 3, 0}, {25_999, Finished, 3, 0}, {26_000, Finished, 3, 1}, {60_000, Finished, 3, 0},
		{61_000, Working, 4, 0}, {62_000, Waiting, 5, 0}, {64_000, Working, 6, 0}, {70_000, Working, 6, 0}, // too short
		{71_000, Failed, 7, 0}, {76_000, Failed, 7, 1},
		{77_000, Waiting, 8, 0}, {82_000, Waiting, 8, 1},
		{83_000, Waiting, 9, 0}, {88_000, Waiting, 9, 1}, // the next question
	} {
		v := View{Now: step.at, Sessions: []Sight{{Session: "s", State: step.is, Since: step.since, Project: "/-x", Text: fmt.Sprint("text ", step.since)}}}
		scratch.Equal(t, len(told.ChooseToNotify(v)), step.want, step.at)
	}
	for at := range int64(4) { // the client was touched
		v := View{Now: 89_000 + at*6000, Sessions: []Sight{{Session: "s", State: Waiting, Since: 10 + at/2, Project: "/-x", Text: "text 9"}}}
		scratch.Equal(t, len(told.ChooseToNotify(v)), 0, "again")
	}
	open, closed := Sight{Session: "u", State: Waiting, Live: true}, Sight{Session: "u", State: Finished}
	for at, s := range []Sight{open, open, closed, closed} {
		if got := told.ChooseToNotify(View{Now: 120_000 + int64(at)*6000, Sessions: []Sight{s}}); len(got) != 0 && at != 1 {
			t.Errorf("of a session that the user closes: %v", got)
		}
	}
	if got := told.ChooseToNotify(View{Now: 200_000, Sessions: []Sight{{Session: "t", State: Waiting}}}); len(got) != 0 {
		t.Error("a new session waits, but not for long")
	}
	if got := told.ChooseToNotify(View{Now: 205_000, Sessions: []Sight{{Session: "t", State: Waiting, Project: "/p/-x", Text: "Why?"}}}); len(got) != 1 || (View{}).SightLine(got[0]) != "waits for you: -x: Why?" ||
		(View{Sessions: []Sight{{Session: "u", Project: "/p/-x"}}}).SightLine(got[0]) != "waits for you: t -x: Why?" {
		t.Errorf("%v", got)
	}
}

// A look can miss a session's process, or the session. The user does not hear again of the same need.
func TestTellerIsNotToldTwice(t *testing.T) {
	waits := []Sight{{Session: "s", State: Waiting, Since: 2, Live: true}}
	for name, missed := range map[string][]Sight{"without its process": {{Session: "s", State: Failed, Since: 1}}, "without it": nil} {
		var told Teller
		told.ChooseToNotify(View{Now: 1, Sessions: []Sight{{Session: "s", State: Working, Since: 1, Live: true}}})
		heard := 0
		for at, seen := range [][]Sight{waits, waits, missed, waits, waits, missed, waits, waits} {
			heard += len(told.ChooseToNotify(View{Now: 1000 + int64(at)*5000, Sessions: seen}))
		}
		scratch.Equal(t, heard, 1, name)
	}
	var told Teller
	for at := range int64(1000) {
		told.ChooseToNotify(View{Now: 1 + at*1000, Sessions: []Sight{{Session: fmt.Sprint(at), State: Waiting}}})
	}
	if len(told.pending) > 100 {
		t.Errorf("it remembers %d sessions", len(told.pending))
	}
}

// The page fits any terminal, and needs come first.
func TestFrame(t *testing.T) {
	left := 17
	v := View{
		Now:    10_000_000,
		Orders: []Order{{ID: "o", At: 9_000_000, Until: 20_000_000, Project: "/home/ned/p", Used: 2, Most: 50, From: "/dev/pts/3", InForce: true}},
		Holds:  []ledger.InForce{{Of: "session:3f2a51c7-1", Hold: ledger.Hold{Until: 10_900_000}}},
		Sessions: []Sight{
			{Session: "aaaa-1", Host: "Claude Code", Live: true, Project: "/home/ned/p", State: Waiting, Text: "Shall I use tabs or blanks in 日本 and everywhere else?", Since: 9_990_000, Plugin: "ned-flanders", Left: &left},
			{Session: "bbbb-2", Host: "Claude Code", Live: true, Project: "/home/ned/p", State: Working, Text: "Bash make test", Since: 9_700_000, Plugin: "todo-continuation-of-mine"},
			{Session: "cccc-3", Host: "Codex", Project: "/home/ned/a-project-with-a-long-name-indeed", State: Finished, Text: "All is done.", Since: 2_000_000},
		},
		More: 1,
	}
	var got strings.Builder
	for _, width := range []int{60, 80, 200} {
		var b strings.Builder
		v.WriteText(layout.Printer{W: &display.SafeWriter{To: &b}, Width: width, Home: "/home/ned"}, 0)
		for line := range strings.Lines(b.String()) {
			if w := layout.TextWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d of %d columns: %s", w, width, line)
			}
		}
		got.WriteString(b.String() + "\n")
	}
	scratch.Golden(t, filepath.Join("testdata", "frame.txt"), []byte(got.String()))
	for _, rows := range []int{5, 6, 7, 50} {
		var b strings.Builder
		v.WriteText(layout.Printer{W: &b, Width: 80}, rows)
		if n := strings.Count(b.String(), "\n"); n > rows || n < min(rows, 7) {
			t.Errorf("%d lines for %d rows:\n%s", n, rows, b.String())
		}
	}
	if !slices.IsSortedFunc(v.Sessions, func(a, b Sight) int { return a.rank() - b.rank() }) {
		t.Error("needs do not come first")
	}
}
