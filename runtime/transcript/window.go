// Package transcript reads a session log: what Claude said and did last.
//
// The format is Claude Code's own and may change with any release, so unknown
// lines are passed over and a log that cannot be read is an empty one. Nothing
// in a log is trusted: reads are bounded, lines are data.
package transcript

import (
	"encoding/json"
)

// Window is what the last lines of a session log say.
type Window struct {
	Text     string // newest text of the assistant
	LastTool string // name of the newest tool call
	Todos    []Todo // newest TodoWrite, nil if there is none
	// Background tells that the turn started a shell command in the background.
	Background bool
}

// Todo is one entry of a TodoWrite call.
type Todo struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

// Read reads the last n lines of the log at path. The error is the operating
// system's; lines that make no sense are not errors.
func Read(path string, n int) (Window, error) {
	lines, err := tail(path, n)
	if err != nil {
		return Window{}, err
	}
	var f finds
	for _, line := range lines {
		if len(line) <= maxLine {
			f.add(line)
		}
	}
	return f.decode(), nil
}

// finds are the newest raw values of each kind. Only they are decoded, and only
// at the end: decoding every line would cost more than all the rest of a stop.
type finds struct {
	text, tool []byte
	todos      [][]byte // inputs of TodoWrite, oldest first
	background bool
}

// add takes in one line.
func (f *finds) add(line []byte) {
	var kind, message []byte
	var sidechain, meta bool
	if !members(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind = value
		case "message":
			message = value
		case "isSidechain":
			sidechain = string(value) == "true"
		case "isMeta":
			meta = string(value) == "true"
		}
	}) || sidechain {
		return
	}
	switch string(kind) {
	case `"assistant"`:
		blocks(message, f.addBlock)
	case `"user"`:
		blocks(message, func(b block) {
			if !meta && string(b.kind) == `"text"` { // a person's words: a new turn
				f.background = false
			}
		})
	}
}

func (f *finds) addBlock(b block) {
	switch string(b.kind) {
	case `"text"`:
		if len(b.text) > len(`""`) {
			f.text = b.text
		}
	case `"tool_use"`:
		f.tool = b.name
		switch string(b.name) {
		case `"TodoWrite"`:
			f.todos = append(f.todos, b.input)
		case `"Bash"`:
			members(b.input, func(key, value []byte) {
				if string(key) == "run_in_background" && string(value) == "true" {
					f.background = true
				}
			})
		}
	}
}

// block is one content block of a message, its values raw.
type block struct{ kind, text, name, input []byte }

// blocks yields the content blocks of a message; content that is a bare string
// is one text block.
func blocks(message []byte, yield func(block)) {
	members(message, func(key, content []byte) {
		if string(key) != "content" {
			return
		}
		if content[0] == '"' {
			yield(block{kind: []byte(`"text"`), text: content})
			return
		}
		elements(content, func(element []byte) {
			var b block
			if members(element, func(key, value []byte) {
				switch string(key) {
				case "type":
					b.kind = value
				case "text":
					b.text = value
				case "name":
					b.name = value
				case "input":
					b.input = value
				}
			}) {
				yield(b)
			}
		})
	})
}

// decode makes a window of what was found.
func (f finds) decode() Window {
	w := Window{Background: f.background}
	json.Unmarshal(f.text, &w.Text) // a text that does not decode is none
	json.Unmarshal(f.tool, &w.LastTool)
	for i := len(f.todos) - 1; i >= 0 && w.Todos == nil; i-- {
		var in struct {
			Todos []Todo `json:"todos"`
		}
		if json.Unmarshal(f.todos[i], &in) == nil {
			w.Todos = in.Todos
		}
	}
	return w
}
