// Package codec reads and writes JSON without reflection: encoding/json rebuilds tables in each process, and
// a hook lives for two milliseconds.
//
// Walk visits a value without decoding everything. ReadObject and Append decode and encode types that list
// their members. FindFault and ReadStrictly report a person's mistakes with their positions.
package codec

import "bytes"

// Walk visits the members of an object or the elements of an array. After Next, use TakeValue to read the value, Enter
// to walk it, or Next to skip it. Each byte is visited only once. Only structure is checked: a value can be invalid.
type Walk struct {
	line []byte
	i    int    // start of the value, or after the bracket
	Key  []byte // of an object's member, raw, without quotes
	shut byte   // the bracket that ends it
	at   stage
}

type stage byte

const (
	torn   stage = iota // not a complete object or array
	before              // its first value
	onto                // an unread value
	behind              // after a value
	ended
)

// EnterValue begins a walk through the object or array in raw. The walk is empty if raw does not begin with bracket,
// '{' or '['.
func EnterValue(raw []byte, bracket byte) Walk {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != bracket {
		return Walk{}
	}
	return Walk{line: raw, i: i + 1, shut: bracket + 2, at: before} // '{' and '}', '[' and ']' are two apart
}

// Next moves to the next value. It returns false at the end or if the rest is torn.
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

// TakeValue returns the raw value (nil if torn) and moves w past it.
func (w *Walk) TakeValue() []byte {
	end := skipValue(w.line, w.i)
	if end < 0 {
		w.at = torn
		return nil
	}
	v := w.line[w.i:end]
	w.i, w.at = end, behind
	return v
}

func (w *Walk) BeginsWith(first byte) bool { return w.i < len(w.line) && w.line[w.i] == first }

// Enter begins a walk through the current value. End it with Leave. Check BeginsWith first.
func (w *Walk) Enter(bracket byte) Walk { return EnterValue(w.line[w.i:], bracket) }

// Leave ends the walk inner and moves past its value.
func (w *Walk) Leave(inner *Walk) {
	for inner.Next() {
	}
	w.i, w.at = w.i+inner.i, behind
	if inner.at == torn {
		w.at = torn
	}
}

// IsAlone reports whether the value is complete and nothing follows. Next has returned false.
func (w *Walk) IsAlone() bool { return w.at == ended && skipSpace(w.line, w.i) == len(w.line) }

// ObjectAtStart returns the object at the text's beginning (nil if incomplete).
func ObjectAtStart(text []byte) []byte {
	w := EnterValue(text, '{')
	for w.Next() {
	}
	if w.at != ended {
		return nil
	}
	return text[:w.i]
}

// TornText returns a truncated string's available part, still escaped, otherwise nil. TakeValue has returned nil.
func (w *Walk) TornText() []byte {
	if w.at == torn && w.BeginsWith('"') {
		return w.line[w.i+1:]
	}
	return nil
}

// FindMember returns the raw value of the last member with one of these names, or nil.
func FindMember(object []byte, anyOf ...string) (lastFound []byte) {
	w := EnterValue(object, '{')
	for w.Next() {
		for _, name := range anyOf {
			if string(w.Key) == name {
				lastFound = w.TakeValue()
			}
		}
	}
	return lastFound
}

// Elements calls yield for each raw array element. It returns false if not a complete array.
func Elements(array []byte, yield func(element []byte)) bool {
	w := EnterValue(array, '[')
	for w.Next() {
		if v := w.TakeValue(); v != nil {
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

// skipString returns the index after the string at i (-1 if incomplete).
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

// skipValue returns the index after the value at i (-1 if incomplete). Numbers and words that end with b are
// incomplete.
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
	return -1 // a bare word at the end
}
