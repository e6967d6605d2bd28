// Package codec reads and writes JSON without reflection: encoding/json makes its
// tables anew in each process, and a hook lives for two milliseconds.
//
// Walk goes through a value without decoding what is not asked for, ReadObject and Append
// decode and encode types that list their members. FindFault and ReadStrictly are for what a
// person has written: they say what is wrong with it, and where.
package codec

import "bytes"

// Walk goes through the members of one object or the elements of one array. It
// stands on a value after each Next; the value is read with Value, entered with
// Enter, or passed over by the next Next. So a line is gone through once,
// however deep what matters lies in it.
//
// It checks structure only: a value it stands on may still not be valid JSON.
type Walk struct {
	line []byte
	i    int    // where the value begins; at the end, the index behind the bracket
	Key  []byte // of an object's member, as written between its quotes
	shut byte   // the bracket that ends it
	at   stage
}

type stage byte

const (
	torn   stage = iota // not an object or array, or not a complete one
	before              // its first value
	onto                // a value that is not read yet
	behind              // a value
	ended
)

// EnterValue begins a walk through an object or an array, a torn one if there is none.
func EnterValue(raw []byte, bracket byte) Walk {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != bracket {
		return Walk{}
	}
	return Walk{line: raw, i: i + 1, shut: bracket + 2, at: before} // '{' and '}', '[' and ']' are two apart
}

// Next goes to the next value. False: there is none, or what there is is torn.
func (w *Walk) Next() bool {
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
		w.Key = line[start+1 : i-1]
		if i = skipSpace(line, i); i >= len(line) || line[i] != ':' {
			return false
		}
		i = skipSpace(line, i+1)
	}
	w.i, w.at = i, onto
	return true
}

// Value reads the value, raw. It is nil when the value is torn.
func (w *Walk) Value() []byte {
	end := skipValue(w.line, w.i)
	if end < 0 {
		w.at = torn
		return nil
	}
	v := w.line[w.i:end]
	w.i, w.at = end, behind
	return v
}

// BeginsWith tells whether the value begins with a bracket or a quote.
func (w *Walk) BeginsWith(first byte) bool { return w.i < len(w.line) && w.line[w.i] == first }

// Enter begins a walk through the value, which Leave has to end.
func (w *Walk) Enter(bracket byte) Walk { return EnterValue(w.line[w.i:], bracket) }

// Leave goes behind the value, which inner has gone through or begun to.
func (w *Walk) Leave(inner *Walk) {
	for inner.Next() {
	}
	w.i, w.at = w.i+inner.i, behind
	if inner.at == torn {
		w.at = torn
	}
}

// IsAlone tells, when Next has said false, whether all of it was there and nothing else
// stands behind it.
func (w *Walk) IsAlone() bool { return w.at == ended && skipSpace(w.line, w.i) == len(w.line) }

// PassedBytes is what the walk has gone through, nil if it is torn.
func (w *Walk) PassedBytes() []byte {
	if w.at != ended {
		return nil
	}
	return w.line[:w.i]
}

// CutRest is what there is of a string that is cut, nil if it is no string.
func (w *Walk) CutRest() []byte {
	if w.at == torn && w.BeginsWith('"') {
		return w.line[w.i+1:]
	}
	return nil
}

// FindMember is the member of a raw object with one of these names, nil if there is
// none; the last one, if there are several.
func FindMember(object []byte, names ...string) (found []byte) {
	w := EnterValue(object, '{')
	for w.Next() {
		for _, name := range names {
			if string(w.Key) == name {
				found = w.Value()
			}
		}
	}
	return found
}

// Elements calls yield with each element of a JSON array, raw. It returns false
// when the value is not a complete array.
func Elements(array []byte, yield func(element []byte)) bool {
	w := EnterValue(array, '[')
	for w.Next() {
		if v := w.Value(); v != nil {
			yield(v)
		}
	}
	return w.at == ended
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
