package display

import (
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer writes to a terminal, or to a file that may be shown on one. What a terminal
// does not show, but for line ends and tabs, is written as its JSON escape, like \u202e:
// in JSON the same value, in other text a mark that something stood there. What is
// not UTF-8 becomes U+FFFD. A character may be spread over several writes.
func Writer(w io.Writer) io.Writer { return &writer{to: w} }

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
		out = appendShown(out, r)
		text = text[size:]
	}
	w.rest = append([]byte(nil), text...)
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func appendShown(out []byte, r rune) []byte {
	switch {
	case Shows(r), r == '\n', r == '\t':
		return utf8.AppendRune(out, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return appendEscape(appendEscape(out, high), low)
	}
	return appendEscape(out, r)
}

func appendEscape(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
