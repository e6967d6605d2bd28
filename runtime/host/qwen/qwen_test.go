package qwen

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host"
)

func TestEvents(t *testing.T) {
	data := scratch.ReadFile(t, "testdata/events.jsonl")
	want := []string{
		`true UserPromptSubmit 5a7e73########0 "" "execute the plan" false [] 0 user true`,
		`true UserPromptSubmit 5a7e73########0 "" "" false [] 0 user false`,
		`true UserPromptSubmit 5a7e73########0 "" "" false [] 0 user false`,
		`true Stop 5a7e73########0 "Task 1 complete. Moving to Task 2." "" false [] 0 user false`,
		`true Stop 5a7e73########0 "Task 2 complete. Moving to Task 3." "" true [] 0 user false`,
		`true Stop 5a7e73########2 "Part A is done. Next: part B." "" false [] 0 user false`,
		`true Stop cbcfb1########0 "SUBAGENT says: found three files. Next step: read them." "" false [{general-purpose-call_4 subagent look }] 0 user false`,
		`true Stop cbcfb1########0 "All three tasks are done." "" false [] 0 user false`,
		`true Stop 3e18b1########0 "Task 1 complete. Moving to Task 2." "" false [] 1 user false`,
		`false SessionStart  "" "" false [] 0 user false`,
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var e host.Event
		scratch.Must(t, readEvent(line, &e))
		got := fmt.Sprintf("%t %s %s %q %q %t %v %d user %t", isEvent(line), e.Name, e.PromptID, e.LastMessage, e.Prompt, e.Active, e.Tasks, e.Crons, Host.FromUser(e))
		scratch.FailIf(t, i >= len(want) || got != want[i], "event %d is\n%s", i, got)
	}
}

func TestOtherEvents(t *testing.T) {
	for event, want := range map[string]bool{
		`{"hook_event_name":"Stop","crons":[]}`:                                                 true,
		`{"hook_event_name":"UserPromptSubmit","prompt_id":"43457e########0","prompt":"hello"}`: true,
		// Claude Code's.
		`{"hook_event_name":"Stop","prompt_id":"0b2ad0f4-5f0a-4f0e-9d35-0d7c6d9f1e57","background_tasks":[],"session_crons":[]}`: false,
		`{"hook_event_name":"UserPromptSubmit","prompt":"what is \"crons\": [] and ########?"}`:                                  false,
		`{}`: false, `[]`: false, ``: false,
	} {
		scratch.Equal(t, isEvent([]byte(event)), want, "is", event)
	}
	for _, event := range []string{``, `[]`, `{"session_id":7}`, `{"background_tasks":"x"}`} {
		scratch.FailIf(t, readEvent([]byte(event), &host.Event{}) == nil, "read(%s): no error", event)
	}
}
