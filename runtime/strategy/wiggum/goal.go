// The goal loop's own file: a few fields between two lines "---", then the goal
// in free text. People write it by hand, so the grammar is small and what does not
// fit it is refused with its line; and it is theirs, so an edit changes one field
// and leaves every other byte.
//
//   - "---" begins at the first byte, another "---" ends the fields;
//   - a field is `key: value`; a value is a whole number, true or false, a bare or
//     quoted string, a list in brackets, or a list of lines that begin with "-";
//   - "#" begins a comment, at the start of a line or behind a blank;
//   - lines end with LF or CRLF.

package wiggum

import (
	"errors"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// File is where the goal loop lies in a workspace.
const File = ".stravinsky/continuation-loop.md"

// maxFields is how many fields a file has at most: each is compared with all others.
const maxFields = 200

// MaxCount is how many iterations a loop has that does not say it.
const MaxCount = 10

// Goal is what a loop's file says.
type Goal struct {
	Count    int      // stops so far, counted from 1
	Max      int      // the stop at which the loop ends
	Promises []string // texts, one of which ends it when Claude says it
	Active   bool
	Session  string // the session that it belongs to, "" for the first that stops
	ID       string // of the loop in the history, "" if it has none yet
	// Timeout is how long the loop may last, IterationTimeout how long may pass
	// between two stops; milliseconds, 0: no limit.
	Timeout, IterationTimeout int64
	Started                   int64 // Unix milliseconds, 0 if unknown
	// Stopped is when the user was told that the loop was stopped, 0 for not yet.
	Stopped int64
	Body    string
}

// ReadLoop reads a loop's file. The error names the line.
func ReadLoop(data []byte) (Goal, error) {
	front, err := readFront(string(data))
	if err != nil {
		return Goal{}, err
	}
	g := Goal{Count: 1, Max: MaxCount, Active: true, Body: strings.TrimSpace(front.text[front.after:])}
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
		switch strings.ToLower(f.parseText()) {
		case "true", "yes", "on":
			g.Active = true
		case "false", "no", "off":
			g.Active = false
		default:
			return errors.New("it is true or false")
		}
	case "completion_promise":
		g.Promises = nil
		parts := f.values
		if !f.list {
			parts = strings.Split(f.parseText(), "|")
		}
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" {
				g.Promises = append(g.Promises, part)
			}
		}
	case "session_id":
		g.Session = f.parseText()
	case "loop_id":
		g.ID = f.parseText()
	case "timeout":
		g.Timeout, err = f.parseSpan()
	case "iteration_timeout":
		g.IterationTimeout, err = f.parseSpan()
	case "started_at":
		g.Started, _ = timestamp.ParseTime(f.parseText())
	case "stopped_at":
		g.Stopped, _ = timestamp.ParseTime(f.parseText())
	}
	return err
}

// SetFields puts fields into a loop's file: one that is there is replaced in its
// place, one that is not is added behind the last. Values are as the file has
// them: a number, true, or what QuoteValue makes of a text; "" takes a field out.
func SetFields(data []byte, fields ...[2]string) ([]byte, error) {
	text := string(data)
	for _, set := range fields {
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

// SetBody puts a text in the place of the goal's, and leaves the fields.
func SetBody(data []byte, body string) ([]byte, error) {
	front, err := readFront(string(data))
	if err != nil {
		return nil, err
	}
	body = strings.ReplaceAll(strings.TrimSpace(body), "\r\n", "\n")
	return []byte(front.text[:front.after] + strings.ReplaceAll("\n"+body+"\n", "\n", front.newline)), nil
}

// QuoteValue writes a text as a value: in double quotes, on one line. It leaves out what
// the file cannot hold, not what a terminal does not show: the text stays the user's.
func QuoteValue(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f || r == utf8.RuneError || r == 0x2028 || r == 0x2029 || r == 0x85:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// QuoteList writes texts as a value: a list, or a text alone.
func QuoteList(texts []string) string {
	if len(texts) == 1 && !strings.Contains(texts[0], "|") {
		return QuoteValue(texts[0])
	}
	var all []string
	for _, text := range texts {
		all = append(all, QuoteValue(text))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// front is a file with fields before its text.
type front struct {
	text    string
	newline string
	fields  []field
	end     int // where the line that ends the fields begins
	after   int // where the text begins
}

// field is one field. Its lines are text[start:end].
type field struct {
	key        string
	values     []string
	list       bool
	comment    string // behind the value, with the blanks before it
	line       int
	start, end int
}

func (f field) parseText() string { return strings.Join(f.values, "|") }

func (f field) parseCount() (int, error) {
	n, err := strconv.Atoi(f.parseText())
	if err != nil || f.list || n < 0 || n > 1_000_000_000 {
		return 0, errors.New("it is a whole number, and not below 0")
	}
	return n, nil
}

func (f field) parseSpan() (int64, error) {
	if f.parseText() == "" || f.parseText() == "0" {
		return 0, nil
	}
	ms, ok := timestamp.ParseSpan(f.parseText())
	if !ok {
		return 0, errors.New("it must be a duration, like 30m or 2h")
	}
	return ms, nil
}

func errorAtLine(line int, says string) error {
	return errors.New("line " + strconv.Itoa(line) + ": " + says)
}

func readFront(text string) (front, error) {
	f := front{text: text, newline: "\n"}
	first, rest, ok := cutLine(text)
	if first != "---" || !ok {
		return f, errorAtLine(1, `the first line is not "---"`)
	}
	if strings.HasSuffix(text[:len(text)-len(rest)], "\r\n") {
		f.newline = "\r\n"
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return f, errorAtLine(1, "it is not text in UTF-8")
	}
	for number := 2; ; number++ {
		at := len(text) - len(rest)
		if rest == "" {
			return f, errorAtLine(number, `no line "---" ends the fields`)
		}
		var line string
		line, rest, _ = cutLine(rest)
		end := len(text) - len(rest)
		trimmed := strings.TrimSpace(line)
		switch {
		case line == "---":
			f.end, f.after = at, end
			return f, nil
		case trimmed == "" || trimmed[0] == '#':
			continue
		case strings.HasPrefix(trimmed, "-"):
			last := len(f.fields) - 1
			item := trimmed[1:]
			if last < 0 || !f.fields[last].list && len(f.fields[last].values) > 0 || item != "" && item[0] != ' ' && item[0] != '\t' {
				return f, errorAtLine(number, "a list item belongs to no field")
			}
			value, _, _, err := readValue(item)
			if err != nil {
				return f, errorAtLine(number, err.Error())
			}
			f.fields[last].list = true
			f.fields[last].values = append(f.fields[last].values, value)
			f.fields[last].end = end
			continue
		}
		next, err := readField(line)
		if err != nil {
			return f, errorAtLine(number, err.Error())
		}
		if len(f.fields) == maxFields {
			return f, errorAtLine(number, "more than "+strconv.Itoa(maxFields)+" fields")
		}
		if slices.ContainsFunc(f.fields, func(had field) bool { return had.key == next.key }) {
			return f, errorAtLine(number, next.key+" is given twice")
		}
		next.line, next.start, next.end = number, at, end
		f.fields = append(f.fields, next)
	}
}

// cutLine cuts the first line off, without its end. Not ok: it has none.
func cutLine(text string) (line, rest string, ok bool) {
	line, rest, ok = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest, ok
}

func readField(line string) (f field, err error) {
	key, rest, ok := strings.Cut(line, ":")
	f.key = strings.TrimRight(key, " \t")
	if !ok || f.key == "" || strings.Trim(f.key, "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return f, errors.New("it is not a field: write `key: value`")
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return f, errors.New("a space is missing after the colon")
	}
	trimmed := strings.TrimSpace(rest)
	if strings.HasPrefix(trimmed, "[") {
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
		comment, err = readComment(rest)
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

// readComment is what may stand behind a value: blanks, and a comment behind
// them.
func readComment(rest string) (string, error) {
	trimmed := strings.TrimLeft(rest, " \t")
	if trimmed != "" && (trimmed[0] != '#' || len(trimmed) == len(rest)) {
		return "", errors.New("there is more text after the value")
	}
	return strings.TrimRight(rest, " \t"), nil
}

// readQuoted reads a string in quotes. In double ones a backslash escapes, in
// single ones two stand for one.
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

func readList(text string) (values []string, comment string, err error) {
	rest := strings.TrimLeft(text[1:], " \t")
	for {
		switch {
		case rest == "":
			return nil, "", errors.New("the list is not closed")
		case rest[0] == ']':
			comment, err = readComment(rest[1:])
			return values, comment, err
		case rest[0] == '"' || rest[0] == '\'':
			var value string
			if value, rest, err = readQuoted(rest); err != nil {
				return nil, "", err
			}
			values = append(values, value)
		default:
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
		if rest != "" && rest[0] == ',' {
			rest = strings.TrimLeft(rest[1:], " \t")
		} else if rest != "" && rest[0] != ']' {
			return nil, "", errors.New("a comma is missing in the list")
		}
	}
}

// LoopFile is how much of a loop's file the history keeps.
func LoopFile(data []byte) string { return quotation.Beginning(string(data), goalFile) }

func NewLoopID(dir, session string, now int64) string {
	h := fnv.New64a()
	h.Write([]byte(dir + "\x00" + session + "\x00" + strconv.FormatInt(now, 10)))
	id := strconv.FormatUint(h.Sum64(), 36)
	return id[max(0, len(id)-6):]
}
