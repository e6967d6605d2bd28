// Package object reads JSON objects that are not ours, member by member.
package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/excerpt"
)

// Member is one member of an object: behind which byte its name stands, and where its
// value begins.
type Member struct {
	Name    string
	Value   json.RawMessage
	Key, At int64
}

// Members are the members of an object in their order. Of what is no JSON object it
// lists those before the fault.
func Members(data []byte) (all []Member) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil
	}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return all
		}
		m := Member{Name: name, Key: d.InputOffset()}
		if d.Decode(&m.Value) != nil {
			return all
		}
		m.At = d.InputOffset() - int64(len(m.Value))
		all = append(all, m)
	}
	return all
}

// Read reads one JSON object and nothing behind it.
func Read(data []byte) (map[string]json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(data, &members)
	switch e := err.(type) {
	case *json.SyntaxError:
		line, column := Position(data, e.Offset-1)
		return nil, errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + excerpt.PlainName(e.Error()))
	case *json.UnmarshalTypeError:
		return nil, errors.New("it is one " + e.Value + ", not an object")
	}
	if members == nil {
		return nil, errors.New("it is null, not an object")
	}
	return members, err
}

// Absent tells that a member stands for its default.
func Absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == "false"
}

// Position is the line and the column of a byte, both counted from 1.
func Position(data []byte, offset int64) (line, column int) {
	before := data[:max(0, min(int(offset), len(data)))]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
}
