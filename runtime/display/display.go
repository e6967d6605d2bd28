// Package display makes text safe to show. Text from transcripts, projects, git and the environment can
// contain characters that are invisible or control a terminal.
//
// The ranges defined here are smaller than the tables in package unicode.
package display

import (
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsShown reports whether a terminal just displays r. It is false for line endings and tabs, true for the variation
// selectors U+FE00 to U+FE0F.
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

// IsJoiner reports whether r is a zero-width joiner or non-joiner. Terminals do not read these correctly.
func IsJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// OneLine returns s on one line for a terminal. White space becomes blanks, neither merged nor trimmed. Invisible
// characters are dropped.
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

// GlueBlanks replaces blanks with no-break spaces, to keep a command on one line. UnglueBlanks reverses this.
func GlueBlanks(command string) string { return strings.ReplaceAll(command, " ", "\u00a0") }
func UnglueBlanks(text string) string  { return strings.ReplaceAll(text, "\u00a0", " ") }

// DropInvisible drops invisible and control characters, except newlines, tabs and joiners. U+0085, U+2028 and U+2029
// become blanks.
func DropInvisible(s string) string {
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

// SafeWriter writes to a terminal, or to a file that might be shown on one. It escapes characters that a
// terminal does not show, except line endings and tabs, as in JSON (\u202e). Invalid UTF-8 becomes U+FFFD. A
// character can be split between writes.
type SafeWriter struct {
	To   io.Writer
	rest []byte // of an incomplete character
}

func (w *SafeWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if IsShown(r) || r == '\n' || r == '\t' {
			out = utf8.AppendRune(out, r)
		} else if r > 0xffff {
			high, low := utf16.EncodeRune(r)
			out = appendEscape(appendEscape(out, high), low)
		} else {
			out = appendEscape(out, r)
		}
		text = text[size:]
	}
	w.rest = append([]byte(nil), text...)
	if _, err := w.To.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func appendEscape(out []byte, utf16Unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[utf16Unit>>12&15], digits[utf16Unit>>8&15], digits[utf16Unit>>4&15], digits[utf16Unit&15])
}

// Style is the meaning of a text. It might be printed in color.
type Style byte

const (
	Good Style = iota + 1
	Warn
	Bad
	Strong // a title
)
