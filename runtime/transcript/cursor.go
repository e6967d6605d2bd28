// Going through a log line by line, for who wants to know what a stop would have
// found at many places of it: each line changes one Log, so at every line the
// situation is the one that Read would find in a log that ends there, and the
// whole file is read once.

package transcript

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// Happening is what a line tells about whose turn it is.
type Happening byte

// What can happen.
const (
	Nothing     Happening = iota
	Spoke                 // Claude said something, and called no tool in the same line
	Called                // Claude called a tool
	Returned              // a tool's result
	Prompted              // a person's prompt
	Joined                // a person's words that were put in while Claude worked
	Woken                 // background work, or another session, has something to say
	Pushed                // a Stop hook keeps Claude going
	Interrupted           // a person broke in
	Failed                // the API answered with an error
	Rested                // Stop hooks have run, the turn is over
	Driven                // a loop of the host's own begins a turn, and the next one after it
)

// Cursor stands behind a line of a log.
type Cursor struct {
	reader
	Number int // the line's, from 1
	line   []byte
	What   Happening // what the line tells
	known  bool      // the line is one of the format's
	facts  []news    // of the newest lines, a ring; facts[next] is the oldest once it is full
	next   int
}

// EachLine goes through the log at path and calls visit behind every line, with the
// same Cursor, until visit has enough. tail is how many lines Window will be asked
// for at most. The error is the operating system's; lines that make no sense are
// not errors.
func (f *Format) EachLine(path string, tail int, visit func(*Cursor) bool) error {
	opened, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return err
	}
	defer opened.Close()
	from := reader{format: f, file: opened, end: size, Log: Log{Form: form, Format: f.Name}}
	c := &Cursor{reader: from, facts: make([]news, 0, tail)}
	last, err := c.eachLine(func(line []byte, at int64) bool { return c.takeLine(line, at, visit) })
	if err == nil && len(last) > 0 {
		at := c.Log.Offset
		c.Log.Offset += int64(len(last))
		c.takeLine(last, at, visit)
	}
	return err
}

// takeLine goes behind a line, and before that, where the line has a text and calls, behind
// the text: that is where the agent said it, as in a log that has a line for each.
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

// passLine lets the entry change the log; rest tells that it is the rest of a line.
func (c *Cursor) passLine(line []byte, at int64, rest bool) {
	c.What = Nothing
	if c.known && c.Log.takeEntry(c.format, &c.Entry) {
		c.What = c.Entry.happeningOf()
	}
	if cap(c.facts) > 0 {
		c.rememberLine(line, at, c.known, rest)
	}
}

// rememberLine puts a line among those that Window looks at, the rest of one in the place of
// the line. A blank line is none, one that is too long says nothing.
func (c *Cursor) rememberLine(line []byte, at int64, parsed, rest bool) {
	f := news{}
	if line != nil {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		f = parseFacts(&c.Entry, line, parsed)
	}
	f.at = at
	if rest {
		newest := &c.facts[(c.next+len(c.facts)-1)%len(c.facts)]
		f.said = newest.said
		*newest = f
		return
	}
	if len(c.facts) < cap(c.facts) {
		c.facts = append(c.facts, f)
		return
	}
	c.facts[c.next] = f
	c.next = (c.next + 1) % len(c.facts)
}

// WindowOf is what Tail would find at the end of the log if it ended here.
func (c *Cursor) WindowOf(lines int) (w activity.Window) {
	floor := c.Log.Offset - maxTail
	for i := max(0, len(c.facts)-lines); i < len(c.facts); i++ {
		if f := &c.facts[(c.next+i)%len(c.facts)]; floor <= 0 || f.at > floor {
			addToWindow(&w, f)
		}
	}
	return w
}

func (c *Cursor) ViewBehind() View { return c.Log.makeView(c.file, false) }

// LineTime is the line's timestamp in Unix milliseconds, 0 if it has none that can be
// known by here.
func (c *Cursor) LineTime() int64 {
	if t := c.Entry.Time; t != nil {
		return parseMillis(t)
	}
	return parseMillis(codec.InsideQuotes(codec.FindMember(c.line, "timestamp")))
}

// IsOfSession tells whether the line is one of a conversation, and not only about its mode
// or its queue.
func (c *Cursor) IsOfSession() bool {
	e := &c.Entry
	return c.known && (c.What != Nothing || len(e.Parts) > 0 || len(e.ID) > 0 || len(e.Mode) == 0 && len(e.Queued) == 0 && !e.Unqueued)
}

// Blocked tells that the line says of a Stop hook that it has the agent go on.
func (c *Cursor) Blocked() bool {
	return slices.ContainsFunc(c.Entry.Parts, func(p Part) bool { return p.Kind == HookBlock })
}

// LastCall tells what the newest tool call does, and whether its result is there and is
// no error.
func (c *Cursor) LastCall() (does Does, done bool) {
	n := len(c.Log.Recent)
	if n == 0 {
		return NothingSpecial, false
	}
	newest := c.Log.Recent[n-1]
	return newest.Does, newest.Done && !newest.Failed
}

// AgentWords is what Claude says in the line: its texts, as last_assistant_message has
// them.
func (c *Cursor) AgentWords() string {
	var all []byte
	for i := range c.Entry.Parts {
		if p := &c.Entry.Parts[i]; p.Kind == Text && len(p.Text) > 0 {
			if all != nil {
				all = append(all, `\n`...)
			}
			all = append(all, p.Text...)
		}
	}
	return codec.ValidText(all)
}

// PersonWords is what was said to the agent in the line, without what the host put before a
// person's words.
func (c *Cursor) PersonWords() string {
	if IsBlank(c.Entry.Words) {
		return ""
	}
	return codec.ValidText(c.Entry.Words)
}
