package copilot

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
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
	const log = "/home/lisa/.copilot/session-state/31a01d/events.jsonl"
	plan := guard.Moment{PermissionMode: "plan"}
	return []recorded{
		{`{"hook_event_name":"Stop","session_id":"31a01d","timestamp":"2026-11-22T14:33:07.277Z","cwd":"/p","transcript_path":"` + log + `","stop_reason":"end_turn","stop_hook_active":false}`,
			host.Event{Name: "Stop", SessionID: "31a01d", Cwd: "/p", TranscriptPath: log, At: 1795357987277}, true},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"31a01d","timestamp":"2026-11-22T14:33:06.482Z","cwd":"/p","prompt":"execute the plan"}`,
			host.Event{Name: "UserPromptSubmit", SessionID: "31a01d", Cwd: "/p", Prompt: "execute the plan", At: 1795357986482}, true},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"bf25d1","timestamp":"2026-11-22T14:37:47.892Z","cwd":"/p","prompt":"[[PLAN]] execute the plan"}`,
			host.Event{Name: "UserPromptSubmit", SessionID: "bf25d1", Cwd: "/p", Prompt: "execute the plan", At: 1795358267892, Moment: plan}, true},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"31a01d","timestamp":"2026-11-22T14:33:07.420Z","cwd":"/p","prompt":"[springfield] part 1 of the plan remains; go on"}`,
			host.Event{Name: "UserPromptSubmit", SessionID: "31a01d", Cwd: "/p", Prompt: "[springfield] part 1 of the plan remains; go on", At: 1795357987420}, false},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"0f986b","timestamp":"2026-11-22T14:50:01.187Z","cwd":"/p","prompt":"<system_notification>\nAgent \"looker\" is idle.\n</system_notification>"}`,
			host.Event{Name: "UserPromptSubmit", SessionID: "0f986b", Cwd: "/p", Prompt: "<system_notification>\nAgent \"looker\" is idle.\n</system_notification>", At: 1795359001187}, false},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"f7e7c2","timestamp":"2026-11-22T14:37:59.160Z","cwd":"/p","prompt":"You have not yet marked the task as complete using the task_complete tool. More."}`,
			host.Event{Name: "UserPromptSubmit", SessionID: "f7e7c2", Cwd: "/p", Prompt: "You have not yet marked the task as complete using the task_complete tool. More.", At: 1795358279160}, false},
		// A subagent's stop is told to Stop hooks, with the session's log.
		{`{"hook_event_name":"Stop","session_id":"4a2cfe","timestamp":"2026-11-22T14:36:20.163Z","cwd":"/p","agent_id":"4a2cfe","agent_type":"general-purpose","parent_agent_id":"76f8eb","transcript_path":"` + log + `","stop_reason":"end_turn","stop_hook_active":false}`,
			host.Event{Name: "SubagentStop", SessionID: "4a2cfe", Cwd: "/p", TranscriptPath: log, At: 1795358180163}, true},
	}
}

func TestEvents(t *testing.T) {
	for _, c := range events() {
		var e host.Event
		if err := readEvent([]byte(c.payload), &e); err != nil || e.Name != c.want.Name || e.SessionID != c.want.SessionID || e.Cwd != c.want.Cwd ||
			e.TranscriptPath != c.want.TranscriptPath || e.At != c.want.At || e.Active != c.want.Active || e.Prompt != c.want.Prompt || e.PermissionMode != c.want.PermissionMode {
			t.Errorf("%s\n%+v, %v", c.payload, e, err)
		}
		if !isEvent([]byte(c.payload)) || fromUser(e) != c.user {
			t.Errorf("%s: ours %t, the user's %t", c.payload, isEvent([]byte(c.payload)), fromUser(e))
		}
	}
}

// An event of another host is not claimed.
func TestOthersEvents(t *testing.T) {
	for _, payload := range []string{
		`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"m"}`,
		`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"Stop","timestamp":"2026-11-22T00:23:20.336Z","prompt_id":"p","last_assistant_message":"m"}`,
		`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":"2026-11-22T00:23:20.336Z","prompt":"p"}`,
		`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"Stop","message_id":"m"}`,
		`{}`, `[]`, ``,
	} {
		scratch.FailIf(t, isEvent([]byte(payload)), "claims %s", payload)
	}
}

// This stop's own entry is known by its time and its session, and only when it is complete.
func TestArrived(t *testing.T) {
	const of = `{"type":"hook.start","data":{"hookInvocationId":"x","hookType":"agentStop","input":{"sessionId":"s1","timestamp":1795357987277,"cwd":"/p"}},"id":"y"}`
	for _, c := range []struct {
		end  string
		e    host.Event
		want bool
	}{
		{of + "\n", host.Event{SessionID: "s1", At: 1795357987277}, true},
		{of + "\n" + `{"type":"hook.end"}` + "\n", host.Event{SessionID: "s1", At: 1795357987277}, true},
		{of[:len(of)-2], host.Event{SessionID: "s1", At: 1795357987277}, false},
		{of + "\n", host.Event{SessionID: "s1", At: 1795357987278}, false},
		{of + "\n", host.Event{SessionID: "s2", At: 1795357987277}, false},
		{strings.Replace(of, "agentStop", "subagentStop", 1) + "\n", host.Event{SessionID: "s1", At: 1795357987277}, false},
		{strings.Replace(of, "1795357987277", "0", 1) + "\n", host.Event{SessionID: "s1"}, false},
		{`{"type":"assistant.message","data":{"content":` + of + `}}`, host.Event{SessionID: "s1", At: 1795357987277}, false},
	} {
		scratch.Equal(t, arrived(c.e, []byte(c.end)), c.want, len(c.end), "bytes", c.e)
	}
}

// Any payload is read or refused, and any end of a log is looked at.
func FuzzEvent(f *testing.F) {
	for _, c := range events() {
		f.Add([]byte(c.payload))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var e host.Event
		isEvent(payload)
		if readEvent(payload, &e) == nil {
			fromUser(e)
		}
		scratch.FailIf(t, e.At < 0, "%s: at %d", payload, e.At)
		arrived(host.Event{SessionID: "31a01d", At: 1795357987277}, payload)
	})
}
