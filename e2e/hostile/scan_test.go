package hostile

import "errors"

// A reading of JSON that this package does itself: where each value begins and ends, and the bytes between. It knows
// nothing of what numbers or escapes mean, and is told nothing by the code under test.

var errNotJSON = errors.New("not JSON")

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

func scanString(text []byte, i int) (int, error) {
	if i >= len(text) || text[i] != '"' {
		return 0, errNotJSON
	}
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return 0, errNotJSON
}

func scanValue(text []byte, i int) (int, error) {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			end, err := scanString(text, i)
			if err != nil {
				return 0, err
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			if depth == 0 {
				return 0, errNotJSON
			}
			i++
			continue
		default:
			for i < len(text) && text[i] != ',' && text[i] != '}' && text[i] != ']' && text[i] > ' ' && text[i] != ':' {
				i++
			}
		}
		if depth == 0 {
			return i, nil
		}
		if depth < 0 {
			return 0, errNotJSON
		}
	}
	return 0, errNotJSON
}

// entry is one member of an object, with every byte that belongs to it.
type entry struct {
	lead  string // before the key, behind '{' or ','
	key   string // with its quotes
	gap   string // from the key to the value
	value string
	tail  string // behind the value, before ',' or '}'
}

// scanObject reads the members of the object that is all of text, and the bytes inside of one without members.
func scanObject(text string) (entries []entry, empty string, err error) {
	b := []byte(text)
	if len(b) < 2 || b[0] != '{' {
		return nil, "", errNotJSON
	}
	i := skipSpace(b, 1)
	if i < len(b) && b[i] == '}' {
		if i+1 != len(b) {
			return nil, "", errNotJSON
		}
		return nil, text[1:i], nil
	}
	for i = 1; ; i++ {
		var e entry
		start := i
		i = skipSpace(b, i)
		e.lead = text[start:i]
		end, err := scanString(b, i)
		if err != nil {
			return nil, "", err
		}
		e.key = text[i:end]
		i = skipSpace(b, end)
		if i >= len(b) || b[i] != ':' {
			return nil, "", errNotJSON
		}
		i = skipSpace(b, i+1)
		e.gap = text[end:i]
		if end, err = scanValue(b, i); err != nil {
			return nil, "", err
		}
		e.value = text[i:end]
		i = skipSpace(b, end)
		e.tail = text[end:i]
		entries = append(entries, e)
		if i >= len(b) {
			return nil, "", errNotJSON
		}
		if b[i] == '}' {
			if i+1 != len(b) {
				return nil, "", errNotJSON
			}
			return entries, "", nil
		}
		if b[i] != ',' {
			return nil, "", errNotJSON
		}
	}
}

// document is a whole file: what is before the object and behind it, and the object.
func document(text string) (before, object, after string, err error) {
	i := 0
	if len(text) >= 3 && text[:3] == "\xef\xbb\xbf" {
		i = 3
	}
	start := skipSpace([]byte(text), i)
	if start >= len(text) {
		return text, "", "", nil
	}
	end, err := scanValue([]byte(text), start)
	if err != nil {
		return "", "", "", err
	}
	if text[start] != '{' || skipSpace([]byte(text), end) != len(text) {
		return "", "", "", errNotJSON
	}
	return text[:start], text[start:end], text[end:], nil
}
