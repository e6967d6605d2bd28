package qwen

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

var update = flag.Bool("update", false, "write what is made of the recorded logs")

// Each recorded log has a file beside it of what its lines mean.
func TestLog(t *testing.T) {
	logs, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(logs) < 3 {
		t.Fatal(logs, err)
	}
	for _, file := range logs {
		if file == filepath.Join("testdata", "events.jsonl") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			if i == 0 && !owns(line) {
				t.Errorf("%s: owns(%s) is false", file, line)
			}
			if e := (transcript.Entry{Line: line}); parse(&e) {
				got.WriteString(digest(&e) + "\n")
			}
		}
		golden := strings.TrimSuffix(file, ".jsonl") + ".parsed"
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
			t.Errorf("%s (%v):\n%s", golden, err, got.String())
		}
	}
}

// digest is a line's meaning in one line.
func digest(e *transcript.Entry) string {
	words := []string{string(e.ID)}
	if e.What != transcript.Nothing {
		words = append(words, map[transcript.Happening]string{transcript.Prompted: "prompted", transcript.Joined: "joined", transcript.Woken: "woken", transcript.Pushed: "pushed"}[e.What]+" "+string(e.Words))
	}
	for _, p := range e.Parts {
		switch p.Kind {
		case transcript.Text:
			words = append(words, "says "+string(p.Text))
		case transcript.Call:
			words = append(words, fmt.Sprintf("calls %s %s does %d %s %s", p.ID, p.Name, p.Does, p.Text, p.Input))
		case transcript.Result:
			words = append(words, fmt.Sprintf("result %s failed %t%s", p.ID, p.Failed, jobOf(&p)))
		case transcript.Ended:
			words = append(words, "ended "+string(p.ID))
		case transcript.HookBlock:
			words = append(words, fmt.Sprintf("block, ours %t", p.Ours))
		default:
			words = append(words, fmt.Sprintf("kind %d", p.Kind))
		}
	}
	return strings.Join(words, " | ")
}

func jobOf(p *transcript.Part) string {
	if job := outcome(transcript.MayGoOn, p).Job; job != nil {
		return " job " + string(job)
	}
	return ""
}

// What stands in no recorded log: lines that other versions and other moments bring.
func TestLines(t *testing.T) {
	for line, want := range lines() {
		e := transcript.Entry{Line: []byte(line)}
		got := "-"
		if parse(&e) {
			got = digest(&e)
		}
		if got != want {
			t.Errorf("%s\nis   %s\nnot  %s", line, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for line := range lines() {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		owns(line)
		e := transcript.Entry{Line: line}
		if !parse(&e) {
			return
		}
		slices := [][]byte{e.ID, e.Time, e.Words, e.PromptID, e.Version, e.Session, e.Cwd}
		for i := range e.Parts {
			p := &e.Parts[i]
			slices = append(slices, p.Text, p.ID, p.Name, p.Input, outcome(transcript.MayGoOn, p).Job)
		}
		for _, part := range slices {
			// A part of the line shares the line's end, by which its place is known.
			if from := cap(line) - cap(part); part != nil && (from < 0 || from+len(part) > len(line) || !bytes.Equal(line[from:from+len(part)], part)) {
				t.Fatalf("%q is no part of %q", part, line)
			}
		}
	})
}

func lines() map[string]string {
	user := func(more, parts string) string {
		return `{"uuid":"u","type":"user"` + more + `,"message":{"role":"user","parts":[` + parts + `]}}`
	}
	return map[string]string{
		"":                "-",
		"{":               "-",
		"[]":              "-",
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
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"skill","args":{"skill":"pdf"}}}]}}`:                                      `a | calls 1 skill does 6 pdf {"skill":"pdf"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"task_stop","args":{"task_id":"bg_1"}}}]}}`:                               `a | calls 1 task_stop does 8 bg_1 {"task_id":"bg_1"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"tool_call","args":{"name":"todo_write","arguments":{}}}}]}}`:             `a | calls 1 todo_write does 1  {}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"exit_plan_mode","args":{"plan":"p"}}}]}}`:                                `a | calls 1 exit_plan_mode does 13  {"plan":"p"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"edit","args":{"file_path":"/p/plan.md"}}}]}}`:                            `a | calls 1 edit does 11  {"file_path":"/p/plan.md"}`,
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Monitor started.\nid: mon_1\ncommand: x"}}}]}}`:      "r | result 1 failed false job mon_1",
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Workflow started in background.\nRun ID: w-1"}}}]}}`: "r | result 1 failed false job w-1",
		`{"uuid":"s","type":"system","subtype":"chat_compression","message":{"parts":[{"text":"a summary"}]}}`:                                                         "-",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"text":"torn`:                                                                                             "-",
	}
}
