// Package host is the contract of the programs that our hook runs in: what differs
// between them is a value. Below it is one folder per host; runtime/registry lists them.
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

// Host is a program whose agent our plugins let go on. A function that is nil says
// nothing, and "" that there is none.
type Host struct {
	Name  string // "codex": in flags, records, JSON
	Title string // "Codex", "GitHub Copilot CLI": the program, in sentences
	Agent string // "Codex", "Copilot", "Claude": who goes on and stops, in sentences
	// Default is set for the one host to which an event, a log and a record belong that name
	// no other.
	Default bool

	// Is tells the host's event from another's by the payload alone: an environment
	// variable or a path may be a project's. nil for the default host.
	Is func(event []byte) bool
	// Read fills the event from the payload, a complete JSON object, with the Name that the
	// host gives it. nil: the Members of Event are enough.
	Read func(event []byte, e *Event) error
	// Stop and Prompt are the host's names of our events Stop and UserPromptSubmit.
	Stop, Prompt string
	// FromUser tells whether a prompt event is about the user's own words. nil: all are
	// but for what we have said ourselves.
	FromUser func(e Event) bool

	// Context tells whether a continue can be said by additionalContext at this event, and not
	// by {"decision": "block"} alone; version is the host's, as its log has it. nil: it never
	// can, and settings cannot choose another protocol.
	Context func(e Event, version string) bool
	// Reminds tells that words before a prompt reach the model, as Claude Code's
	// additionalContext does.
	Reminds bool
	// Marked has what the agent is told begin with transcript.Mark, by which the log's
	// reader knows it again. All hosts but Claude Code, whose log says what a hook said.
	Marked bool
	// NoWitness tells that the log has none of what a hook says: only the ledger counts continues.
	NoWitness bool
	// Prompts tells that the event's PromptID changes when the user prompts and only then.
	Prompts bool
	// Opens reports whether the event's PromptID, which is new for a turn that no person began,
	// too, names the line of the log that opened the turn.
	Opens bool

	Log transcript.Format
	// Arrived tells from the end of the log whether it has this stop's own entry. The hook
	// waits for it, bounded, and stops if it does not come. nil: no wait.
	Arrived func(e Event, end []byte) bool

	// Logged tells that the log alone says whether the session plans, and what it has
	// running in the background: no event does.
	Logged bool
	// Plans tells that the log alone says whether the session plans, whatever mode the event
	// names.
	Plans bool

	// Forgets tells that the event says no more after the next call of a tool that a Stop
	// hook has kept the agent going: the log does.
	Forgets bool

	// Cap is after how many continues in a row the host ends the turn, 0 for none, and
	// CapVariable the environment variable that changes it.
	Cap         int
	CapVariable string

	// Command is what the user types to a plugin: "/ned-flanders:hold". nil: "springfield
	// hold".
	Command func(plugin, word string) string

	// Dir is where the host keeps its files, "~/.codex"; DirVariable moves it. Sessions is a
	// pattern of its logs below it, as path.Match has it, and Program what is on PATH.
	Dir, DirVariable, Sessions, Program string
	// Package is how the names of its npm packages begin.
	Package string
	// ProjectFile has the project's directory, where logs do not; from the directory of a log.
	ProjectFile string
	// ProjectVariable is the environment variable that names the project of a session, from
	// where the agent's working directory may be another.
	ProjectVariable string

	// Variables are files of a project, or of a directory above it, whose variables the host
	// gives to its hooks: JSON has them in its member env, other files in lines NAME=value.
	// Claude Code's, which all hosts' projects may have, are known to package backend.
	Variables []string

	// Inside are environment variables one of which a program has that the agent starts, and
	// SessionVariable names its session there. They say whom to talk to and whose decisions
	// to show first; nothing is decided by them.
	Inside          []string
	SessionVariable string
}

// RecordName is the host's name in records and rows: "" for the default host.
func (h *Host) RecordName() string {
	if h == nil || h.Default {
		return ""
	}
	return h.Name
}

// WordToType is what the user types for a word to a plugin.
func (h *Host) WordToType(plugin, word string) string {
	if h.Command == nil {
		return "springfield " + word
	}
	return h.Command(plugin, word)
}

// ReadEvent reads an event of the host's, and gives it our name.
func (h *Host) ReadEvent(payload []byte, e *Event) error {
	e.Host = h
	var err error
	if h.Read != nil {
		err = h.Read(payload, e)
	} else {
		err = codec.ReadObject(payload, e)
	}
	switch e.Name {
	case "":
	case h.Stop:
		e.Name = "Stop"
	case h.Prompt:
		e.Name = "UserPromptSubmit"
	}
	return err
}

// SessionNamed is the pattern of the logs of a session, as Sessions is: the session's id
// ends the name of its log, or is that of its directory.
func (h *Host) SessionNamed(id string) string {
	dir, name := path.Split(h.Sessions)
	if i := strings.LastIndexByte(name, '*'); i >= 0 {
		return dir + name[:i+1] + id + name[i+1:]
	}
	return path.Join(path.Dir(path.Clean(dir)), id, name)
}

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
	// Tool and Input are the tool that permission is asked for, and its input, raw.
	Tool  string
	Input []byte
	// Command is a slash command that was typed, "ned-flanders:why", with its arguments and whose it is, raw.
	Command, Arguments, Source []byte
	// Cap is how many continues in a row without a tool call the host honours, 0 for all.
	// It is the host's own, or that of the environment; no event has it.
	Cap int
}

// Common are the members that all hosts write which took Claude Code for an example. A host
// that has others as well lists these in its Read.
func (e *Event) Common(m *codec.Members) {
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
		e.Active = string(active) == "true" // another type is no reason to refuse the event
	}
}

// CountSchedules counts the session's schedules in a member, which may be an empty list.
func (e *Event) CountSchedules(m *codec.Members, name string) {
	var crons []byte
	m.Raw(name, &crons)
	if codec.Elements(crons, func([]byte) { e.Crons++ }) {
		e.Scheduled = true
	}
}

// Members are an event as Claude Code writes it. The name of a member here must not be one that
// a host's Is goes by: the event would be taken for that host's. A member that may be of another
// type one day is read by Raw: of a wrong type it is an error, and the hook never decides again.
func (e *Event) Members(m *codec.Members) {
	e.Common(m)
	m.Text("prompt_id", &e.PromptID)
	codec.ListOf(m, "background_tasks", &e.Tasks)
	e.CountSchedules(m, "session_crons")
	m.Raw("command_name", &e.Command)
	m.Raw("command_args", &e.Arguments)
	m.Raw("command_source", &e.Source)
	var at []byte
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

// HasLine looks backwards through the end of a log for a line that begins like this.
func HasLine(end []byte, begin string, is func(line []byte) bool) bool {
	for len(end) > 0 {
		i := bytes.LastIndexByte(end, '\n')
		if line := end[i+1:]; bytes.HasPrefix(line, []byte(begin)) && is(line) {
			return true
		}
		end = end[:max(i, 0)]
	}
	return false
}
