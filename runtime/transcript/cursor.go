// A replay reads a log once. After every line the situation is as by ReadNew for a log that ends there.

package transcript

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/file"
)

// Happening is an event of the conversation. Prompted and Joined begin a turn.
type Happening byte

const (
	Nothing Happening = iota
	Spoke             // Claude spoke and called no tool in the same line
	Called
	Returned
	Prompted    // by a person
	Joined      // a person's words, sent while Claude worked
	Woken       // a message from background work or from a different session
	Pushed      // a Stop hook continued the turn
	Interrupted // by a person
	Failed      // the API answered with an error
	Rested      // Stop hooks have run, the turn is over
	Driven      // a loop of the host itself began a turn
)

type Cursor struct {
	reader
	What  Happening
	known bool
	facts []news // of the last lines
	tail  int
}

// EachLine visits each line of the log at path until visit returns false, always with the same Cursor. If f.Whole is
// set, it can visit a line with texts and calls twice. The Entry is valid only during a visit. WindowOf can use
// keepLines lines.
func (f *Format) EachLine(path string, keepLines int, visit func(*Cursor) bool) error {
	opened, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return err
	}
	defer opened.Close()
	c := f.NewCursor()
	c.tail = keepLines
	last, err := c.readOn(opened, size, visit)
	if err == nil && len(last) > 0 {
		at := c.Log.Offset
		c.Log.Offset += int64(len(last))
		c.Number++
		c.takeLine(last, at, visit)
	}
	return err
}

// EachEntryInTail visits each line that Parse accepts in the last mostBytes bytes until visit returns false. What is
// only of the line, At is 0, the Entry is reused. Errors are ignored.
func (f *Format) EachEntryInTail(path string, mostBytes int, visit func(*Entry) bool) {
	end, _ := file.ReadEnd(path, 0, mostBytes)
	var e Entry
	for line := range bytes.Lines(end) {
		if !f.parseLine(&e, bytes.TrimSpace(line), 0) {
			continue
		}
		if e.What = e.happeningOf(); !visit(&e) {
			return
		}
	}
}

func (f *Format) NewCursor() *Cursor {
	return &Cursor{reader: reader{format: f, Log: Log{Form: form, Format: f.Name}}}
}

// ErrRewritten is returned if the log is not the one that was read before.
var ErrRewritten = errors.New("the log has been rewritten")

// ReadOn is like EachLine for growing logs. It visits each complete line since the last visit, in the last maxNew
// bytes. Use a new Cursor on ErrRewritten.
func (c *Cursor) ReadOn(path string, visit func(*Cursor) bool) error {
	opened, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return err
	}
	defer opened.Close()
	if from := size - maxNew; c.Log.Offset < from {
		c.Log = Log{Form: form, Format: c.format.Name, Offset: from, Mark: markBefore(opened, from), Facts: Facts{Skipped: from, Turns: 1}, fresh: true}
	}
	_, err = c.readOn(opened, size, visit)
	return err
}

func (c *Cursor) readOn(opened *os.File, size int64, visit func(*Cursor) bool) (torn []byte, err error) {
	if size < c.Log.Offset || c.Log.Mark != markBefore(opened, c.Log.Offset) {
		return nil, ErrRewritten
	}
	if _, err = opened.Seek(c.Log.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	c.file, c.end = opened, size
	torn, err = c.eachLine(func(line []byte, at int64) bool { return c.takeLine(line, at, visit) })
	c.Log.Mark = markBefore(opened, c.Log.Offset)
	return torn, err
}

// takeLine parses a line and returns onEvery's result. It visits a whole message with texts and calls twice, texts
// first.
func (c *Cursor) takeLine(line []byte, offset int64, onEvery func(*Cursor) bool) bool {
	c.known = c.format.parseLine(&c.Entry, line, offset)
	all := c.Entry.Parts
	texts := slices.IndexFunc(all, func(p Part) bool { return p.Kind == Call })
	apart := texts > 0 && c.known && c.format.Whole && c.Entry.What == Nothing
	if apart {
		c.Entry.Parts = all[:texts]
	}
	c.applyParsed(line, offset, false)
	if !apart || c.What != Spoke {
		c.Entry.Parts = all
		return onEvery(c)
	}
	if !onEvery(c) {
		return false
	}
	c.Entry.ID, c.Entry.Parts = nil, all[texts:]
	c.applyParsed(line, offset, true)
	return onEvery(c)
}

// applyParsed applies c.Entry, already parsed from line, to c.Log, and keeps facts.
func (c *Cursor) applyParsed(line []byte, offset int64, secondVisit bool) {
	c.What = Nothing
	if c.known && c.Log.takeEntry(c.format, &c.Entry) {
		c.What = c.Entry.happeningOf()
	}
	if c.tail > 0 {
		c.rememberFacts(line, offset, secondVisit)
	}
}

// rememberFacts keeps facts about a line for WindowOf. On a line's second visit, they replace the first's, except for
// the texts.
func (c *Cursor) rememberFacts(line []byte, offset int64, secondVisit bool) {
	f := news{}
	if line != nil {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		f = factsOfEntry(&c.Entry, line, c.known)
	}
	f.at = offset
	if n := len(c.facts) - 1; secondVisit {
		f.said = c.facts[n].said
		c.facts[n] = f
		return
	}
	c.facts = append(c.facts[max(0, len(c.facts)+1-c.tail):], f)
}

// WindowOf returns the window that File.LastLines would read if the log ended here (empty for a Cursor from NewCursor).
// most is the number of lines, at most EachLine's keepLines.
func (c *Cursor) WindowOf(most int) (w activity.Window) {
	floor := c.Log.Offset - maxTail
	for _, f := range c.facts[max(0, len(c.facts)-most):] {
		if floor <= 0 || f.at > floor {
			addToWindow(&w, &f)
		}
	}
	return w
}

// ViewAfterLine returns the situation as if the log ended after this line. Call it only during a visit.
func (c *Cursor) ViewAfterLine() View { return c.Log.makeView(c.file, false) }

// IsOfConversation reports whether the line belongs to a conversation, not only to the client's state.
func (c *Cursor) IsOfConversation() bool {
	e := &c.Entry
	state := len(e.Mode) > 0 || len(e.Queued) > 0 || e.Unqueued
	return c.known && (c.What != Nothing || len(e.Parts) > 0 || len(e.ID) > 0 || !state)
}

// AtHookBlock reports whether the line records a named Stop hook's block.
func (c *Cursor) AtHookBlock() bool {
	return slices.ContainsFunc(c.Entry.Parts, func(p Part) bool { return p.Kind == HookBlock })
}

func (c *Cursor) LastCall() (does Does, succeeded bool) {
	n := len(c.Log.Recent)
	if n == 0 {
		return NothingSpecial, false
	}
	newest := c.Log.Recent[n-1]
	return newest.Does, newest.Done && !newest.Failed
}
