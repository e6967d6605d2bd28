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
func Host() host.Host {
	return host.Host{
		Name: Name, Title: "Codex", Agent: "Codex",
		Is: isEvent, Read: readEvent,
		Stop: "Stop", Prompt: "UserPromptSubmit",
		Reminds: true, Marked: true, Plans: true,
		Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, Outcome: outcome},
		Dir: "~/.codex", DirVariable: "CODEX_HOME", Sessions: "sessions/*/*/*/rollout-*.jsonl", Program: "codex",
		Inside: []string{"CODEX_SESSION_ID"}, SessionVariable: "CODEX_SESSION_ID",
	}
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

// event is what Codex writes.
type event struct {
	session, log, cwd, name, mode, turn, last, prompt, agent string
	active                                                   []byte
}

// Members are an event as Codex writes it.
func (e *event) Members(m *codec.Members) {
	m.Text("session_id", &e.session)
	m.Text("transcript_path", &e.log)
	m.Text("cwd", &e.cwd)
	m.Text("hook_event_name", &e.name)
	m.Text("permission_mode", &e.mode)
	m.Text("turn_id", &e.turn)
	m.Text("last_assistant_message", &e.last)
	m.Text("prompt", &e.prompt)
	m.Text("agent_id", &e.agent)
	m.Raw("stop_hook_active", &e.active)
}

func readEvent(payload []byte, to *host.Event) error {
	var e event
	if err := codec.ReadObject(payload, &e); err != nil {
		return err
	}
	to.SessionID, to.TranscriptPath, to.Cwd, to.Name = e.session, e.log, e.cwd, e.name
	to.PromptID, to.LastMessage, to.Prompt = e.turn, e.last, e.prompt
	to.PermissionMode, to.Active = e.mode, string(e.active) == "true"
	if e.agent != "" { // a subagent has been given its task, under the session's id
		to.Name = "Subagent" + e.name
	}
	return nil
}
