package copilot

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
		`{"type":"user.message","data":{"content":"go","source":"command-why","messageId":"m"},"id":"1"}`:                                                                         "1 | prompted go | prompt \"m\"",
		`{"type":"user.message","data":{"content":"go","source":"schedule-1","messageId":"m"},"id":"1"}`:                                                                          "1 | woken go",
		`{"type":"user.message","data":{"content":"body","source":"skill-pdf"},"id":"1"}`:                                                                                         "1 | part 7 pdf",
		`{"type":"user.message","data":{"content":"[springfield] go on","delivery":"queued","agentMode":"plan"},"id":"1"}`:                                                        "1 | pushed [springfield] go on | mode plan",
		`{"type":"user.message","data":{"content":"go"},"agentId":"a","id":"1"}`:                                                                                                  "-",
		`{"type":"user.message","data":{"content":"go"},"id":"1"`:                                                                                                                 "-",
		`{"type":"user.message","data":[],"id":"1"}`:                                                                                                                              "-",
		`{"type":"abort","data":{"reason":"user_initiated"},"id":"1"}`:                                                                                                            "1 | interrupted ",
		`{"type":"session.error","data":{"message":"no"},"id":"1"}`:                                                                                                               "1 | failed ",
		`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"<command with shellId: 7 is still running after 30 seconds>"}},"id":"1"}`: "1 | result of c, failed false: <command with shellId: 7 is still running after 30 seconds> | job 7",
	}
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
