package copilot

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
	if err != nil || len(logs) < 5 {
		t.Fatal(logs, err)
	}
	for _, file := range logs {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			if owns(line) != (i == 0) {
				t.Errorf("%s: owns(%s) is %t", file, line, owns(line))
			}
			if e := (transcript.Entry{Line: line}); parse(&e) {
				if words := len(e.Words) > 0 && e.What == transcript.Prompted; words && dull(line) {
					t.Errorf("%s: a person's words are dull: %s", file, line)
				}
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
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if e.What != transcript.Nothing {
		add("%s %s", map[transcript.Happening]string{
			transcript.Prompted: "prompted", transcript.Woken: "woken", transcript.Pushed: "pushed", transcript.Rested: "rested",
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
	for _, p := range e.Parts {
		switch p.Kind {
		case transcript.Text:
			add("says %s", p.Text)
		case transcript.Call:
			add("calls %s %s, does %d %s %s", p.ID, p.Name, p.Does, p.Text, p.Input)
		case transcript.Result:
			add("result of %s, failed %t: %s%s", p.ID, p.Failed, p.Text, job(&p))
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

func job(p *transcript.Part) string {
	if job := outcome(transcript.MayGoOn, p).Job; job != nil {
		return ", job " + string(job)
	}
	return ""
}

// Lines that no recorded log has.
func TestLines(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"user.message","data":{"content":"go","source":"command-why","messageId":"m"},"id":"1"}`:                                                                         "1 | prompted go | prompt \"m\"",
		`{"type":"user.message","data":{"content":"go","source":"schedule-1","messageId":"m"},"id":"1"}`:                                                                          "1 | woken go",
		`{"type":"user.message","data":{"content":"body","source":"skill-pdf"},"id":"1"}`:                                                                                         "1 | part 7 pdf",
		`{"type":"user.message","data":{"content":"[springfield] go on","delivery":"queued","agentMode":"plan"},"id":"1"}`:                                                        "1 | pushed [springfield] go on | mode plan",
		`{"type":"user.message","data":{"content":"go"},"agentId":"a","id":"1"}`:                                                                                                  "",
		`{"type":"user.message","data":{"content":"go"},"id":"1"`:                                                                                                                 "",
		`{"type":"user.message","data":[],"id":"1"}`:                                                                                                                              "",
		`{"type":"abort","data":{"reason":"user_initiated"},"id":"1"}`:                                                                                                            "1 | interrupted ",
		`{"type":"session.error","data":{"message":"no"},"id":"1"}`:                                                                                                               "1 | failed ",
		`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"<command with shellId: 7 is still running after 30 seconds>"}},"id":"1"}`: "1 | result of c, failed false: <command with shellId: 7 is still running after 30 seconds>, job 7",
	} {
		e, got := transcript.Entry{Line: []byte(line)}, ""
		if parse(&e) {
			got = digest(&e)
		}
		if got != want {
			t.Errorf("%s\n%q, want %q", line, got, want)
		}
	}
}

// Whatever a line has, it is read or refused, and what is read of it is a part of it.
func FuzzLine(f *testing.F) {
	logs, _ := filepath.Glob("testdata/*.jsonl")
	for _, file := range logs {
		data, _ := os.ReadFile(file)
		for _, line := range bytes.Split(data, []byte("\n")) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e := transcript.Entry{Line: line}
		owns(line)
		dull(line)
		if !parse(&e) {
			return
		}
		for _, p := range e.Parts {
			if !bytes.Contains(line, p.Text) || !bytes.Contains(line, p.Input) {
				t.Errorf("%s: %s, %s", line, p.Text, p.Input)
			}
			outcome(p.Does, &p)
		}
		if !bytes.Contains(line, e.Words) {
			t.Errorf("%s: %s", line, e.Words)
		}
	})
}

// A hook of ours that could not be started is named; one that has decided is not.
func TestDeadHook(t *testing.T) {
	const line = `{"type":"hook.end","data":{"hookInvocationId":"9f00c7","hookType":"agentStop","success":false,"error":{"message":"Error: Hook command failed with code 127\nStderr: /bin/bash: line 1: /s/hooks/springfield-hook: No such file or directory\n","source":"/home/lisa/.copilot/hooks/a.json"}},"id":"fdc95c","timestamp":"2026-11-22T15:41:44.831Z"}`
	want := transcript.DeadHook{Began: 1795362104831, Ended: 1795362104831, Event: "Stop", Says: "/bin/bash: line 1: /s/hooks/springfield-hook: No such file or directory"}
	if got, ok := deadHook([]byte(line)); !ok || got != want {
		t.Errorf("%+v, %t", got, ok)
	}
	for _, other := range []string{
		strings.Replace(line, `"success":false`, `"success":true`, 1), strings.ReplaceAll(line, "springfield-hook", "other"), strings.Replace(line, "agentStop", "preToolUse", 1), "{}",
	} {
		if got, ok := deadHook([]byte(other)); ok {
			t.Errorf("%s\n%+v", other, got)
		}
	}
}
