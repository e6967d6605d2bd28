// Package quotation quotes, cuts and hashes text.
package quotation

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/secret"
)

// QuoteEvidence quotes the first 80 bytes of a text on a single line, with secrets masked.
func QuoteEvidence(s string) string {
	return "“" + ClipBytes(OneLine(secret.Mask(ClipBytes(s, 1000))), 80) + "”"
}

// OneLine returns a text on one line that is safe to show. It does not mask secrets.
func OneLine(s string) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(display.DropInvisible(s)), " "), "")
}

// ClipRunes returns the first n characters of a text, and "…" if there are more.
func ClipRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n--
	}
	return text
}

// Head returns at most maxBytes bytes from the beginning of a text, cut between characters.
func Head(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	return text
}

// Tail returns at most maxBytes bytes from the end of a text, cut between characters.
func Tail(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[len(text)-maxBytes:], "")
	}
	return text
}

// ClipBytes returns Head(text, maxBytes), followed by "…" if the text is cut.
func ClipBytes(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = Head(text, maxBytes) + "…"
	}
	return text
}

// ClipToTail is like Tail, but prepends "…" if the text is cut.
func ClipToTail(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = "…" + Tail(text, maxBytes)
	}
	return text
}

// Hash64 returns the 64-bit FNV-1a hash of b, without the allocation of hash/fnv.
func Hash64(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// HashText returns the hash of a text in base 36.
func HashText(text string) string { return strconv.FormatUint(Hash64([]byte(text)), 36) }

// ShownName returns the first most bytes of a name, and "…" if there are more. "?" replaces unprintable characters and
// those of markup: `, < and >.
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

// LowerASCII converts only ASCII letters to lower case, so that all offsets stay the same.
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
