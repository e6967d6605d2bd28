// One line, taken apart: the members that can matter, raw. It is gone through
// once, and left as soon as it is clear that nothing in it matters: most lines
// of a log are somebody's progress.

package transcript

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
	tokens                         int // in the context, as of this answer; 0 if it does not say
	blocks                         []block
	outcome                        []byte // toolUseResult
	todos                          []byte // the list that older clients write into user lines
	attachment                     []byte // what Claude Code told the model beside the conversation
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
	w := enterAt(line, 0, '{')
	for w.next() {
		switch string(w.key) {
		case "type":
			e.kind = w.value()
			switch string(e.kind) {
			case `"user"`, `"assistant"`, `"attachment"`, `"system"`:
			default:
				return false
			}
		case "isSidechain":
			if string(w.value()) == "true" {
				return false // a subagent's own talk
			}
		case "isMeta":
			e.meta = string(w.value()) == "true"
		case "isCompactSummary", "isVisibleInTranscriptOnly":
			e.compact = e.compact || string(w.value()) == "true"
		case "isApiErrorMessage":
			e.apiError = string(w.value()) == "true"
		case "subtype":
			e.subtype = w.value()
		case "uuid":
			e.uuid = inside(w.value())
		case "timestamp":
			e.timestamp = inside(w.value())
		case "promptId":
			e.prompt = w.value()
		case "promptSource":
			e.source = inside(w.value())
		case "attributionSkill":
			e.skill = inside(w.value())
		case "toolUseResult":
			e.outcome = w.value()
		case "todos":
			e.todos = w.value()
		case "origin":
			e.origin = inside(member(w.value(), "kind"))
		case "message":
			if w.is('{') {
				e.message(&w)
			}
		case "attachment":
			if !matters(w) {
				return false
			}
			e.attachment = w.value()
		}
	}
	return w.whole() && skipSpace(line, w.i) == len(line) && e.kind != nil
}

func (e *entry) message(w *walk) {
	e.blocks = e.blocks[:0]
	m := w.enter('{')
	for m.next() {
		switch string(m.key) {
		case "model":
			e.model = inside(m.value())
		case "usage":
			if m.is('{') {
				e.tokens = usage(&m)
			}
		case "content":
			switch {
			case m.is('"'):
				e.blocks = append(e.blocks, block{kind: says, text: inside(m.value())})
			case m.is('['):
				e.content(&m)
			}
		}
	}
	w.leave(&m)
}

func (e *entry) content(m *walk) {
	list := m.enter('[')
	for list.next() {
		if !list.is('{') || len(e.blocks) == maxBlocks {
			continue
		}
		var b block
		members := list.enter('{')
		for members.next() {
			switch string(members.key) {
			case "type":
				b.kind = kindOf(members.value())
			case "text":
				b.text = inside(members.value())
			case "id", "tool_use_id":
				b.id = inside(members.value())
			case "name":
				b.name = inside(members.value())
			case "input":
				b.input = members.value()
			case "content":
				b.answer = members.value()
			case "is_error":
				b.failed = string(members.value()) == "true"
			}
		}
		list.leave(&members)
		e.blocks = append(e.blocks, b)
	}
	m.leave(&list)
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

// usage adds up what a call of the model says was in its context, and what it
// wrote, which is in the next one's.
func usage(m *walk) (tokens int) {
	u := m.enter('{')
	for u.next() {
		switch string(u.key) {
		case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens":
			tokens += number(u.value())
		}
	}
	m.leave(&u)
	return tokens
}

// number reads a count, 0 if it is none.
func number(raw []byte) (n int) {
	if len(raw) > 9 {
		return 0
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// matters tells whether an attachment is of a kind that does. Its first member
// says so, and the others may be long.
func matters(w walk) bool {
	a := w.enter('{')
	if !a.next() || string(a.key) != "type" {
		return true // strange, but it may
	}
	switch string(a.value()) {
	case `"hook_blocking_error"`, `"queued_command"`, `"task_reminder"`, `"todo_reminder"`:
		return true
	}
	return false
}

// firstText is the first text among content blocks, or the content itself where
// it is a string.
func firstText(content []byte) (first []byte) {
	if s := inside(content); s != nil {
		return s
	}
	elements(content, func(element []byte) {
		if first == nil {
			first = inside(member(element, "text"))
		}
	})
	return first
}

// member is the member of a raw object with one of these names, nil if there
// is none; the last one, if there are several.
func member(object []byte, names ...string) (found []byte) {
	w := enterAt(object, 0, '{')
	for w.next() {
		for _, name := range names {
			if string(w.key) == name {
				found = w.value()
			}
		}
	}
	return found
}

// identifier is a raw string or number that serves as a name, nil if it is
// something else.
func identifier(raw []byte, limit int) []byte {
	if s := inside(raw); s != nil {
		raw = s
	}
	if !plain(raw, limit) || raw[0] == '{' || raw[0] == '[' {
		return nil
	}
	return raw
}
