// What the last lines of a log say, for the rules of the first design, which
// know no more of a session.

package transcript

import (
	"bytes"
	"cmp"
	"io"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// LinesAbout reads the last n lines of the log at path. The error is the operating
// system's; lines that make no sense are not errors. For who looks for a word, Said has
// what has it, and nothing else is sure to be there. That saves most of the work.
func (f *Format) LinesAbout(path string, n int, word string) (activity.Window, error) {
	lines, err := lastLines(path, n)
	if err != nil {
		return activity.Window{}, err
	}
	var w activity.Window
	var e Entry
	for _, line := range lines {
		if len(line) > maxLine || word != "" && line[0] == '{' && f.Dull != nil && !bytes.Contains(line, []byte(word)) && f.Dull(line) {
			continue
		}
		facts := parseFacts(&e, line, f.parseLine(&e, line, 0))
		addToWindow(&w, &facts)
	}
	return w, nil
}

// news is what one line brings to a window. It keeps nothing of the line.
type news struct {
	at         int64  // where the line begins
	raw        string // the line, if it is no JSON object
	turn       bool   // it is a person's prompt
	person     bool   // words in a user line: nothing of this turn runs yet
	said       []string
	tool       string
	todos      []activity.Todo // nil: none
	background bool
}

// parseFacts takes a line apart that is not blank; parsed tells whether e is about it.
func parseFacts(e *Entry, line []byte, parsed bool) (f news) {
	if line[0] != '{' {
		f.raw = string(line)
	}
	if !parsed {
		return f
	}
	f.turn = e.What == Prompted
	f.person = f.turn || e.Heard
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case Text:
			if len(p.Text) > 0 {
				f.said = append(f.said, codec.ValidText(p.Text))
			}
		case Call:
			f.tool = codec.ValidText(p.Name)
			switch p.Does {
			case WritesTodos:
				if todos, ok := readList(listInInput(p.Input)); ok {
					f.todos = todos
				}
			case MayGoOn:
				f.background = f.background || string(codec.FindMember(objectIn(p.Input), "run_in_background")) == "true"
			}
		}
	}
	return f
}

// addToWindow puts what a line says behind what older ones did.
func addToWindow(w *activity.Window, f *news) {
	if f.raw != "" {
		w.Raw = append(w.Raw, f.raw)
	}
	if f.turn {
		w.Said = nil
	}
	if f.person {
		w.Background = false
	}
	if n := len(f.said); n > 0 {
		w.Said = append(w.Said, f.said...)
		w.Text = f.said[n-1]
	}
	w.LastTool = cmp.Or(f.tool, w.LastTool)
	if f.todos != nil {
		w.Todos = f.todos
	}
	w.Background = w.Background || f.background
}

// The end of a session log, read backwards. A line that is too long to be
// looked at counts as a line.

// maxTail is the most that is read from the end of a log, in bytes.
const maxTail = 4 << 20

// lastLines returns the last n lines of a regular file, oldest first, without
// their line ends. Empty lines do not count. A torn last line counts: Claude
// Code may be writing it. Fewer lines come back when maxTail is reached first.
func lastLines(path string, n int) ([][]byte, error) {
	f, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	var buf []byte // the file from start on
	start := size
	floor := max(0, start-maxTail)
	// One line end more than asked for means that the oldest line asked for is complete.
	// Those of blank lines are left out.
	for start > floor && bytes.Count(buf, []byte{'\n'})-bytes.Count(buf, []byte("\n\n")) <= n {
		// As much as so many lines usually take, then twice as much each time, so that
		// a long line is not copied often.
		more := min(max(chunk, int64(n)<<10, int64(len(buf))), start-floor)
		grown := make([]byte, more+int64(len(buf)))
		if _, err := f.ReadAt(grown[:more], start-more); err != nil && err != io.EOF {
			return nil, err
		}
		copy(grown[more:], buf)
		buf, start = grown, start-more
	}

	whole := start == 0
	var lines [][]byte
	for i, line := range bytes.Split(buf, []byte{'\n'}) {
		if i == 0 && !whole {
			continue // its beginning was not read
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):], nil
}
