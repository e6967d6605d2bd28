// A line of a session log is one JSON object. Most of what it holds does not
// matter to a decision, and a log can be large, hostile or torn, so a line is
// walked once at its top level, without recursion and without decoding what is
// not asked for.

package transcript

import "bytes"

// walk goes through the members of one object or the elements of one array. It
// stands on a value after each next; the value is read with value, entered with
// enter, or passed over by the next next. So a line is gone through once,
// however deep what matters lies in it.
//
// It checks structure only: a value it stands on may still not be valid JSON.
type walk struct {
	line []byte
	i    int    // where the value begins; at the end, the index behind the bracket
	key  []byte // of an object's member, as written between its quotes
	shut byte   // the bracket that ends it
	at   stage
}

type stage byte

const (
	torn   stage = iota // not an object or array, or not a complete one
	before              // its first value
	onto                // a value that nobody has read
	behind              // a value
	ended
)

// enterAt begins a walk at the bracket that stands at i, a torn one if none does.
func enterAt(line []byte, i int, bracket byte) walk {
	i = skipSpace(line, i)
	if i >= len(line) || line[i] != bracket {
		return walk{}
	}
	return walk{line: line, i: i + 1, shut: bracket + 2, at: before} // '{' and '}', '[' and ']' are two apart
}

// next goes to the next value. False: there is none, or what there is is torn.
func (w *walk) next() bool {
	line, i := w.line, w.i
	switch w.at {
	case torn, ended:
		return false
	case before:
		if i = skipSpace(line, i); i < len(line) && line[i] == w.shut {
			w.i, w.at = i+1, ended
			return false
		}
	default:
		if w.at == onto {
			if i = skipValue(line, i); i < 0 {
				w.at = torn
				return false
			}
		}
		if i = skipSpace(line, i); i >= len(line) || line[i] != ',' {
			if i < len(line) && line[i] == w.shut {
				w.i, w.at = i+1, ended
			} else {
				w.at = torn
			}
			return false
		}
		i = skipSpace(line, i+1)
	}
	w.at = torn // until the value is found
	if w.shut == '}' {
		start := i
		if i = skipString(line, i); i < 0 {
			return false
		}
		w.key = line[start+1 : i-1]
		if i = skipSpace(line, i); i >= len(line) || line[i] != ':' {
			return false
		}
		i = skipSpace(line, i+1)
	}
	w.i, w.at = i, onto
	return true
}

// value reads the value, raw. It is nil when the value is torn.
func (w *walk) value() []byte {
	end := skipValue(w.line, w.i)
	if end < 0 {
		w.at = torn
		return nil
	}
	v := w.line[w.i:end]
	w.i, w.at = end, behind
	return v
}

// is tells whether the value begins with a bracket or a quote.
func (w *walk) is(first byte) bool { return w.i < len(w.line) && w.line[w.i] == first }

// enter begins a walk through the value, which leave has to end.
func (w *walk) enter(bracket byte) walk { return enterAt(w.line, w.i, bracket) }

// leave goes behind the value, which inner has gone through or begun to.
func (w *walk) leave(inner *walk) {
	for inner.next() {
	}
	w.i, w.at = inner.i, behind
	if inner.at == torn {
		w.at = torn
	}
}

// whole tells, when next has said false, whether all of it was there.
func (w *walk) whole() bool { return w.at == ended }

// elements calls yield with each element of a JSON array, raw. It returns false
// when the value is not a complete array.
func elements(array []byte, yield func(element []byte)) bool {
	w := enterAt(array, 0, '[')
	for w.next() {
		if v := w.value(); v != nil {
			yield(v)
		}
	}
	return w.whole()
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the index after the string that starts at i, or -1. It
// jumps from quote to quote, which is where its speed comes from.
func skipString(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	i++
	for {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return -1
		}
		i += q
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
		i++
	}
}

// skipValue returns the index after the value that starts at i, or -1.
// Brackets are counted, not matched by kind: a decoder sees to that where the
// value is used.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	case ',', ':', '}', ']':
		return -1
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		}
		i++
	}
	return -1 // a bare word at the end: the object is torn
}
