package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// hostLog is a recorded, shortened session of a host: a hook continues it, the user says "continue" and interrupts.
type hostLog struct {
	at      string // below the host's directory
	lines   string
	labels  []Label
	session string
}

func hostLogs() map[string]hostLog {
	return map[string]hostLog{
		"codex": {"sessions/2026/03/04/rollout-2026-03-04T05-06-07-c1.jsonl", `{"timestamp":"2026-03-04T05:06:07.000Z","ordinal":0,"type":"session_meta","payload":{"id":"c1","cwd":"/home/me/project","cli_version":"0.169.0"}}
{"timestamp":"2026-03-04T05:06:08.000Z","ordinal":1,"type":"response_item","payload":{"type":"message","id":"m1","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/home/me/project</cwd>\n</environment_context>"}]}}
{"timestamp":"2026-03-04T05:06:09.000Z","ordinal":2,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","id":"m2","content":[{"type":"text","text":"write the parser"}]}}}
{"timestamp":"2026-03-04T05:06:10.000Z","ordinal":3,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","id":"m3","content":[{"type":"Text","text":"I look first."}]}}}
{"timestamp":"2026-03-04T05:06:11.000Z","ordinal":4,"type":"response_item","payload":{"type":"function_call","id":"f1","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"call_1"}}
{"timestamp":"2026-03-04T05:06:12.000Z","ordinal":5,"type":"response_item","payload":{"type":"function_call_output","id":"o1","call_id":"call_1","output":"Process exited with code 0"}}
{"timestamp":"2026-03-04T05:06:13.000Z","ordinal":6,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","id":"m4","content":[{"type":"Text","text":"Task 1 is done."}]}}}
{"timestamp":"2026-03-04T05:06:14.000Z","ordinal":7,"type":"response_item","payload":{"type":"message","id":"m5","role":"user","content":[{"type":"input_text","text":"<hook_prompt hook_run_id=\"stop:0:/h/hooks.json\">[springfield] go on</hook_prompt>"}]}}
{"timestamp":"2026-03-04T05:06:15.000Z","ordinal":8,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","id":"m6","content":[{"type":"Text","text":"The parser is written."}]}}}
{"timestamp":"2026-03-04T05:06:16.000Z","ordinal":9,"type":"event_msg","payload":{"type":"task_complete","turn_id":"t1"}}
{"timestamp":"2026-03-04T05:07:00.000Z","ordinal":10,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","id":"m7","content":[{"type":"text","text":"continue"}]}}}
{"timestamp":"2026-03-04T05:07:01.000Z","ordinal":11,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","id":"m8","content":[{"type":"Text","text":"Now the lexer."}]}}}
{"timestamp":"2026-03-04T05:07:02.000Z","ordinal":12,"type":"response_item","payload":{"type":"function_call","id":"f2","name":"exec_command","arguments":"{\"cmd\":\"sleep 60\"}","call_id":"call_2"}}
{"timestamp":"2026-03-04T05:07:03.000Z","ordinal":13,"type":"response_item","payload":{"type":"function_call_output","id":"o2","call_id":"call_2","output":"aborted by user"}}
{"timestamp":"2026-03-04T05:07:04.000Z","ordinal":14,"type":"response_item","payload":{"type":"message","id":"m9","role":"user","content":[{"type":"input_text","text":"<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"}]}}
{"timestamp":"2026-03-04T05:07:05.000Z","ordinal":15,"type":"event_msg","payload":{"type":"turn_aborted","turn_id":"t2","reason":"interrupted"}}
{"timestamp":"2026-03-04T05:07:06.000Z","ordinal":16,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"UserMessage","id":"m10","content":[{"type":"text","text":"no, write the printer first"}]}}}
{"timestamp":"2026-03-04T05:07:07.000Z","ordinal":17,"type":"event_msg","payload":{"type":"item_completed","turn_id":"t","item":{"type":"AgentMessage","id":"m11","content":[{"type":"Text","text":"The printer is written."}]}}}
`, []Label{MidWork, Pushed, Nudge, MidWork, Ended}, "c1"},
		"copilot": {"session-state/p1/events.jsonl", `{"type":"session.start","data":{"sessionId":"p1","version":1,"producer":"copilot-agent","copilotVersion":"1.0.102","context":{"cwd":"/home/me/project"}},"id":"1","timestamp":"2026-03-04T05:06:07.000Z"}
{"type":"user.message","data":{"content":"write the parser","delivery":"idle","agentMode":"interactive"},"id":"2","timestamp":"2026-03-04T05:06:08.000Z"}
{"type":"assistant.message","data":{"content":"I look first.","toolRequests":[{"toolCallId":"call_1","name":"bash","arguments":{"command":"ls"},"type":"function"}]},"id":"3","timestamp":"2026-03-04T05:06:09.000Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"call_1","success":true,"result":{"content":"x"}},"id":"4","timestamp":"2026-03-04T05:06:10.000Z"}
{"type":"assistant.message","data":{"content":"Task 1 is done.","toolRequests":[]},"id":"5","timestamp":"2026-03-04T05:06:11.000Z"}
{"type":"user.message","data":{"content":"[springfield] go on","delivery":"queued"},"id":"6","timestamp":"2026-03-04T05:06:12.000Z"}
{"type":"assistant.message","data":{"content":"The parser is written.","toolRequests":[]},"id":"7","timestamp":"2026-03-04T05:06:13.000Z"}
{"type":"session.resume","data":{"context":{"cwd":"/home/me/project"}},"id":"8","timestamp":"2026-03-04T05:07:00.000Z"}
{"type":"user.message","data":{"content":"continue","delivery":"idle"},"id":"9","timestamp":"2026-03-04T05:07:01.000Z"}
{"type":"assistant.message","data":{"content":"Now the lexer.","toolRequests":[{"toolCallId":"call_2","name":"bash","arguments":{"command":"sleep 60"},"type":"function"}]},"id":"10","timestamp":"2026-03-04T05:07:02.000Z"}
{"type":"tool.execution_complete","data":{"toolCallId":"call_2","success":true,"result":{"content":"moved to background"}},"id":"11","timestamp":"2026-03-04T05:07:03.000Z"}
{"type":"user.message","data":{"content":"no, write the printer first","delivery":"steering","agentMode":"interactive"},"id":"12","timestamp":"2026-03-04T05:07:04.000Z"}
{"type":"assistant.message","data":{"content":"The printer is written.","toolRequests":[]},"id":"13","timestamp":"2026-03-04T05:07:05.000Z"}
`, []Label{MidWork, Pushed, Nudge, MidWork, Ended}, "p1"},
		"qwen": {"projects/-home-me-project/chats/q1.jsonl", `{"uuid":"1","sessionId":"q1","timestamp":"2026-03-04T05:06:07.000Z","type":"user","provenance":"real_user","cwd":"/home/me/project","message":{"role":"user","parts":[{"text":"write the parser"}]}}
{"uuid":"2","sessionId":"q1","timestamp":"2026-03-04T05:06:08.000Z","type":"assistant","provenance":"assistant_output","cwd":"/home/me/project","message":{"role":"model","parts":[{"text":"I look first."},{"functionCall":{"id":"call_1","name":"run_shell_command","args":{"command":"ls"}}}]}}
{"uuid":"3","sessionId":"q1","timestamp":"2026-03-04T05:06:09.000Z","type":"tool_result","provenance":"tool_result","cwd":"/home/me/project","message":{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"run_shell_command","response":{"output":"x"}}}]}}
{"uuid":"4","sessionId":"q1","timestamp":"2026-03-04T05:06:10.000Z","type":"assistant","provenance":"assistant_output","cwd":"/home/me/project","message":{"role":"model","parts":[{"text":"Task 1 is done."}]}}
{"uuid":"5","sessionId":"q1","timestamp":"2026-03-04T05:06:11.000Z","type":"system","provenance":"system","subtype":"ui_telemetry","cwd":"/home/me/project","systemPayload":{}}
{"uuid":"6","sessionId":"q1","timestamp":"2026-03-04T05:06:12.000Z","type":"assistant","provenance":"assistant_output","cwd":"/home/me/project","message":{"role":"model","parts":[{"text":"The parser is written."}]}}
{"uuid":"7","sessionId":"q1","timestamp":"2026-03-04T05:07:00.000Z","type":"user","provenance":"real_user","cwd":"/home/me/project","message":{"role":"user","parts":[{"text":"continue"}]}}
{"uuid":"8","sessionId":"q1","timestamp":"2026-03-04T05:07:01.000Z","type":"assistant","provenance":"assistant_output","cwd":"/home/me/project","message":{"role":"model","parts":[{"text":"Now the lexer."},{"functionCall":{"id":"call_2","name":"run_shell_command","args":{"command":"sleep 60"}}}]}}
{"uuid":"9","sessionId":"q1","timestamp":"2026-03-04T05:07:02.000Z","type":"user","provenance":"real_user","cwd":"/home/me/project","message":{"role":"user","parts":[{"text":"no, write the printer first"}]}}
{"uuid":"10","sessionId":"q1","timestamp":"2026-03-04T05:07:03.000Z","type":"assistant","provenance":"assistant_output","cwd":"/home/me/project","message":{"role":"model","parts":[{"text":"The printer is written."}]}}
`, []Label{MidWork, Pushed, Nudge, MidWork, Ended}, "q1"},
		"droid": {"sessions/-home-me-project/d1.jsonl", `{"type":"session_start","id":"d1","title":"write the parser","version":2,"cwd":"/home/me/project","hostId":"h"}
{"type":"message","id":"1","timestamp":"2026-03-04T05:06:07.000Z","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"}]}}
{"type":"message","id":"2","timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":[{"type":"text","text":"write the parser"}],"interactionMode":"auto"}}
{"type":"message","id":"3","timestamp":"2026-03-04T05:06:09.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I look first."},{"type":"tool_use","id":"call_1","name":"Execute","input":{"command":"ls"}}]}}
{"type":"message","id":"4","timestamp":"2026-03-04T05:06:10.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","is_error":false,"content":"x"}]}}
{"type":"message","id":"5","timestamp":"2026-03-04T05:06:11.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Task 1 is done."}]}}
{"type":"message","id":"6","timestamp":"2026-03-04T05:06:12.000Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"type":"command","command":"/opt/another-hook"}],"hookStatus":"completed","hookResults":[{"exitCode":0,"stdout":"{\"decision\":\"block\",\"reason\":\"go on\"}","stderr":""}]}}
{"type":"message","id":"7","timestamp":"2026-03-04T05:06:13.000Z","message":{"role":"user","content":[{"type":"text","text":"go on"}],"interactionMode":"auto"}}
{"type":"message","id":"8","timestamp":"2026-03-04T05:06:14.000Z","message":{"role":"assistant","content":[{"type":"text","text":"The parser is written."}]}}
{"type":"agent_turn_outcome","turnId":"2","reason":"completed","resultKind":"text"}
{"type":"message","id":"9","timestamp":"2026-03-04T05:07:00.000Z","message":{"role":"user","content":[{"type":"text","text":"continue"}],"interactionMode":"auto"}}
{"type":"message","id":"10","timestamp":"2026-03-04T05:07:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Now the lexer."},{"type":"tool_use","id":"call_2","name":"Execute","input":{"command":"ls"}}]}}
{"type":"message","id":"11","timestamp":"2026-03-04T05:07:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_2","is_error":false,"content":"x"}]}}
{"type":"message","id":"12","timestamp":"2026-03-04T05:07:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"The printer is written."}]}}
`, []Label{MidWork, Pushed, Nudge, MidWork, Ended}, "d1"},
		"gemini": {"tmp/project/chats/session-2026-03-04T05-06-g1.jsonl", `{"sessionId":"g1","projectHash":"4f","startTime":"2026-03-04T05:06:07.000Z","lastUpdated":"2026-03-04T05:06:07.000Z","kind":"main"}
{"id":"1","timestamp":"2026-03-04T05:06:08.000Z","type":"user","content":[{"text":"write the parser"}]}
{"id":"2","timestamp":"2026-03-04T05:06:09.000Z","type":"gemini","content":"I look first.","model":"m"}
{"id":"2","timestamp":"2026-03-04T05:06:09.000Z","type":"gemini","content":"I look first.","model":"m","toolCalls":[{"id":"call_1","name":"run_shell_command","args":{"command":"ls"},"status":"success"}]}
{"id":"3","timestamp":"2026-03-04T05:06:10.000Z","type":"user","content":[{"functionResponse":{"id":"call_1","name":"run_shell_command","response":{"output":"x"}}}]}
{"id":"4","timestamp":"2026-03-04T05:06:11.000Z","type":"gemini","content":"Task 1 is done.","model":"m"}
{"$set":{"lastUpdated":"2026-03-04T05:06:12.000Z"}}
{"id":"5","timestamp":"2026-03-04T05:06:12.000Z","type":"user","content":[{"text":"[springfield] go on"}]}
{"id":"6","timestamp":"2026-03-04T05:06:13.000Z","type":"gemini","content":"The parser is written.","model":"m"}
{"sessionId":"g1","projectHash":"4f","startTime":"2026-03-04T05:07:00.000Z","lastUpdated":"2026-03-04T05:07:00.000Z","kind":"main"}
{"$set":{"messages":[{"id":"1","timestamp":"2026-03-04T05:06:08.000Z","type":"user","content":[{"text":"write the parser"}]}]}}
{"id":"7","timestamp":"2026-03-04T05:07:01.000Z","type":"user","content":[{"text":"continue"}]}
{"id":"8","timestamp":"2026-03-04T05:07:02.000Z","type":"gemini","content":"Now the lexer.","model":"m"}
{"id":"9","timestamp":"2026-03-04T05:07:03.000Z","type":"info","content":"Request cancelled."}
{"id":"10","timestamp":"2026-03-04T05:07:04.000Z","type":"user","content":[{"text":"no, write the printer first"}]}
{"id":"11","timestamp":"2026-03-04T05:07:05.000Z","type":"gemini","content":"The printer is written.","model":"m"}
`, []Label{MidWork, Pushed, Nudge, Interrupted, Ended}, "g1"},
	}
}

var must, errorIf = scratch.Must, scratch.ErrorIf

// writeHosts writes the sessions of all hosts and returns their places.
func writeHosts(t testing.TB, home string) (all []LogDir) {
	t.Helper()
	logs := hostLogs()
	for _, h := range registry.Hosts {
		log, ok := logs[h.Name]
		if h.Default {
			continue
		} else if !ok {
			t.Fatalf("hostLogs has no log of %s", h.Title)
		}
		k := LogDir{h, filepath.Join(home, strings.TrimPrefix(h.Dir, "~/"))}
		path := filepath.Join(k.Dir, filepath.FromSlash(log.at))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		files := map[string]string{path: log.lines, filepath.Join(k.Dir, "other.jsonl"): log.lines} // only one is where logs are kept
		if h.ProjectFile != "" {
			files[filepath.Join(filepath.Dir(path), h.ProjectFile)] = "/home/me/project"
		}
		for name, text := range files {
			must(t, os.WriteFile(name, []byte(text), 0o600))
		}
		all = append(all, k)
	}
	return all
}

// Sessions of every host are found in their places and labelled.
func TestHosts(t *testing.T) {
	home := t.TempDir()
	kept := writeHosts(t, home)
	if len(kept) != len(hostLogs()) {
		t.Fatalf("%d of %d hosts are known", len(kept), len(hostLogs()))
	}
	newMade("s").asks("go").works().says("Done.").rests().asks("continue").write(t, home)
	candidates := candidatesOf(t, "ned-flanders", "bart-simpson")
	run := func(o Options) Report {
		t.Helper()
		o.Candidates = candidates
		r := RunReplay(t.Context(), o)
		if len(r.Skipped) > 0 || r.Partial {
			t.Fatal(r.Skipped)
		}
		return r
	}
	all := run(Options{Paths: []string{ProjectsDir(home)}, LogDirs: append(kept, LogDir{kept[0].Host, filepath.Join(home, "none")})})
	hosts := map[string]bool{}
	for _, row := range all.Rows {
		hosts[row.Host] = true
	}
	if len(hosts) != 6 || all.Sessions != 6 || all.Files != 6 {
		t.Errorf("hosts %v, %d sessions, %d files", hosts, all.Sessions, all.Files)
	}
	for _, k := range kept {
		name, want := k.Host.Name, hostLogs()[k.Host.Name]
		// The host is found by the place, the contents of the log, and the flag.
		log := filepath.Join(k.Dir, filepath.FromSlash(want.at))
		for _, r := range []Report{run(Options{LogDirs: []LogDir{k}}), run(Options{Paths: []string{log}}), run(Options{Paths: []string{ProjectsDir(home), log}, LogDirs: kept, Host: name})} {
			got := labelsOf(r)
			errorIf(t, !slices.Equal(got, want.labels), "%s: %v, want %v", name, got, want.labels)
			for _, row := range r.Rows {
				if row.Host != name || row.Session != want.session || row.Project != "/home/me/project" {
					t.Errorf("%s: host %q, session %q, project %q", name, row.Host, row.Session, row.Project)
				}
			}
		}
	}
	must(t, conforms(t, all))
}

// A line with a text and a call is mid-work, and the decision there does not see the call.
func TestTextAndCallInOneLine(t *testing.T) {
	for name, log := range hostLogs() {
		path := filepath.Join(t.TempDir(), filepath.Base(log.at))
		must(t, os.WriteFile(path, []byte(log.lines), 0o600))
		candidates := candidatesOf(t, "ned-flanders")
		r := RunReplay(t.Context(), Options{Paths: []string{path}, Candidates: candidates})
		if len(r.Rows) == 0 || r.Rows[0].Text != "I look first." || r.Rows[0].LastTool != "" {
			t.Fatalf("%s: %+v", name, r.Rows)
		}
		e, err := Explain(Place{Log: path, Line: r.Rows[0].Line, Work: t.TempDir(), Now: time.Now()}, candidates[0])
		if err != nil || e.Situation.Message != r.Rows[0].Text || len(e.Situation.Calls) != 0 || string(e.Decision) != r.Rows[0].Choices[0].Decision {
			t.Errorf("%s: %v %+v", name, err, e)
		}
	}
}
