package codex

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

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
				if !beginsGoal(*p) {
					return false
				}
				e.What = transcript.Driven
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

// beginsGoal tells whether a goal that the user has set begins a turn. It begins one after the
// other until it is reached.
func beginsGoal(p codec.Walk) (goal bool) {
	for p.Next() {
		if string(p.Key) == "turn_attribution" {
			goal = string(codec.FindMember(p.Value(), "turn_trigger")) == `"goal"`
		}
	}
	return goal
}

// takeCompletedItem takes the item of an event.
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
		describeCall(&part)
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
