// Package gemini is Gemini CLI as a host.
package gemini

import (
	"hash/fnv"
	"io"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "gemini"

// Its names of our events, which no other host has.
const (
	afterAgent  = "AfterAgent"
	beforeAgent = "BeforeAgent"
)

// Host is Gemini CLI.
var Host = host.Host{
	Name: Name, Title: "Gemini CLI", Agent: "Gemini",
	Is: isEvent, Read: readEvent,
	Stop: afterAgent, Prompt: beforeAgent,
	Reminds: true, Marked: true, Prompts: true, Logged: true, Forgets: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog},
	Dir: "~/.gemini", Sessions: "tmp/*/chats/session-*.jsonl", Program: "gemini",
	Package:     "@google/gemini-cli",
	ProjectFile: "../.project_root",
	Variables:   []string{".env", ".gemini/.env"},
	Inside:      []string{"GEMINI_CLI"},
}

func isEvent(event []byte) bool {
	name := codec.ValidText(codec.InsideQuotes(codec.FindMember(event, "hook_event_name")))
	return name == afterAgent || name == beforeAgent
}

// input is an event as Gemini CLI writes it.
type input host.Event

func (in *input) Members(m *codec.Members) { (*host.Event)(in).Common(m) }

// readEvent reads an event. Its prompt_response is all that the agent has said since the
// prompt: the last message is in the log. At a stop the prompt is the user's own, however
// many continues came after it, and names it: there is no id. The same words twice are
// one prompt, which buys no new burst.
func readEvent(event []byte, e *host.Event) error {
	if err := codec.ReadObject(event, (*input)(e)); err != nil {
		return err
	}
	if e.Name == afterAgent && e.Prompt != "" {
		h := fnv.New64a()
		io.WriteString(h, e.Prompt)
		e.PromptID, e.Prompt = strconv.FormatUint(h.Sum64(), 36), ""
	}
	return nil
}
