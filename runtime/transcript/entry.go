// One line of a log, in terms that no host is named in. A host's Format says what a
// line means in them; what follows from it is decided here, for every host alike.

package transcript

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Mark begins what our hooks tell an agent whose host does not say in its log that a hook
// has said it. It is how a Format knows our feedback from a person's prompt.
const Mark = "[springfield] "

// Format is how a host writes its logs. Functions that are nil say nothing.
type Format struct {
	// Name is the host's. A Log that another format has left is not continued.
	Name string
	// Parse takes a line apart: Line and At are set, the rest is empty, and Parts may have
	// room to be reused. False: the line is torn, or nothing in it can matter. Every value
	// is a part of Line, so that its place in the log is known, unless its member says that
	// it may be another's. Lines of subagents matter to nothing.
	Parse func(e *Entry) bool
	// Owns tells whether a line, one of the first of a log, is of this format.
	Owns func(line []byte) bool
	// Outcome is what the result of a call tells besides its text. It is asked for the
	// results of calls that do something, and for those of others, whose Does is Nothing
	// special.
	Outcome func(of Does, r *Part) Outcome
	// Whole tells that a line is a whole message of the agent, its texts and its calls: with
	// no call in it the turn is over. Else each has a line of its own.
	Whole bool
	// Dull tells at a glance that a line has no words of a person and no words of interest.
	Dull func(line []byte) bool
}

// Entry is one line. Its values are parts of the line; a text is the inside of a JSON
// string, still escaped, and what is called raw is a whole JSON value.
type Entry struct {
	Line []byte
	At   int64 // where the line begins in the log

	ID   []byte // names the line: a line with the ID of one of the 32 before it is passed over
	Time []byte // RFC 3339
	// What happens. Nothing: what the Parts say, which are an agent's texts and calls, or
	// results.
	What Happening
	// Words are those of a person (Prompted, Joined), without what the host puts before
	// them, or of a hook or of background work (Pushed, Woken). A line begins a turn if it
	// is Prompted or Joined.
	Words    []byte
	PromptID []byte // the host's own id of the prompt that the line belongs to
	Version  []byte // of the host
	// Command tells that the prompt looks at a plugin of ours or stops it: the user asks
	// for no work.
	Command bool
	// Heard tells that the line has words of a person or of a host: nothing of a turn before runs in
	// the background any more, for rules of the first design. A prompt has it anyway.
	Heard bool
	// Filled tells that the host, not the model, wrote an agent's line: it is no message.
	Filled bool
	// Skill is the one that the host says is behind an agent's line.
	Skill []byte
	// Todos is the todo list as the host shows it, and Tasks are its single tasks; raw. Not
	// a call's: these are in its Part.
	Todos, Tasks []byte
	Parts        []Part

	// What a replay wants to know. Mode is plan in plan mode.
	Session, Cwd, Mode []byte
	Fork               bool   // the log is a copy of another's beginning
	Subagent           bool   // the log is a subagent's own: no word in it is to the user
	Role               string // the session's in a team, as activity.Team has it; "": the line does not say
	Queued             []byte // words that a person typed while the agent worked
	Unqueued           bool   // the person took such words back
}

// Part is one of the things that a line brings, in their order.
type Part struct {
	Kind Kind
	// Text is what the agent says (Text), the result's text (Result), the name of a skill
	// (of a call that UsesSkill) or of a teammate (MayGoOn, TellsMate), or the id of work
	// (EndsBackground). Only the first two have to be parts of the line.
	Text []byte
	// ID is a call's own, the call's of a result, or that of work that Ended. Any bytes.
	ID []byte
	// Name is a tool's as the host calls it, a teammate's, or a skill's. Any bytes.
	Name []byte
	// Input is a call's: a raw object, or a raw string that has the object inside.
	Input []byte
	Does  Does
	// Outcome is what a result has besides its text, raw: for Format.Outcome.
	Outcome []byte
	Failed  bool // of a result
	Denied  bool // of a result: the call was not allowed, so it did not run
	// Ours tells that a Stop hook is one of ours.
	Ours bool
}

type Kind byte

// The kinds.
const (
	Other       Kind = iota // thinking, an image, what is not known
	Text                    // the agent says something
	Call                    // the agent calls a tool
	Result                  // of a call
	Ended                   // work in the background is over
	Mate                    // a teammate writes
	Gone                    // a teammate has left
	SkillText               // the host puts the skill Name before the model
	HookBlock               // a Stop hook has blocked, and is named: Ours or another's
	HookContext             // the same by other means than a block; not Ours: it is not named
	HookWords               // what a Stop hook says to the agent, which names no hook
	Idle                    // a teammate waits for a message
)

// Does is what a call does, if it is one of those that more is made of.
type Does byte

// What calls do.
const (
	NothingSpecial Does = iota
	WritesTodos         // the Input has the whole list, see readList
	MakesTask           // single tasks as Claude Code has them
	ChangesTask
	ReadsTask
	ListsTasks
	UsesSkill      // Text is its name
	MayGoOn        // in the background, behind the turn; its Outcome says whether it does
	EndsBackground // or looks at it: Text is its id
	EndsTeam
	AsksPerson // the turn ends with a question to the user, or a plan to be approved
	WritesFile // the file_path, path or like member of the Input
	BeginsPlan // plan mode
	EndsPlan   // plan mode, if the user agrees: it asks the person
	BeginsTeam
	TellsMate // a teammate, or AllMates, to do something: Text is its name
	SchedulesWake
)

// Tool is what tools of a host do. Text is the member of their input that is a Part's Text, "" for none.
type Tool struct {
	Does  Does
	Text  string
	Names []string
}

// Describe says what a call does, by the tools of its host.
func (p *Part) Describe(tools []Tool) {
	for _, t := range tools {
		if slices.Contains(t.Names, string(p.Name)) {
			p.Does = t.Does
			if t.Text != "" {
				p.Text = codec.InsideQuotes(codec.FindMember(p.Input, t.Text))
			}
		}
	}
}

// Outcome is what the result of a call tells.
type Outcome struct {
	Job     []byte // id of work that goes on in the background
	Mate    []byte // name of a teammate that was spawned
	Refused bool   // the call has failed, though its result does not say so
	Running bool   // of EndsBackground: the work still runs
	Task    []byte // a single task, raw
	TaskID  []byte // of a new task, where its result is only a text
	Subject []byte // of that task; a part of the line
	Tasks   []byte // all single tasks, raw
}

// MaxParts is how many parts of one line are looked at. Hosts write one, rarely a few.
const MaxParts = 256

func (f *Format) parseLine(e *Entry, line []byte, at int64) bool {
	*e = Entry{Line: line, At: at, Parts: e.Parts[:0]}
	return f.Parse != nil && f.Parse(e)
}

// happeningOf is what a line tells about whose turn it is.
func (e *Entry) happeningOf() Happening {
	if e.What != Nothing || e.Filled {
		return e.What
	}
	what := Nothing
	for i := range e.Parts {
		switch p := &e.Parts[i]; {
		case p.Kind == Call:
			return Called
		case p.Kind == Text && !IsBlank(p.Text):
			what = Spoke
		case p.Kind == Result && what == Nothing:
			what = Returned
		}
	}
	return what
}

// placeOf is where a part of the line lies in the log. The part shares the line's array, so
// their capacities tell how far apart they begin; what is no part has no place.
func (e *Entry) placeOf(part []byte) place {
	at := cap(e.Line) - cap(part)
	if part == nil || at < 0 || at+len(part) > len(e.Line) || len(part) > 0 && &e.Line[at] != &part[0] {
		return place{}
	}
	return place{e.At + int64(at), int64(len(part))}
}

// IsBlank tells whether the inside of a string says nothing.
func IsBlank(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case ' ', 'n', 't', 'r':
			if raw[i] != ' ' && (i == 0 || raw[i-1] != '\\') {
				return false
			}
		case '\\':
		default:
			return false
		}
	}
	return true
}

// parseIdentifier is a value that serves as a name, raw or the inside of a string; nil if it is
// something else.
func parseIdentifier(raw []byte, limit int) []byte {
	if s := codec.InsideQuotes(raw); s != nil {
		raw = s
	}
	if !isPlainName(raw, limit) || raw[0] == '{' || raw[0] == '[' {
		return nil
	}
	return raw
}

// objectIn is the object of a call's input: itself, or what a string has inside, which may
// be cut.
func objectIn(input []byte) []byte {
	if len(input) == 0 || input[0] != '"' {
		return input
	}
	if inside := codec.InsideQuotes(input); inside != nil && input[len(input)-1] == '"' {
		return codec.Unescape(nil, inside)
	}
	return codec.Unescape(nil, input[1:])
}

// A log is its own store: what has been said lies in it and stays there, so a
// Log remembers places, not texts, and a text is fetched when a decision needs
// it. That is why a Log is small whatever the session held, why nothing is
// copied or decoded on the way through a gigabyte, and why nothing has to be
// cut before it is known how much of it matters.

// place is where a value lies in the log: offset and length. For a string it is
// what stands between the quotes, still escaped. A pair and not two named
// members, because a Log has many of them and is written at every stop.
type place = [2]int64

// fetchPlace reads what lies at a place, at most limit bytes of it, into buf. Less
// or nothing comes back when the log is not what it was.
func fetchPlace(f io.ReaderAt, p place, limit int64, buf []byte) []byte {
	n := min(p[1], limit, maxLine)
	if p[0] < 0 || n <= 0 {
		return nil
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	got, err := f.ReadAt(buf[:n], p[0])
	if err != nil && err != io.EOF {
		return nil
	}
	return buf[:got]
}

// shortText is what the inside of a JSON string says, on one line, at most limit bytes
// of it.
func shortText(raw []byte, limit int) string {
	return oneLine(codec.ValidText(raw[:min(len(raw), 6*limit+64)]), limit) // an escape is at most six bytes for one
}

// oneLine makes white space one blank and leaves control characters out: what is
// remembered, which package display makes fit when it is shown.
func oneLine(s string, limit int) string {
	return quotation.Head(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
	}), " "), limit)
}

// isPlainName tells whether a value is a name as programs give them: printable ASCII
// that JSON writes as it is. Only such names are remembered themselves.
func isPlainName(raw []byte, limit int) bool {
	if len(raw) == 0 || len(raw) > limit {
		return false
	}
	for _, c := range raw {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// hashFNV1a hashes a name: FNV-1a, 64 bit. By hand, because it is needed once a
// line and hash/fnv would allocate.
func hashFNV1a(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// LeadingName is the name that a text begins with. Some have a colon in them, but not at their end.
func LeadingName(text []byte) []byte {
	rest := bytes.TrimLeftFunc(text, func(r rune) bool {
		return r == '-' || r == '_' || r == ':' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	})
	return bytes.TrimRight(text[:len(text)-len(rest)], ":")
}

// NameAfter is the name that stands behind some words, nil if there is none.
func NameAfter(text []byte, behind string) []byte {
	_, name, found := bytes.Cut(text, []byte(behind))
	if name = LeadingName(name); !found || len(name) == 0 {
		return nil
	}
	return name
}

// TakeNotifications takes what a text tells of work in the background. One without a status is news,
// not an end.
func (e *Entry) TakeNotifications(text []byte) {
	const id = "<task-id>"
	_, text, found := bytes.Cut(text, []byte(id))
	for found {
		var one []byte
		one, text, found = bytes.Cut(text, []byte(id))
		if bytes.Contains(one, []byte("<status>")) && !bytes.Contains(one, []byte("<status>running<")) {
			e.Parts = append(e.Parts, Part{Kind: Ended, ID: LeadingName(one)})
		}
	}
}

// CallIn is a call of a tool, an object with members of these names.
func CallIn(call []byte, id, name, input string) Part {
	p := Part{Kind: Call}
	for w := codec.EnterValue(call, '{'); w.Next(); {
		switch string(w.Key) {
		case id:
			p.ID = codec.InsideQuotes(w.Value())
		case name:
			p.Name = codec.InsideQuotes(w.Value())
		case input:
			p.Input = w.Value()
		}
	}
	return p
}

// ResultIn is the result of a call as Gemini CLI and Qwen Code write it, an object of the member functionResponse.
func ResultIn(result []byte) Part {
	response := codec.FindMember(result, "response")
	p := Part{Kind: Result, ID: codec.InsideQuotes(codec.FindMember(result, "id")), Name: codec.InsideQuotes(codec.FindMember(result, "name")), Text: codec.InsideQuotes(codec.FindMember(response, "output"))}
	if p.Text == nil {
		p.Text = codec.InsideQuotes(codec.FindMember(response, "error"))
		p.Failed = p.Text != nil
	}
	p.Failed = p.Failed || string(p.Name) == "run_shell_command" && hasFailed(p.Text)
	return p
}

// TakeBlocks takes the content blocks of a message as Claude Code and Droid write them: those of Anthropic's interface.
// It tells whether an image or a document is among them.
func (e *Entry) TakeBlocks(w *codec.Walk, describe func(call *Part)) (picture bool) {
	list := w.Enter('[')
	for list.Next() {
		if !list.BeginsWith('{') || len(e.Parts) == MaxParts {
			continue
		}
		e.Parts = append(e.Parts, Part{})
		p := &e.Parts[len(e.Parts)-1]
		var content []byte
		members := list.Enter('{')
		for members.Next() {
			switch string(members.Key) {
			case "type":
				switch string(members.Value()) {
				case `"text"`:
					p.Kind = Text
				case `"image"`, `"document"`:
					picture = true
				case `"tool_use"`:
					p.Kind = Call
				case `"tool_result"`:
					p.Kind = Result
				}
			case "text":
				p.Text = codec.InsideQuotes(members.Value())
			case "id", "tool_use_id":
				p.ID = codec.InsideQuotes(members.Value())
			case "name":
				p.Name = codec.InsideQuotes(members.Value())
			case "input":
				p.Input = members.Value()
			case "content":
				content = members.Value()
			case "is_error":
				p.Failed = string(members.Value()) == "true"
			}
		}
		list.Leave(&members)
		switch p.Kind {
		case Call:
			describe(p)
		case Result:
			p.Text = FirstText(content)
		}
	}
	w.Leave(&list)
	return picture
}

// FirstText is the first text among content blocks, or the content itself where it is a string.
func FirstText(content []byte) (first []byte) {
	if s := codec.InsideQuotes(content); s != nil {
		return s
	}
	codec.Elements(content, func(element []byte) {
		if first == nil {
			first = codec.InsideQuotes(codec.FindMember(element, "text"))
		}
	})
	return first
}

// WithoutTags is a text without the tags that a host puts before a person's words.
func WithoutTags(text []byte, tags ...string) []byte {
	for {
		i := slices.IndexFunc(tags, func(tag string) bool { return bytes.HasPrefix(text, []byte("<"+tag+">")) })
		if i < 0 {
			return text
		}
		_, rest, found := bytes.Cut(text, []byte("</"+tags[i]+">"))
		if !found {
			return text
		}
		for text = rest; bytes.HasPrefix(text, []byte(`\n`)); {
			text = text[len(`\n`):]
		}
	}
}

// hasFailed tells that a command has failed, by the raw text that Gemini CLI and Qwen Code make of its result: a code
// or a signal stands behind what it printed.
func hasFailed(text []byte) bool {
	for _, before := range [...]string{`\nExit Code: `, `\nSignal: `} {
		i := bytes.LastIndex(text, []byte(before))
		if i >= 0 && bytes.IndexAny(text[i+len(before):], "0(") != 0 {
			return true
		}
	}
	return false
}
