// What the last lines of a log say, for the rules of the first design, which
// know no more of a session.

package transcript

import "bytes"

// Window is what the last lines of a session log say.
type Window struct {
	Text     string // newest text of the assistant
	LastTool string // name of the newest tool call
	Todos    []Todo // newest TodoWrite, nil if there is none
	// Said are the assistant's texts since the newest words of a person, and
	// subagents' left out; Raw are the lines that are no JSON objects.
	Said []string
	Raw  []string
	// Background tells that the turn started a shell command in the background.
	Background bool
}

// Tail reads the last n lines of the log at path. The error is the operating
// system's; lines that make no sense are not errors.
func Tail(path string, n int) (Window, error) { return About(path, n, "") }

// About is Tail for who looks for a word: Said has what has it, and nothing else
// is sure to be there. That saves most of the work.
func About(path string, n int, word string) (Window, error) {
	lines, err := tail(path, n)
	if err != nil {
		return Window{}, err
	}
	var w Window
	var said []byte
	var e entry
	for _, line := range lines {
		if len(line) > maxLine {
			continue
		}
		if line[0] != '{' {
			w.Raw = append(w.Raw, string(line))
			continue
		}
		if word != "" && isDull(line, word) || !e.parse(line, 0) {
			continue
		}
		if string(e.kind) == `"user"` && isPrompt(&e) {
			w.Said = nil
		}
		for i := range e.blocks {
			b := &e.blocks[i]
			switch {
			case string(e.kind) == `"user"`:
				if b.kind == says && !e.meta { // a person's words: a new turn
					w.Background = false
				}
			case string(e.kind) != `"assistant"`:
			case b.kind == says:
				if len(b.text) > 0 {
					said = b.text
					w.Said = append(w.Said, words(b.text))
				}
			case b.kind == calls:
				w.LastTool = words(b.name)
				switch w.LastTool {
				case "TodoWrite":
					if todos, ok := readList(member(b.input, "todos")); ok {
						w.Todos = todos
					}
				case "Bash":
					w.Background = w.Background || string(member(b.input, "run_in_background")) == "true"
				}
			}
		}
	}
	w.Text = words(said)
	return w, nil
}

// isDull tells, at a glance, that a line neither says the word nor can be a
// person's.
func isDull(line []byte, word string) bool {
	return !bytes.Contains(line, []byte(word)) && (bytes.Contains(line, []byte(`"tool_use_id"`)) || bytes.Contains(line, []byte(`"type":"assistant"`)))
}
