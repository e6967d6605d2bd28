// What the last lines of a log say, for the rules of the first design, which
// know no more of a session.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/fact"
)

// About reads the last n lines of the log at path. The error is the operating
// system's; lines that make no sense are not errors. For who looks for a word, Said has
// what has it, and nothing else is sure to be there. That saves most of the work.
func (f *Format) About(path string, n int, word string) (fact.Window, error) {
	lines, err := tail(path, n)
	if err != nil {
		return fact.Window{}, err
	}
	var facts []news
	var e Entry
	for _, line := range lines {
		if len(line) > maxLine || word != "" && line[0] == '{' && f.Dull != nil && !bytes.Contains(line, []byte(word)) && f.Dull(line) {
			continue
		}
		facts = append(facts, factOf(&e, line, f.parse(&e, line, 0)))
	}
	var w fact.Window
	for i := range facts {
		addTo(&w, &facts[i])
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
	todos      []fact.Todo // nil: none
	background bool
}

// factOf takes a line apart that is not blank; parsed tells whether e is about it.
func factOf(e *Entry, line []byte, parsed bool) (f news) {
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
				f.said = append(f.said, codec.Text(p.Text))
			}
		case Call:
			f.tool = codec.Text(p.Name)
			switch p.Does {
			case WritesTodos:
				if todos, ok := readList(listIn(p.Input)); ok {
					f.todos = todos
				}
			case MayGoOn:
				f.background = f.background || string(codec.Member(objectIn(p.Input), "run_in_background")) == "true"
			}
		}
	}
	return f
}

// add puts what a line says behind what older ones did.
func addTo(w *fact.Window, f *news) {
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
	if f.tool != "" {
		w.LastTool = f.tool
	}
	if f.todos != nil {
		w.Todos = f.todos
	}
	w.Background = w.Background || f.background
}
