// Package droid is Droid, Factory's CLI, as a host.
package droid

import (
	"bytes"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "droid"

var Host = host.Host{
	Name: Name, Title: "Droid", Agent: "Droid",
	Is:   func(event []byte) bool { return codec.FindMember(event, "message_id") != nil },
	Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
	Reminds: true, Marked: true,
	Log:     transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, EffectOf: effectOf},
	Arrived: arrived, Logged: true,
	Dir: "~/.factory", Sessions: "sessions/*/*.jsonl", Program: "droid",
}

type input host.Event

func (in *input) Members(m *codec.Coder) {
	(*host.Event)(in).Common(m)
	m.Text("message_id", &in.MessageID)
}

func readEvent(event []byte, e *host.Event) error {
	err := codec.ReadObject(event, (*input)(e))
	if err == nil && e.PermissionMode == "spec" {
		e.PermissionMode = "plan"
	}
	return err
}

const (
	completed = "task-completion:"       // begins the ID of a message about a subagent that has ended
	delegated = "# Task Tool Invocation" // starts a subagent's prompt
)

func fromUser(e host.Event) bool {
	return !strings.HasPrefix(e.MessageID, completed) &&
		!strings.HasPrefix(e.Prompt, delegated) && !strings.HasPrefix(e.Prompt, transcript.Mark)
}

func arrived(e host.Event, end []byte) bool {
	return e.MessageID == "" || host.HasLine(end, `{"type":"message"`, func(line []byte) bool {
		return codec.ValidText(codec.InsideQuotes(codec.FindMember(line, "id"))) == e.MessageID
	})
}

func ownsLog(line []byte) bool {
	return string(codec.FindMember(line, "type")) == `"session_start"` && codec.FindMember(line, "hostId") != nil
}

// parseLine reads a log line into e, and reports whether it matters.
func parseLine(e *transcript.Entry) bool {
	var kind, reason []byte
	var m message
	members := []transcript.Member{
		{Name: "id", Text: &e.ID}, {Name: "timestamp", Text: &e.Time}, {Name: "cwd", Text: &e.Cwd},
		{Name: "todos", Raw: &e.Todos}, {Name: "reason", Raw: &reason},
	}
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			kind = w.TakeValue()
			switch string(kind) {
			case `"message"`, `"session_start"`, `"todo_state"`, `"agent_turn_outcome"`:
			default:
				return false
			}
		case "callingSessionId":
			e.Subagent = true
		case "message":
			if w.BeginsWith('{') {
				m.readMessage(e, &w)
			}
		default:
			transcript.StoreMember(&w, members)
		}
	}
	if !w.IsAlone() {
		return false
	}
	switch string(kind) {
	case `"session_start"`:
		e.Session, e.ID = e.ID, nil
	case `"agent_turn_outcome"`:
		switch string(reason) {
		case `"completed"`:
			e.What = transcript.Rested
		case `"error"`, `"failed"`:
			e.What = transcript.Failed
		default:
			e.What = transcript.Interrupted
		}
	case `"message"`:
		return m.settleSpeaker(e)
	}
	return kind != nil
}

type message struct {
	role, visibility []byte
	words            []byte // the first text without Droid's additions
	shows            bool   // an image
	// Commands and results of an event's hooks, in the same order.
	event, commands, results []byte
}

// readMessage reads the message at which w is into m and e.
func (m *message) readMessage(e *transcript.Entry, w *codec.Walk) {
	members := []transcript.Member{
		{Name: "role", Raw: &m.role}, {Name: "visibility", Raw: &m.visibility},
		{Name: "interactionMode", Text: &e.Mode}, {Name: "hookEventName", Raw: &m.event},
		{Name: "hookCommands", Raw: &m.commands}, {Name: "hookResults", Raw: &m.results},
	}
	inner := w.Enter('{')
	for inner.Next() {
		if string(inner.Key) != "content" {
			transcript.StoreMember(&inner, members)
		} else if inner.BeginsWith('[') {
			m.shows = e.TakeBlocks(&inner, func(p *transcript.Part) { p.Classify(tools) })
		}
	}
	w.Leave(&inner)
	if string(e.Mode) == "spec" {
		e.Mode = []byte("plan")
	}
}

// settleSpeaker decides who speaks in a message, and sets e. It returns false if e is to be ignored.
func (m *message) settleSpeaker(e *transcript.Entry) bool {
	all, byUser := e.Parts, string(m.role) == `"user"`
	e.Parts = all[:0]
	for _, p := range all {
		switch {
		case p.Kind == transcript.Text && len(p.Text) == 0:
		case byUser && p.Kind == transcript.Text && len(m.words) == 0:
			m.words = transcript.TrimLeadingTags(p.Text, "system-reminder")
		case byUser && p.Kind == transcript.Result, !byUser && p.Kind != transcript.Other:
			e.Parts = append(e.Parts, p)
		}
	}
	if !byUser {
		return len(e.Parts) > 0
	}
	switch {
	case string(m.visibility) == `"user_only"`:
		return m.takeHooks(e)
	case bytes.HasPrefix(e.ID, []byte(completed)):
		e.What, e.Words = transcript.Woken, m.words
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: transcript.NameAfter(m.words, "task_id: ")})
	case string(m.visibility) == `"llm_only"`, bytes.HasPrefix(e.ID, []byte("context-")):
		return false // Droid's own reminders
	case bytes.HasPrefix(m.words, []byte(transcript.Mark)):
		e.What, e.Words = transcript.Pushed, m.words
	case len(e.Parts) > 0: // results
	case len(m.words) > 0, m.shows:
		e.What, e.Words = transcript.Prompted, m.words
	default:
		return false
	}
	return true
}

// tools are all tools except TodoWrite, because the list is written to a separate line.
var tools = []transcript.Tool{
	{Does: transcript.MayGoOn, Names: []string{"Execute", "Task"}},
	{Does: transcript.MayEndJob, Text: "task_id", Names: []string{"TaskOutput", "TaskStop"}},
	{Does: transcript.UsesSkill, Text: "skill", Names: []string{"Skill"}},
	{Does: transcript.AsksPerson, Names: []string{"AskUser"}},
	{Does: transcript.EndsPlan, Names: []string{"ExitSpecMode"}},
	{Does: transcript.WritesFile, Names: []string{"Create", "Edit"}},
}

// effectOf returns the background task that a result names, or whether it still runs. Background commands are ignored.
func effectOf(of transcript.Does, r *transcript.Part) (effect transcript.Effect) {
	switch of {
	case transcript.MayGoOn:
		if bytes.HasPrefix(r.Text, []byte("Task launched in background.")) {
			effect.Job = transcript.NameAfter(r.Text, "task_id: ")
		}
	case transcript.MayEndJob:
		effect.Running = bytes.Contains(r.Text, []byte("status: running"))
	}
	return effect
}

func (m *message) takeHooks(e *transcript.Entry) (isStop bool) {
	if string(m.event) != `"Stop"` {
		return false
	}
	var commands [][]byte
	codec.Elements(m.commands, func(command []byte) {
		commands = append(commands, codec.InsideQuotes(codec.FindMember(command, "command")))
	})
	e.What = transcript.Rested
	i := 0
	codec.Elements(m.results, func(result []byte) {
		if i < len(commands) && hookBlocked(result) {
			ours := bytes.Contains(commands[i], []byte("springfield-hook"))
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: ours})
			e.What = transcript.Nothing // the next line is Pushed
		}
		i++
	})
	return true
}

func hookBlocked(result []byte) bool {
	if string(codec.FindMember(result, "exitCode")) == "2" {
		return true
	}
	printed := codec.InsideQuotes(codec.FindMember(result, "stdout"))
	return bytes.Contains(printed, []byte("decision")) &&
		string(codec.FindMember([]byte(codec.ValidText(printed)), "decision")) == `"block"`
}
