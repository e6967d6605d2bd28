package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// messagesIn returns the logs at each stop of a recorded session of Qwen Code or Gemini CLI, which is after a message
// of the agent without a call, with the text of that message.
func messagesIn(t *testing.T, host, name string) (logs, texts []string) {
	t.Helper()
	data := scratch.ReadFile(t, "../host/"+host+"/testdata/"+name+".jsonl")
	log, message, last := "", "", ""
	for line := range strings.Lines(string(data)) {
		var l struct {
			ID, UUID, Type string
			Content        json.RawMessage
			Message        struct{ Parts []struct{ Text string } }
		}
		must(t, json.Unmarshal([]byte(line), &l))
		if message != "" && l.ID+l.UUID != message && l.Type != "" {
			logs, texts, message = append(logs, log), append(texts, last), ""
		}
		log += line
		switch says := l.Type == "assistant" || l.Type == "gemini"; {
		case says && (strings.Contains(line, `"toolCalls"`) || strings.Contains(line, `"functionCall"`)):
			message = ""
		case says:
			message = l.ID + l.UUID
			if last = strings.Trim(string(l.Content), `"`); len(l.Message.Parts) > 0 {
				last = l.Message.Parts[0].Text
			}
		}
	}
	return append(logs, log), append(texts, last)
}

func TestRecordedMessages(t *testing.T) {
	for _, c := range []struct{ log, more, want string }{
		{"qwen/turns", ``, "progress progress finished progress"},
		{"qwen/context", ``, "background background"},
		{"qwen/agent", ``, "background finished"},
		{"qwen/agent", `"background_tasks": [{"id": "a", "status": "running"}],`, "background background"},
		{"qwen/shell", ``, "background background finished"},
		{"qwen/tools", `"crons": [{"id": "7", "enabled": true}],`, "scheduled"},
		{"qwen/turns", `"permission_mode": "plan",`, "plan-mode plan-mode plan-mode plan-mode"},
		{"gemini/turns", ``, "progress progress finished progress"},
		{"gemini/context", ``, "progress finished"}, // nothing wakes Gemini when a command in the background ends
		{"gemini/tools", ``, "progress"},
	} {
		w := newWorld(t, ned)
		host, name, _ := strings.Cut(c.log, "/")
		logs, texts := messagesIn(t, host, name)
		var got []string
		for i, log := range logs {
			w.write("log.jsonl", log)
			text, _ := json.Marshal(texts[i])
			event := `{` + c.more + `"session_id": "s1", "transcript_path": "` + w.path("log.jsonl") + `", `
			if host == "qwen" {
				event += `"hook_event_name": "Stop", "prompt_id": "s1########0", "last_assistant_message": ` + string(text) + `}`
			} else {
				event += `"hook_event_name": "AfterAgent", "prompt": "execute the plan", "prompt_response": "All that was said. May I?"}`
			}
			w.run(event)
			r, _ := w.newest("session:s1")
			got = append(got, r.Rule)
			scratch.Lacks(t, host, r.Evidence, "Claude")
			scratch.Equal(t, r.Host, host, c.log, "the decision is one of")
		}
		scratch.Equal(t, strings.Join(got, " "), c.want, c.log, c.more)
	}
}

// Gemini CLI reports stop_hook_active only until the next tool call. A loop that calls tools without progress still
// ends.
func TestStalledSpecEndsOnGemini(t *testing.T) {
	for _, plugin := range bothSpecs() {
		s := newSpecWorld(t, plugin)
		s.old(s.state, specState(1, ""))
		log := `{"id":"u","type":"user","content":[{"text":"execute the plan"}]}` + "\n"
		event := `{"hook_event_name": "AfterAgent", "session_id": "s1", "cwd": "` + s.path("project") + `", "transcript_path": "` + s.path("log.jsonl") + `", "prompt": "execute the plan", "stop_hook_active": false}`
		var got []string
		for n := range 4 {
			id := string(rune('a' + n))
			log += `{"id":"` + id + `","type":"gemini","content":"Looking.","toolCalls":[{"id":"c` + id + `","name":"read_file","args":{}}]}` + "\n" +
				`{"id":"m` + id + `","type":"gemini","content":"Still looking."}` + "\n"
			s.write("log.jsonl", log)
			s.answer(event)
			r, _ := s.newest("session:s1")
			if got = append(got, r.Decision); r.Decision != "continue" {
				break
			}
			log += `{"id":"f` + id + `","type":"user","content":[{"text":"[springfield] go on"}]}` + "\n"
		}
		scratch.Equal(t, strings.Join(got, " "), "continue continue stop", plugin, got)
	}
}

// Gemini CLI's event does not name the mode; its log has the tool that begins it.
func TestGeminiPlans(t *testing.T) {
	w := newWorld(t, ned)
	call := func(id, name, response string) string {
		return `{"id":"` + id + `","type":"gemini","content":"","toolCalls":[{"id":"c` + id + `","name":"` + name + `","args":{}}]}` + "\n" +
			`{"id":"r` + id + `","type":"user","content":[{"functionResponse":{"id":"c` + id + `","name":"` + name + `","response":` + response + `}}]}` + "\n"
	}
	says := func(id string) string {
		return `{"id":"` + id + `","type":"gemini","content":"Task 1 is complete. Moving to Task 2."}` + "\n"
	}
	log := `{"id":"u","type":"user","content":[{"text":"execute the plan"}]}` + "\n" + call("a", "enter_plan_mode", `{"output":"Switching to Plan mode."}`) + says("b")
	for _, then := range []struct{ want, call string }{
		{"plan-mode", call("d", "exit_plan_mode", `{"output":"Plan rejected."}`)},
		{"plan-mode", call("e", "exit_plan_mode", `{"output":"Plan approved. Go."}`)},
		{"progress", call("f", "replace", `{"error":"Denied. You are in Plan Mode with access to read-only tools."}`)},
		{"plan-mode", call("g", "run_shell_command", `{"output":"<untrusted_context>ok"}`)},
		{"progress", ""},
	} {
		w.write("log.jsonl", log)
		w.run(`{"hook_event_name": "AfterAgent", "session_id": "s1", "transcript_path": "` + w.path("log.jsonl") + `", "prompt": "execute the plan"}`)
		scratch.Equal(t, w.rule(), then.want, then.call)
		log += then.call + says("s"+then.call[min(len(then.call), 7):min(len(then.call), 8)])
	}
}

// stopsIn returns the events of a recorded log of Copilot or Droid, each with the log for which the hook waits.
func stopsIn(t *testing.T, host, name string) (events, logs []string) {
	t.Helper()
	data := scratch.ReadFile(t, "../host/"+host+"/testdata/"+name+".jsonl")
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
			event, _ := json.Marshal(map[string]any{"hook_event_name": "Stop", "session_id": "s1", "timestamp": l.Data.Input.Timestamp, "transcript_path": "LOG", "stop_reason": "end_turn"})
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

func TestRecordedStops(t *testing.T) {
	for log, want := range map[string]string{
		"copilot/plain":      "progress progress finished",
		"copilot/queued":     "progress otherwise waits",
		"copilot/plan":       "plan-mode plan-mode",
		"copilot/autopilot":  "progress progress otherwise",
		"copilot/delegated":  "background finished",
		"copilot/background": "background background finished",
		"copilot/subagent":   "waits",
		"copilot/todo":       "finished asks otherwise",
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
			if got = append(got, r.Rule); r.Rule == "background" && !strings.HasPrefix(r.Evidence, "in the background: “sleep 5") && !strings.HasSuffix(r.Evidence, ": “Look around”") && !strings.HasSuffix(r.Evidence, ": “Look around here”") {
				t.Errorf("%s: %q does not say what runs", log, r.Evidence)
			}
		}
		scratch.Equal(t, strings.Join(got, " "), want, log)
	}
}

// The hook waits for the entry of its own stop in a log that is written late. Without it there is no decision.
func TestWaitsForItsOwnStop(t *testing.T) {
	const (
		said  = `{"type":"user.message","data":{"content":"execute the plan","delivery":"idle"},"id":"u1","timestamp":"2026-11-22T00:23:15.005Z"}` + "\n" + `{"type":"assistant.message","data":{"content":"` + progress + `"},"id":"a%d","timestamp":"2026-11-22T00:23:15.172Z"}` + "\n"
		start = `{"type":"hook.start","data":{"hookType":"agentStop","input":{"sessionId":"s1","timestamp":%d}},"id":"h%d","timestamp":"2026-11-22T00:23:15.374Z"}` + "\n"
		event = `{"hook_event_name":"Stop","session_id":"s1","timestamp":"2026-11-22T00:23:15.566Z","cwd":%q,"transcript_path":%q,"stop_reason":"end_turn","stop_hook_active":false}`
		own   = 1795306995566
	)
	for name, test := range map[string]struct {
		before, after string
		rule          string
	}{
		"it is there":           {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own, 1), "", "progress"},
		"it comes":              {"", fmt.Sprintf(said, 1) + fmt.Sprintf(start, own, 1), "progress"},
		"it comes behind other": {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own-900, 1), fmt.Sprintf(said, 2) + fmt.Sprintf(start, own, 2), "progress"},
		"there is no log":       {"", "", "log-lags"},
		"only an earlier one":   {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own-900, 1), "", "log-lags"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ned)
			log := w.path("events.jsonl")
			if test.before != "" {
				w.write("events.jsonl", test.before)
			}
			come := make(chan error, 1)
			go func() {
				if test.after == "" {
					come <- nil
					return
				}
				time.Sleep(50 * time.Millisecond)
				f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err == nil {
					_, err = f.WriteString(test.after)
					f.Close()
				}
				come <- err
			}()
			out, notes := w.run(fmt.Sprintf(event, w.path("."), log))
			must(t, <-come)
			r, _ := w.newest("session:s1")
			if r.Rule != test.rule || r.Host != "copilot" || (out.Decision == "block") != (test.rule == "progress") {
				t.Errorf("%s of %q, %+v, %s", r.Rule, r.Host, out, notes)
			}
			if out.Decision == "block" && (!strings.HasPrefix(out.Reason, transcript.Mark) || !strings.Contains(out.SystemMessage, "kept Copilot going")) {
				t.Errorf("%+v", out)
			}
		})
	}
}
