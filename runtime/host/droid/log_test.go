package droid

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

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
