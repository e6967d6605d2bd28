// JSON objects that are not ours, member by member.

package codec

import (
	"bytes"
	"errors"

	"github.com/cameronsjo/springfield/runtime/quotation"
)

// ReadMembers reads one JSON object and nothing behind it.
func ReadMembers(data []byte) (map[string][]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	if fault := FindFault(data); fault != nil {
		return nil, errors.New(quotation.PlainName(fault.InText(data)))
	}
	if KindName(bytes.TrimSpace(data)) != "object" {
		return nil, errors.New("it is not a JSON object")
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
