package host_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/host/codex"
	"github.com/cameronsjo/springfield/runtime/host/copilot"
	"github.com/cameronsjo/springfield/runtime/host/droid"
	"github.com/cameronsjo/springfield/runtime/host/gemini"
	"github.com/cameronsjo/springfield/runtime/host/qwen"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// lines are lines that no recorded log contains, with their digests; "-" is a line that is skipped.
func lines() map[string]map[string]string {
	return map[string]map[string]string{"codex": nil, "copilot": copilotLines(), "droid": droidLines(), "gemini": geminiLines(), "qwen": qwenLines()}
}

// hosts are all but Claude Code. The registry is generated, so a new host is not in it yet.
func hosts() map[string]*host.Host {
	return map[string]*host.Host{
		"codex": &codex.Host, "copilot": &copilot.Host, "droid": &droid.Host, "gemini": &gemini.Host, "qwen": &qwen.Host,
	}
}

// recorded reads a host's logs, line by line, without events.jsonl.
func recorded(t testing.TB, host string) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(host + "/testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded logs of %s: %v", host, err)
	}
	logs := map[string][][]byte{}
	for _, file := range files {
		data := scratch.ReadFile(t, file)
		if filepath.Base(file) != "events.jsonl" {
			logs[file] = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		}
	}
	return logs
}

// The digests of each log are those of its golden file.
func TestLogs(t *testing.T) {
	for host, known := range lines() {
		format := hosts()[host].Log
		headed := host != "gemini" && host != "qwen" // only the first line identifies the log
		for file, all := range recorded(t, host) {
			var got strings.Builder
			ofSubagent := filepath.ToSlash(file) == "codex/testdata/subagent.jsonl" // which is no session's
			for i, line := range all {
				if owns := format.Owns(line); i == 0 && owns == ofSubagent || i > 0 && headed && owns {
					t.Errorf("%s: line %d is its own: %t\n%s", file, i+1, owns, line)
				}
				e := transcript.Entry{Line: line}
				if !format.Parse(&e) {
					continue
				}
				got.WriteString(digest(format, &e) + "\n")
			}
			golden := strings.TrimSuffix(file, ".jsonl") + ".parsed"
			scratch.Golden(t, golden, []byte(got.String()))
		}
		for line, want := range known {
			e, got := transcript.Entry{Line: []byte(line)}, "-"
			if format.Parse(&e) {
				got = digest(format, &e)
			}
			scratch.Equal(t, got, want, line)
		}
	}
}

func FuzzCodexLine(f *testing.F)   { fuzzLine(f, "codex") }
func FuzzCopilotLine(f *testing.F) { fuzzLine(f, "copilot") }
func FuzzDroidLine(f *testing.F)   { fuzzLine(f, "droid") }
func FuzzGeminiLine(f *testing.F)  { fuzzLine(f, "gemini") }
func FuzzQwenLine(f *testing.F)    { fuzzLine(f, "qwen") }

// fuzzLine checks that all that is read of a line is a part of it, which gives its offset in the log.
func fuzzLine(f *testing.F, host string) {
	for line := range lines()[host] {
		f.Add([]byte(line))
	}
	for _, log := range recorded(f, host) {
		for _, line := range log {
			f.Add(line)
		}
	}
	format := hosts()[host].Log
	f.Fuzz(func(t *testing.T, line []byte) {
		format.Owns(line)
		e := transcript.Entry{Line: line}
		if !format.Parse(&e) {
			return
		}
		read := [][]byte{e.ID, e.Time, e.Words, e.PromptID, e.Version, e.Session, e.Cwd}
		for i := range e.Parts {
			p := &e.Parts[i]
			read = append(read, p.Text, p.ID, p.Name, p.Input, jobOf(format, p))
		}
		for _, part := range read {
			// A part of the line shares the line's end.
			if from := cap(line) - cap(part); part != nil && (from < 0 || from+len(part) > len(line) || !bytes.Equal(line[from:from+len(part)], part)) {
				t.Fatalf("%q is no part of %q", part, line)
			}
		}
	})
}

// digest is a line's meaning in one line.
func digest(format transcript.Format, e *transcript.Entry) string {
	words := []string{string(e.ID)}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if e.What != transcript.Nothing {
		add("%s %s", map[transcript.Happening]string{
			transcript.Prompted: "prompted", transcript.Joined: "joined", transcript.Woken: "woken", transcript.Pushed: "pushed", transcript.Rested: "rested",
			transcript.Interrupted: "interrupted", transcript.Failed: "failed",
		}[e.What], e.Words)
	}
	for _, m := range []struct {
		name  string
		value []byte
	}{{"mode", e.Mode}, {"prompt", e.PromptID}, {"session", e.Session}, {"cwd", e.Cwd}, {"todos", e.Todos}} {
		if m.value != nil {
			add("%s %s", m.name, m.value)
		}
	}
	if e.Subagent {
		add("of a subagent")
	}
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case transcript.Text:
			add("says %s", p.Text)
		case transcript.Call:
			add("calls %s %s, does %d %s %s", p.ID, p.Name, p.Does, p.Text, p.Input)
		case transcript.Result:
			add("result of %s, failed %t: %s", p.ID, p.Failed, p.Text)
			if job := jobOf(format, p); job != nil {
				add("job %s", job)
			}
		case transcript.Ended:
			add("ended %s", p.ID)
		case transcript.HookBlock:
			add("block, ours %t", p.Ours)
		default:
			add("part %d %s", p.Kind, p.Name)
		}
	}
	return strings.Join(words, " | ")
}

// jobOf returns the background job that a result started.
func jobOf(format transcript.Format, p *transcript.Part) []byte {
	if format.EffectOf == nil {
		return nil
	}
	if job := format.EffectOf(transcript.MayGoOn, p).Job; job != nil {
		return job
	}
	return format.EffectOf(transcript.NothingSpecial, p).Job
}

func copilotLines() map[string]string {
	return map[string]string{
		`{"type":"user.message","data":{"content":"go","source":"command-why","messageId":"m"},"id":"1"}`:                                                                         "1 | prompted go | prompt \"m\"",
		`{"type":"user.message","data":{"content":"go","source":"schedule-1","messageId":"m"},"id":"1"}`:                                                                          "1 | woken go",
		`{"type":"user.message","data":{"content":"body","source":"skill-pdf"},"id":"1"}`:                                                                                         "1 | part 7 pdf",
		`{"type":"user.message","data":{"content":"[springfield] go on","delivery":"queued","agentMode":"plan"},"id":"1"}`:                                                        "1 | pushed [springfield] go on | mode plan",
		`{"type":"user.message","data":{"content":"go"},"agentId":"a","id":"1"}`:                                                                                                  "-",
		`{"type":"user.message","data":{"content":"go"},"id":"1"`:                                                                                                                 "-",
		`{"type":"abort","data":{"reason":"user_initiated"},"id":"1"}`:                                                                                                            "1 | interrupted ",
		`{"type":"session.error","data":{"message":"no"},"id":"1"}`:                                                                                                               "1 | failed ",
		`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"<command with shellId: 7 is still running after 30 seconds>"}},"id":"1"}`: "1 | result of c, failed false: <command with shellId: 7 is still running after 30 seconds> | job 7",
	}
}

func droidLines() map[string]string {
	return map[string]string{
		// A reason of our hook in the user's place; it is counted at the line that names the command.
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"[springfield] go on"}]}}`: "1 | pushed [springfield] go on",
		// The role may follow the content.
		`{"type":"message","id":"1","message":{"content":[{"type":"text","text":"go"}],"role":"user"}}`:                                                                       "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>\n\n"},{"type":"text","text":"go"}]}}`: "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"}]}}`:                                 "-",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"image","source":{}}]}}`:                                                                      "1 | prompted ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"/why is running"}],"visibility":"user_only"}}`:                                 "-",
		// Two hooks at one stop, one of them ours; one that has died is none.
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/opt/other"},{"command":"\"/s/hooks/springfield-hook\""}],"hookResults":[{"exitCode":2,"stdout":""},{"exitCode":0,"stdout":"{\"decision\":\"block\",\"reason\":\"r\"}"}]}}`: "1 | block, ours false | block, ours true",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":127,"stdout":""}]}}`:                                                                                                "1 | rested ",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":0,"stdout":"{\"decision\":\"block\"}"}]}}`:                                                                    "-",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"user_cancelled"}`:                         " | interrupted ",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"error"}`:                                  " | failed ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"go"}]}`: "-",
		`{"type":"message","id":"1"}`: "-",
		`{"id":"1"}`:                  "-",
	}
}

func geminiLines() map[string]string {
	user := func(content string) string { return `{"id":"u","type":"user","content":` + content + `}` }
	return map[string]string{
		"":                                    "-",
		`{"type":"user"}`:                     "-",
		user(`"one text"`):                    "u | prompted one text",
		user(`["one","two"]`):                 "u | prompted one",
		user(`[{"text":"Please continue."}]`): "-",
		user(`[{"text":"<session_context>\nhere"}]`):        "-",
		user(`[{"text":"<hook_context>x</hook_context>"}]`): "-",
		user(`[{"text":"[springfield] go on"}]`):            "u | pushed [springfield] go on | block, ours true",
		`{"id":"u","type":"user","content":[{"text":"[springfield] go on"}],"displayContent":[{"text":"execute the plan"}]}`: "u | pushed [springfield] go on | block, ours true",
		user(`[{"inlineData":{"data":"x"}}]`): "u | prompted ",
		user(`[{"text":"User steering update:\nx"},{"functionResponse":{"id":"1","response":{"output":"o"}}}]`):                                                      "u | result of 1, failed false: o",
		user(`[{"functionResponse":{"id":"1","response":{"error":"cancelled"}}}]`):                                                                                   "u | result of 1, failed true: cancelled",
		`{"id":"u","type":"user","content":[{"text":"@a.md and its content"}],"displayContent":[{"text":"@a.md"}]}`:                                                  "u | prompted @a.md",
		`{"id":"m","type":"info","content":"the model has changed"}`:                                                                                                 "-",
		`{"id":"m","type":"gemini","content":""}`:                                                                                                                    "m | says ",
		`{"id":"m","type":"gemini","content":[{"text":"a","thought":true},{"text":"b"}]}`:                                                                            "m | says b",
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"write_file","args":{"file_path":"plan.md"}},{"id":"2","name":"ask_user","args":{}}]}`: `2 | says  | calls 1 write_file, does 11  {"file_path":"plan.md"} | calls 2 ask_user, does 10  {}`,
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"activate_skill","args":{"name":"pdf"}}]}`:                                             `1 | says  | calls 1 activate_skill, does 6 pdf {"name":"pdf"}`,
		`{"$set":{"messages":[{"id":"u","type":"user","content":"again"}]}}`:                                                                                         "-",
		`{"$rewindTo":"u"}`: "-",
		`{"sessionId":"s","projectHash":"h","kind":"main"}`:     " | session s",
		`{"sessionId":"s","projectHash":"h","kind":"subagent"}`: "-",
		`{"id":"m","type":"gemini","content":"torn`:             "-",
	}
}

func qwenLines() map[string]string {
	user := func(more, parts string) string {
		return `{"uuid":"u","type":"user"` + more + `,"message":{"role":"user","parts":[` + parts + `]}}`
	}
	return map[string]string{
		"":                "-",
		`{"type":"user"}`: "-",
		user(``, `{"text":"older versions do not say who"}`):                                                                                                           "u | prompted older versions do not say who",
		user(`,"provenance":"real_user","subtype":"mid_turn_user_message"`, `{"text":"and this"}`):                                                                     "u | joined and this",
		user(`,"provenance":"system","subtype":"cron"`, `{"text":"check the build"}`):                                                                                  "u | woken check the build",
		user(`,"provenance":"system"`, `{"text":"the host's own"}`):                                                                                                    "-",
		user(`,"provenance":"real_user","subtype":"realtime_message"`, `{"text":"hm"}`):                                                                                "-",
		user(`,"provenance":"real_user"`, `{"inlineData":{"mimeType":"image/png","data":"x"}}`):                                                                        "u | prompted ",
		user(`,"provenance":"real_user"`, `{"text":"<system-reminder>it is late"},{"text":"go"}`):                                                                      "u | prompted go",
		user(`,"provenance":"real_user"`, `{"text":"<qwen:user-prompt-submit-context>"}`):                                                                              "-",
		user(`,"systemPayload":{"displayText":"read @a.md"}`, `{"text":"read @a.md"},{"text":"--- a.md ---"}`):                                                         "u | prompted read @a.md",
		user(`,"systemPayload":{"displayText":"read @a.md"}`, `{"text":"--- a.md ---"}`):                                                                               "u | prompted read @a.md",
		user(``, `{"text":"[springfield] go on"}`):                                                                                                                     "u | pushed [springfield] go on | block, ours true",
		user(`,"subtype":"notification"`, `{"text":"<task-notification><task-id>m_1</task-id><event>x</event>"}`):                                                      "u | woken <task-notification><task-id>m_1</task-id><event>x</event>",
		user(`,"subtype":"notification"`, `{"text":"<task-id>a</task-id><status>failed</status><task-id>b</task-id><status>running</status>"}`):                        "u | woken <task-id>a</task-id><status>failed</status><task-id>b</task-id><status>running</status> | ended a",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"text":"thinks","thought":true},{"text":"says"}]}}`:                                                       "a | says says",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"skill","args":{"skill":"pdf"}}}]}}`:                                      `a | calls 1 skill, does 6 pdf {"skill":"pdf"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"task_stop","args":{"task_id":"bg_1"}}}]}}`:                               `a | calls 1 task_stop, does 8 bg_1 {"task_id":"bg_1"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"tool_call","args":{"name":"todo_write","arguments":{}}}}]}}`:             `a | calls 1 todo_write, does 1  {}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"exit_plan_mode","args":{"plan":"p"}}}]}}`:                                `a | calls 1 exit_plan_mode, does 13  {"plan":"p"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"edit","args":{"file_path":"/p/plan.md"}}}]}}`:                            `a | calls 1 edit, does 11  {"file_path":"/p/plan.md"}`,
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Monitor started.\nid: mon_1\ncommand: x"}}}]}}`:      `r | result of 1, failed false: Monitor started.\nid: mon_1\ncommand: x | job mon_1`,
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Workflow started in background.\nRun ID: w-1"}}}]}}`: `r | result of 1, failed false: Workflow started in background.\nRun ID: w-1 | job w-1`,
		`{"uuid":"s","type":"system","subtype":"chat_compression","message":{"parts":[{"text":"a summary"}]}}`:                                                         "-",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"text":"torn`:                                                                                             "-",
	}
}

func TestProjectName(t *testing.T) {
	for dir, want := range map[string]string{
		"/home/homer/my_app.go": "-home-homer-my-app-go",
		`C:\Users\Homer`:        "C--Users-Homer",
		"/tmp/🍩":                "-tmp---",
	} {
		got := claude.LogDirName(dir)
		scratch.Equal(t, got, want, dir)
	}
}
