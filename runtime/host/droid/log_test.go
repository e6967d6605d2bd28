package droid

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
	if err != nil || len(logs) < 4 {
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
		// Words in the user's place that a hook of ours has said; the command is named, so it is counted there.
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"[springfield] go on"}]}}`: "1 | pushed [springfield] go on",
		// The role may stand behind the content.
		`{"type":"message","id":"1","message":{"content":[{"type":"text","text":"go"}],"role":"user"}}`:                                                                       "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>\n\n"},{"type":"text","text":"go"}]}}`: "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"}]}}`:                                 "",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"image","source":{}}]}}`:                                                                      "1 | prompted ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"/why is running"}],"visibility":"user_only"}}`:                                 "",
		// Two hooks at one stop, one of them ours; one that has died is none.
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/opt/other"},{"command":"\"/s/hooks/springfield-hook\""}],"hookResults":[{"exitCode":2,"stdout":""},{"exitCode":0,"stdout":"{\"decision\":\"block\",\"reason\":\"r\"}"}]}}`: "1 | block, ours false | block, ours true",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":127,"stdout":""}]}}`:                                                                                                "1 | rested ",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":0,"stdout":"{\"decision\":\"block\"}"}]}}`:                                                                    "",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"user_cancelled"}`:                         " | interrupted ",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"error"}`:                                  " | failed ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"go"}]}`: "",
		`{"type":"message","id":"1"}`: "",
		`{"id":"1"}`:                  "",
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

// A hook of ours that could not be started is named; one that has decided, and another's, is not.
func TestDeadHook(t *testing.T) {
	const line = `{"type":"message","id":"1","timestamp":"2026-11-22T15:41:50.664Z","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"type":"command","command":"/opt/x"},{"type":"command","command":"\"/s/hooks/springfield-hook\"","timeout":10}],"hookResults":[{"exitCode":1,"stderr":"x"},{"exitCode":127,"stdout":"","stderr":"sh: 1: /s/hooks/springfield-hook: not found\n"}],"hookStartTime":1795362110648,"hookEndTime":1795362110664}}`
	want := transcript.DeadHook{Began: 1795362110648, Ended: 1795362110664, Event: "Stop", Says: "sh: 1: /s/hooks/springfield-hook: not found"}
	if got, ok := deadHook([]byte(line)); !ok || got != want {
		t.Errorf("%+v, %t", got, ok)
	}
	for _, other := range []string{
		strings.Replace(line, `"exitCode":127`, `"exitCode":0`, 1), strings.Replace(line, "springfield-hook", "other", 1), strings.Replace(line, `"Stop"`, `"PreToolUse"`, 1), "{}", "springfield-hook \"hookResults\"",
	} {
		if got, ok := deadHook([]byte(other)); ok {
			t.Errorf("%s\n%+v", other, got)
		}
	}
}
