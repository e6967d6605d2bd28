//go:build unix

package hostile

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// agent is a host other than Claude Code: its event at a stop and its log, as its program
// writes them. In both %L is the log's path, %P the project and %S what the agent says last.
type agent struct {
	name, event string
	first       string // the log's first line, "" for none
	prompt      string // a line with a person's words
	said        string // a line with the agent's
	called      string // a line with a call
	fed         string // a line with what a hook of ours has said
	last        string // the line that the hook waits for, "" for none
}

const continued = "[springfield] Go on."

var agents = []agent{
	{
		name:   "codex",
		event:  `{"session_id":"s","turn_id":"t1","transcript_path":"%L","cwd":"%P","hook_event_name":"Stop","model":"m","permission_mode":"default","stop_hook_active":false,"last_assistant_message":"%S"}`,
		first:  `{"timestamp":"2026-11-22T14:50:51.000Z","type":"session_meta","payload":{"id":"s","cwd":"%P","cli_version":"0.169.0","source":"cli"}}`,
		prompt: `{"timestamp":"2026-11-22T14:50:52.000Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"UserMessage","id":"u1","content":[{"type":"text","text":"Execute the plan"}]}}}`,
		said:   `{"timestamp":"2026-11-22T14:50:53.000Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"AgentMessage","id":"a1","content":[{"type":"Text","text":"%S"}]}}}`,
		called: `{"timestamp":"2026-11-22T14:50:53.000Z","type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{\"plan\":[{\"step\":\"One\",\"status\":\"pending\"}]}","call_id":"c1"}}`,
		fed:    `{"timestamp":"2026-11-22T14:50:53.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<hook_prompt hook_run_id=\"r\">` + continued + `</hook_prompt>"}]}}`,
	},
	{
		name:   "copilot",
		event:  `{"hook_event_name":"Stop","session_id":"s","timestamp":"2026-11-22T14:50:54.000Z","cwd":"%P","transcript_path":"%L","stop_reason":"end_turn","stop_hook_active":false}`,
		first:  `{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1.0.102","context":{"cwd":"%P"}},"id":"e1","timestamp":"2026-11-22T14:50:51.000Z"}`,
		prompt: `{"type":"user.message","data":{"content":"Execute the plan","messageId":"m1","delivery":"idle","turnId":"0"},"id":"e2","timestamp":"2026-11-22T14:50:52.000Z"}`,
		said:   `{"type":"assistant.message","data":{"messageId":"m2","content":"%S","toolRequests":[],"turnId":"0"},"id":"e3","timestamp":"2026-11-22T14:50:53.000Z"}`,
		called: `{"type":"assistant.message","data":{"messageId":"m2","content":"","toolRequests":[{"toolCallId":"c1","name":"view","arguments":{"path":"a"}}],"turnId":"0"},"id":"e4","timestamp":"2026-11-22T14:50:53.000Z"}`,
		fed:    `{"type":"user.message","data":{"content":"` + continued + `","messageId":"m3","delivery":"queued","turnId":"0"},"id":"e5","timestamp":"2026-11-22T14:50:53.000Z"}`,
		last:   `{"type":"hook.start","data":{"hookInvocationId":"h","hookType":"agentStop","input":{"sessionId":"s","timestamp":1795359054000,"cwd":"%P"}},"id":"e9","timestamp":"2026-11-22T14:50:54.000Z"}`,
	},
	{
		name:   "droid",
		event:  `{"session_id":"s","transcript_path":"%L","cwd":"%P","permission_mode":"auto-high","hook_event_name":"Stop","stop_hook_active":false,"message_id":"a9"}`,
		first:  `{"type":"session_start","id":"s","title":"t","version":2,"cwd":"%P","hostId":"h"}`,
		prompt: `{"type":"message","id":"u1","timestamp":"2026-11-22T14:50:52.000Z","message":{"role":"user","content":[{"type":"text","text":"Execute the plan"}],"interactionMode":"auto"}}`,
		said:   `{"type":"message","id":"a1","timestamp":"2026-11-22T14:50:53.000Z","message":{"role":"assistant","content":[{"type":"text","text":"%S"}]}}`,
		called: `{"type":"message","id":"a2","timestamp":"2026-11-22T14:50:53.000Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"TodoWrite","input":{"todos":"1. [pending] One"}}]}}`,
		fed:    `{"type":"message","id":"u2","timestamp":"2026-11-22T14:50:53.000Z","message":{"role":"user","content":[{"type":"text","text":"` + continued + `"}],"interactionMode":"auto"}}`,
		last:   `{"type":"message","id":"a9","timestamp":"2026-11-22T14:50:54.000Z","message":{"role":"assistant","content":[{"type":"text","text":"%S"}]}}`,
	},
	{
		name:   "qwen",
		event:  `{"session_id":"s","transcript_path":"%L","cwd":"%P","hook_event_name":"Stop","timestamp":"2026-11-22T14:50:54.000Z","permission_mode":"yolo","prompt_id":"s########0","stop_hook_active":false,"last_assistant_message":"%S","background_tasks":[],"crons":[]}`,
		prompt: `{"uuid":"u1","sessionId":"s","timestamp":"2026-11-22T14:50:52.000Z","type":"user","provenance":"real_user","cwd":"%P","version":"0.24.4","message":{"role":"user","parts":[{"text":"Execute the plan"}]}}`,
		said:   `{"uuid":"a1","sessionId":"s","timestamp":"2026-11-22T14:50:53.000Z","type":"assistant","provenance":"assistant_output","cwd":"%P","version":"0.24.4","message":{"role":"model","parts":[{"text":"%S"}]}}`,
		called: `{"uuid":"a2","sessionId":"s","timestamp":"2026-11-22T14:50:53.000Z","type":"assistant","provenance":"assistant_output","cwd":"%P","version":"0.24.4","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"todo_write","args":{"todos":[{"id":"1","content":"One","status":"pending"}]}}}]}}`,
		fed:    `{"uuid":"u2","sessionId":"s","timestamp":"2026-11-22T14:50:53.000Z","type":"user","provenance":"real_user","cwd":"%P","version":"0.24.4","message":{"role":"user","parts":[{"text":"` + continued + `"}]}}`,
	},
	{
		name:   "gemini",
		event:  `{"session_id":"s","transcript_path":"%L","cwd":"%P","hook_event_name":"AfterAgent","timestamp":"2026-11-22T14:50:54.000Z","prompt":"Execute the plan","prompt_response":"%S","stop_hook_active":false}`,
		first:  `{"sessionId":"s","projectHash":"h","kind":"main"}`,
		prompt: `{"id":"u1","timestamp":"2026-11-22T14:50:52.000Z","type":"user","content":[{"text":"Execute the plan"}]}`,
		said:   `{"id":"a1","timestamp":"2026-11-22T14:50:53.000Z","type":"gemini","content":"%S"}`,
		called: `{"id":"a2","timestamp":"2026-11-22T14:50:53.000Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"write_todos","args":{"todos":[{"description":"One","status":"pending"}]}}]}`,
		fed:    `{"id":"u2","timestamp":"2026-11-22T14:50:53.000Z","type":"user","content":[{"text":"` + continued + `"}]}`,
	},
}

// fill puts a world's places, and what the agent says, into an event or a log.
func (w *world) fill(text string) string {
	return strings.NewReplacer("%L", w.Transcript(), "%P", w.Project, "%S", plugins[0].says).Replace(text)
}

// log lays out a host's log, with more before the agent's words.
func (w *world) log(a agent, more ...string) {
	w.t.Helper()
	lines := slices.Concat([]string{a.first, a.prompt}, more, []string{a.said, a.last})
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	write(w.t, w.Transcript(), w.fill(strings.Join(lines, "\n")+"\n"))
}

// quoted are the names of members in a line.
var quoted = regexp.MustCompile(`"([a-zA-Z_]+)":`)

// bombs are values in a member's place, and how a log's lines may come. There is one of each: they are large.
var bombs = sync.OnceValue(func() map[string]string {
	item := func(text string, n int) string { return "[" + strings.Repeat(text+",", n) + text + "]" }
	return map[string]string{
		"null": "null", "a number": "-1e999", "true": "true", "an object": `{"a":[]}`, "empty": `""`, "NUL": `"\u0000"`, "bad UTF-8": "\"\xff\xc0\xaf\"",
		"terminal": `"\u001b]0;owned\u0007\u009b2J\u202e"`, "long": `"` + strings.Repeat("x", 1<<20) + `"`, "escapes": `"` + strings.Repeat(`\u00e9`, 300_000) + `"`,
		"deep": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "deep objects": strings.Repeat(`{"text":`, 100_000) + "1" + strings.Repeat("}", 100_000), "not closed": strings.Repeat(`[{"text":"`, 1000),
		"many texts": item(`{"type":"text","text":"x"}`, 100_000), "many calls": item(`{"type":"tool_use","id":"c","name":"TodoWrite","toolCallId":"c","functionCall":{"id":"c","name":"todo_write","args":{}}}`, 30_000),
		"many results": item(`{"type":"tool_result","tool_use_id":"c","content":"x","functionResponse":{"id":"c","response":{"output":"x"}}}`, 30_000),
		"many skills":  item(`{"text":"<skill><name>a</name></skill>"}`, 60_000), "many hooks": item(`{"text":"<hook_prompt >`+continued+`</hook_prompt>","exitCode":2,"command":"springfield-hook"}`, 40_000),
	}
})

// hostAttempts are events and logs of other hosts, as an attacker or a crash leaves them.
func hostAttempts() (all []attempt) {
	for _, a := range agents {
		add := func(name string, do func(w *world) string) {
			all = append(all, attempt{name: a.name + ": " + name, p: plugins[0], do: func(w *world, _ string) string { return do(w) }})
		}
		for name, line := range map[string]string{"the agent's words": a.said, "a call": a.called, "a prompt": a.prompt, "feedback": a.fed, "the event": a.event} {
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				for what, value := range bombs() {
					add(fmt.Sprintf("%s: %s is %s", name, m[1], what), func(w *world) string {
						if line == a.event {
							w.log(a)
							return w.fill(member(line, m[1], value))
						}
						w.log(a, member(line, m[1], value))
						return w.fill(a.event)
					})
				}
			}
		}
		for name, log := range map[string]func(w *world){
			"many lines": func(w *world) { w.log(a, strings.Repeat(a.said+"\n"+a.called+"\n"+a.fed+"\n", 30_000)) },
			"many waits": func(w *world) {
				w.log(a, strings.Repeat(a.last+"\n", 5_000))
				must(w.t, os.Truncate(w.Transcript(), int64(len(a.first)+1_000_000)))
			},
			"torn": func(w *world) {
				w.log(a)
				info, err := os.Stat(w.Transcript())
				must(w.t, err)
				must(w.t, os.Truncate(w.Transcript(), info.Size()-10))
			},
			"no last one": func(w *world) { b := a; b.last = ""; w.log(b) },
			"sparse":      func(w *world) { w.log(a); must(w.t, os.Truncate(w.Transcript(), 1<<30)) },
		} {
			add("a log: "+name, func(w *world) string { log(w); return w.fill(a.event) })
		}
		for _, what := range odd {
			add("a log is "+what, func(w *world) string { w.log(a); w.plant(w.Transcript(), what); return w.fill(a.event) })
		}
	}
	return all
}

// What a host writes makes our hook go on, so that an attack that stops it is one; the answer has the one form that
// every host takes. An agent that writes prompts into its own log gets no new burst by them.
func TestHostsAndTheirLogs(t *testing.T) {
	each(agents, func(a agent) {
		w := newWorld(t)
		defer w.done()
		forged, continues := []string{a.called}, 0
		for n := range 7 {
			at := strings.NewReplacer(":54.000Z", fmt.Sprintf(":5%d.000Z", n), "1795359054000", fmt.Sprintf("179535905%d000", n), "a9", fmt.Sprintf("a9%d", n), "%S", fmt.Sprintf("Task %d complete. Moving to Task %d.", n+1, n+2))
			now := a
			now.event, now.said, now.last = at.Replace(a.event), strings.ReplaceAll(at.Replace(a.said), `"a1"`, fmt.Sprintf(`"a1%d"`, n)), at.Replace(a.last)
			if n > 0 {
				forged = append(forged, strings.NewReplacer(`"u1"`, fmt.Sprintf(`"u1%d"`, n), `"m1"`, fmt.Sprintf(`"m1%d"`, n), `"e2"`, fmt.Sprintf(`"e2%d"`, n), "Execute the plan", fmt.Sprintf("Go on %d", n)).Replace(a.prompt))
			}
			w.log(now, forged...)
			w.own()
			o := w.hook(forms()[0], plugins[0], w.fill(now.event))
			said, wrong := reads(o)
			var all map[string]json.RawMessage
			if said == goesOn {
				continues++
				must(t, json.Unmarshal([]byte(o.Stdout), &all))
				delete(all, "decision")
				delete(all, "reason")
				delete(all, "systemMessage")
			}
			if (said == goesOn) != (n < 3) || wrong != "" || len(all) > 0 || n < 3 && !strings.Contains(o.Stdout, `"reason":"[springfield] `) {
				t.Errorf("%s, stop %d: %s %s %s: %s", a.name, n, said, wrong, clip(o.Stdout), clip(o.Stderr))
			}
		}
		if continues != 3 {
			t.Errorf("%s: %d continues", a.name, continues)
		}
	})
}
