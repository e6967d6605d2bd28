package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// world is a scratch home with a plugin and a session log in it.
type world struct {
	t    *testing.T
	home string
	host Host
}

func newWorld(t *testing.T, config string) *world {
	t.Helper()
	w := &world{t: t, home: t.TempDir()}
	w.write("plugin/strategy.json", config)
	w.write(".claude/projects/-w/s.jsonl", "")
	w.host = Host{
		Executable: w.path("plugin/hooks/springfield-hook"),
		Home:       w.home,
		Now:        time.Unix(1_800_000_000, 0),
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.home, filepath.FromSlash(name)) }

func (w *world) write(name, data string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(data), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// event is a Stop event of this world with more or other members.
func (w *world) event(more map[string]any) string {
	e := map[string]any{
		"hook_event_name": "Stop", "session_id": "s1", "transcript_path": w.path(".claude/projects/-w/s.jsonl"),
		"cwd": w.home, "prompt_id": "p1", "permission_mode": "default", "stop_hook_active": false,
		"background_tasks": []any{}, "session_crons": []any{},
	}
	for k, v := range more {
		e[k] = v
	}
	b, err := json.Marshal(e)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// run answers one event and checks what holds for every answer.
func (w *world) run(event string) (out output, notes string) {
	w.t.Helper()
	return w.runFrom(strings.NewReader(event))
}

func (w *world) runFrom(stdin io.Reader) (out output, notes string) {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	h := w.host
	h.Stdin, h.Stdout, h.Stderr = stdin, &stdout, &stderr
	if code := h.Run(); code != 0 {
		w.t.Errorf("exit code %d", code)
	}
	if stdout.Len() > 0 {
		d := json.NewDecoder(&stdout)
		d.DisallowUnknownFields()
		if err := d.Decode(&out); err != nil {
			w.t.Errorf("stdout is not one answer: %v", err)
		}
		if rest, _ := io.ReadAll(d.Buffered()); strings.TrimSpace(string(rest)) != "" || stdout.Len() > 0 {
			w.t.Errorf("stdout goes on after the answer: %q", rest)
		}
	}
	if (out.Decision == "block") != (out.Reason != "") || out.Decision != "" && out.Decision != "block" {
		w.t.Errorf("answer %+v", out)
	}
	return out, stderr.String()
}

const ned = `{"plugin": "ned-flanders", "strategy": "ned-flanders", "rules": "default"}`

// progress is a message on which ned-flanders goes on.
const progress = "Task 1 complete. Moving to Task 2."

func TestRun(t *testing.T) {
	log := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	said := func(s string) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":%q}]}}`, s)
	}
	const (
		asked   = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"AskUserQuestion","input":{}}]}}`
		started = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"make","run_in_background":true}}]}}`
		go_     = `{"type":"user","message":{"content":"go"}}`
	)
	shell := []map[string]string{{"id": "1", "type": "shell", "status": "running", "description": "make", "command": "make"}}
	for name, test := range map[string]struct {
		log    string
		event  map[string]any
		blocks bool
		rule   string // in the ledger; "" if nothing is written there
	}{
		"goes on":                      {"", map[string]any{"last_assistant_message": progress}, true, "progress"},
		"stops":                        {"", map[string]any{"last_assistant_message": "All done."}, false, "finished"},
		"no name of the event":         {"", map[string]any{"hook_event_name": "", "last_assistant_message": progress}, true, "progress"},
		"another event":                {"", map[string]any{"hook_event_name": "SubagentStop", "last_assistant_message": progress}, false, ""},
		"text from the transcript":     {log(said(progress)), nil, true, "progress"},
		"the event before it":          {log(said(progress)), map[string]any{"last_assistant_message": "Which one do you prefer?"}, false, "asks"},
		"the event before it, lagging": {log(said("All done.")), map[string]any{"last_assistant_message": progress}, true, "progress"},
		"asked by tool":                {log(asked), map[string]any{"last_assistant_message": progress}, false, "asked"},
		"plan mode":                    {"", map[string]any{"last_assistant_message": progress, "permission_mode": "plan"}, false, "plan-mode"},
		"a cron":                       {"", map[string]any{"last_assistant_message": progress, "session_crons": []any{map[string]any{"id": "1"}}}, false, "scheduled"},
		"a subagent at work":           {"", map[string]any{"last_assistant_message": progress, "background_tasks": []any{map[string]any{"type": "subagent"}}}, false, "background"},
		"a shell of this turn":         {log(go_, started), map[string]any{"last_assistant_message": progress, "background_tasks": shell}, false, "background"},
		"a shell of an earlier turn":   {log(started, go_), map[string]any{"last_assistant_message": progress, "background_tasks": shell}, true, "progress"},
		"no transcript":                {"", map[string]any{"last_assistant_message": progress, "transcript_path": ""}, true, "progress"},
		"a transcript nowhere":         {"", map[string]any{"last_assistant_message": progress, "transcript_path": filepath.Join(t.TempDir(), "no", "projects", "x", "s.jsonl")}, false, ""},
		"null members":                 {"", map[string]any{"last_assistant_message": nil, "permission_mode": nil, "background_tasks": nil, "effort": map[string]any{"level": "high"}}, false, "otherwise"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, ned)
			w.write(".claude/projects/-w/s.jsonl", test.log)
			out, notes := w.run(w.event(test.event))
			if (out.Decision == "block") != test.blocks {
				t.Errorf("answer %+v, notes %s", out, notes)
			}
			rule := ""
			if r, ok := w.newest("session:s1"); ok {
				rule = r.Rule
			}
			if rule != test.rule {
				t.Errorf("ledger has rule %q, want %q; notes %s", rule, test.rule, notes)
			}
		})
	}
}

// newest reads the ledger as a person would: its last line.
func (w *world) newest(key string) (ledger.Record, bool) {
	w.t.Helper()
	data, err := os.ReadFile(ledger.SessionFile(w.path(".claude/springfield"), key))
	if err != nil {
		return ledger.Record{}, false
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var r ledger.Record
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		w.t.Fatal(err)
	}
	return r, true
}

func TestWordsToModelAndUser(t *testing.T) {
	w := newWorld(t, ned)
	out, _ := w.run(w.event(map[string]any{"last_assistant_message": "Fixed a && b < c.\n\nNow I'll update <main> & docs."}))
	if !strings.Contains(out.Reason, "Now I'll update <main> & docs") {
		t.Errorf("reason %q does not say what remains", out.Reason)
	}
	for _, want := range []string{"ned-flanders", "intent", "2 more"} {
		if !strings.Contains(out.SystemMessage, want) {
			t.Errorf("message %q does not say %q", out.SystemMessage, want)
		}
	}
}

// The budget holds whatever stop_hook_active says, and the user is told.
func TestBudget(t *testing.T) {
	for _, active := range []func(i int) bool{
		func(int) bool { return false }, func(int) bool { return true }, func(i int) bool { return i%2 == 0 },
	} {
		w := newWorld(t, ned)
		blocks := 0
		for i := range 1000 {
			w.host.Now = w.host.Now.Add(10 * time.Millisecond)
			out, _ := w.run(w.event(map[string]any{"last_assistant_message": progress, "stop_hook_active": active(i)}))
			if out.Decision == "block" {
				blocks++
			} else if !strings.Contains(out.SystemMessage, "3 continues within 5 minutes") {
				t.Fatalf("stop %d: the user is told %q", i, out.SystemMessage)
			}
		}
		if blocks != guard.Burst {
			t.Errorf("%d continues in ten seconds, want %d", blocks, guard.Burst)
		}
	}
}

func TestBudgetIsPerSession(t *testing.T) {
	w := newWorld(t, ned)
	blocks := 0
	for i := range 40 {
		out, _ := w.run(w.event(map[string]any{"last_assistant_message": progress, "session_id": fmt.Sprint("s", i%2)}))
		if out.Decision == "block" {
			blocks++
		}
	}
	if blocks != 2*guard.Burst {
		t.Errorf("%d continues for two sessions, want %d", blocks, 2*guard.Burst)
	}
}

func TestNoContinueThatCannotBeWrittenDown(t *testing.T) {
	w := newWorld(t, ned)
	w.write(".claude/springfield", "a file in the way")
	out, notes := w.run(w.event(map[string]any{"last_assistant_message": progress}))
	if out != (output{}) || !strings.Contains(notes, "write ledger") {
		t.Errorf("answer %+v, notes %q", out, notes)
	}
}

func TestFailsOpen(t *testing.T) {
	for name, test := range map[string]struct {
		config, event, note string
	}{
		"no event":           {ned, "", "read event: EOF"},
		"half an event":      {ned, `{"session_id": "s1", "last_assi`, "read event: unexpected EOF"},
		"no JSON":            {ned, "D'oh!", "read event: invalid character"},
		"a list":             {ned, "[]", "read event: json: cannot unmarshal array"},
		"mode of odd type":   {ned, `{"permission_mode": 7, "last_assistant_message": "Moving to Task 2."}`, "read event: json: cannot unmarshal number"},
		"endless event":      {ned, `{"last_assistant_message": "` + strings.Repeat("x", maxEvent), "read event"},
		"deep event":         {ned, `{"x":` + strings.Repeat("[", 100_000), "read event"},
		"broken config":      {"{\n  \"strategy\": \"ned-flanders\",,\n}", `{}`, "line 2, column 30: invalid character ','"},
		"config of odd type": {"{\n  \"strategy\": 7}", `{}`, "line 2, column 15"},
		"empty config":       {"", `{}`, "strategy.json"},
		"endless config":     {strings.Repeat(" ", maxConfig+1), `{}`, "larger than"},
		"unknown strategy":   {`{"strategy": "homer"}`, `{}`, `there is no strategy "homer"; this hook knows`},
		"no strategy":        {`{}`, `{}`, `there is no strategy ""`},
		"path of the ledger": {ned, `{"transcript_path": "../../projects/x/y", "last_assistant_message": "All done."}`, "read transcript"},
		"control characters": {ned, `{"session_id": "\u0000\n", "last_assistant_message": "a\nspringfield: forged"}`, "stop by rule otherwise"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.config)
			out, notes := w.run(test.event)
			if out != (output{}) {
				t.Errorf("answer %+v", out)
			}
			if !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
			for _, line := range strings.Split(strings.TrimSpace(notes), "\n") {
				if !strings.HasPrefix(line, "springfield: ") {
					t.Errorf("note %q", line)
				}
			}
		})
	}
}

// Bad rules are named, and the built-in ones are in force.
func TestBadRulesDoNotSwitchThePluginOff(t *testing.T) {
	w := newWorld(t, `{"strategy": "ned-flanders", "add": [{"id": "x", "text": "(", "then": "stop"}]}`)
	out, notes := w.run(w.event(map[string]any{"last_assistant_message": progress}))
	if out.Decision != "block" || !strings.Contains(notes, `rule "x"`) {
		t.Errorf("answer %+v, notes %q", out, notes)
	}
}

func TestOff(t *testing.T) {
	w := newWorld(t, ned)
	w.host.Off = true
	if out, notes := w.run(w.event(map[string]any{"last_assistant_message": progress})); out != (output{}) || notes != "" {
		t.Errorf("answer %+v, notes %q", out, notes)
	}
}

func TestPanicLetsClaudeStop(t *testing.T) {
	w := newWorld(t, ned)
	out, notes := w.runFrom(panics{})
	if out != (output{}) || !strings.Contains(notes, "panic: D'oh!") {
		t.Errorf("answer %+v, notes %q", out, notes)
	}
}

type panics struct{}

func (panics) Read([]byte) (int, error) { panic("D'oh!") }

// Some hosts never close standard input.
func TestDoesNotWaitForTheEndOfInput(t *testing.T) {
	w := newWorld(t, ned)
	r, stdin := io.Pipe()
	defer stdin.Close()
	go stdin.Write([]byte(w.event(map[string]any{"last_assistant_message": progress})))
	if out, _ := w.runFrom(r); out.Decision != "block" {
		t.Errorf("answer %+v", out)
	}
}

func TestFindPlugin(t *testing.T) {
	w := newWorld(t, ned)
	w.write("other/strategy.json", `{"plugin": "other", "strategy": "ned-flanders"}`)
	w.write("built/springfield-hook", "")
	link := func(target, name string) string {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, w.path(name)); err != nil {
			t.Fatal(err)
		}
		return w.path(name)
	}
	w.write("plugin/hooks/linux-amd64/springfield-hook", "")
	for name, test := range map[string]struct{ executable, fallback, want string }{
		"in hooks":                     {w.path("plugin/hooks/springfield-hook"), w.path("other"), "ned-flanders"},
		"in hooks, by target":          {w.path("plugin/hooks/linux-amd64/springfield-hook"), w.path("other"), "ned-flanders"},
		"a link into the plugin":       {link(w.path("plugin/hooks/linux-amd64/springfield-hook"), "bin/a"), w.path("other"), "ned-flanders"},
		"a relative link":              {link("../plugin/hooks/linux-amd64/springfield-hook", "bin/b"), "", "ned-flanders"},
		"a linked directory":           {filepath.Join(link(w.path("plugin"), "mine"), "hooks", "springfield-hook"), "", "ned-flanders"},
		"shared between plugins":       {link(w.path("built/springfield-hook"), "other/hooks/springfield-hook"), w.path("other"), "other"},
		"elsewhere":                    {w.path("built/springfield-hook"), w.path("other"), "other"},
		"unknown":                      {"", w.path("other"), "other"},
		"elsewhere, and no root":       {"/usr/bin/springfield-hook", "", ""},
		"elsewhere, and an empty root": {"/usr/bin/springfield-hook", w.path("built"), ""},
	} {
		p, err := findPlugin(test.executable, test.fallback)
		if p.Name != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: plugin %q, %v, want %q", name, p.Name, err, test.want)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add([]byte(`{"session_id":"a","last_assistant_message":"Moving to Task 2."}`), []byte(ned), []byte(`{"type":"assistant","message":{"content":"x"}}`))
	f.Add([]byte(`{"background_tasks":[{"type":"shell"}],"session_crons":[1]}`), []byte(`{"strategy":"ned-flanders","rules":"seed","add":[{"id":"a","text":".*","then":"continue"}],"off":["todos"]}`), []byte("\x00"))
	f.Add([]byte(`{"session_id":"../../x","prompt_id":"`+strings.Repeat("p", 20000)+`","last_assistant_message":"Moving to Task 2."}`), []byte(ned), []byte(""))
	f.Fuzz(func(t *testing.T, event, config, log []byte) {
		w := newWorld(t, string(config))
		w.write(".claude/projects/-w/s.jsonl", string(log))
		var e map[string]any
		if json.Unmarshal(event, &e) == nil && e != nil {
			e["transcript_path"] = w.path(".claude/projects/-w/s.jsonl")
			event, _ = json.Marshal(e)
		}
		blocks := 0
		for range 5 {
			if out, _ := w.run(string(event)); out.Decision == "block" {
				blocks++
			}
		}
		if blocks > guard.Burst {
			t.Errorf("%d continues at once", blocks)
		}
	})
}
