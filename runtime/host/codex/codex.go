// Package codex is Codex as a host: its CLI, its app and its editors, which write the
// same logs and start the same hooks.
package codex

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "codex"

// Host is Codex. It has no cap on continues, so only our budget ends a turn that goes on
// and on. Its PromptID is new for turns that no person began, too, so the log says what
// is a prompt.
var Host = host.Host{
	Name: Name, Title: "Codex", Agent: "Codex",
	Is: isEvent, Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit",
	Reminds: true, Marked: true, Plans: true, Opens: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, Outcome: outcome},
	Dir: "~/.codex", DirVariable: "CODEX_HOME", Sessions: "sessions/*/*/*/rollout-*.jsonl", Program: "codex",
	Package: "@openai/codex",
	Inside:  []string{"CODEX_SESSION_ID"}, SessionVariable: "CODEX_SESSION_ID",
}

// isEvent knows the event by the members that Codex alone sends together: the turn and its
// model.
func isEvent(payload []byte) bool {
	var turn, model bool
	w := codec.EnterValue(payload, '{')
	for w.Next() {
		switch string(w.Key) {
		case "turn_id":
			turn = w.BeginsWith('"')
		case "model":
			model = w.BeginsWith('"')
		}
	}
	return turn && model
}

type input struct {
	*host.Event
	agent string
}

func (in *input) Members(m *codec.Members) {
	in.Common(m)
	m.Text("turn_id", &in.PromptID)
	m.Text("agent_id", &in.agent)
}

func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	err := codec.ReadObject(event, &in)
	if in.agent != "" { // a subagent has been given its task, under the session's id
		e.Name = "Subagent" + e.Name
	}
	return err
}

// A log, which Codex calls a rollout, says most things twice: as an item for the model
// (response_item), and as an event for the screen (event_msg). What the person and the
// agent say is read from events: among the items are words that Codex puts into the
// user's mouth, and the summaries of compactions. Calls, results and what hooks say are
// read from items.

func parseLine(e *transcript.Entry) bool {
	var kind []byte
	matters := false
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "timestamp":
			e.Time = codec.InsideQuotes(w.Value())
		case "type":
			kind = w.Value()
		case "payload":
			p := w.Enter('{')
			switch string(kind) {
			case `"response_item"`:
				matters = takeItem(e, &p)
			case `"event_msg"`:
				matters = takeEvent(e, &p)
			case `"turn_context"`:
				matters = takeTurnContext(e, &p)
			case `"session_meta"`:
				matters = takeSessionLine(e, &p)
			}
			if !matters {
				return false
			}
			w.Leave(&p)
		}
	}
	return matters && w.IsAlone()
}

// takeSessionLine takes the first line, which tells whose log it is.
func takeSessionLine(e *transcript.Entry, p *codec.Walk) bool {
	for p.Next() {
		switch string(p.Key) {
		case "id":
			e.Session = codec.InsideQuotes(p.Value())
		case "cwd":
			e.Cwd = codec.InsideQuotes(p.Value())
		case "cli_version":
			e.Version = codec.InsideQuotes(p.Value())
		case "source":
			e.Subagent = p.BeginsWith('{')
		}
	}
	return true
}

// takeTurnContext takes what a turn begins with. Plan mode is only here: the event of a stop names
// another permission mode.
func takeTurnContext(e *transcript.Entry, p *codec.Walk) bool {
	for p.Next() {
		switch string(p.Key) {
		case "cwd":
			e.Cwd = codec.InsideQuotes(p.Value())
		case "collaboration_mode":
			e.Mode = codec.InsideQuotes(codec.FindMember(p.Value(), "mode"))
		}
	}
	return true
}

// takeEvent takes an event. Older versions write user_message and agent_message where newer
// ones write item_completed with the item inside.
func takeEvent(e *transcript.Entry, p *codec.Walk) bool {
	for p.Next() {
		switch string(p.Key) {
		case "type":
			switch string(p.Value()) {
			case `"item_completed"`, `"user_message"`:
			case `"task_started"`:
				for q := *p; q.Next(); { // of a goal that the user has set, which begins one turn after the other
					if string(q.Key) == "turn_attribution" && string(codec.FindMember(q.Value(), "turn_trigger")) == `"goal"` {
						e.What = transcript.Driven
					}
				}
				if e.What != transcript.Driven {
					return false
				}
			case `"agent_message"`:
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text})
			case `"task_complete"`:
				e.What = transcript.Rested
			case `"turn_aborted"`:
				e.What = transcript.Interrupted
			case `"error"`:
				e.What = transcript.Failed
			default:
				return false
			}
		case "turn_id":
			e.PromptID = codec.InsideQuotes(p.Value())
		case "message":
			words := codec.InsideQuotes(p.Value())
			switch {
			case len(e.Parts) > 0:
				e.Parts[0].Text = words
			case e.What == transcript.Nothing:
				e.What, e.Words = transcript.Prompted, words
			}
		case "item":
			i := p.Enter('{')
			if !takeCompletedItem(e, &i) {
				return false
			}
			p.Leave(&i)
		}
	}
	return true
}

func takeCompletedItem(e *transcript.Entry, i *codec.Walk) bool {
	var person bool
	for i.Next() {
		switch string(i.Key) {
		case "type":
			switch string(i.Value()) {
			case `"UserMessage"`:
				person, e.What = true, transcript.Prompted
			case `"AgentMessage"`, `"CommandExecution"`:
			default:
				return false
			}
		case "id":
			if id := codec.InsideQuotes(i.Value()); person {
				e.ID = id
			}
		case "content":
			words := textOfPart(0, i.Value())
			if person {
				e.Words = words
			} else {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: words})
			}
		case "process_id": // a command that is over, maybe in the background
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: codec.InsideQuotes(i.Value())})
		}
	}
	return true
}

func textOfPart(n int, content []byte) (text []byte) {
	codec.Elements(content, func(part []byte) {
		if t := codec.InsideQuotes(codec.FindMember(part, "text")); t != nil {
			if n == 0 {
				text = t
			}
			n--
		}
	})
	return text
}

// takeItem takes an item for the model: a call, its result, or words that Codex has put into
// the user's mouth.
func takeItem(e *transcript.Entry, p *codec.Walk) bool {
	call, part := false, transcript.Part{}
	for p.Next() {
		switch string(p.Key) {
		case "type":
			switch string(p.Value()) {
			case `"message"`:
			case `"function_call"`, `"custom_tool_call"`:
				call, part.Kind = true, transcript.Call
			case `"function_call_output"`, `"custom_tool_call_output"`:
				part.Kind = transcript.Result
			default:
				return false
			}
		case "role":
			if string(p.Value()) != `"user"` {
				return false
			}
		case "content":
			return takeUserWords(e, p)
		case "name":
			part.Name = codec.InsideQuotes(p.Value())
		case "call_id":
			part.ID = codec.InsideQuotes(p.Value())
		case "arguments", "input":
			part.Input = p.Value()
		case "output":
			part.Outcome = p.Value()
			part.Text, part.Failed = resultText(part.Outcome)
		}
	}
	if call {
		classifyCall(&part)
	}
	if part.Kind != transcript.Other {
		e.Parts = append(e.Parts, part)
	}
	return part.Kind != transcript.Other
}

// takeUserWords takes what Codex says in the user's mouth: what a hook has said, a skill that was
// asked for, the end of a subagent's work. A person's own words are in an event.
func takeUserWords(e *transcript.Entry, p *codec.Walk) bool {
	content := p.Value()
	codec.Elements(content, func(part []byte) {
		text := codec.InsideQuotes(codec.FindMember(part, "text"))
		switch {
		case bytes.HasPrefix(text, []byte("<hook_prompt ")):
			words := textBefore("</hook_prompt>", textAfter(text, ">"))
			e.What, e.Words = transcript.Pushed, words
			ours := bytes.HasPrefix(words, []byte(transcript.Mark))
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: ours})
		case bytes.HasPrefix(text, []byte("<skill>")):
			if name := textBefore("</name>", textAfter(text, "<name>")); name != nil {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.SkillText, Name: name})
			}
		case bytes.HasPrefix(text, []byte("<subagent_notification>")):
			if id := quotedString(textAfter(text, `\"agent_path\":`)); id != nil {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: id})
			}
		}
	})
	return len(e.Parts) > 0
}

// ownsLog knows the first line of a session's log. A subagent has a log of its own, which is
// no session's.
func ownsLog(line []byte) bool {
	if string(codec.FindMember(line, "type")) != `"session_meta"` {
		return false
	}
	source := codec.FindMember(codec.FindMember(line, "payload"), "source")
	return len(source) == 0 || source[0] == '"'
}

// classifyCall sets the effect of a call. In code mode the agent calls one tool, exec, with a
// script. The calls of a script are not known, so a todo list that it writes does not count.
func classifyCall(call *transcript.Part) {
	switch string(call.Name) {
	case "update_plan":
		call.Does = transcript.WritesTodos
	case "request_user_input":
		call.Does = transcript.AsksPerson
	case "spawn_agent":
		call.Does = transcript.MayGoOn
	case "write_stdin":
		call.Does, call.Text = transcript.EndsBackground, leadingDigits(textAfter(call.Input, `\"session_id\":`))
	case "close_agent":
		call.Does, call.Text = transcript.EndsBackground, quotedString(textAfter(call.Input, `\"id\":`))
	}
}

// maxHead is within how many bytes a result says how the call ended.
const maxHead = 400

// How a result says so.
const (
	exited  = "Process exited with code "
	running = "Process running with session ID "
	patched = "Exit code: "
	aborted = `\naborted by user`
)

// resultText is the text of a result, from where it tells something, and whether the call has
// failed. What a command has printed comes after its id, how long it took and how it ended.
func resultText(output []byte) (text []byte, failed bool) {
	head := textOfPart(0, output)
	if head == nil {
		head = codec.InsideQuotes(output)
	}
	text, head = head, head[:min(len(head), maxHead)]
	printed := textAfter(head, `\nOutput:\n`)
	head = head[:len(head)-len(printed)] // what is printed says nothing of how the call ended
	if i := bytes.Index(head, []byte(running)); i >= 0 {
		return text[i:], false
	}
	for _, ends := range [...]string{exited, patched} {
		if code := leadingDigits(textAfter(head, ends)); code != nil && string(code) != "0" {
			return text[bytes.Index(head, []byte(ends)):], true
		}
	}
	faults := []string{"unsupported call: ", "failed to parse function arguments: ", "Script failed"}
	failed = slices.ContainsFunc(faults, func(says string) bool { return bytes.HasPrefix(head, []byte(says)) }) ||
		bytes.HasPrefix(head, []byte("Wall time: ")) && bytes.Contains(head, []byte(aborted))
	if printed != nil {
		text = text[len(head):]
	}
	if len(text) == 0 { // in code mode what a script has printed is the second text
		text = textOfPart(1, output)
	}
	return text, failed
}

// outcome is what a result tells besides its text.
func outcome(of transcript.Does, r *transcript.Part) (o transcript.Outcome) {
	switch of {
	case transcript.WritesTodos:
		o.Refused = string(r.Text) != "Plan updated"
	case transcript.AsksPerson:
		o.Refused = !bytes.HasPrefix(r.Text, []byte(`{\"answers\"`))
	case transcript.MayGoOn:
		o.Job = quotedString(textAfter(r.Text, `\"agent_id\":`))
	case transcript.EndsBackground:
		o.Running = bytes.HasPrefix(r.Text, []byte(running))
	case transcript.NothingSpecial:
		if bytes.HasPrefix(r.Text, []byte(running)) {
			o.Job = leadingDigits(r.Text[len(running):])
		}
	}
	return o
}

// textAfter is what stands after a word in a text, nil if the word is not there.
func textAfter(text []byte, word string) []byte {
	_, after, _ := bytes.Cut(text, []byte(word))
	return after
}

// leadingDigits is the digits that a text begins with, nil if there are none.
func leadingDigits(text []byte) []byte {
	if n := len(text) - len(bytes.TrimLeft(text, "0123456789")); n > 0 {
		return text[:n]
	}
	return nil
}

// quotedString is the string that JSON inside a string begins with: \"x\".
func quotedString(text []byte) []byte {
	text, ok := bytes.CutPrefix(text, []byte(`\"`))
	if !ok {
		return nil
	}
	return textBefore(`\"`, text)
}

// textBefore is what stands in a text before a word, nil if the word is not there.
func textBefore(word string, text []byte) []byte {
	if i := bytes.Index(text, []byte(word)); i >= 0 {
		return text[:i]
	}
	return nil
}
