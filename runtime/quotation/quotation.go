package quotation

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/secret"
)

// QuoteEvidence makes evidence of a text: on one line, at most 80 bytes of it, and no secret.
// Secrets are masked before it is cut: a part of one is not known by its shape any more.
func QuoteEvidence(s string) string {
	return "“" + Beginning(OneLine(secret.Mask(Beginning(s, 1000))), 80) + "”"
}

// OneLine is a text on one line, fit to be shown.
func OneLine(s string) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(display.PlainText(s)), " "), "")
}

// FirstRunes is the beginning of a text, at most n characters.
func FirstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return strings.TrimSpace(text[:i]) + "…"
		}
		n--
	}
	return text
}

// Head is the first n bytes of a text, cut between characters.
func Head(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "")
	}
	return text
}

// Tail is the last n bytes of a text, cut between characters.
func Tail(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[len(text)-n:], "")
	}
	return text
}

// Beginning is the head of a text, with a mark where there is more.
func Beginning(text string, n int) string {
	if len(text) > n {
		text = Head(text, n) + "…"
	}
	return text
}

// LastBytes is the tail of a text, with a mark where there is more.
func LastBytes(text string, n int) string {
	if len(text) > n {
		text = "…" + Tail(text, n)
	}
	return text
}

// HashText tells texts apart.
func HashText(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 36)
}

// ShownName is a name as texts may hold it: one line, no markup, at most so many bytes.
func ShownName(name string, most int) string {
	return Beginning(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '`' || r == '<' || r == '>' {
			return '?'
		}
		return r
	}, name), most)
}

// PlainName is the same with 200 bytes.
func PlainName(name string) string { return ShownName(name, 200) }

// LowerASCII makes ASCII letters small, and leaves every byte where it is.
func LowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// ShellWord is a text as one word of a POSIX shell, whatever is in it.
func ShellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
