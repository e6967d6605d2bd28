// Package display makes text fit to be shown. What the hook and the CLI print comes
// from transcripts, projects, git and the environment, and a terminal obeys or hides
// some characters instead of showing them: control characters, those that turn the
// direction of writing, and those without a shape.
//
// Line and Text take them out of a text. Writer is for all that is printed, so that
// no caller can forget it. By ranges, not by package unicode's tables, which are larger
// than this whole package.
package display

import (
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsShown tells whether a terminal shows a character and does nothing else with it. A
// line end is none of these characters. Variation selectors count as shown: they choose
// between the shapes of the character in front of them.
func IsShown(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case r < 0xa0, r == 0xad, r == 0x34f, r == 0x61c, r == 0x70f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5,
		r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r == 0x3164, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb,
		r >= 0x13430 && r <= 0x1343f, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return false
	}
	return true
}

// IsJoiner tells the two characters without a shape that words are spelled with, in
// Persian and Hindi, and that emoji are put together with. A browser and a model take
// them as they are meant, a terminal does not.
func IsJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// OneLine puts a text on one line for a terminal: white space that is more than a blank
// becomes one, what a terminal does not show is left out.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case IsShown(r):
			return r
		case r >= '\t' && r <= '\r', r == 0x85, r == 0x2028, r == 0x2029:
			return ' '
		}
		return -1
	}, s)
}

// JoinWords makes a command one word, so that no line is broken in it: what is pasted is the whole of it. PartWords makes
// it words again, once lines are broken.
func JoinWords(command string) string { return strings.ReplaceAll(command, " ", "\u00a0") }
func PartWords(text string) string    { return strings.ReplaceAll(text, "\u00a0", " ") }

// PlainText is a text of several lines for a model, or for a program that shows it its own
// way: what would not show is left out, but for line ends, tabs and joiners.
func PlainText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case IsShown(r), r == '\n', r == '\t', IsJoiner(r):
			return r
		case r == 0x85, r == 0x2028, r == 0x2029:
			return ' '
		}
		return -1
	}, s)
}

// SafeWriter writes to a terminal, or to a file that may be shown on one. What a terminal
// does not show, but for line ends and tabs, is written as its JSON escape, like \u202e:
// in JSON the same value, in other text a mark that something stood there. What is
// not UTF-8 becomes U+FFFD. A character may be spread over several writes.
func SafeWriter(w io.Writer) io.Writer { return &writer{to: w} }

type writer struct {
	to   io.Writer
	rest []byte // of a character that is not complete yet
}

func (w *writer) Write(p []byte) (int, error) {
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
	}
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		switch {
		case IsShown(r), r == '\n', r == '\t':
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = appendEscape(appendEscape(out, high), low)
		default:
			out = appendEscape(out, r)
		}
		text = text[size:]
	}
	w.rest = append([]byte(nil), text...)
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func appendEscape(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// Style says what a piece of text means to its reader. Who prints it makes a colour
// of it, or nothing: a text is understood without.
type Style byte

const (
	Good   Style = iota + 1 // it worked; Claude continued
	Warn                    // look at this
	Bad                     // it failed
	Strong                  // a title
)
