package droid

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host"
)

// recorded is an event, and whether a person has sent it.
type recorded struct {
	payload string
	want    host.Event
	user    bool
}

// events are as recorded, with short ids.
func events() []recorded {
	const log = "/home/lisa/.factory/sessions/-p/734187.jsonl"
	const begin = `{"session_id":"734187","transcript_path":"` + log + `","cwd":"/p","permission_mode":`
	high, plan := guard.Moment{PermissionMode: "auto-high"}, guard.Moment{PermissionMode: "plan"}
	return []recorded{
		{begin + `"auto-high","hook_event_name":"Stop","message_id":"084854","stop_hook_active":false,"tool_execution_count":0,"elapsed_time":2770}`,
			host.Event{Name: "Stop", MessageID: "084854", Moment: high}, true},
		{begin + `"auto-high","hook_event_name":"Stop","message_id":"d32d9a","stop_hook_active":true,"tool_execution_count":0,"elapsed_time":4436}`,
			host.Event{Name: "Stop", MessageID: "d32d9a", Active: true, Moment: high}, true},
		{begin + `"spec","hook_event_name":"Stop","message_id":"24d5da","stop_hook_active":false,"tool_execution_count":0,"elapsed_time":0}`,
			host.Event{Name: "Stop", MessageID: "24d5da", Moment: plan}, true},
		{begin + `"auto-high","hook_event_name":"UserPromptSubmit","message_id":"bb3d84","prompt":"execute the plan","has_images":false}`,
			host.Event{Name: "UserPromptSubmit", MessageID: "bb3d84", Prompt: "execute the plan", Moment: high}, true},
		{begin + `"auto-high","hook_event_name":"UserPromptSubmit","message_id":"d59483","prompt":"# Task Tool Invocation\n\nSubagent type: worker","has_images":false}`,
			host.Event{Name: "UserPromptSubmit", MessageID: "d59483", Prompt: "# Task Tool Invocation\n\nSubagent type: worker", Moment: high}, false},
		{begin + `"auto-high","hook_event_name":"UserPromptSubmit","message_id":"task-completion:a403b3","prompt":"Background task completed.","has_images":false}`,
			host.Event{Name: "UserPromptSubmit", MessageID: "task-completion:a403b3", Prompt: "Background task completed.", Moment: high}, false},
	}
}

func TestEvents(t *testing.T) {
	for _, c := range events() {
		var e host.Event
		if err := readEvent([]byte(c.payload), &e); err != nil || e.Name != c.want.Name || e.SessionID != "734187" || e.Cwd != "/p" ||
			e.TranscriptPath != "/home/lisa/.factory/sessions/-p/734187.jsonl" || e.MessageID != c.want.MessageID || e.Active != c.want.Active ||
			e.Prompt != c.want.Prompt || e.PermissionMode != c.want.PermissionMode {
			t.Errorf("%s\n%+v, %v", c.payload, e, err)
		}
		if !isEvent([]byte(c.payload)) || fromUser(e) != c.user {
			t.Errorf("%s: ours %t, the user's %t", c.payload, isEvent([]byte(c.payload)), fromUser(e))
		}
	}
}

// The message that the event names is known by its id alone, wherever it stands, and only
// when its line is complete.
func TestArrived(t *testing.T) {
	const of = `{"type":"message","id":"m1","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"\"id\":\"m2\""}]}}`
	for _, c := range []struct {
		end, id string
		want    bool
	}{
		{of + "\n", "m1", true},
		{of + "\n" + `{"type":"todo_state"}` + "\n", "m1", true},
		{of[:len(of)-1], "m1", false},
		{of + "\n", "m2", false},
		{"", "m1", false},
		{"", "", true},
	} {
		if got := arrived(host.Event{MessageID: c.id}, []byte(c.end)); got != c.want {
			t.Errorf("%d bytes, %s: %t", len(c.end), c.id, got)
		}
	}
}

// Any payload is read or refused, and any end of a log is looked at.
func FuzzEvent(f *testing.F) {
	for _, c := range events() {
		f.Add([]byte(c.payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var e host.Event
		if readEvent(payload, &e) == nil && isEvent(payload) {
			fromUser(e)
		}
		arrived(e, payload)
		if e.MessageID != "" && arrived(e, nil) {
			t.Errorf("%s: %s has arrived in an empty log", payload, e.MessageID)
		}
	})
}
