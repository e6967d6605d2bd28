package codex

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// describeCall says what a call does. In code mode the agent calls one tool, exec, with a script
// that calls the others, and what a script calls is not known: a todo list that it writes
// is none for us.
func describeCall(call *transcript.Part) {
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
