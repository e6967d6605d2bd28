package codex_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/hook"
)

// The hook, as Codex starts it, on a recorded log that ends at a stop.
func TestDecides(t *testing.T) {
	const moving = "Task 1 complete. Moving to Task 2."
	for _, tt := range []struct {
		name, log string
		until     string // what the last line of the log has
		turn, say string
		answer    string // begins with; "": none
		note      string // of the hook about its decision
	}{
		{"goes on", "list.jsonl", `"id":"msg_3"`, "0002", moving, `{"decision":"block","reason":"[springfield] `, "continue by rule progress"},
		{"asks", "list.jsonl", `"id":"msg_3"`, "0002", "Shall I go on with the tests?", "", "stop by rule asks"},
		{"an older Codex", "older.jsonl", `"call_2"`, "0002", moving, `{"decision":"block","reason":"[springfield] `, "continue by rule progress"},
		{"plan mode, which the event does not tell", "planned.jsonl", `You chose; I go on later.`, "0013", moving, "", "stop by rule plan-mode"},
		{"a goal that Codex pursues itself", "planned.jsonl", `"text":"More."`, "0019", moving, "", "stop by rule host-loop"},
		{"a prompt after plan mode", "planned.jsonl", `"steer this way"`, "0008", moving, `{"decision":"block"`, "continue by rule progress"},
	} {
		home := t.TempDir()
		out, notes := run(t, home, `{"plugin": "ned-flanders", "strategy": "ned-flanders"}`, stop(t, home, tt.log, tt.until, tt.turn, tt.say))
		if tt.answer == "" && out != "" || !strings.HasPrefix(out, tt.answer) || !strings.Contains(notes, tt.note) {
			t.Errorf("%s: answered %s, notes %s", tt.name, out, notes)
		}
	}
}

// stop is an event at the last line of a recorded log that has a text.
func stop(t *testing.T, home, log, until, turn, say string) string {
	all := lines(t, log)
	for len(all) > 0 && !bytes.Contains(all[len(all)-1], []byte(until)) {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		t.Fatalf("%s has no %s", log, until)
	}
	path := filepath.Join(home, log)
	write(t, path, string(bytes.Join(all, []byte("\n")))+"\n")
	return fmt.Sprintf(`{"session_id":"0001","turn_id":%q,"transcript_path":%q,"cwd":%q,"hook_event_name":"Stop","model":"stub","permission_mode":"default","stop_hook_active":false,"last_assistant_message":%q}`, turn, path, home, say)
}

// run returns the hook's answer to an event.
func run(t *testing.T, home, settings, event string) (out, notes string) {
	write(t, filepath.Join(home, "plugin", "strategy.json"), settings)
	var stdout, stderr bytes.Buffer
	h := hook.Process{
		Stdin: strings.NewReader(event), Stdout: &stdout, Stderr: &stderr, Home: home, Now: time.Unix(1_800_000_000, 0),
		Executable: filepath.Join(home, "plugin", "hooks", "springfield-hook"), Getenv: func(string) string { return "" }, Environ: func() []string { return nil },
	}
	scratch.Equal(t, h.Run(), 0, "exit code")
	return stdout.String(), stderr.String()
}

// A subagent has an event of its own for the task that it is given: it is not the user's prompt, and gets no reminder.
func TestSubagentIsGivenNoReminder(t *testing.T) {
	home := t.TempDir()
	const settings = `{"plugin": "todo-continuation", "strategy": "todo-continuation"}`
	prompt := stop(t, home, "list.jsonl", `"id":"msg_4"`, "0002", "")
	prompt = strings.Replace(prompt, `"hook_event_name":"Stop"`, `"hook_event_name":"UserPromptSubmit","prompt":"continue"`, 1)
	out, notes := run(t, home, settings, prompt)
	if !strings.Contains(out, `"additionalContext":`) || !strings.Contains(out, "Test the parser") {
		t.Errorf("the user's prompt: answered %s, notes %s", out, notes)
	}
	if out, _ := run(t, home, settings, strings.Replace(prompt, `{`, `{"agent_id":"a","agent_type":"default",`, 1)); out != "" {
		t.Errorf("a subagent's task: answered %s", out)
	}
}
