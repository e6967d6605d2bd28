package host

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Event is what a host says when its agent is about to hand the turn back, or is given a
// prompt. Every field may be missing.
type Event struct {
	// Host is whose event it is; nil for Claude Code.
	Host           *Host
	SessionID      string
	TranscriptPath string
	Cwd            string
	// Name is Stop or UserPromptSubmit, whatever the host calls them; another event keeps
	// its name.
	Name     string
	PromptID string
	// LastMessage is the agent's last text, "" if the host does not send it: then the
	// transcript has it.
	LastMessage string
	// Prompt is what a UserPromptSubmit is about.
	Prompt string
	// Active tells that a Stop hook has continued this turn, as the host says. The bit is
	// sticky.
	Active bool
	guard.Moment
	// MessageID is what the host calls this stop or prompt by: the id of the agent's last
	// message or of the prompt, or the event's time, "" if it names it by neither.
	MessageID string
	// At is the event's own time in Unix milliseconds, 0 if it says none.
	At int64
	// Scheduled tells that the event has the list session_crons, be it empty.
	Scheduled bool
	// Cap is how many continues in a row without a tool call the host honours, 0 for all.
	// It is the host's own, or that of the environment; no event has it.
	Cap int
}

// Members are an event as Claude Code writes it, which several hosts do, too. A host that
// has other members as well lists these in its Read.
func (e *Event) Members(m *codec.Members) {
	m.Text("session_id", &e.SessionID)
	m.Text("transcript_path", &e.TranscriptPath)
	m.Text("cwd", &e.Cwd)
	m.Text("hook_event_name", &e.Name)
	m.Text("prompt_id", &e.PromptID)
	m.Text("permission_mode", &e.PermissionMode)
	m.Text("last_assistant_message", &e.LastMessage)
	m.Text("prompt", &e.Prompt)
	codec.ListOf(m, "background_tasks", &e.Tasks)
	var crons, active, at []byte
	m.Raw("session_crons", &crons)
	if codec.Elements(crons, func([]byte) { e.Crons++ }) {
		e.Scheduled = true
	}
	// Other types are no reason to refuse the event.
	if m.Raw("stop_hook_active", &active); active != nil {
		e.Active = string(active) == "true"
	}
	if m.Raw("timestamp", &at); at != nil {
		e.At, _ = timestamp.ParseTime(string(codec.InsideQuotes(at)))
	}
}

// IsFromUser tells whether a prompt is the user's own words, and not ours, which some hosts
// send as a prompt again.
func (e Event) IsFromUser() bool {
	switch {
	case e.Host.FromUser != nil:
		return e.Host.FromUser(e)
	case e.Host.Marked:
		words := strings.TrimSpace(e.Prompt)
		return words != "" && !strings.HasPrefix(words, strings.TrimSpace(transcript.Mark))
	}
	return true
}
