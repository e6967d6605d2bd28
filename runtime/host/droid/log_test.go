package droid

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/recorded"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

func TestLog(t *testing.T) { recorded.Logs(t, Host().Log, true) }

func TestLines(t *testing.T) { recorded.Lines(t, Host().Log, lines()) }

func FuzzLine(f *testing.F) { recorded.Fuzz(f, Host().Log, lines()) }

// lines are lines that no recorded log has, with what they mean.
func lines() map[string]string {
	return map[string]string{
		// Words in the user's place that a hook of ours has said; the command is named, so it is counted there.
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"[springfield] go on"}]}}`: "1 | pushed [springfield] go on",
		// The role may stand behind the content.
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
