package hook

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// stopsIn are the stops of a recorded log of Copilot's or Droid's: for each the event, and
// the log as it was when the hook had waited for it.
func stopsIn(t *testing.T, host, name string) (events, logs []string) {
	t.Helper()
	data, err := os.ReadFile("../host/" + host + "/testdata/" + name + ".jsonl")
	must(t, err)
	var log, message string
	for line := range strings.Lines(string(data)) {
		var l struct {
			Type, ID string
			Data     struct {
				HookType string
				Input    struct {
					SessionID, ParentAgentID string
					Timestamp                int64
				}
			}
			Message struct{ Role, HookEventName string }
		}
		must(t, json.Unmarshal([]byte(line), &l))
		switch {
		case l.Type == "hook.start" && l.Data.HookType == "agentStop" && l.Data.Input.ParentAgentID == "":
			event, _ := json.Marshal(map[string]any{"sessionId": "s1", "timestamp": l.Data.Input.Timestamp, "transcriptPath": "LOG", "stopReason": "end_turn"})
			log += strings.Replace(line, l.Data.Input.SessionID, "s1", 1)
			events, logs = append(events, string(event)), append(logs, log)
			continue
		case l.Message.HookEventName == "Stop":
			event, _ := json.Marshal(map[string]any{"hook_event_name": "Stop", "session_id": "s1", "transcript_path": "LOG", "message_id": message})
			events, logs = append(events, string(event)), append(logs, log)
		case l.Message.Role == "assistant":
			message = l.ID
		}
		log += line
	}
	return events, logs
}

// What ned says at each stop of a recorded session.
func TestRecordedStops(t *testing.T) {
	for log, want := range map[string]string{
		"copilot/plain":      "progress progress finished",
		"copilot/queued":     "progress otherwise waits",
		"copilot/plan":       "plan-mode plan-mode",
		"copilot/autopilot":  "progress progress otherwise",
		"copilot/delegated":  "background finished",
		"copilot/background": "background background finished",
		"copilot/subagent":   "waits",
		"copilot/todo":       "progress asks otherwise",
		"droid/plain":        "progress progress finished",
		"droid/subagent":     "subagent",
		"droid/asked":        "background reported reported",
	} {
		w := newWorld(t, ned)
		host, name, _ := strings.Cut(log, "/")
		events, logs := stopsIn(t, host, name)
		var got []string
		for i := range events {
			w.write("log.jsonl", logs[i])
			w.run(strings.Replace(events[i], "LOG", w.path("log.jsonl"), 1))
			r, _ := w.newest("session:s1")
			if got = append(got, r.Rule); r.Rule == "background" && !strings.HasPrefix(r.Evidence, "in the background: sleep 5") && !strings.HasSuffix(r.Evidence, ": Look around") && !strings.HasSuffix(r.Evidence, ": Look around here") {
				t.Errorf("%s: %q does not say what runs", log, r.Evidence)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", log, strings.Join(got, " "), want)
		}
	}
}
