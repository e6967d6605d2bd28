// A log is its own store: what has been said lies in it and stays there, so a
// Log remembers places, not texts, and a text is fetched when a decision needs
// it. That is why a Log is small whatever the session held, why nothing is
// copied or decoded on the way through a gigabyte, and why nothing has to be
// cut before it is known how much of it matters.

package transcript

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// place is where a value lies in the log: offset and length. For a string it is
// what stands between the quotes, still escaped. A pair and not two named
// members, because a Log has many of them and is written at every stop.
type place [2]int64

// fetch reads what lies at a place, at most limit bytes of it, into buf. Less
// or nothing comes back when the log is not what it was.
func fetch(f io.ReaderAt, p place, limit int64, buf []byte) []byte {
	n := min(p[1], limit, maxLine)
	if p[0] < 0 || n <= 0 {
		return nil
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	got, err := f.ReadAt(buf[:n], p[0])
	if err != nil && err != io.EOF {
		return nil
	}
	return buf[:got]
}

// short is what the inside of a JSON string says, on one line, at most limit bytes
// of it.
func short(raw []byte, limit int) string {
	return oneLine(codec.Text(raw[:min(len(raw), 6*limit+64)]), limit) // an escape is at most six bytes for one
}

// oneLine makes white space one blank and leaves control characters out: what is
// remembered, which package display makes fit when it is shown.
func oneLine(s string, limit int) string {
	return head(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
	}), " "), limit)
}

// head is the first limit bytes of a text, cut between runes.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// tailOf is the last limit bytes of a text, cut between runes.
func tailOf(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	i := len(s) - limit
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// plain tells whether a value is a name as programs give them: printable ASCII
// that JSON writes as it is. Only such names are remembered themselves.
func plain(raw []byte, limit int) bool {
	if len(raw) == 0 || len(raw) > limit {
		return false
	}
	for _, c := range raw {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// fnv1a hashes a name: FNV-1a, 64 bit. By hand, because it is needed once a
// line and hash/fnv would allocate.
func fnv1a(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
