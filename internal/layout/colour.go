package layout

import (
	"bytes"
	"crypto/rand"
	"io"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/display"
)

// Colours puts colours into text that goes through display.Writer, which takes every
// escape sequence out of it. Style sets marks around words; Writer makes colours of
// these marks, and of nothing else. A mark holds 144 random bits that are drawn when
// the program starts and never leave it, so no transcript, file or setting can have one.
//
// A nil *Colours styles nothing.
type Colours struct{ mark string }

// A mark is made of variation selectors, behind which one more says which style begins,
// or that it ends. They take no column, are no blanks, and pass display.Line.
const selector = 0xfe00

// NewColours draws the marks of a run of the program.
func NewColours() *Colours {
	random := make([]byte, 48)
	rand.Read(random) // never fails
	mark := []rune{selector}
	for _, b := range random {
		mark = append(mark, selector+rune(b&7))
	}
	return &Colours{string(mark)}
}

// Style marks a text, each word on its own, so that lines can be broken between them.
func (c *Colours) Style(s display.Style, text string) string {
	if c == nil {
		return text
	}
	begin, end := c.mark+string(selector+rune(s)), c.mark+string(rune(selector))
	var b strings.Builder
	inside := false
	for _, r := range text {
		if blank := unicode.IsSpace(r); blank == inside {
			b.WriteString(map[bool]string{true: end, false: begin}[blank])
			inside = !blank
		}
		b.WriteRune(r)
	}
	if inside {
		b.WriteString(end)
	}
	return b.String()
}

// Writer is display.Writer for a terminal that shows colours, or with coloured false for
// one that does not.
func (c *Colours) Writer(w io.Writer, coloured bool) io.Writer {
	if c == nil {
		return display.Writer(w)
	}
	return &painter{to: w, text: display.Writer(w), mark: []byte(c.mark), coloured: coloured}
}

// reset ends every style.
const reset = "\x1b[0m"

// sequences are what a terminal is told at the beginning of a style.
func sequences() map[display.Style]string {
	return map[display.Style]string{
		display.Good: "\x1b[32m", display.Warn: "\x1b[33m", display.Bad: "\x1b[31m", display.Strong: "\x1b[1m", display.Faint: "\x1b[2m",
	}
}

// painter writes text through display's writer, and the colours past it.
type painter struct {
	to, text io.Writer
	mark     []byte
	coloured bool
	open     bool   // a style has begun
	rest     []byte // the beginning of a mark
}

func (p *painter) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	p.rest = nil
	for {
		before, after, found := bytes.Cut(text, p.mark)
		size := len(string(rune(selector)))
		if !found || len(after) < size {
			keep := beginning(text, p.mark)
			if found {
				keep = len(text) - len(before)
			}
			p.rest = bytes.Clone(text[len(text)-keep:])
			return len(b), p.plain(text[:len(text)-keep])
		}
		if err := p.plain(before); err != nil {
			return 0, err
		}
		if err := p.turn(display.Style([]rune(string(after[:size]))[0] - selector)); err != nil {
			return 0, err
		}
		text = after[size:]
	}
}

// turn begins a style, or ends it.
func (p *painter) turn(s display.Style) error {
	sequence := sequences()[s]
	if sequence == "" && !p.open || !p.coloured {
		return nil
	}
	p.open = sequence != ""
	if !p.open {
		sequence = reset
	}
	_, err := io.WriteString(p.to, sequence)
	return err
}

// plain writes text. A style whose end was clipped ends with its line.
func (p *painter) plain(text []byte) error {
	if i := bytes.IndexByte(text, '\n'); i >= 0 && p.open {
		if err := p.plain(text[:i]); err != nil {
			return err
		}
		if err := p.turn(0); err != nil {
			return err
		}
		text = text[i:]
	}
	if len(text) == 0 {
		return nil
	}
	_, err := p.text.Write(text)
	return err
}

// beginning is how many bytes at the end of a text may be the beginning of a mark.
func beginning(text, mark []byte) int {
	for n := min(len(text), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
