// Package codex is Codex as a host: its CLI, its app and its editors, which write the
// same logs and start the same hooks.
package codex

import (
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "codex"

// Host is Codex. It has no cap on continues, so only our budget ends a turn that goes on
// and on. Its PromptID is new for turns that no person began, too, so the log says what
// is a prompt.
var Host = host.Host{
	Name: Name, Title: "Codex", Agent: "Codex",
	Is: isEvent, Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit",
	Reminds: true, Marked: true, Plans: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, Outcome: outcome},
	Dir: "~/.codex", DirVariable: "CODEX_HOME", Sessions: "sessions/*/*/*/rollout-*.jsonl", Program: "codex",
	Package: "@openai/codex",
	Inside:  []string{"CODEX_SESSION_ID"}, SessionVariable: "CODEX_SESSION_ID",
}

// isEvent knows the event by the members that Codex alone sends together: the turn and its
// model.
func isEvent(payload []byte) bool {
	var turn, model bool
	w := codec.EnterValue(payload, '{')
	for w.Next() {
		switch string(w.Key) {
		case "turn_id":
			turn = w.BeginsWith('"')
		case "model":
			model = w.BeginsWith('"')
		}
	}
	return turn && model
}

// input is an event as Codex writes it.
type input struct {
	*host.Event
	agent string
}

func (in *input) Members(m *codec.Members) {
	in.Common(m)
	m.Text("turn_id", &in.PromptID)
	m.Text("agent_id", &in.agent)
}

func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	err := codec.ReadObject(event, &in)
	if in.agent != "" { // a subagent has been given its task, under the session's id
		e.Name = "Subagent" + e.Name
	}
	return err
}
