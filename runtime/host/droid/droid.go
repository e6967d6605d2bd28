// Package droid is Droid, Factory's CLI, as a host.
package droid

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "droid"

// Host is Droid.
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

// input is an event as Droid writes it.
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
		host.HasLine(end, `{"type":"message"`, func(line []byte) bool { return isOfType(line, e.MessageID) })
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
