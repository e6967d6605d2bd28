// One line, taken apart: the members that can matter, raw. It is gone through
// once, and left as soon as it is clear that nothing in it matters: most lines
// of a log are about progress.

package transcript

import "github.com/cameronsjo/springfield/runtime/codec"

// maxBlocks is how many content blocks of one line are looked at. Claude Code
// writes one, rarely a few.
const maxBlocks = 256

// entry is one line. Its values are parts of the line.
type entry struct {
	line []byte
	at   int64 // where the line lies in the log

	kind, subtype, uuid, timestamp []byte
	meta, compact, apiError        bool
	origin, source                 []byte // who is behind a user line
	prompt                         []byte // Claude Code's own id of the prompt it belongs to
	skill                          []byte // the skill an assistant line is attributed to
	model                          []byte
	blocks                         []block
	outcome                        []byte // toolUseResult
	todos                          []byte // the list that older clients write into user lines
	attachment                     []byte // what Claude Code told the model beside the conversation
	version                        []byte // of the client that wrote the line
}

// block is one content block: a text, a tool call, or the result of one.
type block struct {
	kind   kind
	text   []byte // of a text
	id     []byte // of a call: its own, of a result: the call's
	name   []byte // of a call
	input  []byte // of a call
	answer []byte // of a result: its content
	failed bool   // of a result: is_error
}

// kind is the kind of a content block.
type kind byte

const (
	other   kind = iota // thinking, what is not known
	says                // a text
	shows               // an image or a document
	calls               // a tool
	answers             // the result of a call
)

// place is where a part of the line lies in the log. The part shares the
// line's array, so their capacities tell how far apart they begin.
func (e *entry) place(part []byte) place {
	if part == nil {
		return place{}
	}
	return place{e.at + int64(cap(e.line)-cap(part)), int64(len(part))}
}

// parse takes a line apart. False: it is torn, or nothing in it can matter.
func (e *entry) parse(line []byte, at int64) bool {
	*e = entry{line: line, at: at, blocks: e.blocks[:0]}
	w := codec.Enter(line, '{')
	for w.Next() {
		switch string(w.Key) {
		case "type":
			e.kind = w.Value()
			switch string(e.kind) {
			case `"user"`, `"assistant"`, `"attachment"`, `"system"`:
			default:
				return false
			}
		case "isSidechain":
			if string(w.Value()) == "true" {
				return false // a subagent's own talk
			}
		case "isMeta":
			e.meta = string(w.Value()) == "true"
		case "isCompactSummary", "isVisibleInTranscriptOnly":
			e.compact = e.compact || string(w.Value()) == "true"
		case "isApiErrorMessage":
			e.apiError = string(w.Value()) == "true"
		case "subtype":
			e.subtype = w.Value()
		case "uuid":
			e.uuid = codec.Inside(w.Value())
		case "timestamp":
			e.timestamp = codec.Inside(w.Value())
		case "promptId":
			e.prompt = w.Value()
		case "promptSource":
			e.source = codec.Inside(w.Value())
		case "attributionSkill":
			e.skill = codec.Inside(w.Value())
		case "toolUseResult":
			e.outcome = w.Value()
		case "todos":
			e.todos = w.Value()
		case "version":
			e.version = codec.Inside(w.Value())
		case "origin":
			e.origin = codec.Inside(codec.Member(w.Value(), "kind"))
		case "message":
			if w.Is('{') {
				e.message(&w)
			}
		case "attachment":
			if !matters(w) {
				return false
			}
			e.attachment = w.Value()
		}
	}
	return w.Alone() && e.kind != nil
}

func (e *entry) message(w *codec.Walk) {
	e.blocks = e.blocks[:0]
	m := w.Enter('{')
	for m.Next() {
		switch string(m.Key) {
		case "model":
			e.model = codec.Inside(m.Value())
		case "content":
			switch {
			case m.Is('"'):
				e.blocks = append(e.blocks, block{kind: says, text: codec.Inside(m.Value())})
			case m.Is('['):
				e.content(&m)
			}
		}
	}
	w.Leave(&m)
}

func (e *entry) content(m *codec.Walk) {
	list := m.Enter('[')
	for list.Next() {
		if !list.Is('{') || len(e.blocks) == maxBlocks {
			continue
		}
		var b block
		members := list.Enter('{')
		for members.Next() {
			switch string(members.Key) {
			case "type":
				b.kind = kindOf(members.Value())
			case "text":
				b.text = codec.Inside(members.Value())
			case "id", "tool_use_id":
				b.id = codec.Inside(members.Value())
			case "name":
				b.name = codec.Inside(members.Value())
			case "input":
				b.input = members.Value()
			case "content":
				b.answer = members.Value()
			case "is_error":
				b.failed = string(members.Value()) == "true"
			}
		}
		list.Leave(&members)
		e.blocks = append(e.blocks, b)
	}
	m.Leave(&list)
}

func kindOf(raw []byte) kind {
	switch string(raw) {
	case `"text"`:
		return says
	case `"image"`, `"document"`:
		return shows
	case `"tool_use"`:
		return calls
	case `"tool_result"`:
		return answers
	}
	return other
}

// matters tells whether an attachment is of a kind that does. Its first members
// say so, and the others may be long.
func matters(w codec.Walk) bool {
	a := w.Enter('{')
	if !a.Next() || string(a.Key) != "type" {
		return true // strange, but it may
	}
	switch string(a.Value()) {
	case `"hook_blocking_error"`, `"queued_command"`, `"task_reminder"`, `"todo_reminder"`:
		return true
	case `"hook_success"`, `"hook_additional_context"`:
		for a.Next() {
			if string(a.Key) == "hookEvent" {
				return string(a.Value()) == `"Stop"`
			}
		}
	}
	return false
}

// firstText is the first text among content blocks, or the content itself where
// it is a string.
func firstText(content []byte) (first []byte) {
	if s := codec.Inside(content); s != nil {
		return s
	}
	codec.Elements(content, func(element []byte) {
		if first == nil {
			first = codec.Inside(codec.Member(element, "text"))
		}
	})
	return first
}

// identifier is a raw string or number that serves as a name, nil if it is
// something else.
func identifier(raw []byte, limit int) []byte {
	if s := codec.Inside(raw); s != nil {
		raw = s
	}
	if !plain(raw, limit) || raw[0] == '{' || raw[0] == '[' {
		return nil
	}
	return raw
}
