// The last lines of a log, for the rules of the first design.

package transcript

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// LastLines reads the last n lines.
func (f File) LastLines(n int) (activity.Window, error) {
	lines, err := lastLines(f.Path, n)
	if err != nil {
		return activity.Window{}, err
	}
	var w activity.Window
	var e Entry
	for _, line := range lines {
		if len(line) <= maxLine {
			facts := factsOfEntry(&e, line, f.parseLine(&e, line, 0))
			addToWindow(&w, &facts)
		}
	}
	return w, nil
}

// news are the facts of one line that a Window needs. They do not reference the line.
type news struct {
	at    int64
	raw   string // the line, if it is no JSON object
	turn  bool   // a person's prompt
	said  []string
	tool  string
	todos []activity.Todo
}

// factsOfEntry returns facts about line, which is not empty. e is parsed from line, and used only if entryOK is set.
func factsOfEntry(e *Entry, line []byte, entryOK bool) (f news) {
	if line[0] != '{' {
		f.raw = string(line)
	}
	if !entryOK {
		return f
	}
	f.turn = e.What == Prompted
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case Text:
			if len(p.Text) > 0 {
				f.said = append(f.said, codec.ValidText(p.Text))
			}
		case Call:
			f.tool = codec.ValidText(p.Name)
			if p.Does == WritesTodos {
				if todos, ok := readList(todosIn(p.Input)); ok {
					f.todos = todos
				}
			}
		}
	}
	return f
}

func addToWindow(w *activity.Window, f *news) {
	if f.raw != "" {
		w.Raw = append(w.Raw, f.raw)
	}
	if f.turn {
		w.Said = nil
	}
	if n := len(f.said); n > 0 {
		w.Said = append(w.Said, f.said...)
		w.Text = f.said[n-1]
	}
	w.LastTool = cmp.Or(f.tool, w.LastTool)
	if f.todos != nil {
		w.Todos = f.todos
	}
}

// maxTail bounds the part read from the end of a log, in bytes.
const maxTail = 4 << 20

// lastLines returns the last n nonblank lines, oldest first, or fewer if they exceed maxTail bytes. The last can be
// incomplete.
func lastLines(path string, n int) (lines [][]byte, err error) {
	end, err := file.ReadEnd(path, 0, maxTail)
	if len(end) == maxTail { // the beginning of a line may be cut off
		_, end, _ = bytes.Cut(end, []byte{'\n'})
	}
	for len(lines) < n && len(end) > 0 {
		i := bytes.LastIndexByte(end, '\n')
		if line := bytes.TrimSpace(end[i+1:]); len(line) > 0 {
			lines = append(lines, line)
		}
		end = end[:max(i, 0)]
	}
	slices.Reverse(lines)
	return lines, err
}
