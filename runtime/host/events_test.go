package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host"
)

// Each recorded event is claimed by its own host alone, and read as in events.parsed. The ids are shortened.
func TestEvents(t *testing.T) {
	for name, h := range hosts() {
		var got strings.Builder
		for line := range strings.Lines(string(scratch.ReadFile(t, name+"/testdata/events.jsonl"))) {
			if by := claims(line); by != "" {
				scratch.Equal(t, by, name, line)
			}
			var e host.Event
			scratch.Must(t, h.ReadEvent([]byte(line), &e), line)
			user := e.IsFromUser()
			e.Host = nil
			members := strings.ReplaceAll(fmt.Sprintf("%+v", e), "\n", `\n`)
			fmt.Fprintf(&got, "claimed %t, from the user %t: %s\n", h.Is([]byte(line)), user, members)
		}
		scratch.Golden(t, name+"/testdata/events.parsed", []byte(got.String()))
	}
}

// claims lists the hosts that claim an event.
func claims(event string) string {
	var all []string
	for name, h := range hosts() {
		if h.Is([]byte(event)) {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

func TestClaims(t *testing.T) {
	const claude = `{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"Stop","permission_mode":"default",`
	for event, want := range map[string]string{
		`{"hook_event_name":"AfterAgent"}`:  "gemini",
		`{"hook_event_name":"BeforeAgent"}`: "gemini",
		`{"hook_event_name":"Stop","last_assistant_message":"\"hook_event_name\":\"AfterAgent\""}`:                 "",
		strings.Replace(claude, "Stop", "BeforeAgent", 1) + `"timestamp":"2026-11-22T00:23:20.336Z","prompt":"p"}`: "gemini",
		`{"hook_event_name":"Stop","crons":[]}`:                                                                 "qwen",
		`{"hook_event_name":"UserPromptSubmit","prompt_id":"43457e########0","prompt":"hello"}`:                 "qwen",
		`{"hook_event_name":"UserPromptSubmit","prompt":"what is \"crons\": [] and ########?"}`:                 "",
		`{"hook_event_name":"Stop","message_id":"m"}`:                                                           "droid",
		`{"hook_event_name":"Stop","turn_id":"x"}`:                                                              "",
		`{"hook_event_name":"Stop","model":"x","turn_id":7}`:                                                    "",
		`{"model":{"turn_id":"x","model":"y"}}`:                                                                 "",
		claude + `"prompt_id":"0b2ad0f4-5f0a-4f0e-9d35-0d7c6d9f1e57","background_tasks":[],"session_crons":[]}`: "",
		claude + `"stop_hook_active":false,"last_assistant_message":"m"}`:                                       "",
		claude + `"timestamp":"2026-11-22T00:23:20.336Z","prompt_id":"p","last_assistant_message":"m"}`:         "",
		`{}`: "", `[]`: "", ``: "",
	} {
		scratch.Equal(t, claims(event), want, event)
	}
	for name, h := range hosts() {
		for _, event := range []string{``, `[]`, `{"session_id":7}`} {
			scratch.ErrorIf(t, h.ReadEvent([]byte(event), &host.Event{}) == nil, "%s reads %s", name, event)
		}
	}
}
