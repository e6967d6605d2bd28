package hook

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// away writes an order of the user's, who left an hour ago.
func (w *world) away(change func(*ledger.AwayOrder)) ledger.AwayOrder {
	w.t.Helper()
	o := ledger.AwayOrder{ID: "o", At: w.host.Now.Add(-time.Hour).UnixMilli(), Until: w.host.Now.Add(6 * time.Hour).UnixMilli(), Project: w.path("project"), Most: 50, From: "/dev/pts/3"}
	if change != nil {
		change(&o)
	}
	must(w.t, ledger.SetOrders(w.path(".claude/springfield"), func([]ledger.AwayOrder) []ledger.AwayOrder { return []ledger.AwayOrder{o} }))
	return o
}

func (w *world) brought() (did []string) {
	w.t.Helper()
	all, err := ledger.AwayEvents(w.path(".claude/springfield"), "o")
	must(w.t, err)
	for _, e := range all {
		did = append(did, e.Did)
	}
	return did
}

const question = "The parser is done. Shall the cache live in memory or on disk?"

// An order in force answers a question; without one, beyond its bounds, elsewhere, and where a
// guard has a word, the agent stops as ever.
func TestAwayAnswersAQuestion(t *testing.T) {
	for name, test := range map[string]struct {
		order func(*ledger.AwayOrder)
		event map[string]any
		goes  bool
	}{
		"in force":                    {nil, nil, true},
		"for every project":           {func(o *ledger.AwayOrder) { o.Project = "" }, nil, true},
		"of unknown origin":           {func(o *ledger.AwayOrder) { o.From = "" }, nil, true},
		"over":                        {func(o *ledger.AwayOrder) { o.Until = o.At + 1 }, nil, false},
		"taken back":                  {func(o *ledger.AwayOrder) { o.Ended = o.At + 1 }, nil, false},
		"of the future":               {func(o *ledger.AwayOrder) { o.At += 2 * time.Hour.Milliseconds() }, nil, false},
		"for a year":                  {func(o *ledger.AwayOrder) { o.Until += 365 * 24 * time.Hour.Milliseconds() }, nil, false},
		"for a million":               {func(o *ledger.AwayOrder) { o.Most = 1_000_000 }, nil, false},
		"for another project":         {func(o *ledger.AwayOrder) { o.Project += "/other" }, nil, false},
		"with a name alike":           {func(o *ledger.AwayOrder) { o.Project = strings.TrimSuffix(o.Project, "x")[:len(o.Project)-1] }, nil, false},
		"by a link":                   {nil, map[string]any{"cwd": "LINK"}, true},
		"whose home is the project's": {func(o *ledger.AwayOrder) { o.Project = "" }, map[string]any{"cwd": "HOME"}, false},
		"after cd to the home":        {nil, map[string]any{"cwd": "HOME", "started": "project"}, true},
		"after cd to the root":        {nil, map[string]any{"cwd": "/", "started": "project"}, true},
		"started above the home":      {func(o *ledger.AwayOrder) { o.Project = "" }, map[string]any{"started": ""}, false},
		"since ever":                  {func(o *ledger.AwayOrder) { o.At, o.Until = math.MinInt64, math.MaxInt64 }, nil, false},
		"in plan mode":                {nil, map[string]any{"permission_mode": "plan"}, false},
		"while work goes on":          {nil, map[string]any{"background_tasks": []any{map[string]any{"id": "1", "type": "subagent", "description": "looks"}}}, false},
		"while a wake-up is on":       {nil, map[string]any{"session_crons": []any{map[string]any{"id": "1"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, `{"strategy": "ned-flanders"}`)
			w.away(test.order)
			if test.event == nil {
				test.event = map[string]any{}
			}
			if test.event["cwd"] == "HOME" {
				test.event["cwd"] = w.home
			}
			if started, ok := test.event["started"].(string); ok {
				w.host.Project = w.path(started)
			}
			if test.event["cwd"] == "LINK" {
				test.event["cwd"] = w.path("link")
				must(t, os.MkdirAll(w.path("project"), 0o755))
				scratch.MustLink(t, w.path("project"), w.path("link"))
			}
			test.event["last_assistant_message"] = question
			out, _ := w.run(w.inProject(test.event))
			if goes := out.Decision == "block"; goes != test.goes || goes != strings.Contains(out.Reason, "Decided while you were away") {
				t.Errorf("%+v", out)
			}
			if n := len(w.brought()); (n == 1) != test.goes {
				t.Errorf("brought %v", w.brought())
			}
			if r, _ := w.newest("session:s1"); r.Left != nil {
				t.Errorf("why would say a budget, and the order has its own: %+v", r.Left)
			}
		})
	}
}

// A hold overrides an order.
func TestAwayAndHold(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	w.away(nil)
	_, err := ledger.SetHold(w.path(".claude/springfield"), "", w.host.Now, 0, ledger.Means{})
	must(t, err)
	if out, _ := w.run(w.inProject(map[string]any{"last_assistant_message": question})); out != (output{}) {
		t.Errorf("%+v", out)
	}
	if out, _ := w.run(w.request("Bash", `{"command":"make"}`)); out != (output{}) {
		t.Errorf("%+v", out)
	}
}

// A hold that the user sets during a decision applies.
func TestHoldDuringADecision(t *testing.T) {
	w := newWorld(t, ned)
	w.typed("p1", "go on")
	w.host.Hangs = func() bool { w.hold(); return false } // it is asked during the decision
	if out, _ := w.run(w.event(map[string]any{"last_assistant_message": progress})); out != (output{}) {
		t.Errorf("%+v", out)
	}
	scratch.Equal(t, w.rule(), "hold", "rule")
}

// A project brings no order, whatever name of its directory the environment gives as the home.
func TestOrderOfTheProject(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	w.away(func(o *ledger.AwayOrder) { o.Project = "" })
	scratch.MustLink(t, w.home, w.home+"-link")
	cwd, err := os.Getwd()
	must(t, err)
	defer os.Chdir(cwd)
	must(t, os.Chdir(w.home))
	for _, home := range []string{w.home, w.home + "-link", "/proc/self/cwd", "/proc/self/root" + w.home, "/dev/fd/../../proc/self/cwd", w.home + "-none"} {
		w.host.Home, w.host.Project = home, w.home
		if out, _ := w.run(w.event(map[string]any{"last_assistant_message": question})); out.Decision != "" {
			t.Errorf("home %s: %+v", home, out)
		}
	}
}

// A clone below the order's project gets no note, a worktree does.
func TestNoteOfAnOrder(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	w.write("project/.git/worktrees/w/commondir", "../..")
	w.write("project/vendor/clone/.git/HEAD", "")
	w.write("project/vendor/sub/.git", "gitdir: ../../.git/modules/sub")
	w.write("project/w/.git", "gitdir: "+w.path("project/.git/worktrees/w"))
	w.write("project/plain/x", "")
	project, err := filepath.EvalSymlinks(w.path("project"))
	must(t, err)
	w.away(func(o *ledger.AwayOrder) { o.Project, o.Note = project, "use tabs" })
	for dir, noted := range map[string]bool{"": true, "plain": true, "w": true, "vendor/clone": false, "vendor/clone/deep": false, "vendor/sub": false} {
		must(t, os.MkdirAll(w.path("project/"+dir), 0o755))
		w.host.Project = w.path("project/" + dir)
		out, _ := w.run(w.event(map[string]any{"session_id": dir, "last_assistant_message": question}))
		if out.Decision != "block" || strings.Contains(out.Reason, "use tabs") != noted {
			t.Errorf("%q: %+v", dir, out)
		}
	}
}

// The order's number holds over all sessions, however many stop at once; a burst does not end it.
func TestAwayCountsOverAllSessions(t *testing.T) {
	const most, sessions = 12, 60
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	w.away(func(o *ledger.AwayOrder) { o.Most = most })
	var wait sync.WaitGroup
	for i := range sessions {
		wait.Add(1)
		go func() {
			defer wait.Done()
			h := w.host
			h.Stdin, h.Stdout, h.Stderr = strings.NewReader(w.inProject(map[string]any{"session_id": fmt.Sprint("s", i), "last_assistant_message": question})), &strings.Builder{}, &strings.Builder{}
			h.Run()
		}()
	}
	wait.Wait()
	scratch.Equal(t, strings.Count(strings.Join(w.brought(), " "), ledger.AwayAnswered), most)

	w = newWorld(t, `{"strategy": "ned-flanders"}`)
	w.away(nil)
	for i := range 6 { // a burst is three
		if out, _ := w.run(w.inProject(map[string]any{"last_assistant_message": fmt.Sprintf("Task %d complete. Moving to Task %d.", i, i+1)})); out.Decision != "block" {
			t.Errorf("continue %d: %+v", i, out)
		}
	}
	all := strings.Join(w.brought(), " ")
	scratch.Equal(t, all, strings.TrimSpace(strings.Repeat(ledger.AwayContinued+" ", 6)), "brought")
}

// Continues are counted, whatever has been forgotten of them.
func TestAwayCountsWhatIsForgotten(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	order := w.away(func(o *ledger.AwayOrder) { o.Most = 2 })
	for i := range 3 {
		out, _ := w.run(w.inProject(map[string]any{"session_id": fmt.Sprint("s", i), "last_assistant_message": question}))
		if (out.Decision == "block") != (i == 0) {
			t.Errorf("stop %d: %+v", i, out)
		}
		log, err := ledger.LockAwayLog(w.path(".claude/springfield"), order)
		must(t, err)
		for range 400 * (2 - i) { // of another session, 3 KB each: the file keeps half of 1 MiB
			must(t, log.AddEvent(ledger.AwayEvent{At: 1, Session: "x", Did: ledger.AwayStands, Text: strings.Repeat("x", 3000)}))
		}
		if i == 0 {
			must(t, log.AddEvent(ledger.AwayEvent{At: 1, Session: "x", Did: ledger.AwayContinued}))
		}
		log.Close()
	}
}

// An answer that cannot be recorded is not given.
func TestAwayThatCannotBeNoted(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	w.away(nil)
	must(t, os.Mkdir(w.path(".claude/springfield/away.jsonl"), 0o700))
	if out, _ := w.run(w.inProject(map[string]any{"last_assistant_message": question})); out.Decision != "" {
		t.Errorf("%+v", out)
	}
	if out, _ := w.run(w.request("Bash", `{"command":"make"}`)); out != (output{}) {
		t.Errorf("%+v", out)
	}
}

// inProject is an event of a session in a project below the home.
func (w *world) inProject(more map[string]any) string {
	w.t.Helper()
	must(w.t, os.MkdirAll(w.path("project"), 0o755))
	if more["cwd"] == nil {
		more["cwd"] = w.path("project")
	}
	return w.event(more)
}

func (w *world) request(tool, input string) string {
	return w.inProject(map[string]any{"hook_event_name": "PermissionRequest", "tool_name": tool, "tool_input": json.RawMessage(input)})
}

// The answer to a permission request, as Claude Code reads it.
func TestAwayDeniesRequests(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	if out, _ := w.run(w.request("Bash", `{"command":"make"}`)); out != (output{}) {
		t.Errorf("without an order: %+v", out)
	}
	w.away(nil)
	for tool, test := range map[string]struct{ input, says, did string }{
		"Bash":            {`{"command":"npm publish"}`, "They cannot allow this.", ledger.AwayDenied},
		"AskUserQuestion": {`{"questions":[{"question":"Tabs or blanks?","options":[{"label":"Tabs"}]}]}`, "Decide yourself", ledger.AwayDialog},
		"ExitPlanMode":    {`{"plan":"1. x"}`, "", ""},
	} {
		before := len(w.brought())
		out, _ := w.run(w.request(tool, test.input))
		switch {
		case test.says == "":
			if out != (output{}) {
				t.Errorf("%s: %+v", tool, out)
			}
		case out.Specific == nil || out.Specific.Event != "PermissionRequest" || out.Specific.Decision.Behavior != "deny" || !strings.Contains(out.Specific.Decision.Message, test.says):
			t.Errorf("%s: %+v", tool, out.Specific)
		case w.brought()[before] != test.did:
			t.Errorf("%s: %v", tool, w.brought())
		}
	}
}

// A session's start reports once which orders are in force, though two plugins are asked.
func TestSessionStartSaysWhatIsInForce(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders"}`)
	start := w.inProject(map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	if out, _ := w.run(start); out != (output{}) {
		t.Errorf("with nothing in force: %+v", out)
	}
	w.away(nil)
	_, err := ledger.SetHold(w.path(".claude/springfield"), "", w.host.Now, time.Hour, ledger.Means{})
	must(t, err)
	if out, _ := w.run(start); !out.tells("0 of 50 continues used, 6 h left, in ") || !out.tells("a hold is in force, for another 1 h") {
		t.Errorf("%+v", out)
	}
	if out, _ := w.run(start); out != (output{}) {
		t.Errorf("the second plugin: %+v", out)
	}
	// In the home directory no order is in force, and nothing is written there.
	t.Chdir(w.home)
	home := w.event(map[string]any{"hook_event_name": "SessionStart", "source": "startup", "session_id": "s2"})
	out, _ := w.run(home)
	if made, _ := filepath.Glob("[as]*"); !out.tells("a hold is in force") || out.tells("continues used") || made != nil {
		t.Errorf("in the home directory: %+v, and it made %q", out, made)
	}
	// A record that cannot be written costs nobody the greeting.
	must(t, os.Remove(w.path(".claude/springfield/away.jsonl")))
	must(t, os.Mkdir(w.path(".claude/springfield/away.jsonl"), 0o700))
	if out, _ := w.run(start); !out.tells("a hold is in force") {
		t.Errorf("with a directory in place of the log: %+v", out)
	}
}
