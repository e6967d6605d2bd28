package gemini

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
		`true BeforeAgent "" "" "execute the plan" false`,
		`true BeforeAgent "" "" "[springfield] part 1 of the plan remains; go on" false`,
		`true AfterAgent "3m3rk3w1h2f7q" "" "" false`,
		`true AfterAgent "3m3rk3w1h2f7q" "" "" true`,
		`true AfterAgent "1nuof2ff2c7x6" "" "" false`,
		`false SessionStart "" "" "" false`,
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var e host.Event
		scratch.Must(t, readEvent(line, &e))
		got := fmt.Sprintf("%t %s %q %q %q %t", isEvent(line), e.Name, e.PromptID, e.LastMessage, e.Prompt, e.Active)
		scratch.FailIf(t, i >= len(want) || got != want[i], "event %d is\n%s", i, got)
	}
}

func TestOtherEvents(t *testing.T) {
	for event, want := range map[string]bool{
		`{"hook_event_name":"AfterAgent"}`:  true,
		`{"hook_event_name":"BeforeAgent"}`: true,
		`{"hook_event_name":"Stop","last_assistant_message":"\"hook_event_name\":\"AfterAgent\""}`: false,
		`{}`: false, `[]`: false, ``: false,
	} {
		scratch.Equal(t, isEvent([]byte(event)), want, "is", event)
	}
	for _, event := range []string{``, `[]`, `{"session_id":7}`} {
		scratch.FailIf(t, readEvent([]byte(event), &host.Event{}) == nil, "read(%s): no error", event)
	}
}
