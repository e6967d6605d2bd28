package copilot

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host"
)

// This stop's own entry is known by its time and its session, and only when it is complete.
func TestArrived(t *testing.T) {
	const of = `{"type":"hook.start","data":{"hookInvocationId":"x","hookType":"agentStop","input":{"sessionId":"s1","timestamp":1795357987277,"cwd":"/p"}},"id":"y"}`
	for _, c := range []struct {
		end  string
		e    host.Event
		want bool
	}{
		{of + "\n", host.Event{SessionID: "s1", At: 1795357987277}, true},
		{of + "\n" + `{"type":"hook.end"}` + "\n", host.Event{SessionID: "s1", At: 1795357987277}, true},
		{of[:len(of)-2], host.Event{SessionID: "s1", At: 1795357987277}, false},
		{of + "\n", host.Event{SessionID: "s1", At: 1795357987278}, false},
		{of + "\n", host.Event{SessionID: "s2", At: 1795357987277}, false},
		{strings.Replace(of, "agentStop", "subagentStop", 1) + "\n", host.Event{SessionID: "s1", At: 1795357987277}, false},
		{strings.Replace(of, "1795357987277", "0", 1) + "\n", host.Event{SessionID: "s1"}, false},
		{`{"type":"assistant.message","data":{"content":` + of + `}}`, host.Event{SessionID: "s1", At: 1795357987277}, false},
	} {
		scratch.Equal(t, hookLogged(c.e, []byte(c.end)), c.want, len(c.end), "bytes", c.e)
	}
}
