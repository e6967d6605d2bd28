// Package droid is Droid, Factory's CLI, as a host.
package droid

import (
	"bytes"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "droid"

// Host is Droid.
func Host() host.Host {
	return host.Host{
		Name: Name, Title: "Droid", Agent: "Droid",
		Is: isEvent, Read: readEvent,
		Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
		Reminds: true, Marked: true,
		Log:     transcript.Format{Name: Name, Whole: true, Parse: parseLine, Owns: ownsLog, Outcome: outcome, Dull: isDullLine},
		Arrived: arrived, Logged: true,
		Dir: "~/.factory", Sessions: "sessions/*/*.jsonl", Program: "droid",
	}
}

// isEvent knows an event by the message that it is about, which no other host names so.
func isEvent(event []byte) bool { return codec.FindMember(event, "message_id") != nil }

// wire is an event as Droid writes it.
type wire struct {
	name, session, log, cwd, mode, message, prompt, said string
	active                                               bool
}

func (w *wire) Members(m *codec.Members) {
	m.Text("hook_event_name", &w.name)
	m.Text("session_id", &w.session)
	m.Text("transcript_path", &w.log)
	m.Text("cwd", &w.cwd)
	m.Text("permission_mode", &w.mode)
	m.Text("message_id", &w.message)
	m.Text("prompt", &w.prompt)
	m.Text("last_assistant_message", &w.said) // none, as yet
	m.Bool("stop_hook_active", &w.active)
}

func readEvent(event []byte, e *host.Event) error {
	var w wire
	if err := codec.ReadObject(event, &w); err != nil {
		return err
	}
	e.Name, e.SessionID, e.TranscriptPath, e.Cwd, e.Active = w.name, w.session, w.log, w.cwd, w.active
	e.Prompt, e.MessageID, e.LastMessage = w.prompt, w.message, w.said
	if e.PermissionMode = w.mode; w.mode == "spec" {
		e.PermissionMode = "plan"
	}
	return nil
}

// completed begins the id of a message about a subagent that has ended.
const completed = "task-completion:"

func fromUser(e host.Event) bool {
	return !strings.HasPrefix(e.MessageID, completed) && !strings.HasPrefix(e.Prompt, delegated) && !strings.HasPrefix(e.Prompt, transcript.Mark)
}

// arrived looks for the message that the event is about.
func arrived(e host.Event, end []byte) bool {
	if e.MessageID == "" {
		return true
	}
	for len(end) > 0 {
		i := bytes.LastIndexByte(end, '\n')
		if line := end[i+1:]; bytes.HasPrefix(line, []byte(`{"type":"message"`)) && isOfType(line, e.MessageID) {
			return true
		}
		end = end[:max(i, 0)]
	}
	return false
}

func isOfType(line []byte, id string) bool {
	w := codec.EnterValue(line, '{')
	same := false
	for w.Next() {
		if string(w.Key) == "id" {
			same = codec.ValidText(codec.InsideQuotes(w.Value())) == id
		}
	}
	return w.IsAlone() && same
}
