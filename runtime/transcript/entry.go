// A line of a log in terms that all hosts share.

package transcript

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Mark begins the texts of our hooks for an agent whose log does not name the hook.
const Mark = "[springfield] "

// Format is the log format of a host. Any function can be nil.
type Format struct {
	Name string
	// Parse fills an entry in which only Line and At are set. It returns false for torn or irrelevant lines
	// and for lines of subagents. Values must be slices of Line, unless their field allows others.
	Parse func(e *Entry) bool
	// Owns reports whether one of the first lines of a log is of this format.
	Owns func(line []byte) bool
	// EffectOf reads a result. of is NothingSpecial for calls with no effect.
	EffectOf func(of Does, r *Part) Effect
	// Whole is set if each message is a single line. Otherwise texts and calls are on separate lines.
	Whole bool
}

// Entry is a line. Texts are insides of JSON strings, still escaped. Raw values are complete JSON values.
type Entry struct {
	Line []byte
	At   int64 // offset in the log

	ID   []byte // a repetition within 32 lines is skipped
	Time []byte // RFC 3339
	What Happening
	// Words are a person's (Prompted, Joined), or a hook's or background work's (Pushed, Woken).
	Words    []byte
	PromptID []byte // the host's ID of the line's prompt
	Version  []byte // of the host
	// Command is set if the prompt only inspects or stops one of our plugins.
	Command bool
	// Local is set if the prompt is a command that the host runs itself. A model is asked only if the agent's lines follow.
	Local bool
	// Filled is set if the host wrote an agent's line.
	Filled bool
	// Failure is the kind of API error, as the host names it.
	Failure []byte
	// Skill is the host's attribution of an agent's line.
	Skill []byte
	// Todos is the todo list as the host shows it. Tasks are single tasks. Both are raw.
	Todos, Tasks []byte
	Parts        []Part

	// For replay. Mode is plan in plan mode.
	Session, Cwd, Mode []byte
	Fork               bool   // log starts with a copy
	Subagent           bool   // the log is a subagent's
	Role               string // see activity.Team
	Queued             []byte // typed while the agent was working
	Unqueued           bool   // the person took them back
}

type Part struct {
	Kind Kind
	// Text is a text (Text, Result), the name of a skill (UsesSkill) or of a teammate (MayGoOn, TellsMate),
	// or the ID of background work (MayEndJob). A text must be a slice of the line.
	Text []byte
	// ID is for a call, or for work that Ended. It can be any bytes.
	ID []byte
	// Name is for a tool, a teammate or a skill. It can be any bytes.
	Name []byte
	// Input is a raw object, or a raw string that contains the object.
	Input []byte
	Does  Does
	// RawResult is the raw result without the text.
	RawResult []byte
	Failed    bool // of a result
	Denied    bool // the call was not allowed and did not run
	Ours      bool // of a Stop hook
}

type Kind byte

const (
	Other Kind = iota // thinking, an image, anything unknown
	Text
	Call
	Result
	Ended       // background work has ended
	Mate        // a teammate writes
	Gone        // a teammate has left
	SkillText   // the host shows the text of skill Name to the model
	HookBlock   // blocked and named, Ours or not
	HookContext // our Stop hook has continued and not blocked
	HookWords   // words of an unnamed Stop hook to the agent
	Idle        // a teammate waits for a message
)

// Does is the effect of a call.
type Does byte

const (
	NothingSpecial Does = iota
	WritesTodos         // see readList
	MakesTask           // a single task of Claude Code
	ChangesTask
	ReadsTask
	ListsTasks
	UsesSkill // Text is its name
	MayGoOn   // in the background after the turn; Effect.Job decides
	MayEndJob // or inspects it: Text is its ID
	EndsTeam
	AsksPerson // or ends the turn with a plan to approve
	WritesFile // the Input's file_path, path or similar
	BeginsPlan
	EndsPlan // if the user agrees
	BeginsTeam
	TellsMate // gives work to a teammate, or to AllMates: Text is the name
	SchedulesWake
)

// Tool lists tools with the same effect. Text is the member of their input for Part.Text.
type Tool struct {
	Does  Does
	Text  string
	Names []string
}

// Classify sets p.Does by p.Name, and p.Text to the member of p.Input that the tool lists, if any. Input is an object,
// not a string.
func (p *Part) Classify(tools []Tool) {
	for _, t := range tools {
		if slices.Contains(t.Names, string(p.Name)) {
			p.Does = t.Does
			if t.Text != "" {
				p.Text = codec.InsideQuotes(codec.FindMember(p.Input, t.Text))
			}
		}
	}
}

// Effect is the effect of a result.
type Effect struct {
	Job     []byte // ID of work that continues in the background
	Mate    []byte // name, if new teammate
	Refused bool   // the call failed although its result is no error
	Running bool   // of MayEndJob: the work still runs
	Task    []byte // a single task, raw
	Tasks   []byte // all single tasks, raw
}

// MaxParts is the maximum number of parts in a line.
const MaxParts = 256

func (f *Format) parseLine(e *Entry, line []byte, offset int64) (matters bool) {
	*e = Entry{Line: line, At: offset, Parts: e.Parts[:0]}
	return f.Parse != nil && f.Parse(e)
}

func (e *Entry) happeningOf() Happening {
	if e.What != Nothing || e.Filled {
		return e.What
	}
	what := Nothing
	for i := range e.Parts {
		switch p := &e.Parts[i]; {
		case p.Kind == Call:
			return Called
		case p.Kind == Text && !IsBlankJSON(p.Text):
			what = Spoke
		case p.Kind == Result && what == Nothing:
			what = Returned
		}
	}
	return what
}

// LineTime returns the timestamp in Unix milliseconds (0 if unknown).
func (e *Entry) LineTime() int64 {
	if e.Time != nil {
		return timeInMillis(e.Time)
	}
	return timeInMillis(codec.InsideQuotes(codec.FindMember(e.Line, "timestamp")))
}

// AgentWords returns the agent's texts in the line, joined by newlines.
func (e *Entry) AgentWords() string {
	var texts [][]byte
	for i := range e.Parts {
		if p := &e.Parts[i]; p.Kind == Text && len(p.Text) > 0 {
			texts = append(texts, p.Text)
		}
	}
	return codec.ValidText(bytes.Join(texts, []byte(`\n`)))
}

// WordsToAgent returns the decoded words of a person, a hook or background work in the line ("" if blank).
func (e *Entry) WordsToAgent() (byAnyone string) {
	if IsBlankJSON(e.Words) {
		return ""
	}
	return codec.ValidText(e.Words)
}

// placeOf returns part's place in the log (zero if part is no slice of Line).
func (e *Entry) placeOf(part []byte) place {
	at := cap(e.Line) - cap(part)
	if part == nil || at < 0 || at+len(part) > len(e.Line) || len(part) > 0 && &e.Line[at] != &part[0] {
		return place{}
	}
	return place{e.At + int64(at), int64(len(part))}
}

// IsBlankJSON reports whether the inside of a JSON string contains only spaces, \n, \t and \r.
func IsBlankJSON(insideQuotes []byte) bool {
	for ; len(insideQuotes) > 0; insideQuotes = insideQuotes[1:] {
		if len(insideQuotes) > 1 && insideQuotes[0] == '\\' && (insideQuotes[1] == 'n' || insideQuotes[1] == 't' || insideQuotes[1] == 'r') {
			insideQuotes = insideQuotes[1:]
		} else if insideQuotes[0] != ' ' {
			return false
		}
	}
	return true
}

// parseIdentifier returns the plain name in a raw value or inside a string, or nil.
func parseIdentifier(raw []byte, maxBytes int) []byte {
	if s := codec.InsideQuotes(raw); s != nil {
		raw = s
	}
	if !isPlainASCII(raw, maxBytes) || raw[0] == '{' || raw[0] == '[' {
		return nil
	}
	return raw
}

// unquoteObject returns the object in a call's input, which can be truncated. From a string it returns a decoded copy,
// without a place for placeOf.
func unquoteObject(input []byte) []byte {
	if len(input) == 0 || input[0] != '"' {
		return input
	}
	if inside := codec.InsideQuotes(input); inside != nil && input[len(input)-1] == '"' {
		return codec.Unescape(nil, inside)
	}
	return codec.Unescape(nil, input[1:])
}

// place is an offset and a length, without the quotes of a string. A Log contains places instead of text, so
// that it is small, and a gigabyte can be read without copying or decoding anything.
type place = [2]int64

// fetchPlace reads up to most bytes, still escaped, into buf if large enough. They are valid until buf is reused. It
// returns nil on errors and for an empty place.
func fetchPlace(f io.ReaderAt, p place, most int64, buf []byte) []byte {
	n := min(p[1], most, maxLine)
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

func oneLineInside(insideQuotes []byte, maxBytes int) string {
	return oneLine(codec.ValidText(insideQuotes[:min(len(insideQuotes), 6*maxBytes+64)]), maxBytes) // an escape is up to six bytes
}

func oneLine(s string, maxBytes int) string {
	return quotation.Head(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
	}), " "), maxBytes)
}

// isPlainASCII reports whether raw is 1 to limit bytes of printable ASCII, without blanks or characters escaped by Go's
// JSON.
func isPlainASCII(raw []byte, limit int) bool {
	special := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) }
	return len(raw) > 0 && len(raw) <= limit && !bytes.ContainsFunc(raw, special)
}

// LeadingName returns text's leading ASCII letters, digits, hyphens, underscores and colons, without colons at the end.
func LeadingName(text []byte) []byte {
	rest := bytes.TrimLeftFunc(text, func(r rune) bool {
		return r == '-' || r == '_' || r == ':' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	})
	return bytes.TrimRight(text[:len(text)-len(rest)], ":")
}

// NameAfter returns the LeadingName after words, or nil.
func NameAfter(text []byte, words string) []byte {
	_, name, _ := bytes.Cut(text, []byte(words))
	if name = LeadingName(name); len(name) == 0 {
		return nil
	}
	return name
}

// TakeNotifications adds a part for each notification in text about the end of background work. Without a status, the
// work still runs.
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

// CallIn returns the call in a raw object. Callers call Classify to set Does.
func CallIn(call []byte, idKey, nameKey, inputKey string) Part {
	p := Part{Kind: Call}
	ReadMembers(call,
		Member{Name: idKey, Text: &p.ID}, Member{Name: nameKey, Text: &p.Name}, Member{Name: inputKey, Raw: &p.Input})
	return p
}

func GeminiResult(result []byte) Part {
	p := Part{Kind: Result}
	var response, fault []byte
	ReadMembers(result,
		Member{Name: "id", Text: &p.ID}, Member{Name: "name", Text: &p.Name}, Member{Name: "response", Raw: &response})
	ReadMembers(response, Member{Name: "output", Text: &p.Text}, Member{Name: "error", Text: &fault})
	if p.Text == nil {
		p.Text, p.Failed = fault, fault != nil
	}
	p.Failed = p.Failed || string(p.Name) == "run_shell_command" && geminiFailed(p.Text)
	return p
}

// TakeBlocks adds Anthropic API content blocks to Parts, up to MaxParts, and calls describe for each call. picture
// reports an image or document. w's current value is an array.
func (e *Entry) TakeBlocks(w *codec.Walk, describe func(call *Part)) (picture bool) {
	list := w.Enter('[')
	for list.Next() {
		if !list.BeginsWith('{') || len(e.Parts) == MaxParts {
			continue
		}
		e.Parts = append(e.Parts, Part{})
		p := &e.Parts[len(e.Parts)-1]
		var kind, content, failed []byte
		members := list.Enter('{')
		for members.Next() {
			StoreMember(&members, []Member{
				{Name: "type", Raw: &kind}, {Name: "text", Text: &p.Text}, {Name: "id", Text: &p.ID}, {Name: "tool_use_id", Text: &p.ID},
				{Name: "name", Text: &p.Name}, {Name: "input", Raw: &p.Input}, {Name: "content", Raw: &content}, {Name: "is_error", Raw: &failed},
			})
		}
		list.Leave(&members)
		p.Failed = string(failed) == "true"
		switch string(kind) {
		case `"text"`:
			p.Kind = Text
		case `"image"`, `"document"`:
			picture = true
		case `"tool_use"`:
			p.Kind = Call
			describe(p)
		case `"tool_result"`:
			p.Kind, p.Text = Result, FirstText(content)
		}
	}
	w.Leave(&list)
	return picture
}

// FirstText returns the first text in content blocks, or content if a string, still escaped.
func FirstText(content []byte) (escaped []byte) {
	if s := codec.InsideQuotes(content); s != nil {
		return s
	}
	codec.Elements(content, func(element []byte) {
		if escaped == nil {
			escaped = codec.InsideQuotes(codec.FindMember(element, "text"))
		}
	})
	return escaped
}

// TrimLeadingTags removes leading elements with these tags (without brackets). text is the inside of a JSON string,
// still escaped.
func TrimLeadingTags(text []byte, tags ...string) []byte {
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

// geminiFailed reports whether a command's result contains a nonzero exit code or a signal. text is from inside a JSON
// string, still escaped.
func geminiFailed(text []byte) bool {
	for _, before := range [...]string{`\nExit Code: `, `\nSignal: `} {
		i := bytes.LastIndex(text, []byte(before))
		if i >= 0 && bytes.IndexAny(text[i+len(before):], "0(") != 0 {
			return true
		}
	}
	return false
}
