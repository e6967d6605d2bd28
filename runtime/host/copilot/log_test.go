package copilot

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

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
