// JSON objects that are not ours, member by member.

package codec

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Member is one member of an object: its name and its value begin at Key and At.
type Member struct {
	Name    string
	Value   []byte
	Key, At int
}

// ListMembers lists the members of an object in their order. Of what is no JSON object it
// lists those before the fault.
func ListMembers(data []byte) (all []Member) {
	w := EnterValue(data, '{')
	for w.Next() {
		m := Member{Name: ExactText(w.Key), Value: w.Value()}
		if !IsValid(m.Value) {
			return all
		}
		m.Key, m.At = cap(data)-cap(w.Key)-1, cap(data)-cap(m.Value) // they are parts of data
		all = append(all, m)
	}
	return all
}

// ReadMembers reads one JSON object and nothing behind it.
func ReadMembers(data []byte) (map[string][]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	if fault := FindFault(data); fault != nil {
		line, column := Position(data, fault.At)
		return nil, errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + quotation.PlainName(fault.Says))
	}
	switch kind := KindName(bytes.TrimSpace(data)); kind {
	case "object":
	case "null":
		return nil, errors.New("it is null, not an object")
	default:
		return nil, errors.New("it is one " + kind + ", not an object")
	}
	members := map[string][]byte{}
	w := EnterValue(data, '{')
	for w.Next() {
		members[ExactText(w.Key)] = w.Value()
	}
	return members, nil
}

// IsAbsent tells that a member stands for its default.
func IsAbsent(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == "false"
}

// Position is the line and the column of a byte, both counted from 1.
func Position(data []byte, offset int) (line, column int) {
	before := data[:max(0, min(offset, len(data)))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
}
