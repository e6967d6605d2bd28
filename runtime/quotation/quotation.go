// Package quotation quotes, cuts and hashes text.
package quotation

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/secret"
)

// QuoteEvidence quotes a text's first 80 bytes on one line, with secrets masked.
func QuoteEvidence(s string) string {
	return "“" + ClipBytes(OneLine(secret.Mask(ClipBytes(s, 1000))), 80) + "”"
}

// OneLine returns a text on one line, safe to show. It does not mask secrets.
func OneLine(s string) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(display.DropInvisible(s)), " "), "")
}

// ClipRunes returns a text's first n characters, and "…" if there are more.
func ClipRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n--
	}
	return text
}

// Head returns at most maxBytes bytes from a text's beginning, cut between characters.
func Head(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	return text
}

// Tail returns at most maxBytes bytes from a text's end, cut between characters.
func Tail(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[len(text)-maxBytes:], "")
	}
	return text
}

// ClipBytes returns Head(text, maxBytes), followed by "…" if cut.
func ClipBytes(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = Head(text, maxBytes) + "…"
	}
	return text
}

// ClipToTail is like Tail, but prepends "…" if cut.
func ClipToTail(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = "…" + Tail(text, maxBytes)
	}
	return text
}

func Hash64(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// HashText returns the hash of a text in base 36.
func HashText(text string) string { return strconv.FormatUint(Hash64([]byte(text)), 36) }

// ShownName returns a name's first most bytes, and "…" if there are more. "?" replaces unprintable characters, `, < and
// >.
func ShownName(name string, most int) string {
	return ClipBytes(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '`' || r == '<' || r == '>' {
			return '?'
		}
		return r
	}, name), most)
}

// PlainName is ShownName for at most 200 bytes.
func PlainName(name string) string { return ShownName(name, 200) }

// LowerASCII lowercases only ASCII letters. Offsets stay the same.
func LowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// ShellWord quotes a text as one word of a POSIX shell.
func ShellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
