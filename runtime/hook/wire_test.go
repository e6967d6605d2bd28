package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Only true is true. Claude Code has sent null, and a value of another type does not invalidate the event.
func TestStopHookActive(t *testing.T) {
	for value, want := range map[string]bool{
		`true`: true, `false`: false, `null`: false, `"true"`: false, `"false"`: false, `1`: false, `0`: false, `{}`: false, `[true]`: false, `""`: false,
	} {
		e, err := readEvent(strings.NewReader(`{"stop_hook_active": ` + value + `, "session_id": "s"}`))
		if err != nil || e.Active != want || e.SessionID != "s" {
			t.Errorf("%s: %v, %v", value, e.Active, err)
		}
	}
}

// Under exit2 a continue prints only its reason, to standard error. All else is silent with exit code 0.
func TestExitCodeTwo(t *testing.T) {
	const two = `{"strategy": "ned-flanders", "protocol": "exit2"}`
	for name, test := range map[string]struct {
		config, event string
		user          string
		change        func(w *world)
		continues     bool
		told          bool // the user, of a fault
	}{
		"goes on":                  {config: two, event: progress, continues: true},
		"stops":                    {config: two, event: "All done."},
		"a fault in the settings":  {config: `{"strategy": "ned-flanders", "protocol": "exit2", "no such": 1}`, event: progress, continues: true},
		"a fault in another layer": {config: two, user: `{"off": ["nonsense"]}`, event: progress, continues: true},
		"the user's choice":        {config: ned, user: `{"protocol": "exit2"}`, event: progress, continues: true},
		"held": {config: two, event: progress, change: func(w *world) {
			_, err := ledger.SetHold(w.path(".claude/springfield"), "", w.host.Now, time.Hour, ledger.Means{})
			must(w.t, err)
		}},
		"an unwritable ledger":  {config: two, event: progress, change: func(w *world) { w.write(".claude/springfield", "a file in the way") }, told: true},
		"no plugin":             {config: two, event: progress, change: func(w *world) { w.host.Executable = "/no/such/hook" }, told: true},
		"a budget that is over": {config: `{"strategy": "ned-flanders", "protocol": "exit2", "budget": {"burst": 0}}`, event: progress},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.config)
			w.layers("ned-flanders", test.user, "")
			if test.change != nil {
				test.change(w)
			}
			code, stdout, stderr := w.raw(w.event(map[string]any{"last_assistant_message": test.event}))
			if !test.continues {
				if told := `{"systemMessage":"`; code != 0 || test.told != strings.HasPrefix(stdout, told) || !test.told && stdout != "" {
					t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
				}
				return
			}
			r, ok := w.newest("session:s1")
			if code != 2 || stdout != "" || !ok || r.Reason == "" || stderr != r.Reason+"\n" {
				t.Errorf("exit code %d, %q, %q, want %q", code, stdout, stderr, r.Reason)
			}
		})
	}
}

// raw answers one event and checks nothing.
func (w *world) raw(event string) (code int, stdout, stderr string) {
	h := w.host
	var out, err bytes.Buffer
	h.Stdin, h.Stdout, h.Stderr = strings.NewReader(event), &out, &err
	code = h.Run()
	return code, out.String(), err.String()
}

// Input that cannot become an event is refused at once, because standard input may stay open.
func TestReadingEndsWithoutTheEnd(t *testing.T) {
	for input, fails := range map[string]bool{"no event": true, "[1]": true, `{"session_id": "}"} `: false} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, input) }()
		read := make(chan error, 1)
		go func() { _, err := readEvent(r); read <- err }()
		select {
		case err := <-read:
			scratch.Equal(t, err != nil, fails, input, err)
		case <-time.After(5 * time.Second):
			t.Errorf("%s: it waits for more", input)
		}
		_ = w.Close()
	}
}

// Input that is no event gets no answer; with a standard error of its own the hook does not even say so.
func TestNoEvent(t *testing.T) {
	for _, known := range registry.Strategies {
		w := newWorld(t, fmt.Sprintf(`{"strategy": %q}`, known.Name))
		for _, event := range []string{"", " \n", "{", "[]", "null x", "D'oh!", `{"cwd": 7}`, `{"session_id": {}}`, "\x00\x01", `{"cwd": "/x"`} {
			code, stdout, stderr := w.raw(event)
			if code != 0 || stdout != "" || known.Prefix != "" && stderr != "" {
				t.Errorf("%s: %q: %d, %q, %q", known.Name, event, code, stdout, stderr)
			}
		}
	}
}

// Without a ledger no strategy continues. The user is notified until the transcript contains the notice.
func TestUnwritableLedger(t *testing.T) {
	for _, known := range registry.Strategies {
		w := newWorld(t, fmt.Sprintf(`{"strategy": %q}`, known.Name))
		w.write(".claude/projects/-w/s.jsonl", listed(openTodos))
		if known.Loop != nil { // for which the others would stand aside
			w.write(".stravinsky/continuation-loop.md", "---\nmax_iterations: 10\n---\nGo.\n")
			w.write("specs/.current-spec", "demo")
			w.write("specs/demo/.ralph-state.json", `{"phase": "execution", "taskIndex": 0, "totalTasks": 3}`)
			w.write(".specify/.current-feature", "demo")
			w.write(".specify/specs/demo/.speckit-state.json", `{"phase": "execution", "taskIndex": 0, "totalTasks": 3}`)
		}
		w.write(".claude/workflow-state.json", fmt.Sprintf(`{"skill": "x", "tasks_total": 3, "tasks_completed": 1, "updated_at": %q}`, w.host.Now.UTC().Format(time.RFC3339)))
		event := w.event(map[string]any{"hook_event_name": known.Event, "prompt": "go on", "last_assistant_message": progress + "\n<!-- el-barto:continue -->\nMoving to Task 2."})
		if code, stdout, stderr := w.raw(event); code != 0 || stdout == "" {
			t.Errorf("%s is silent: add to this session what makes it answer: %d, %q, %q", known.Name, code, stdout, stderr)
		}
		must(t, os.RemoveAll(w.path(".claude/springfield")))
		w.write(".claude/springfield", "a file in the way")
		var out output
		if code, stdout, stderr := w.raw(event); code != 0 || json.Unmarshal([]byte(stdout), &out) != nil || !out.tells(": write ledger: ") {
			t.Errorf("%s: %d, %q, %q", known.Name, code, stdout, stderr)
		}
		line, _ := json.Marshal(map[string]any{"type": "attachment", "attachment": map[string]string{"type": "hook_system_message", "content": out.SystemMessage}})
		w.write(".claude/projects/-w/s.jsonl", listed(openTodos)+string(line)+"\n")
		if code, stdout, stderr := w.raw(event); code != 0 || stdout != "" {
			t.Errorf("%s, told before: %d, %q, %q", known.Name, code, stdout, stderr)
		}
	}
}

// Only one stop at a time decides in a workspace. A hook that waits too long lets Claude stop, and changes nothing.
func TestWorkspaceIsLocked(t *testing.T) {
	t.Parallel()
	const loop = "---\nmax_iterations: 10\n---\nGo.\n"
	w := newWorld(t, `{"strategy": "ralph-wiggum"}`)
	w.write("work/.stravinsky/continuation-loop.md", loop)
	event := w.event(map[string]any{"cwd": w.path("work"), "last_assistant_message": "x"})
	lock, err := ledger.TakeLock(w.path(".claude/springfield"), "workspace:"+w.path("work"), 0)
	must(t, err)
	code, stdout, stderr := w.raw(event) // for as long as anybody waits
	var told output
	if code != 0 || json.Unmarshal([]byte(stdout), &told) != nil || !told.tells("another hook has locked "+w.path("work")) {
		t.Errorf("locked: %d, %q, %q", code, stdout, stderr)
	}
	scratch.Equal(t, scratch.ReadOrNone(t, w.path("work/.stravinsky/continuation-loop.md")), loop, "locked: the file")
	// One that is held for less than that is waited for.
	time.AfterFunc(100*time.Millisecond, func() { lock.Close() })
	var out output
	if code, stdout, stderr := w.raw(event); json.Unmarshal([]byte(stdout), &out) != nil || out.Decision != "block" {
		t.Errorf("free again: %d, %q, %q", code, stdout, stderr)
	}
}
