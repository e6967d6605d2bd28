// Package gemini is Gemini CLI as a host.
package gemini

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "gemini"

// The names of our events, which no other host uses.
const (
	afterAgent  = "AfterAgent"
	beforeAgent = "BeforeAgent"
)

var Host = host.Host{
	Name: Name, Title: "Gemini CLI", Agent: "Gemini",
	Is: func(event []byte) bool {
		name := codec.ValidText(codec.InsideQuotes(codec.FindMember(event, "hook_event_name")))
		return name == afterAgent || name == beforeAgent
	},
	Read: readEvent,
	Stop: afterAgent, Prompt: beforeAgent,
	Reminds: true, Marked: true, Prompts: true, Logged: true, Forgets: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog},
	Dir: "~/.gemini", Sessions: "tmp/*/chats/session-*.jsonl", Program: "gemini",
	Package:     "@google/gemini-cli",
	ProjectFile: "../.project_root",
	Variables:   []string{".env", ".gemini/.env"},
	Inside:      []string{"GEMINI_CLI"},
}

type input host.Event

func (in *input) Members(m *codec.Coder) { (*host.Event)(in).Common(m) }

// readEvent reads an event into e. At a stop, the user's prompt is hashed into PromptID and Prompt is cleared.
func readEvent(event []byte, e *host.Event) error {
	if err := codec.ReadObject(event, (*input)(e)); err != nil {
		return err
	}
	if e.Name == afterAgent && e.Prompt != "" {
		e.PromptID, e.Prompt = quotation.HashText(e.Prompt), ""
	}
	return nil
}

// parseLine reads a log line into e and reports whether it matters. $set lines do not.
func parseLine(e *transcript.Entry) (matters bool) {
	var kind, content, typed, calls []byte
	members := []transcript.Member{
		{Name: "sessionId", Text: &e.Session}, {Name: "id", Text: &e.ID}, {Name: "timestamp", Text: &e.Time},
		{Name: "type", Text: &kind}, {Name: "content", Raw: &content}, {Name: "displayContent", Raw: &typed},
		{Name: "toolCalls", Raw: &calls},
	}
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "$set", "$rewindTo":
			return false
		case "kind":
			if string(w.TakeValue()) == `"subagent"` {
				return false
			}
		default:
			transcript.StoreMember(&w, members)
		}
	}
	if !w.IsAlone() {
		return false
	}
	switch string(kind) {
	case "user":
		return takeUserLine(e, content, typed)
	case "gemini":
		takeAssistantLine(e, content, calls)
		return len(e.Parts) > 0
	case "info":
		if string(content) == `"Request cancelled."` {
			e.What = transcript.Interrupted
		}
		return e.What != transcript.Nothing
	}
	return len(kind) == 0 && e.Session != nil
}

// takeAssistantLine adds a message's texts and calls to e. A message with calls gets the last call's ID.
func takeAssistantLine(e *transcript.Entry, content, calls []byte) {
	eachPart(content, func(text, _ []byte) {
		if text != nil {
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: text})
		}
	})
	codec.Elements(calls, func(call []byte) {
		if len(e.Parts) < transcript.MaxParts {
			p := transcript.CallIn(call, "id", "name", "args")
			p.Classify(tools)
			e.ID, e.Parts = p.ID, append(e.Parts, p)
		}
	})
}

var tools = []transcript.Tool{
	{Does: transcript.WritesTodos, Names: []string{"write_todos"}},
	{Does: transcript.UsesSkill, Text: "name", Names: []string{"activate_skill"}},
	{Does: transcript.AsksPerson, Names: []string{"ask_user"}},
	{Does: transcript.WritesFile, Names: []string{"write_file", "replace"}},
	{Does: transcript.BeginsPlan, Names: []string{"enter_plan_mode"}},
	{Does: transcript.EndsPlan, Names: []string{"exit_plan_mode"}},
}

func takeUserLine(e *transcript.Entry, content, typed []byte) (matters bool) {
	shown := false
	eachPart(content, func(text, part []byte) {
		switch result := codec.FindMember(part, "functionResponse"); {
		case result != nil:
			p := transcript.GeminiResult(result)
			e.Parts = append(e.Parts, p)
			if m := modeOfResult(&p); m != "" {
				e.Mode = []byte(m)
			}
		case text == nil:
			shown = shown || codec.FindMember(part, "inlineData", "fileData") != nil
		case e.Words == nil && !isInjected(text):
			e.Words = text
		}
	})
	if len(e.Parts) > 0 {
		e.Words = nil // the host's
		return true
	}
	if bytes.HasPrefix(e.Words, []byte(transcript.Mark)) { // displayContent is still the prompt's
		e.What = transcript.Pushed
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: true})
		return true
	}
	eachPart(typed, func(text, _ []byte) {
		if len(text) > 0 {
			e.Words = text
		}
	})
	if len(e.Words) == 0 && !shown {
		return false
	}
	e.What = transcript.Prompted
	return true
}

// modeOfResult returns the mode implied by a tool's result, or "". If a command was run, plan mode is off.
func modeOfResult(r *transcript.Part) string {
	is := func(words string) bool { return bytes.Contains(r.Text[:min(len(r.Text), 200)], []byte(words)) }
	switch {
	case r.Failed && (is("You are in Plan Mode") || is("You are already in Plan Mode")):
		return "plan"
	case r.Failed:
		return ""
	}
	switch string(r.Name) {
	case "enter_plan_mode":
		return "plan"
	case "exit_plan_mode":
		if is("Plan approved") {
			return "default"
		}
	case "run_shell_command":
		return "default"
	}
	return ""
}

func isInjected(text []byte) bool {
	begins := []string{"<session_context>", "<hook_context>", "Background execution update:", "User steering update:"}
	isPrefix := func(words string) bool { return bytes.HasPrefix(text, []byte(words)) }
	return slices.ContainsFunc(begins, isPrefix) ||
		string(text) == "Please continue." || string(text) == "System: Please continue."
}

// eachPart calls yield for each of the first MaxParts parts of a message except thoughts. text is nil if a part has
// none. part is nil if a text is a plain string.
func eachPart(content []byte, yield func(text, part []byte)) {
	if text := codec.InsideQuotes(content); text != nil {
		yield(text, nil)
		return
	}
	n := 0
	codec.Elements(content, func(part []byte) {
		if n++; n > transcript.MaxParts || string(codec.FindMember(part, "thought")) == "true" {
			return
		}
		if text := codec.InsideQuotes(part); text != nil {
			yield(text, nil)
			return
		}
		yield(codec.InsideQuotes(codec.FindMember(part, "text")), part)
	})
}

func ownsLog(line []byte) bool {
	for w := codec.EnterValue(line, '{'); w.Next(); {
		switch string(w.Key) {
		case "projectHash", "$set", "$rewindTo":
			return true
		case "type":
			if string(w.TakeValue()) == `"gemini"` {
				return true
			}
		}
	}
	return false
}
