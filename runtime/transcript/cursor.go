// Going through a log line by line, for who wants to know what a stop would have
// found at many places of it: each line changes one Log, so at every line the
// situation is the one that Read would find in a log that ends there, and the
// whole file is read once.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/fact"
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
)

// Cursor stands behind a line of a log.
type Cursor struct {
	*reader
	number int
	line   []byte
	what   Happening
	facts  []news // of the newest lines, a ring; facts[next] is the oldest once it is full
	next   int
	said   map[place]string // what newest calls were about and brought, which View tells again and again
}

// Each goes through the log at path and calls visit behind every line, with the
// same Cursor, until visit has enough. tail is how many lines Window will be asked
// for at most. The error is the operating system's; lines that make no sense are
// not errors.
func Each(path string, tail int, visit func(*Cursor) bool) error {
	f, size, err := file.Open(path, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	c := &Cursor{reader: newReader(f, size), facts: make([]news, 0, tail), said: map[place]string{}}
	last, err := c.lines(func(line []byte, at int64) bool {
		c.take(line, at)
		return visit(c)
	})
	if err == nil && len(last) > 0 {
		at := c.log.Offset
		c.log.Offset += int64(len(last))
		c.take(last, at)
		visit(c)
	}
	return err
}

// take goes behind a line.
func (c *Cursor) take(line []byte, at int64) {
	c.number++
	c.line, c.what = line, Nothing
	parsed := c.entry.parse(line, at)
	if parsed && c.log.take(&c.entry) {
		c.what = happening(&c.entry)
	}
	if cap(c.facts) > 0 {
		c.remember(line, at, parsed)
	}
}

// remember puts a line among those that Window looks at. A blank line is none, one
// that is too long says nothing.
func (c *Cursor) remember(line []byte, at int64, parsed bool) {
	f := news{}
	if line != nil {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		f = factOf(&c.entry, line, parsed)
	}
	f.at = at
	if len(c.facts) < cap(c.facts) {
		c.facts = append(c.facts, f)
		return
	}
	c.facts[c.next] = f
	c.next = (c.next + 1) % len(c.facts)
}

// Window is what Tail would find at the end of the log if it ended here.
func (c *Cursor) Window(lines int) (w fact.Window) {
	floor := c.log.Offset - maxTail
	for i := max(0, len(c.facts)-lines); i < len(c.facts); i++ {
		if f := &c.facts[(c.next+i)%len(c.facts)]; floor <= 0 || f.at > floor {
			addTo(&w, f)
		}
	}
	return w
}

// View is the situation behind the line.
func (c *Cursor) View() View { return c.log.view(c, c.said, false) }

// ReadAt reads what has been passed: mostly from what is still held of the file,
// because a decision looks at what was said last.
func (c *Cursor) ReadAt(b []byte, at int64) (int, error) {
	if from := at - c.at; 0 <= from && from+int64(len(b)) <= int64(c.held) {
		return copy(b, c.buf[from:]), nil
	}
	return c.file.ReadAt(b, at)
}

// Number is the line's, from 1.
func (c *Cursor) Number() int { return c.number }

// Offset is where the line ends.
func (c *Cursor) Offset() int64 { return c.log.Offset }

// Happened is what the line tells.
func (c *Cursor) Happened() Happening { return c.what }

// UUID names the line, "" if nothing does.
func (c *Cursor) UUID() string { return string(c.entry.uuid) }

// Time is the line's timestamp in Unix milliseconds, 0 if it has none that can be
// known by here.
func (c *Cursor) Time() int64 {
	if t := c.entry.timestamp; t != nil {
		return milli(t)
	}
	return milli(codec.Inside(codec.Member(c.line, "timestamp")))
}

// Type is what kind of line it is, "" if it does not say so early.
func (c *Cursor) Type() string { return codec.Text(codec.Inside(c.entry.kind)) }

// Text is the string that a member of the line says, "" if it has none.
func (c *Cursor) Text(name string) string {
	return codec.Text(codec.Inside(codec.Member(c.line, name)))
}

// Has tells whether the line has a member of this name.
func (c *Cursor) Has(name string) bool { return codec.Member(c.line, name) != nil }

// LastCall names the newest tool call and says whether its result is there and is
// no error.
func (c *Cursor) LastCall() (name string, done bool) {
	n := len(c.log.Recent)
	if n == 0 {
		return "", false
	}
	newest := c.log.Recent[n-1]
	return newest.Name, newest.Done && !newest.Failed
}

// Said is what Claude says in the line: its texts, as last_assistant_message has
// them.
func (c *Cursor) Said() string {
	var all []byte
	for i := range c.entry.blocks {
		if b := &c.entry.blocks[i]; b.kind == says && len(b.text) > 0 {
			if all != nil {
				all = append(all, `\n`...)
			}
			all = append(all, b.text...)
		}
	}
	return codec.Text(all)
}

// Asks is what was said to Claude in the line, without what Claude Code put before
// a person's words.
func (c *Cursor) Asks() string {
	if a := c.entry.attachment; a != nil {
		if c.what == Pushed {
			return codec.Text(codec.Inside(codec.Member(codec.Member(a, "blockingError"), "blockingError")))
		}
		return codec.Text(firstText(codec.Member(a, "prompt")))
	}
	for i := range c.entry.blocks {
		if b := &c.entry.blocks[i]; b.kind == says {
			if own := ownWords(b.text); !blank(own) && (c.what != Prompted || !isOutput(b.text)) {
				return codec.Text(own)
			}
		}
	}
	return ""
}

// happening tells what a line says about whose turn it is.
func happening(e *entry) Happening {
	switch string(e.kind) {
	case `"assistant"`:
		return spokenOrCalled(e)
	case `"user"`:
		return heardAs(e)
	case `"attachment"`:
		return toldAs(e.attachment)
	case `"system"`:
		switch string(e.subtype) {
		case `"stop_hook_summary"`, `"turn_duration"`:
			return Rested
		}
	}
	return Nothing
}

func spokenOrCalled(e *entry) Happening {
	if e.apiError {
		return Failed
	}
	if string(e.model) == "<synthetic>" {
		return Nothing
	}
	what := Nothing
	for i := range e.blocks {
		switch b := &e.blocks[i]; {
		case b.kind == calls:
			return Called
		case b.kind == says && !blank(b.text):
			what = Spoke
		}
	}
	return what
}

func heardAs(e *entry) Happening {
	if isPrompt(e) {
		return Prompted
	}
	if e.compact {
		return Nothing
	}
	what := Nothing
	for i := range e.blocks {
		switch b := &e.blocks[i]; {
		case b.kind == answers:
			what = Returned
		case b.kind != says:
		case begins(b.text, feedbackText):
			return Pushed
		case begins(b.text, "[Request interrupted by user"):
			return Interrupted
		case isNotification(e.origin, b.text), wakes(b.text):
			return Woken
		case !e.meta && !isPerson(e.origin, e.source) && what == Nothing:
			return Woken
		}
	}
	return what
}

// wakes knows what other sessions and watchers say by its first words.
func wakes(text []byte) bool {
	for _, tag := range [...]string{"<teammate-message", "<agent-message", "<cross-session-message", "<ci-monitor-event>"} {
		if begins(text, tag) {
			return true
		}
	}
	return false
}

func toldAs(a []byte) Happening {
	switch string(codec.Member(a, "type")) {
	case `"hook_blocking_error"`:
		if event := codec.Member(a, "hookEvent"); event == nil || string(event) == `"Stop"` {
			return Pushed
		}
	case `"hook_additional_context"`:
		return Pushed // at a Stop: see matters
	case `"queued_command"`:
		origin, mode, text := codec.Inside(codec.Member(codec.Member(a, "origin"), "kind")), string(codec.Member(a, "commandMode")), firstText(codec.Member(a, "prompt"))
		if isNotification(origin, text) || mode == `"task-notification"` {
			return Woken
		}
		if mode == `"prompt"` && isPerson(origin, nil) && !isOutput(text) {
			return Joined
		}
	}
	return Nothing
}
