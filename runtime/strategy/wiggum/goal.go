// The format of a loop's file, which people write by hand. An edit keeps every byte of the other fields.
//
//   - The fields are between a first line "---" and another "---"; the goal follows as free text.
//   - A field is `key: value`. A value is a whole number, true or false, a string, or a list in brackets.
//   - "#" begins a comment, at the start of a line or after a blank.

package wiggum

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// File is the path of a loop's file in a workspace.
const File = ".stravinsky/continuation-loop.md"

const maxFields = 200

// DefaultMax is the default of max_iterations.
const DefaultMax = 10

// Goal is the content of a loop's file. Times are Unix milliseconds, 0 if unknown. Timeouts are milliseconds,
// 0 for no limit.
type Goal struct {
	Count            int      // completed turns, 1 if not set
	Max              int      // the loop ends after this many
	Promises         []string // the agent ends the loop by stating one
	Check            string   // the command that has to pass before a promise counts, "" for none
	Active           bool
	Session          string // "" binds the loop to the first session that stops
	ID               string // in the history, "" before the first stop
	Timeout          int64  // of the whole loop
	IterationTimeout int64  // between two stops
	Started          int64
	Stopped          int64 // when the user was told of the stop
	Body             string
}

// ReadLoop parses a loop's file. Errors name the line.
func ReadLoop(data []byte) (Goal, error) {
	front, err := readFront(string(data))
	if err != nil {
		return Goal{}, err
	}
	g := Goal{Count: 1, Max: DefaultMax, Active: true, Body: strings.TrimSpace(front.text[front.after:])}
	for _, f := range front.fields {
		if err := g.takeField(f); err != nil {
			return Goal{}, errorAtLine(f.line, f.key+": "+err.Error())
		}
	}
	return g, nil
}

func (g *Goal) takeField(f field) (err error) {
	switch f.key {
	case "iteration_count":
		g.Count, err = f.parseCount()
	case "max_iterations":
		g.Max, err = f.parseCount()
	case "active":
		word := strings.ToLower(f.joinedValues())
		g.Active = slices.Contains([]string{"true", "yes", "on"}, word)
		if !g.Active && !slices.Contains([]string{"false", "no", "off"}, word) {
			return errors.New("it is true or false")
		}
	case "completion_promise":
		parts := f.values
		if !f.list {
			parts = strings.Split(f.joinedValues(), "|")
		}
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" {
				g.Promises = append(g.Promises, part)
			}
		}
	case "check":
		if g.Check = quotation.OneLine(f.joinedValues()); len(g.Check) > activity.MaxCheck {
			return errors.New("it is longer than " + strconv.Itoa(activity.MaxCheck) + " bytes")
		}
	case "session_id":
		g.Session = f.joinedValues()
	case "loop_id":
		g.ID = f.joinedValues()
	case "timeout":
		g.Timeout, err = f.parseSpan()
	case "iteration_timeout":
		g.IterationTimeout, err = f.parseSpan()
	case "started_at":
		g.Started, _ = timestamp.ParseTime(f.joinedValues())
	case "stopped_at":
		g.Stopped, _ = timestamp.ParseTime(f.joinedValues())
	}
	return err
}

// SetFields returns data, a loop file's content, with fields set. New ones are added after the last. A field is a key
// and a raw value: a number, true, or a QuoteValue result. The value "" removes a field.
func SetFields(data []byte, edits ...[2]string) ([]byte, error) {
	text := string(data)
	for _, set := range edits {
		front, err := readFront(text)
		if err != nil {
			return nil, err
		}
		key, value := set[0], set[1]
		i := slices.IndexFunc(front.fields, func(had field) bool { return had.key == key })
		switch {
		case i < 0 && value == "":
		case i < 0:
			text = text[:front.end] + key + ": " + value + front.newline + text[front.end:]
		case value == "":
			text = text[:front.fields[i].start] + text[front.fields[i].end:]
		default:
			had := front.fields[i]
			text = text[:had.start] + key + ": " + value + had.comment + front.newline + text[had.end:]
		}
	}
	return []byte(text), nil
}

// SetBody returns a loop file's data with the goal's text replaced.
func SetBody(data []byte, body string) ([]byte, error) {
	front, err := readFront(string(data))
	if err != nil {
		return nil, err
	}
	body = strings.ReplaceAll(strings.TrimSpace(body), "\r\n", "\n")
	return []byte(front.text[:front.after] + strings.ReplaceAll("\n"+body+"\n", "\n", front.newline)), nil
}

// QuoteValue returns text double-quoted on one line, with newlines and tabs as \n and \t. Other control characters and
// line separators become spaces.
func QuoteValue(text string) string {
	text = strings.Map(func(r rune) rune {
		isControl := r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0x85
		if isControl || r == utf8.RuneError || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, text)
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// QuoteValues returns texts as a list of quoted strings, or a single text without "|" as one quoted string.
func QuoteValues(texts []string) (quotedOrBracketed string) {
	var all []string
	for _, text := range texts {
		all = append(all, QuoteValue(text))
	}
	if len(texts) == 1 && !strings.Contains(texts[0], "|") {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

type front struct {
	text    string
	newline string
	fields  []field
	end     int // offset of the line that ends the fields
	after   int // offset of the goal's text
}

// field is the line text[start:end].
type field struct {
	key        string
	values     []string
	list       bool
	comment    string // after the value, with the blanks before it
	line       int
	start, end int
}

// joinedValues returns the field's value as text, a list joined by "|".
func (f field) joinedValues() string { return strings.Join(f.values, "|") }

func (f field) parseCount() (int, error) {
	n, err := strconv.Atoi(f.joinedValues())
	if err != nil || f.list || n < 0 || n > 1_000_000_000 {
		return 0, errors.New("it is a whole number, and not below 0")
	}
	return n, nil
}

func (f field) parseSpan() (millis int64, err error) {
	if f.joinedValues() == "" || f.joinedValues() == "0" {
		return 0, nil
	}
	ms, ok := timestamp.ParseSpan(f.joinedValues())
	if !ok {
		return 0, errors.New("it must be a duration, like 30m or 2h")
	}
	return ms, nil
}

func errorAtLine(line int, fault string) error {
	return errors.New("line " + strconv.Itoa(line) + ": " + fault)
}

func readFront(text string) (front, error) {
	f := front{text: text, newline: "\n"}
	first, rest, ok := strings.Cut(text, "\n")
	if strings.TrimSuffix(first, "\r") != "---" || !ok {
		return f, errorAtLine(1, `the first line is not "---"`)
	}
	if first != "---" {
		f.newline = "\r\n"
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return f, errorAtLine(1, "it is not text in UTF-8")
	}
	number := 1
	f.after = len(first) + 1
	for line := range strings.Lines(rest) {
		number++
		f.end = f.after
		f.after += len(line)
		if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line == "---" {
			return f, nil
		}
		if err := f.addLine(line, number); err != nil {
			return f, errorAtLine(number, err.Error())
		}
	}
	return f, errorAtLine(number+1, `no line "---" ends the fields`)
}

// addLine adds the line's field, if any. line has no ending. f.end and f.after are the line's start and end.
func (f *front) addLine(line string, number int) error {
	if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
		return nil
	}
	next, err := readField(line)
	if err != nil {
		return err
	}
	if len(f.fields) == maxFields {
		return errors.New("more than " + strconv.Itoa(maxFields) + " fields")
	}
	if slices.ContainsFunc(f.fields, func(had field) bool { return had.key == next.key }) {
		return errors.New(next.key + " is given twice")
	}
	next.line, next.start, next.end = number, f.end, f.after
	f.fields = append(f.fields, next)
	return nil
}

// readField parses a field. Callers set its line, start and end.
func readField(line string) (f field, err error) {
	key, rest, ok := strings.Cut(line, ":")
	f.key = strings.TrimRight(key, " \t")
	if !ok || f.key == "" || strings.Trim(f.key, "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return f, errors.New("it is not a field: write `key: value`, and a list as [a, b]")
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return f, errors.New("a space is missing after the colon")
	}
	if trimmed := strings.TrimSpace(rest); strings.HasPrefix(trimmed, "[") {
		f.list = true
		f.values, f.comment, err = readList(trimmed)
		return f, err
	}
	value, comment, quoted, err := readValue(rest)
	if err != nil {
		return f, err
	}
	if f.comment = comment; value != "" || quoted {
		f.values = []string{value}
	}
	return f, nil
}

// readValue parses the text following a colon, not a list. value has no quotes. comment includes # and leading blanks.
func readValue(text string) (value, comment string, quoted bool, err error) {
	trimmed := strings.TrimLeft(text, " \t")
	if trimmed == "" {
		return "", "", false, nil
	}
	if trimmed[0] == '"' || trimmed[0] == '\'' {
		value, rest, err := readQuoted(trimmed)
		if err != nil {
			return "", "", true, err
		}
		comment, err = lineComment(rest)
		return value, comment, true, err
	}
	if strings.ContainsRune("[]{}&*!|>%@`", rune(trimmed[0])) {
		return "", "", false, errors.New("a value that begins with " + trimmed[:1] + " needs quotes")
	}
	at := len(trimmed)
	for i := range len(trimmed) {
		if trimmed[i] == '#' && (i == 0 || trimmed[i-1] == ' ' || trimmed[i-1] == '\t') {
			at = i
			break
		}
	}
	value = strings.TrimRight(trimmed[:at], " \t")
	if comment = strings.TrimRight(trimmed[len(value):], " \t"); value == "" {
		comment = " " + comment
	}
	return value, comment, false, nil
}

func lineComment(rest string) (string, error) {
	trimmed := strings.TrimLeft(rest, " \t")
	if trimmed != "" && (trimmed[0] != '#' || len(trimmed) == len(rest)) {
		return "", errors.New("there is more text after the value")
	}
	return strings.TrimRight(rest, " \t"), nil
}

// readQuoted decodes the quoted string at the start of text.
func readQuoted(text string) (value, rest string, err error) {
	var b strings.Builder
	mark := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == mark && mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			b.WriteByte(mark)
			i++
		case c == mark:
			return b.String(), text[i+1:], nil
		case c == '\\' && mark == '"':
			r, _, tail, err := strconv.UnquoteChar(text[i:], '"')
			if err != nil {
				return "", "", errors.New("an unknown escape")
			}
			b.WriteRune(r)
			i = len(text) - len(tail) - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New("the quotes are not closed")
}

// readList parses a list. text starts with the bracket. comment includes # and leading blanks.
func readList(text string) (values []string, comment string, err error) {
	rest := strings.TrimLeft(text[1:], " \t")
	for !strings.HasPrefix(rest, "]") {
		if strings.IndexAny(rest, `"'`) == 0 {
			value, after, err := readQuoted(rest)
			if err != nil {
				return nil, "", err
			}
			values, rest = append(values, value), after
		} else {
			at := strings.IndexAny(rest, ",]")
			if at < 0 {
				return nil, "", errors.New("the list is not closed")
			}
			if value := strings.TrimSpace(rest[:at]); value != "" {
				values = append(values, value)
			}
			rest = rest[at:]
		}
		rest = strings.TrimLeft(rest, " \t")
		if after, ok := strings.CutPrefix(rest, ","); ok {
			rest = strings.TrimLeft(after, " \t")
		} else if rest != "" && rest[0] != ']' {
			return nil, "", errors.New("a comma is missing in the list")
		}
	}
	comment, err = lineComment(rest[1:])
	return values, comment, err
}

func NewLoopID(dir, session string, nowMillis int64) string {
	id := quotation.HashText(dir + "\x00" + session + "\x00" + strconv.FormatInt(nowMillis, 10))
	return id[max(0, len(id)-6):]
}
