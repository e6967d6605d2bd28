// A line of a session log is one JSON object. Most of what it holds does not
// matter to a decision, and a log can be large, hostile or torn, so a line is
// walked once at its top level, without recursion and without decoding what is
// not asked for.

package transcript

import "bytes"

// members calls yield with each top-level member of a JSON object: the key as
// written between its quotes, and the raw value. It returns false when the
// line is not a complete object; members before the fault have been yielded.
// It checks structure only: a value it yields may still not be valid JSON.
func members(line []byte, yield func(key, value []byte)) bool {
	i := skipSpace(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	i = skipSpace(line, i+1)
	if i < len(line) && line[i] == '}' {
		return skipSpace(line, i+1) == len(line)
	}
	for {
		start := i
		if i = skipString(line, i); i < 0 {
			return false
		}
		key := line[start+1 : i-1]
		if i = skipSpace(line, i); i >= len(line) || line[i] != ':' {
			return false
		}
		i = skipSpace(line, i+1)
		start = i
		if i = skipValue(line, i); i < 0 {
			return false
		}
		yield(key, line[start:i])
		if i = skipSpace(line, i); i >= len(line) {
			return false
		}
		switch line[i] {
		case ',':
			i = skipSpace(line, i+1)
		case '}':
			return skipSpace(line, i+1) == len(line)
		default:
			return false
		}
	}
}

// elements calls yield with each element of a JSON array, raw. It returns false
// when the value is not a complete array.
func elements(array []byte, yield func(element []byte)) bool {
	i := skipSpace(array, 0)
	if i >= len(array) || array[i] != '[' {
		return false
	}
	i = skipSpace(array, i+1)
	if i < len(array) && array[i] == ']' {
		return true
	}
	for {
		start := i
		if i = skipValue(array, i); i < 0 {
			return false
		}
		yield(array[start:i])
		if i = skipSpace(array, i); i >= len(array) {
			return false
		}
		switch array[i] {
		case ',':
			i = skipSpace(array, i+1)
		case ']':
			return true
		default:
			return false
		}
	}
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
