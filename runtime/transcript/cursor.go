// A replay reads a log once, line by line. After every line the situation is the one that ReadNew would
// return for a log that ends there.

package transcript

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// Happening is an event of the conversation. Prompted and Joined begin a turn.
type Happening byte

const (
	Nothing     Happening = iota
	Spoke                 // Claude spoke and called no tool in the same line
	Called                // Claude called a tool
	Returned              // a tool's result
	Prompted              // a person's prompt
	Joined                // a person's words, sent while Claude worked
	Woken                 // a message of background work or of another session
	Pushed                // a Stop hook continued the turn
	Interrupted           // by a person
	Failed                // the API answered with an error
	Rested                // Stop hooks have run, the turn is over
	Driven                // a loop of the host itself began a turn
)

// Cursor is a position after a line of a log.
type Cursor struct {
	reader
	Number int // of the line, from 1
	line   []byte
	What   Happening
	known  bool   // the line is valid in the format
	facts  []news // of the last lines
	tail   int    // the most facts
}

// EachLine calls visit after every line of the log at path, with the same Cursor, until visit returns false.
// tail is the most lines that WindowOf will be asked for. The error is the operating system's; invalid lines
// are no errors.
func (f *Format) EachLine(path string, tail int, visit func(*Cursor) bool) error {
	opened, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return err
	}
	defer opened.Close()
	from := reader{format: f, file: opened, end: size, Log: Log{Form: form, Format: f.Name}}
	c := &Cursor{reader: from, tail: tail}
	last, err := c.eachLine(func(line []byte, at int64) bool { return c.takeLine(line, at, visit) })
	if err == nil && len(last) > 0 {
		at := c.Log.Offset
		c.Log.Offset += int64(len(last))
		c.takeLine(last, at, visit)
	}
	return err
}

// takeLine takes a line. If a whole message has a text and calls, it visits the text alone first, as in logs
// with a line for each.
func (c *Cursor) takeLine(line []byte, at int64, visit func(*Cursor) bool) bool {
	c.Number++
	c.line = line
	c.known = c.format.parseLine(&c.Entry, line, at)
	all := c.Entry.Parts
	texts := slices.IndexFunc(all, func(p Part) bool { return p.Kind == Call })
	apart := texts > 0 && c.known && c.format.Whole && c.Entry.What == Nothing
	if apart {
		c.Entry.Parts = all[:texts]
	}
	c.passLine(line, at, false)
	if !apart || c.What != Spoke {
		c.Entry.Parts = all
		return visit(c)
	}
	if !visit(c) {
		return false
	}
	c.Entry.ID, c.Entry.Parts = nil, all[texts:]
	c.passLine(line, at, true)
	return visit(c)
}

// passLine applies the entry, which may be the rest of a line.
func (c *Cursor) passLine(line []byte, at int64, rest bool) {
	c.What = Nothing
	if c.known && c.Log.takeEntry(c.format, &c.Entry) {
		c.What = c.Entry.happeningOf()
	}
	if c.tail > 0 {
		c.rememberLine(line, at, rest)
	}
}

// rememberLine keeps the facts of a line for WindowOf. The rest of a line joins the facts of its beginning,
// a blank line is ignored, and a too long one has none.
func (c *Cursor) rememberLine(line []byte, at int64, rest bool) {
	f := news{}
	if line != nil {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		f = parseFacts(&c.Entry, line, c.known)
	}
	f.at = at
	if n := len(c.facts) - 1; rest {
		f.said = c.facts[n].said
		c.facts[n] = f
		return
	}
	c.facts = pushBounded(c.facts, f, c.tail)
}

// WindowOf returns the window that LinesAbout would read if the log ended here.
func (c *Cursor) WindowOf(lines int) (w activity.Window) {
	floor := c.Log.Offset - maxTail
	for _, f := range c.facts[max(0, len(c.facts)-lines):] {
		if floor <= 0 || f.at > floor {
			addToWindow(&w, &f)
		}
	}
	return w
}

func (c *Cursor) ViewBehind() View { return c.Log.makeView(c.file, false) }

// LineTime returns the line's timestamp in Unix milliseconds, 0 if it is unknown.
func (c *Cursor) LineTime() int64 {
	if t := c.Entry.Time; t != nil {
		return parseMillis(t)
	}
	return parseMillis(codec.InsideQuotes(codec.FindMember(c.line, "timestamp")))
}

// IsOfSession reports whether the line belongs to a conversation, not only to its mode or its queue.
func (c *Cursor) IsOfSession() bool {
	e := &c.Entry
	state := len(e.Mode) > 0 || len(e.Queued) > 0 || e.Unqueued
	return c.known && (c.What != Nothing || len(e.Parts) > 0 || len(e.ID) > 0 || !state)
}

// Blocked reports whether a named Stop hook has blocked in the line.
func (c *Cursor) Blocked() bool {
	return slices.ContainsFunc(c.Entry.Parts, func(p Part) bool { return p.Kind == HookBlock })
}

// LastCall returns the effect of the last tool call and whether it has a result that is no error.
func (c *Cursor) LastCall() (does Does, done bool) {
	n := len(c.Log.Recent)
	if n == 0 {
		return NothingSpecial, false
	}
	newest := c.Log.Recent[n-1]
	return newest.Does, newest.Done && !newest.Failed
}

// AgentWords returns Claude's texts in the line in the form of last_assistant_message.
func (c *Cursor) AgentWords() string {
	var texts [][]byte
	for i := range c.Entry.Parts {
		if p := &c.Entry.Parts[i]; p.Kind == Text && len(p.Text) > 0 {
			texts = append(texts, p.Text)
		}
	}
	return codec.ValidText(bytes.Join(texts, []byte(`\n`)))
}

// PersonWords returns the words to the agent in the line without the host's additions.
func (c *Cursor) PersonWords() string {
	if IsBlank(c.Entry.Words) {
		return ""
	}
	return codec.ValidText(c.Entry.Words)
}
