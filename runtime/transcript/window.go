// The last lines of a log, for the rules of the first design.

package transcript

import (
	"bytes"
	"cmp"
	"io"

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
			facts := parseFacts(&e, line, f.parseLine(&e, line, 0))
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

func parseFacts(e *Entry, line []byte, parsed bool) (f news) {
	if line[0] != '{' {
		f.raw = string(line)
	}
	if !parsed {
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
				if todos, ok := readList(listInInput(p.Input)); ok {
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

// lastLines returns the last n lines that are not blank, oldest first, or fewer if they exceed maxTail bytes.
// The last line can be incomplete.
func lastLines(path string, n int) ([][]byte, error) {
	f, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var buf []byte // the file from start on
	start := size
	floor := max(0, start-maxTail)
	// With more than n line endings the oldest line is complete.
	for start > floor && bytes.Count(buf, []byte{'\n'})-bytes.Count(buf, []byte("\n\n")) <= n {
		// Double the size each time, so that long lines are not copied often.
		more := min(max(chunk, int64(n)<<10, int64(len(buf))), start-floor)
		grown := make([]byte, more+int64(len(buf)))
		if _, err := f.ReadAt(grown[:more], start-more); err != nil && err != io.EOF {
			return nil, err
		}
		copy(grown[more:], buf)
		buf, start = grown, start-more
	}

	var lines [][]byte
	for i, line := range bytes.Split(buf, []byte{'\n'}) {
		whole := i > 0 || start == 0
		if line = bytes.TrimSpace(line); whole && len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):], nil
}
