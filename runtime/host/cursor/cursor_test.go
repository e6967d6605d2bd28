package cursor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

func TestEvent(t *testing.T) {
	const common = `"conversation_id":"c1","generation_id":"g1","model":"m","cursor_version":"3.7.21","workspace_roots":["/p","/q"],"transcript_path":"/t.jsonl"`
	h := Host()
	for event, want := range map[string]host.Event{
		`{` + common + `,"hook_event_name":"stop","status":"completed","loop_count":0}`:                {Name: "Stop", SessionID: "c1", Cwd: "/p", TranscriptPath: "/t.jsonl"},
		`{` + common + `,"hook_event_name":"stop","status":"completed","loop_count":2}`:                {Name: "Stop", SessionID: "c1", Cwd: "/p", TranscriptPath: "/t.jsonl", Active: true},
		`{` + common + `,"hook_event_name":"stop","status":"aborted","loop_count":0}`:                  {Name: "stop aborted", SessionID: "c1", Cwd: "/p", TranscriptPath: "/t.jsonl"},
		`{"conversation_id":"c1","generation_id":"g","hook_event_name":"stop","transcript_path":null}`: {Name: "stop ", SessionID: "c1"},
	} {
		var e host.Event
		err := h.ReadEvent([]byte(event), &e)
		if err != nil || !h.Is([]byte(event)) || e.Name != want.Name || e.SessionID != want.SessionID || e.Cwd != want.Cwd || e.TranscriptPath != want.TranscriptPath || e.Active != want.Active {
			t.Errorf("%s: %+v, %v", event, e, err)
		}
	}
	if h.Is([]byte(`{"session_id":"s","hook_event_name":"Stop"}`)) {
		t.Error("another's event is Cursor's")
	}
}

const log = `{"role":"user","message":{"content":[{"type":"text","text":"<timestamp>Monday</timestamp>\n<user_query>\nexecute the plan\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"I look first."},{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"tool_use","name":"TodoWrite","input":{"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"pending"}]}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Task 1 complete."}]}}
{"type":"turn_ended","status":"success"}
{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\n[springfield] go on\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Moving to Task 2."}]}}
`

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c1.jsonl")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	h := Host()
	_, v, err := h.Log.Read(path, transcript.Log{})
	if err != nil || v.Text != "Moving to Task 2." || v.PromptText != "execute the plan" || v.Turns != 1 || v.CallsInTurn != 2 || v.Feedback.InTurn != 1 || v.PromptID == "" ||
		len(v.Todos) != 2 || v.Todos[1] != (fact.Todo{Content: "b", Status: "pending"}) || v.Calls[0].Input != "ls" {
		t.Errorf("%+v, %v", v, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(log))
	f.Add([]byte(`{"role":"user","message":{"content":[{"text":"<user_query>\\n"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "c.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		h := Host()
		if _, _, err := h.Log.Read(path, transcript.Log{}); err != nil {
			t.Fatal(err)
		}
	})
}
