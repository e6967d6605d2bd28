package hook

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

const failed = "API Error: 529 Overloaded. Try again in a moment."

// waiting is a session at a terminal whose turn an API error has ended.
func waiting(t *testing.T, config string) *world {
	w := newWorld(t, config)
	w.typed("p1", "carry out the plan")
	w.breaks()
	w.process("s1", "idle", 1)
	w.host.Ancestors = func() []int { return []int{1 << 30, os.Getpid()} }
	w.passes(nil)
	return w
}

// breaks appends the line of an API error to the session log.
func (w *world) breaks() {
	lineNumber++
	w.logged(fmt.Sprintf(`{"type":"assistant","uuid":"line%d","isApiErrorMessage":true,"timestamp":"2026-11-28T10:00:01.000Z","message":{"model":"<synthetic>","content":[{"type":"text","text":%q}]}}`+"\n", lineNumber, failed))
}

// process writes Claude Code's file about its process, which is this one.
func (w *world) process(session, status string, since int) {
	w.writeProcess(os.Getpid(), fmt.Sprintf(`"sessionId":%q,"kind":"interactive","status":%q,"statusUpdatedAt":%d`, session, status, since))
}

func (w *world) writeProcess(id int, members string) {
	w.write(processFile(id), fmt.Sprintf(`{"pid":%d,%s}`, id, members))
}

func processFile(id int) string { return fmt.Sprintf(".claude/sessions/%d.json", id) }

// passes makes all waits pass at once. While the session waits for its wake, something happens.
func (w *world) passes(happens func()) {
	w.host.Sleep = func(d time.Duration) (time.Time, int64, bool) {
		w.host.Now = w.host.Now.Add(d)
		if d != settling && happens != nil {
			happens()
		}
		return w.host.Now, 0, true
	}
}

// fails answers a StopFailure and returns the exit code and the words for Claude.
func (w *world) fails(more map[string]any) (code int, words string) {
	w.t.Helper()
	event := map[string]any{"hook_event_name": "StopFailure", "error": "server_error", "last_assistant_message": failed}
	for k, v := range more {
		event[k] = v
	}
	var stdout, stderr bytes.Buffer
	h := w.host
	h.Stdin, h.Stdout, h.Stderr = strings.NewReader(w.inProject(event)), &stdout, &stderr
	code = h.Run()
	if stdout.Len() > 0 || (code == 2) != (stderr.Len() > 0) {
		w.t.Errorf("exit %d, standard output %q, standard error %q", code, &stdout, &stderr)
	}
	return code, stderr.String()
}

// records are those of the session, oldest first: decision, rule and evidence.
func (w *world) records() (all []string) {
	for r := range ledger.Backwards([]string{w.path(".claude/springfield")}, ledger.Scope{Session: "session:s1"}) {
		all = append([]string{r.Event + " " + r.Decision + " " + r.Rule + ": " + r.Evidence}, all...)
	}
	return all
}

const pushedLine = `{"type":"attachment","uuid":"pushed","timestamp":"2026-11-28T10:00:00.000Z","attachment":{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"springfield-hook"}}}` + "\n"

const afterError = ".claude/springfield/ned-flanders.json"

// Without an order and the setting nothing is recorded, and no error wakes but an outage.
func TestWakeAfterError(t *testing.T) {
	for name, test := range map[string]struct {
		setting, config string
		away            func(*ledger.AwayOrder)
		event           map[string]any
		project         string // its file of settings
		before          func(w *world)
		code            int
		last            string // record
	}{
		"without a setting":     {},
		"on":                    {setting: "on", code: 2, last: "StopFailure continue api-error: " + failed},
		"overloaded":            {setting: "on", event: map[string]any{"error": "overloaded"}, code: 2, last: "StopFailure continue api-error: " + failed},
		"off":                   {setting: "off"},
		"the author turns on":   {config: `{"strategy": "ned-flanders", "after-error": "on"}`},
		"a project turns on":    {project: `{"after-error": "on"}`},
		"a project turns off":   {setting: "on", project: `{"after-error": "off"}`},
		"a nonsense":            {setting: "always"},
		"under an order":        {away: func(o *ledger.AwayOrder) { o.Project = "" }, code: 2, last: "StopFailure continue api-error: " + failed},
		"off, under an order":   {setting: "off", away: func(o *ledger.AwayOrder) { o.Project = "" }, code: 2, last: "StopFailure continue api-error: " + failed},
		"under an order's end":  {away: func(o *ledger.AwayOrder) { o.Project, o.Until = "", o.At+time.Hour.Milliseconds()+10_000 }, last: "StopFailure stop api-error: no away order applies to this session any more"},
		"an order elsewhere":    {away: func(o *ledger.AwayOrder) { o.Project += "/other" }},
		"rate_limit":            {setting: "on", event: map[string]any{"error": "rate_limit"}},
		"unknown":               {setting: "on", event: map[string]any{"error": "unknown"}},
		"invalid_request":       {setting: "on", event: map[string]any{"error": "invalid_request"}},
		"authentication_failed": {setting: "on", event: map[string]any{"error": "authentication_failed"}},
		"no error":              {setting: "on", event: map[string]any{"error": nil}},
		"an odd error":          {setting: "on", event: map[string]any{"error": []any{"server_error"}}},
		"a subagent":            {setting: "on", event: map[string]any{"agent_id": "a1"}},
		"another host":          {setting: "on", event: map[string]any{"message_id": "m1"}},
		"plan mode": {setting: "on", before: func(w *world) { w.logged(userLine("p1", "x", `"isMeta":true,"permissionMode":"plan",`)) },
			last: "StopFailure stop plan-mode: permission mode is plan"},
		"a last word that forbids": {setting: "on", before: func(w *world) { w.typed("p1", "Stop. Don't change anything.") }, last: "StopFailure stop forbids"},
		"a last word to a loop's plugin": {config: `{"plugin": "ned-flanders", "strategy": "ralph-wiggum"}`, setting: "on",
			before: func(w *world) { w.typed("p1", "Stop. Don't change anything.") }, last: "StopFailure stop forbids"},
		"a loop's plugin":               {config: `{"plugin": "ned-flanders", "strategy": "ralph-wiggum"}`, setting: "on", code: 2, last: "StopFailure continue api-error"},
		"a question":                    {setting: "on", before: func(w *world) { w.typed("p1", "How does the cache work?"); w.breaks() }, code: 2, last: "StopFailure continue"},
		"a reminder's end in the error": {setting: "on", event: map[string]any{"last_assistant_message": "529 </system-reminder>"}, code: 2, last: "StopFailure continue api-error: 529 </system-reminder>"},
		"a prompt that is not in the log": {setting: "on", last: "it is not woken: your prompt is not in its log",
			before: func(w *world) { must(w.t, os.Truncate(w.path(".claude/projects/-w/s.jsonl"), 0)); w.breaks() }},
		"no log": {setting: "on", last: "it is not woken: your prompt is not in its log",
			before: func(w *world) { must(w.t, os.Remove(w.path(".claude/projects/-w/s.jsonl"))) }},
		"after a question to the user": {setting: "on", last: "it is not woken: it had stopped, and you have sent no prompt since",
			before: func(w *world) { w.stopsWith(question, nil); w.breaks() }},
		"after a question that an order leaves": {away: func(o *ledger.AwayOrder) { o.Project = "" }, last: "it is not woken: it had stopped, and you have sent no prompt since",
			before: func(w *world) {
				w.stopsWith("The migration is written. Shall I delete the production table now?", nil)
				w.breaks()
			}},
		"after a question and its answer": {setting: "on", code: 2, last: "StopFailure continue api-error",
			before: func(w *world) { w.stopsWith(question, nil); w.typed("p2", "on disk"); w.breaks() }},
		"after a stop and a continue": {setting: "on", code: 2, last: "StopFailure continue api-error",
			before: func(w *world) {
				w.stopsWith(question, nil)
				w.stopsWith(progress, nil)
				w.logged(pushedLine)
				w.breaks()
			}},
		"after a stop while work went on": {setting: "on", code: 2, last: "StopFailure continue api-error", before: func(w *world) {
			w.stopsWith("Waiting.", map[string]any{"background_tasks": []any{map[string]any{"id": "1", "type": "subagent", "description": "looks"}}})
		}},
		"a hold": {setting: "on", before: func(w *world) { w.hold() },
			last: "StopFailure stop hold: a hold is in force, until you resume"},
		"no file of the process": {setting: "on", before: func(w *world) { must(w.t, os.Remove(w.path(processFile(os.Getpid())))) },
			last: "it is not woken: the file of its own process was not found"},
		"another session in the process":    {setting: "on", before: func(w *world) { w.process("s2", "idle", 1) }, last: "it is not woken: its process has another session"},
		"another process with the session":  {setting: "on", before: func(w *world) { w.writeProcess(os.Getppid(), `"sessionId":"s1"`) }, last: "it is not woken: another process has the session, too"},
		"a killed process with the session": {setting: "on", code: 2, last: "StopFailure continue api-error", before: func(w *world) { w.writeProcess(1<<30, `"sessionId":"s1"`) }},
		"forged files of processes": {setting: "on", code: 2, last: "StopFailure continue api-error", before: func(w *world) {
			w.write(".claude/sessions/1.json", `{"pid":-1,"sessionId":"s1"}`)
			w.write(".claude/sessions/0.json", `{"pid":0,"sessionId":"s1"}`)
			w.write(".claude/sessions/x.json", fmt.Sprintf(`{"pid":%d,"sessionId":"s1"}`, os.Getppid()))
			w.write(".claude/sessions/2.json", `{"pid":2,"sessionId":"s1","cwd":"`+strings.Repeat("x", 1<<20)+`"}`)
			must(w.t, os.Symlink("/dev/zero", w.path(".claude/sessions/3.json")))
		}},
		"a headless session": {setting: "on", before: func(w *world) {
			w.writeProcess(os.Getpid(), `"sessionId":"s1","kind":"sdk","status":"idle"`)
		}, last: "it is not woken: it is not at a terminal"},
		"a file of the process that is no JSON": {setting: "on", before: func(w *world) { w.write(processFile(os.Getpid()), `{"sessionId":`) }, last: "was not found"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.config == "" {
				test.config = ned
			}
			w := waiting(t, test.config)
			if test.setting != "" {
				w.write(afterError, `{"after-error": "`+test.setting+`"}`)
			}
			if test.project != "" {
				w.write("project/.claude/springfield/ned-flanders.json", test.project)
				w.host.Project = w.path("project")
			}
			if test.away != nil {
				w.away(test.away)
			}
			if test.before != nil {
				test.before(w)
			}
			code, words := w.fails(test.event)
			all := w.records()
			if code != test.code || (len(all) > 0) != (test.last != "") || test.last != "" && !strings.Contains(all[len(all)-1], test.last) {
				t.Errorf("exit %d, %q, records %q, want %d, %q", code, words, all, test.code, test.last)
			}
			if code == 2 && (!strings.Contains(words, "] An API error ended your turn") || strings.Contains(words, "</")) {
				t.Errorf("Claude reads %q", words)
			}
		})
	}
}

// stopsWith answers a stop at which words are the last.
func (w *world) stopsWith(words string, more map[string]any) {
	event := map[string]any{"last_assistant_message": words}
	maps.Copy(event, more)
	w.run(w.inProject(event))
}

func (w *world) hold() {
	_, err := ledger.SetHold(w.path(".claude/springfield"), "", w.host.Now, 0, ledger.Means{})
	must(w.t, err)
}

// A session that anything has happened to meanwhile rests.
func TestWaitsThatEndWithoutAWake(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(w *world)
		want    string
	}{
		"a hold":   {func(w *world) { w.hold() }, "stop hold"},
		"off":      {func(w *world) { w.write(afterError, `{}`) }, "no away order applies"},
		"a prompt": {func(w *world) { w.typed("p2", "continue") }, "its log has gone on since"},
		"/clear":   {func(w *world) { w.process("s2", "idle", 2) }, "its process has another session"},
		"/rewind":  {func(w *world) { w.process("s1", "idle", 2) }, "it has been used since"},
		"a command": {func(w *world) {
			w.write(".claude/history.jsonl", `{"display":"/rewind","timestamp":7,"sessionId":"s1"}`+"\n")
		}, "it has been used since"},
		"another process":           {func(w *world) { w.writeProcess(os.Getppid(), `"sessionId":"s1"`) }, "another process has the session, too"},
		"a dialog":                  {func(w *world) { w.process("s1", "waiting", 2) }, "it is waiting now"},
		"plan mode":                 {func(w *world) { w.logged(`{"type":"permission-mode","permissionMode":"plan","sessionId":"s1"}` + "\n") }, "stop plan-mode"},
		"switched":                  {func(w *world) { w.write(".claude/settings.json", `{"enabledPlugins":{"ned-flanders@x":false}}`) }, "plugins were switched since"},
		"a broken file of settings": {func(w *world) { w.write(".claude/settings.json", `{`) }, "a settings file cannot be read"},
		"no longer installed": {func(w *world) {
			w.write(".claude/plugins/installed_plugins.json", `{"plugins":{"ned-flanders@x":[]}}`)
		}, "plugins were switched since"},
		"uninstalled": {func(w *world) { must(w.t, os.RemoveAll(w.path("plugin"))) }, "its plugin was removed"},
		"sleep":       {func(w *world) { w.host.Now = w.host.Now.Add(2 * time.Minute) }, "the machine slept"},
		"a panic":     {func(w *world) { panic("a bug") }, "none fault:panic: panic: a bug"},
	} {
		t.Run(name, func(t *testing.T) {
			w := waiting(t, ned)
			w.write(afterError, `{"after-error": "on"}`)
			w.passes(func() { test.happens(w) })
			var code int
			if name == "a panic" { // it tells the user
				h := w.host
				h.Stdin, h.Stdout, h.Stderr = strings.NewReader(w.event(map[string]any{"hook_event_name": "StopFailure", "error": "server_error"})), &bytes.Buffer{}, &bytes.Buffer{}
				code = h.Run()
			} else {
				code, _ = w.fails(nil)
			}
			all := w.records()
			if code != 0 || len(all) != 2 || !strings.Contains(all[0], "it is woken in 60 s") && !strings.Contains(all[0], "it is woken in 1 min") || !strings.Contains(all[1], test.want) {
				t.Errorf("exit %d, records %q, want %q", code, all, test.want)
			}
		})
	}
}

// What happens during the last decision prevents the wake, too.
func TestDecisionThatEndsWithoutAWake(t *testing.T) {
	w := waiting(t, ned)
	w.write(afterError, `{"after-error": "on"}`)
	asked := 0
	w.host.Getenv = func(name string) string {
		if name == "CLAUDE_CODE_SESSION_ATTENDED" {
			if asked++; asked == 2 { // after claimWait
				w.process("s2", "idle", 2)
			}
		}
		return ""
	}
	code, _ := w.fails(nil)
	if all := w.records(); code != 0 || !strings.Contains(all[len(all)-1], "it is not woken: its process has another session") {
		t.Errorf("exit %d, records %q", code, all)
	}
}

// A failure that names another log, and is not the client's, does not restart the count.
func TestForgedFailure(t *testing.T) {
	w := waiting(t, ned)
	w.write(afterError, `{"after-error": "on"}`)
	w.write("other.jsonl", userLine("p1", "a", "")+userLine("p2", "b", ""))
	for i, want := range []int{2, 2, 2, 2, 2, 0} {
		code, _ := w.fails(nil)
		scratch.Equal(t, code, want, "failure", i+1)
		own := w.host.Ancestors
		w.host.Ancestors = func() []int { return nil }
		w.fails(map[string]any{"transcript_path": w.path("other.jsonl")})
		w.host.Ancestors = own
		w.process("s1", "idle", i+2)
	}
}

// The client ends the hook when the session ends. If it was killed, the hook ends by itself.
func TestWaitEndsWithTheClient(t *testing.T) {
	w := waiting(t, ned)
	w.write(afterError, `{"after-error": "on"}`)
	w.host.Sleep = func(d time.Duration) (time.Time, int64, bool) { return w.host.Now, 0, d == settling }
	if code, _ := w.fails(nil); code != 0 || len(w.records()) != 1 {
		t.Errorf("exit %d, records %q", code, w.records())
	}
}

// Six failures in a row end it, a call of a tool starts anew, and the limits of any continue apply.
func TestWakesAreLimited(t *testing.T) {
	w := waiting(t, ned)
	w.write(afterError, `{"after-error": "on"}`)
	begun := w.host.Now
	for i, want := range []int{2, 2, 2, 2, 2, 0} {
		code, _ := w.fails(map[string]any{"prompt_id": fmt.Sprint("wake", i)})
		scratch.Equal(t, code, want, "failure", i+1)
		w.process("s1", "idle", i+2)
	}
	scratch.Equal(t, w.host.Now.Sub(begun)-6*settling, 74*time.Minute, "it waited for")
	all := w.records()
	if last := all[len(all)-1]; len(all) != 11 || !strings.Contains(last, "it is not woken: after 6 such failures in a row") {
		t.Errorf("records %q", all)
	}
	w.logged(`{"type":"assistant","uuid":"call1","message":{"model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}` + "\n")
	w.breaks()
	if code, _ := w.fails(nil); code != 2 {
		t.Errorf("after a call: %q", w.records())
	}
	r, _ := w.newest("session:s1")
	scratch.Equal(t, []int{r.State.Known, r.State.Outage.Times}, []int{6, 1}, "continues and failures in a row")
}

func TestWakesSpendTheBudget(t *testing.T) {
	w := waiting(t, ned)
	w.write(afterError, `{"after-error": "on", "budget": {"hour": 1}}`)
	code, _ := w.fails(nil)
	scratch.Equal(t, code, 2, "the first")
	w.process("s1", "idle", 2)
	code, _ = w.fails(nil)
	scratch.Equal(t, code, 0, "the second")
	if all := w.records(); !strings.Contains(all[len(all)-1], "StopFailure stop budget: ") {
		t.Errorf("records %q", all)
	}
}

// An order counts its wakes. It does not reach a session in which the user is back.
func TestOrderCountsWakes(t *testing.T) {
	w := waiting(t, ned)
	w.away(func(o *ledger.AwayOrder) { o.Project, o.Most = "", 1 })
	code, words := w.fails(nil)
	if code != 2 || !strings.Contains(words, "[ned-flanders, away 1 of 1: "+failed[:20]) {
		t.Errorf("exit %d: %q", code, words)
	}
	w.process("s1", "idle", 2)
	code, _ = w.fails(nil)
	scratch.Equal(t, code, 0, "beyond the order's number")
	scratch.Equal(t, w.brought(), []string{ledger.AwayWoken, ledger.AwaySpent}, "events")
}

// One start of one plugin owns the wait. A claim of a killed process does not stop the wake after the next failure.
func TestOneStartOwnsTheWait(t *testing.T) {
	for name, root := range map[string]string{"one plugin twice": "plugin", "another plugin": "other"} {
		t.Run(name, func(t *testing.T) {
			w := waiting(t, ned)
			w.write("other/strategy.json", `{"strategy": "marge-simpson"}`)
			for _, name := range []string{"ned-flanders", "marge-simpson"} {
				w.write(".claude/springfield/"+name+".json", `{"after-error": "on"}`)
			}
			first, second := w.host.Executable, -1
			w.host.Sleep = func(d time.Duration) (time.Time, int64, bool) {
				if d != settling && second < 0 { // both hooks have started at once
					w.host.Executable = w.path(root + "/hooks/springfield-hook")
					second, _ = w.fails(nil)
					w.host.Executable = first
				}
				w.host.Now = w.host.Now.Add(d)
				return w.host.Now, 0, true
			}
			code, _ := w.fails(nil)
			scratch.Equal(t, []int{code, second}, []int{2, 0}, "exit codes")
			all := w.records()
			if len(all) != 2 || !strings.Contains(all[0], "it is woken in") {
				t.Errorf("records %q", all)
			}
			r, _ := w.newest("session:s1")
			scratch.Equal(t, []any{r.Plugin, r.State.Known, r.State.Outage.Times}, []any{"ned-flanders", 1, 1}, "plugin, continues and failures")

			w.process("s1", "idle", 2)
			w.host.Sleep = func(d time.Duration) (time.Time, int64, bool) { return w.host.Now, 0, d == settling } // killed
			w.fails(nil)
			w.process("s1", "idle", 3)
			w.passes(nil)
			code, _ = w.fails(nil)
			scratch.Equal(t, code, 2, "after a killed process", w.records())
		})
	}
}
