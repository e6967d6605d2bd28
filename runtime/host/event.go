package host

import "github.com/cameronsjo/springfield/runtime/guard"

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
	// Active tells that a Stop hook has continued this turn, as the host says.
	Active bool
	guard.Moment
	// MessageID is the host's id of the agent's last message, or of the prompt, "" if it
	// says none.
	MessageID string
	// At is the event's own time in Unix milliseconds, 0 if it says none.
	At int64
	// Scheduled tells that the event has a list of scheduled prompts, be it empty.
	Scheduled bool
	// Cap is how many continues in a row without a tool call the host honours, 0 for all.
	Cap int
}
