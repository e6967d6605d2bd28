// Package codex is Codex as a host: the CLI, the app and the editors write the same logs and start the same hooks.
package codex

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

const Name = "codex"

// Host is Codex. Only our budget ends a turn. PromptID also changes for turns that no person began.
var Host = host.Host{
	Name: Name, Title: "Codex", Agent: "Codex",
	Is: func(event []byte) bool { // a turn and its model, which only Codex sends together
		return codec.InsideQuotes(codec.FindMember(event, "turn_id")) != nil &&
			codec.InsideQuotes(codec.FindMember(event, "model")) != nil
	},
	Read: readEvent,
	Stop: "Stop", Prompt: "UserPromptSubmit",
	Reminds: true, Marked: true, Plans: true, Opens: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, EffectOf: effectOf},
	Dir: "~/.codex", DirVariable: "CODEX_HOME", Sessions: "sessions/*/*/*/rollout-*.jsonl", Program: "codex",
	Package: "@openai/codex",
	Inside:  []string{"CODEX_SESSION_ID"}, SessionVariable: "CODEX_SESSION_ID",
}

type input struct {
	*host.Event
	agent string
}

func (in *input) Members(m *codec.Coder) {
	in.Common(m)
	m.Text("turn_id", &in.PromptID)
	m.Text("agent_id", &in.agent)
}

func readEvent(event []byte, e *host.Event) error {
	in := input{Event: e}
	err := codec.ReadObject(event, &in)
	if in.agent != "" { // a subagent gets its task under the session's ID
		e.Name = "Subagent" + e.Name
	}
	return err
}

// parseLine reads a log line into e, and reports whether it matters. Texts of the person and agent are read from
// events.
func parseLine(e *transcript.Entry) (matters bool) {
	var kind []byte
	w := codec.EnterValue(e.Line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "timestamp":
			e.Time = codec.InsideQuotes(w.TakeValue())
		case "type":
			kind = w.TakeValue()
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
				matters = takeSessionMeta(e, &p)
			}
			if !matters {
				return false
			}
			w.Leave(&p)
		}
	}
	return matters && w.IsAlone()
}

func takeSessionMeta(e *transcript.Entry, p *codec.Walk) bool {
	var source []byte
	members := []transcript.Member{
		{Name: "id", Text: &e.Session}, {Name: "cwd", Text: &e.Cwd}, {Name: "cli_version", Text: &e.Version},
		{Name: "source", Raw: &source},
	}
	for p.Next() {
		transcript.StoreMember(p, members)
	}
	e.Subagent = bytes.HasPrefix(source, []byte("{"))
	return true
}

func takeTurnContext(e *transcript.Entry, p *codec.Walk) bool {
	var mode []byte
	members := []transcript.Member{{Name: "cwd", Text: &e.Cwd}, {Name: "collaboration_mode", Raw: &mode}}
	for p.Next() {
		transcript.StoreMember(p, members)
	}
	e.Mode = codec.InsideQuotes(codec.FindMember(mode, "mode"))
	return true
}

// takeEvent reads an event into e, and returns false for an event to ignore.
func takeEvent(e *transcript.Entry, p *codec.Walk) bool {
	for p.Next() {
		switch string(p.Key) {
		case "type":
			switch string(p.TakeValue()) {
			case `"item_completed"`, `"user_message"`:
			case `"task_started"`:
				for q := *p; q.Next(); { // a goal of the user's begins each turn
					goal := string(q.Key) == "turn_attribution" &&
						string(codec.FindMember(q.TakeValue(), "turn_trigger")) == `"goal"`
					if goal {
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
			e.PromptID = codec.InsideQuotes(p.TakeValue())
		case "message":
			words := codec.InsideQuotes(p.TakeValue())
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
			switch string(i.TakeValue()) {
			case `"UserMessage"`:
				person, e.What = true, transcript.Prompted
			case `"AgentMessage"`, `"CommandExecution"`:
			default:
				return false
			}
		case "id":
			if id := codec.InsideQuotes(i.TakeValue()); person {
				e.ID = id
			}
		case "content":
			words := nthText(0, i.TakeValue())
			if person {
				e.Words = words
			} else {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: words})
			}
		case "process_id": // a command has ended, maybe in the background
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: codec.InsideQuotes(i.TakeValue())})
		}
	}
	return true
}

// nthText returns the text of the part with index i, counting only parts with a text. It is still escaped, or nil if
// there is none.
func nthText(i int, parts []byte) (text []byte) {
	codec.Elements(parts, func(part []byte) {
		if t := codec.InsideQuotes(codec.FindMember(part, "text")); t != nil {
			if i == 0 {
				text = t
			}
			i--
		}
	})
	return text
}

func takeItem(e *transcript.Entry, p *codec.Walk) (matters bool) {
	part := transcript.Part{}
	members := []transcript.Member{
		{Name: "name", Text: &part.Name}, {Name: "call_id", Text: &part.ID},
		{Name: "arguments", Raw: &part.Input}, {Name: "input", Raw: &part.Input}, {Name: "output", Raw: &part.RawResult},
	}
	for p.Next() {
		switch string(p.Key) {
		case "type":
			switch string(p.TakeValue()) {
			case `"message"`:
			case `"function_call"`, `"custom_tool_call"`:
				part.Kind = transcript.Call
			case `"function_call_output"`, `"custom_tool_call_output"`:
				part.Kind = transcript.Result
			default:
				return false
			}
		case "role":
			if string(p.TakeValue()) != `"user"` {
				return false
			}
		case "content":
			return takeHookOrSkill(e, p)
		default:
			transcript.StoreMember(p, members)
		}
	}
	switch part.Kind {
	case transcript.Call:
		classifyCall(&part)
	case transcript.Result:
		part.Text, part.Failed = resultText(part.RawResult)
	default:
		return false
	}
	e.Parts = append(e.Parts, part)
	return true
}

// takeHookOrSkill adds a text to e if it is from a hook, for a requested skill, or about a subagent's end.
func takeHookOrSkill(e *transcript.Entry, atContent *codec.Walk) (added bool) {
	content := atContent.TakeValue()
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
			if id := escapedMember(text, "agent_path"); id != nil {
				e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Ended, ID: id})
			}
		}
	})
	return len(e.Parts) > 0
}

// ownsLog reports whether first begins a Codex log that is not from a subagent.
func ownsLog(first []byte) bool {
	if string(codec.FindMember(first, "type")) != `"session_meta"` {
		return false
	}
	source := codec.FindMember(codec.FindMember(first, "payload"), "source")
	return len(source) == 0 || source[0] == '"'
}

func classifyCall(call *transcript.Part) {
	switch string(call.Name) {
	case "update_plan":
		call.Does = transcript.WritesTodos
	case "request_user_input":
		call.Does = transcript.AsksPerson
	case "spawn_agent":
		call.Does = transcript.MayGoOn
	case "write_stdin":
		call.Does, call.Text = transcript.MayEndJob, leadingDigits(textAfter(call.Input, `\"session_id\":`))
	case "close_agent":
		call.Does, call.Text = transcript.MayEndJob, escapedMember(call.Input, "id")
	}
}

const maxHead = 400 // bytes that contain the status of a result

const (
	exited  = "Process exited with code "
	running = "Process running with session ID "
	patched = "Exit code: "
	aborted = `\naborted by user`
)

// resultText returns a result from its status on if the command is running or ended with a nonzero exit code, otherwise
// the output. output is raw. statusOrText is still escaped.
func resultText(output []byte) (statusOrText []byte, failed bool) {
	head := nthText(0, output)
	if head == nil {
		head = codec.InsideQuotes(output)
	}
	statusOrText, head = head, head[:min(len(head), maxHead)]
	printed := textAfter(head, `\nOutput:\n`)
	head = head[:len(head)-len(printed)] // output is no status
	if i := bytes.Index(head, []byte(running)); i >= 0 {
		return statusOrText[i:], false
	}
	for _, ends := range [...]string{exited, patched} {
		if code := leadingDigits(textAfter(head, ends)); len(code) > 0 && string(code) != "0" {
			return statusOrText[bytes.Index(head, []byte(ends)):], true
		}
	}
	faults := []string{"unsupported call: ", "failed to parse function arguments: ", "Script failed"}
	begins := func(words string) bool { return bytes.HasPrefix(head, []byte(words)) }
	failed = slices.ContainsFunc(faults, begins) ||
		bytes.HasPrefix(head, []byte("Wall time: ")) && bytes.Contains(head, []byte(aborted))
	if printed != nil {
		statusOrText = statusOrText[len(head):]
	}
	if len(statusOrText) == 0 { // in code mode the output of a script is the second text
		statusOrText = nthText(1, output)
	}
	return statusOrText, failed
}

func effectOf(of transcript.Does, r *transcript.Part) (effect transcript.Effect) {
	switch of {
	case transcript.WritesTodos:
		effect.Refused = string(r.Text) != "Plan updated"
	case transcript.AsksPerson:
		effect.Refused = !bytes.HasPrefix(r.Text, []byte(`{\"answers\"`))
	case transcript.MayGoOn:
		effect.Job = escapedMember(r.Text, "agent_id")
	case transcript.MayEndJob:
		effect.Running = bytes.HasPrefix(r.Text, []byte(running))
	case transcript.NothingSpecial:
		if bytes.HasPrefix(r.Text, []byte(running)) {
			effect.Job = leadingDigits(r.Text[len(running):])
		}
	}
	return effect
}

// textAfter returns the text after word, or nil if absent.
func textAfter(text []byte, word string) []byte {
	_, after, _ := bytes.Cut(text, []byte(word))
	return after
}

// textBefore returns the text before word, or nil if absent.
func textBefore(word string, text []byte) []byte {
	if i := bytes.Index(text, []byte(word)); i >= 0 {
		return text[:i]
	}
	return nil
}

func leadingDigits(text []byte) []byte {
	return text[:len(text)-len(bytes.TrimLeft(text, "0123456789"))]
}

// escapedMember returns a string from JSON inside a JSON string: \"name\":\"value\".
func escapedMember(text []byte, name string) []byte {
	return textBefore(`\"`, textAfter(text, `\"`+name+`\":\"`))
}
