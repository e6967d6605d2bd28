package hook

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

const todo = `{"plugin": "todo-continuation", "strategy": "todo-continuation"}`

const todoTag = "[SYSTEM REMINDER - TODO CONTINUATION]"

// listed is a transcript with a todo list in it.
func listed(todos string) string {
	return `{"type":"user","uuid":"u1","promptId":"p0","message":{"content":"plan it"}}
{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":{"todos":[` + todos + `]}}]}}
{"type":"user","uuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"toolUseResult":{"oldTodos":[],"newTodos":[` + todos + `]}}
`
}

const (
	openTodos = `{"content":"Write the tests","status":"in_progress"},{"content":"Update the docs","status":"pending"}`
	doneTodos = `{"content":"Write the tests","status":"completed"}`
)

// prompted is a world with todo-continuation in it, and a session with a list.
func prompted(t *testing.T, todos string) *world {
	t.Helper()
	w := newWorld(t, todo)
	w.write(".claude/projects/-w/s.jsonl", listed(todos))
	return w
}

// prompt answers one prompt and returns the context for the model, "" for none.
func (w *world) prompt(more map[string]any) (told, notes string) {
	w.t.Helper()
	all := map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "how is it going?"}
	for k, v := range more {
		all[k] = v
	}
	out, notes := w.run(w.event(all))
	if out.Decision != "" || out.Reason != "" || out.SystemMessage != "" || out.Specific != nil && (out.Specific.Event != "UserPromptSubmit" || out.Specific.Context == "") {
		w.t.Errorf("answer %+v", out)
	}
	if out.Specific == nil {
		return "", notes
	}
	return out.Specific.Context, notes
}

func TestPromptEvents(t *testing.T) {
	for name, test := range map[string]struct {
		todos  string
		event  map[string]any
		says   bool
		record string // in the ledger; "" if nothing is written there
	}{
		"a prompt":                  {openTodos, nil, true, "remind open"},
		"nothing open":              {doneTodos, nil, false, "pass done"},
		"no list":                   {"", nil, false, "pass none"},
		"no name of the event":      {openTodos, map[string]any{"hook_event_name": ""}, true, "remind open"},
		"a stop":                    {openTodos, map[string]any{"hook_event_name": "Stop", "last_assistant_message": progress}, false, ""},
		"another event":             {openTodos, map[string]any{"hook_event_name": "SessionStart"}, false, ""},
		"a command":                 {openTodos, map[string]any{"prompt": "/review"}, false, ""},
		"a command and a line":      {openTodos, map[string]any{"prompt": "/review\na/b"}, false, ""},
		"a path":                    {openTodos, map[string]any{"prompt": "/var/log/syslog is full"}, true, "remind open"},
		"a comment":                 {openTodos, map[string]any{"prompt": "// what does this do?"}, true, "remind open"},
		"a task has ended":          {openTodos, map[string]any{"prompt": "<task-notification>\n<task-id>b1</task-id>"}, false, ""},
		"plan mode":                 {openTodos, map[string]any{"permission_mode": "plan"}, false, "pass plan-mode"},
		"no session":                {openTodos, map[string]any{"session_id": ""}, true, ""},
		"no transcript yet":         {openTodos, map[string]any{"transcript_path": ""}, false, "pass none"},
		"a directory that is gone":  {openTodos, map[string]any{"cwd": "/no/such/place"}, true, "remind open"},
		"a prompt of another shape": {openTodos, map[string]any{"prompt": []any{"x"}}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := prompted(t, test.todos)
			told, notes := w.prompt(test.event)
			if (told != "") != test.says || told != "" && !strings.HasPrefix(told, todoTag+"\n\nYour todo list has open items:\n\nIN PROGRESS (1 items):\n  - Write the tests\nPENDING (1 items):\n  - Update the docs\n") {
				t.Errorf("told %q, notes %s", told, notes)
			}
			r, _ := w.newest("session:s1")
			scratch.Equal(t, strings.TrimSpace(r.Decision+" "+r.Rule), test.record, "the ledger has, notes", notes)
		})
	}
}

// An armed ralph-loop changes nothing before a prompt, nor does the other protocol, which is about stops.
func TestPromptBesideRalphLoop(t *testing.T) {
	w := prompted(t, openTodos)
	w.write(".claude/ralph-loop.local.md", "---\nactive: true\niteration: 1\n---\ngo")
	w.write(".claude/springfield/todo-continuation.json", `{"protocol": "exit2"}`)
	if told, notes := w.prompt(nil); told == "" {
		t.Errorf("nothing said, notes %s", notes)
	}
}

func TestPromptIsSilenced(t *testing.T) {
	w := prompted(t, openTodos)
	_, err := ledger.SetHold(w.path(".claude/springfield"), "", w.host.Now, time.Hour, ledger.Means{})
	must(t, err)
	if told, _ := w.prompt(nil); told != "" {
		t.Errorf("held: %q", told)
	}
	if r, _ := w.newest("session:s1"); r.Decision != "pass" || r.Rule != "hold" {
		t.Errorf("the ledger has %s %s", r.Decision, r.Rule)
	}
	w.host.Now = w.host.Now.Add(2 * time.Hour)
	w.host.Off = true
	if told, notes := w.prompt(nil); told != "" || notes != "" {
		t.Errorf("off: %q, %q", told, notes)
	}
	w.host.Off = false
	if told, _ := w.prompt(nil); told == "" {
		t.Error("after both: nothing said")
	}
}

// An unchanged list is repeated only so many times in a row, by default or by the user's setting.
func TestPromptCeiling(t *testing.T) {
	for settings, want := range map[string]int{"{}": 5, `{"ceiling": 7}`: 7} {
		w := prompted(t, openTodos)
		w.write(".claude/springfield/todo-continuation.json", settings)
		said := 0
		for range 12 {
			if told, _ := w.prompt(nil); told != "" {
				said++
			}
		}
		scratch.Equal(t, said, want, settings, "said times")
		w.write(".claude/projects/-w/s.jsonl", listed(strings.Replace(openTodos, "docs", "changelog", 1)))
		if told, _ := w.prompt(nil); told == "" {
			t.Error("nothing said about a list that has changed")
		}
	}
}

// Reminders and continues share a ledger, but no budget.
func TestPromptsAndStopsInOneSession(t *testing.T) {
	w := prompted(t, openTodos)
	stops := *w
	w.write("other/strategy.json", ned)
	stops.host.Executable = w.path("other/hooks/springfield-hook")
	blocks, said := 0, 0
	for i := range 7 {
		w.host.Now = w.host.Now.Add(time.Second)
		stops.host.Now = w.host.Now
		if told, _ := w.prompt(nil); told != "" {
			said++
		}
		if out, _ := stops.run(w.event(map[string]any{"last_assistant_message": fmt.Sprintf("Moving to Task %d.", i)})); out.Decision == "block" {
			blocks++
		}
	}
	if blocks != guard.Defaults.Burst || said != 5 {
		t.Errorf("%d continues and %d reminders, want %d and 5", blocks, said, guard.Defaults.Burst)
	}
	if r, _ := w.newest("session:s1"); r.State.Number != 14 {
		t.Errorf("%d decisions on file, want 14", r.State.Number)
	}
}

// A list that another tool keeps, with whatever can lie in its place.
func TestTodoFile(t *testing.T) {
	const file = ".claude/todo_state.json"
	list := `{"todos": [` + openTodos + `]}`
	for name, test := range map[string]struct {
		make func(w *world) error
		says bool
		rule string
	}{
		"a list":      {func(w *world) error { w.write("work/"+file, list); return nil }, true, "open"},
		"nothing":     {func(w *world) error { return os.MkdirAll(w.path("work"), 0o755) }, false, "none"},
		"a directory": {func(w *world) error { return os.MkdirAll(w.path("work/"+file), 0o755) }, false, "unreadable"},
		"half of it":  {func(w *world) error { w.write("work/"+file, list[:40]); return nil }, false, "unreadable"},
		"a link within": {func(w *world) error {
			w.write("work/.claude/x.json", list)
			return os.Symlink("x.json", w.path("work/"+file))
		}, true, "open"},
		"a link to elsewhere": {func(w *world) error {
			w.write("x.json", list)
			w.write("work/.claude/y", "")
			return os.Symlink(w.path("x.json"), w.path("work/"+file))
		}, false, "unreadable"},
		"a link that dangles": {func(w *world) error { w.write("work/.claude/y", ""); return os.Symlink("gone", w.path("work/"+file)) }, false, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, todo)
			must(t, test.make(w))
			told, notes := w.prompt(map[string]any{"cwd": w.path("work")})
			r, _ := w.newest("session:s1")
			if (told != "") != test.says || r.Rule != test.rule {
				t.Errorf("told %q, rule %q (%s), notes %s", told, r.Rule, r.Evidence, notes)
			}
		})
	}
}
