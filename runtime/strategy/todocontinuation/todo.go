// Package todocontinuation is todo-continuation: before each prompt of the user, Claude is reminded of what
// is open in its todo list. No Stop hook: it never makes Claude go on, and runs beside
// whatever decides at Stop.
//
// The rules:
//   - the list is the session's own, replayed from its transcript; where it has
//     none, the one that another tool keeps in .claude/todo_state.json;
//   - nothing open, nothing said;
//   - a list that stays as it is has been put aside: after so many reminders
//     (ceiling) it is left alone until it changes;
//   - todos are data. Each is one short line, and no line of theirs begins like
//     one of ours.
package todocontinuation

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// todoState is where tools other than Claude Code keep a list.
const todoState = ".claude/todo_state.json"

const (
	// maxInProgress and maxPending are how many entries a reminder lists, maxEntry
	// how long one is, in bytes. Claude Code takes 10,000 characters from a hook.
	maxInProgress = 20
	maxPending    = 5
	maxEntry      = 160
	// maxEntries bounds what is looked at of a file.
	maxEntries = 1000
)

// todoMemory is the key under which the last reminder is remembered.
const todoMemory = "todo list"

// The reminder. Its tag and its headings are what the original's readers know.
const (
	todoTag  = "[SYSTEM REMINDER - TODO CONTINUATION]"
	todoEnds = `The user's prompt comes first. If it changes the plan, change the list to match.
Otherwise finish what is in progress, then take the pending items in their order.
Mark each item completed as soon as it is done, and leave alone what waits or what another agent has taken.
If something keeps you from an item, say what it is.`
)

var Strategy = strategy.Strategy{
	Name: "todo-continuation", Event: "UserPromptSubmit", Marks: []string{todoState},
	Special: [][2]string{{"ceiling", "has none"}},
	New:     func() strategy.Options { return &Options{strategy.Ceiling(5)} },
}

// Options are how often in a row Claude is reminded of the same list.
type Options struct{ Ceiling strategy.Number }

func (o *Options) Members(m *codec.Members) { o.Ceiling.Member(m) }

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	o.Ceiling.OverlayNumber(below.(*Options).Ceiling, l)
}

// Needs are the list, and what is remembered of reminders.
func (o *Options) Needs() strategy.Needs {
	return strategy.Needs{Todos: true, Memories: true, Files: func(s strategy.Situation) []strategy.Want {
		if len(s.Todos.List) > 0 {
			return nil
		}
		return []strategy.Want{{Name: todoState}}
	}}
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict {
	todos, where := s.Todos.List, ""
	if len(todos) == 0 {
		file := s.Workspace.Files[todoState]
		if file.Problem != "" {
			return passBy("unreadable", todoState+": "+file.Problem)
		}
		if !file.Found {
			return passBy("none", "there is no todo list")
		}
		var err error
		if todos, err = readTodos(file.Data); err != nil {
			return passBy("unreadable", todoState+": "+err.Error())
		}
		where = " in " + todoState
	}
	var doing, pending []activity.Todo
	for _, t := range todos {
		switch t.Status {
		case "in_progress":
			doing = append(doing, t)
		case "pending":
			pending = append(pending, t)
		}
	}
	if len(doing)+len(pending) == 0 {
		return passBy("done", "nothing is open in the todo list"+where)
	}
	evidence := strconv.Itoa(len(doing)+len(pending)) + " open todos" + where
	if len(doing)+len(pending) == 1 {
		evidence = "1 open todo" + where
	}
	if len(doing) > 0 {
		evidence += ", " + strconv.Itoa(len(doing)) + " in progress"
	}
	list := todoSection("IN PROGRESS", doing, maxInProgress) + todoSection("PENDING", pending, maxPending)
	m, _ := s.Memory(todoMemory)
	if sum := listSum(todos); m.Text != sum {
		m = activity.Memory{Key: todoMemory, Text: sum}
	}
	if m.Continues >= o.Ceiling.Value {
		return passBy("stale", "reminded "+strconv.Itoa(m.Continues)+" times, and the list is the same: "+evidence)
	}
	m.Continues++
	m.At = s.Session.Now
	heading := "Your todo list has open items:"
	if where != "" {
		heading = "The todo list" + where + " has open items:"
	}
	return strategy.Verdict{
		Decision: strategy.Remind, Rule: "open", Sure: 100, Evidence: evidence, Remember: m,
		Reason: todoTag + "\n\n" + heading + "\n\n" + list + "\n" + todoEnds,
	}
}

func passBy(rule, evidence string) strategy.Verdict {
	return strategy.Verdict{Decision: strategy.Pass, Rule: rule, Sure: 100, Evidence: evidence}
}

// todoSection is one section of the reminder, "" without todos.
func todoSection(heading string, todos []activity.Todo, most int) string {
	if len(todos) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading + " (" + strconv.Itoa(len(todos)) + " items):\n")
	for i, t := range todos {
		if i == most {
			b.WriteString("  ... and " + strconv.Itoa(len(todos)-most) + " more\n")
			break
		}
		b.WriteString("  - " + shortEntry(t.Content))
		if t.Blocked {
			b.WriteString(" (waits for another)")
		}
		if t.Owner != "" {
			b.WriteString(" (taken by " + shortEntry(t.Owner) + ")")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shortEntry is a text of a todo as one short line that passes for nothing else.
func shortEntry(text string) string {
	text = strings.Join(strings.Fields(display.OneLine(text)), " ")
	if strings.Contains(strings.ToLower(text), "system-reminder") { // the tag that Claude Code puts around what a hook says
		text = strings.NewReplacer("<", "(", ">", ")").Replace(text)
	}
	return cmp.Or(quotation.Beginning(text, maxEntry), "Unknown task")
}

func listSum(todos []activity.Todo) string {
	var b strings.Builder
	for _, t := range todos {
		b.WriteString(t.Status + "\x00" + t.Content + "\x00")
	}
	return quotation.HashText(b.String())
}

// readTodos reads the list that another tool keeps: {"todos": [{"content",
// "status"}]}. What is no entry is passed over.
func readTodos(data []byte) ([]activity.Todo, error) {
	members, err := codec.ReadMembers(data)
	if err != nil {
		return nil, err
	}
	var todos []activity.Todo
	entries := 0
	list := codec.Elements(members["todos"], func(raw []byte) {
		if entries++; entries > maxEntries {
			return
		}
		item, err := codec.ReadMembers(raw)
		if err != nil {
			return
		}
		var t activity.Todo
		// What is no text is none: an entry of no status, an unknown task.
		t.Status, _ = codec.ExactString(item["status"])
		t.Content, _ = codec.ExactString(item["content"])
		todos = append(todos, t)
	})
	if !list && !codec.IsAbsent(members["todos"]) {
		return nil, errors.New("todos is not a list")
	}
	return todos, nil
}
