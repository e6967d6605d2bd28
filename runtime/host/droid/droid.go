// Package droid is Droid, Factory's CLI, as a host.
package droid

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "droid"

var Host = host.Host{
	Name: Name, Title: "Droid", Agent: "Droid",
	Is: isEvent, Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
	Reminds: true, Marked: true,
	Log:     transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, Outcome: outcome, Dull: isDullLine},
	Arrived: arrived, Logged: true,
	Dir: "~/.factory", Sessions: "sessions/*/*.jsonl", Program: "droid",
}

// isEvent knows an event by the message that it is about, which no other host names so.
func isEvent(event []byte) bool { return codec.FindMember(event, "message_id") != nil }

type input host.Event

func (in *input) Members(m *codec.Members) {
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

// completed begins the id of a message about a subagent that has ended.
const completed = "task-completion:"

func fromUser(e host.Event) bool {
	return !strings.HasPrefix(e.MessageID, completed) && !strings.HasPrefix(e.Prompt, delegated) && !strings.HasPrefix(e.Prompt, transcript.Mark)
}

// arrived looks for the message that the event is about.
func arrived(e host.Event, end []byte) bool {
	return e.MessageID == "" ||
		host.HasLine(end, `{"type":"message"`, func(line []byte) bool {
			w, same := codec.EnterValue(line, '{'), false
			for w.Next() {
				same = same || string(w.Key) == "id" && codec.ValidText(codec.InsideQuotes(w.Value())) == e.MessageID
			}
			return w.IsAlone() && same
		})
}

// Droid's log: messages, and beside them what its hooks have answered. A subagent has a
// log of its own, which says so in its first line.

// delegated begins what a subagent is told.
const delegated = "# Task Tool Invocation"

func ownsLog(line []byte) bool {
	return string(codec.FindMember(line, "type")) == `"session_start"` && codec.FindMember(line, "hostId") != nil
}

// isDullLine knows lines without words.
func isDullLine(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"type":"`)) && !bytes.HasPrefix(line, []byte(`{"type":"message"`))
}

func parseLine(e *transcript.Entry) bool {
	var kind, reason []byte
	var m message
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			kind = w.Value()
			switch string(kind) {
			case `"message"`, `"session_start"`, `"todo_state"`, `"agent_turn_outcome"`:
			default:
				return false
			}
		case "id":
			e.ID = codec.InsideQuotes(w.Value())
		case "timestamp":
			e.Time = codec.InsideQuotes(w.Value())
		case "cwd":
			e.Cwd = codec.InsideQuotes(w.Value())
		case "callingSessionId":
			e.Subagent = true
		case "todos":
			e.Todos = w.Value()
		case "reason":
			reason = w.Value()
		case "message":
			if w.BeginsWith('{') {
				m.readMessage(e, &w)
			}
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

// message is what a line's message is beside its parts.
type message struct {
	role, visibility []byte
	words            []byte // the first text, without what Droid puts before it
	shows            bool   // an image
	hook             hook
}

func (m *message) readMessage(e *transcript.Entry, w *codec.Walk) {
	members := w.Enter('{')
	for members.Next() {
		switch string(members.Key) {
		case "role":
			m.role = members.Value()
		case "content":
			if members.BeginsWith('[') {
				m.shows = e.TakeBlocks(&members, func(p *transcript.Part) { p.Describe(tools) })
			}
		case "interactionMode":
			if e.Mode = codec.InsideQuotes(members.Value()); string(e.Mode) == "spec" {
				e.Mode = []byte("plan")
			}
		case "visibility":
			m.visibility = members.Value()
		case "hookEventName":
			m.hook.event = members.Value()
		case "hookCommands":
			m.hook.commands = members.Value()
		case "hookResults":
			m.hook.results = members.Value()
		}
	}
	w.Leave(&members)
}

// settleSpeaker says whose words a line has. False: nothing in it can matter.
func (m *message) settleSpeaker(e *transcript.Entry) bool {
	e.Parts = slices.DeleteFunc(e.Parts, func(p transcript.Part) bool {
		return p.Kind == transcript.Other || p.Kind == transcript.Text && len(p.Text) == 0
	})
	if string(m.role) != `"user"` {
		return len(e.Parts) > 0
	}
	for _, p := range e.Parts {
		if p.Kind == transcript.Text && len(m.words) == 0 {
			m.words = transcript.WithoutTags(p.Text, "system-reminder")
		}
	}
	e.Parts = slices.DeleteFunc(e.Parts, func(p transcript.Part) bool { return p.Kind != transcript.Result })
	switch {
	case string(m.visibility) == `"user_only"`:
		return m.hook.takeHooks(e)
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

// tools are Droid's. TodoWrite is not among them: the list that it leaves is a line of its own.
var tools = []transcript.Tool{
	{Does: transcript.MayGoOn, Names: []string{"Execute", "Task"}},
	{Does: transcript.EndsBackground, Text: "task_id", Names: []string{"TaskOutput", "TaskStop"}},
	{Does: transcript.UsesSkill, Text: "skill", Names: []string{"Skill"}},
	{Does: transcript.AsksPerson, Names: []string{"AskUser"}},
	{Does: transcript.EndsPlan, Names: []string{"ExitSpecMode"}},
	{Does: transcript.WritesFile, Names: []string{"Create", "Edit"}},
}

// outcome reads in the text of a result whether a subagent goes on. A command that was
// sent to the background ends without a word, so it counts as over.
func outcome(of transcript.Does, r *transcript.Part) (o transcript.Outcome) {
	switch of {
	case transcript.MayGoOn:
		if bytes.HasPrefix(r.Text, []byte("Task launched in background.")) {
			o.Job = transcript.NameAfter(r.Text, "task_id: ")
		}
	case transcript.EndsBackground:
		o.Running = bytes.Contains(r.Text, []byte("status: running"))
	}
	return o
}

// hook is what a line says of the hooks of one event: their commands, and in the same
// order what came of them.
type hook struct {
	event, commands, results []byte
}

// takeHooks tells of the Stop hooks that have blocked. False: the line is about another event.
func (h *hook) takeHooks(e *transcript.Entry) bool {
	if string(h.event) != `"Stop"` {
		return false
	}
	var commands [][]byte
	codec.Elements(h.commands, func(command []byte) {
		commands = append(commands, codec.InsideQuotes(codec.FindMember(command, "command")))
	})
	e.What = transcript.Rested
	i := 0
	codec.Elements(h.results, func(result []byte) {
		if i < len(commands) && hasBlocked(result) {
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: bytes.Contains(commands[i], []byte("springfield-hook"))})
			e.What = transcript.Nothing // the words that follow push
		}
		i++
	})
	return true
}

// hasBlocked tells whether a hook has had the agent go on.
func hasBlocked(result []byte) bool {
	if string(codec.FindMember(result, "exitCode")) == "2" {
		return true
	}
	printed := codec.InsideQuotes(codec.FindMember(result, "stdout"))
	return bytes.Contains(printed, []byte("decision")) && string(codec.FindMember([]byte(codec.ValidText(printed)), "decision")) == `"block"`
}
