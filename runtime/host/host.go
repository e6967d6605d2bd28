// Package host describes the programs in which our hook runs. Each is in a separate folder.
package host

import (
	"bytes"
	"path"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Host is a program whose agent our plugins continue. Any function can be nil.
type Host struct {
	Name  string // "codex": in flags, records and JSON
	Title string // "Codex", "GitHub Copilot CLI": the program, in sentences
	Agent string // "Codex", "Copilot", "Claude": the agent, in sentences
	// Default is set for the host of events, logs and records that name none.
	Default bool

	// Is recognizes the host's event by the payload alone, because a project can set the environment and paths.
	Is func(event []byte) bool
	// Read fills the event from a valid JSON object. If nil, the event lists its own members, as Claude Code sends them.
	Read func(event []byte, e *Event) error
	// Stop and Prompt are the host's names of our events Stop and UserPromptSubmit.
	Stop, Prompt string
	// FromUser reports whether a prompt contains the user's own words. If nil, all prompts except ours do.
	FromUser func(e Event) bool

	// Context reports whether a continue can use additionalContext. If nil, only {"decision": "block"} is possible.
	Context func(e Event) bool
	// Reminds is set if additionalContext before a prompt reaches the model.
	Reminds bool
	// Marked is set if our texts to the agent need transcript.Mark, because the log does not name the hook.
	Marked bool
	// NoWitness is set if the log does not record continues.
	NoWitness bool
	// Prompts is set if the event's PromptID changes with each prompt of the user and only then.
	Prompts bool
	// Opens is set if PromptID identifies the line that opened the turn, even if no person began the turn.
	Opens bool

	Log transcript.Format
	// Arrived reports whether the end of the log contains this stop's own entry. The hook waits a short time for it.
	Arrived func(e Event, end []byte) bool

	// Logged is set if only the log shows plan mode and background work.
	Logged bool
	// Plans is set if only the log shows plan mode.
	Plans bool

	// Forgets is set if the event loses Active after the next tool call. The log still has it.
	Forgets bool

	// Command returns a plugin's slash command, "/ned-flanders:hold". If nil, it is "springfield hold".
	Command func(plugin, word string) string

	// Dir is the directory of the host, "~/.codex". DirVariable is the environment variable that moves it.
	// Sessions is a pattern for logs below Dir. Program is the command.
	Dir, DirVariable, Sessions, Program string
	// Package is the prefix for all npm packages.
	Package string
	// ProjectFile is the path of a file that contains the project's directory, relative to a log's directory.
	ProjectFile string
	// ProjectVariable is the environment variable with the project of a session.
	ProjectVariable string

	// Variables are files in a project, or above it, with variables for hooks: member env of JSON, or lines
	// NAME=value. Claude Code's are in package backend.
	Variables []string

	// Inside are environment variables of programs that the agent starts. SessionVariable contains the
	// session's ID. They tell the CLI which agent calls it.
	Inside          []string
	SessionVariable string
}

// RecordName returns the host's name ("" for the default host).
func (h *Host) RecordName() string {
	if h.Default {
		return ""
	}
	return h.Name
}

func (h *Host) CommandToType(plugin, word string) string {
	if h.Command == nil {
		return "springfield " + word
	}
	return h.Command(plugin, word)
}

// ReadEvent parses an event and replaces the host's names for Stop and UserPromptSubmit with ours. It sets e.Host.
func (h *Host) ReadEvent(payload []byte, e *Event) error {
	e.Host = h
	read := h.Read
	if read == nil {
		read = func(payload []byte, e *Event) error { return codec.ReadObject(payload, e) }
	}
	err := read(payload, e)
	switch e.Name {
	case "":
	case h.Stop:
		e.Name = "Stop"
	case h.Prompt:
		e.Name = "UserPromptSubmit"
	}
	return err
}

// LogPattern returns the pattern, relative to Dir, for a session's log. The ID ends the file name, or is the
// directory's name if the file name is fixed. Wildcards in id stay in the pattern.
func (h *Host) LogPattern(id string) string {
	dir, name := path.Split(h.Sessions)
	if i := strings.LastIndexByte(name, '*'); i >= 0 {
		return dir + name[:i+1] + id + name[i+1:]
	}
	return path.Join(path.Dir(path.Clean(dir)), id, name)
}

// Event is the end of a turn or a prompt. Any field can be empty.
type Event struct {
	Host           *Host
	SessionID      string
	TranscriptPath string
	Cwd            string
	// Name is Stop, UserPromptSubmit, or for all other events the name from the host.
	Name     string
	PromptID string
	// LastMessage is the agent's last text, or "" if only the transcript contains it.
	LastMessage string
	Prompt      string
	// Active reports whether a Stop hook has continued this turn.
	Active bool
	guard.Moment
	// MessageID is the ID of the agent's last message or of the prompt, or the event's time, or "".
	MessageID string
	// At is the event's time in Unix milliseconds, 0 if unknown.
	At int64
	// Scheduled is set if the event contains a list of schedules, even an empty one.
	Scheduled bool
	// Tool is the tool that needs permission. Input is the raw input for it.
	Tool  string
	Input []byte
	// Command is a slash command, "ned-flanders:why", with arguments and source, all raw.
	Command, Arguments, Source []byte
	// Failure is the API error that ended the turn, raw. Subagent is the raw ID of the subagent whose turn ended.
	Failure, Subagent []byte
}

// Common lists the members of an event that all hosts share.
func (e *Event) Common(m *codec.Coder) {
	m.Text("session_id", &e.SessionID)
	m.Text("transcript_path", &e.TranscriptPath)
	m.Text("cwd", &e.Cwd)
	m.Text("hook_event_name", &e.Name)
	m.Text("permission_mode", &e.PermissionMode)
	m.Text("last_assistant_message", &e.LastMessage)
	m.Text("prompt", &e.Prompt)
	m.Text("tool_name", &e.Tool)
	m.Raw("tool_input", &e.Input)
	var active []byte
	if m.Raw("stop_hook_active", &active); active != nil {
		e.Active = string(active) == "true" // any other type is false
	}
}

func (e *Event) CountSchedules(m *codec.Coder, member string) {
	var crons []byte
	m.Raw(member, &crons)
	if codec.Elements(crons, func([]byte) { e.Crons++ }) {
		e.Scheduled = true
	}
}

// Members lists the members of Claude Code's event. Do not add a name by which a host's Is recognizes its own
// events. Use Raw for types that can change.
func (e *Event) Members(m *codec.Coder) {
	e.Common(m)
	m.Text("prompt_id", &e.PromptID)
	codec.ListOf(m, "background_tasks", &e.Tasks)
	e.CountSchedules(m, "session_crons")
	m.Raw("command_name", &e.Command)
	m.Raw("command_args", &e.Arguments)
	m.Raw("command_source", &e.Source)
	m.Raw("error", &e.Failure)
	m.Raw("agent_id", &e.Subagent)
	var at []byte
	if m.Raw("timestamp", &at); at != nil {
		e.At, _ = timestamp.ParseTime(string(codec.InsideQuotes(at)))
	}
}

// IsFromUser reports whether a prompt is the user's own words. e.Host is set.
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

// HasLine searches tail backwards, and reports whether a line has the prefix, satisfies is and is a complete JSON
// object.
func HasLine(tail []byte, prefix string, is func(line []byte) bool) bool {
	for len(tail) > 0 {
		i := bytes.LastIndexByte(tail, '\n')
		if line := tail[i+1:]; bytes.HasPrefix(line, []byte(prefix)) && is(line) && codec.ObjectAtStart(line) != nil {
			return true
		}
		tail = tail[:max(i, 0)]
	}
	return false
}
