// Package todo implements todo-continuation: it reminds the agent of open todos before each
// prompt of the user, and decides nothing at a stop.
//
//   - The list is the session's own, or the one of another tool in .claude/todo_state.json.
//   - The ceiling limits the reminders of an unchanged list.
//   - Each todo becomes one short line that cannot imitate a line of the reminder.
package todo

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

const todoState = ".claude/todo_state.json" // of other tools

const (
	// Claude Code accepts 10,000 characters from a hook.
	maxInProgress = 20   // entries listed
	maxPending    = 5    // entries listed
	maxEntry      = 160  // bytes of an entry
	maxEntries    = 1000 // entries of a file
)

const todoMemory = "todo list"

// The tag and the headings of the reminder are the original's.
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

type Options struct{ Ceiling strategy.Number }

func (o *Options) Members(m *codec.Coder) { o.Ceiling.Member(m) }

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	o.Ceiling.PutOver(below.(*Options).Ceiling, l)
}

func (o *Options) Needs() strategy.Needs {
	return strategy.Needs{Todos: true, Memories: true, Files: func(s strategy.Situation) []strategy.WantedFile {
		if len(s.Todos.List) > 0 {
			return nil
		}
		return []strategy.WantedFile{{Name: todoState}}
	}}
}

func (o *Options) Decide(s strategy.Situation) (reminderOrPass strategy.Verdict) {
	todos, where := s.Todos.List, ""
	if len(todos) == 0 {
		file := s.Workspace.Files[todoState]
		if file.Problem != "" {
			return noReminder("unreadable", todoState+": "+file.Problem)
		}
		if !file.Found {
			return noReminder("none", "there is no todo list")
		}
		var err error
		if todos, err = readTodos(file.Data); err != nil {
			return noReminder("unreadable", todoState+": "+err.Error())
		}
		where = " in " + todoState
	}
	with := func(status string) (all []activity.Todo) {
		for _, t := range todos {
			if t.Status == status {
				all = append(all, t)
			}
		}
		return all
	}
	doing, pending := with("in_progress"), with("pending")
	open := len(doing) + len(pending)
	if open == 0 {
		return noReminder("done", "nothing is open in the todo list"+where)
	}
	evidence := strconv.Itoa(open) + " open todos" + where
	if open == 1 {
		evidence = "1 open todo" + where
	}
	if len(doing) > 0 {
		evidence += ", " + strconv.Itoa(len(doing)) + " in progress"
	}
	list := todoSection("IN PROGRESS", doing, maxInProgress) + todoSection("PENDING", pending, maxPending)
	m, _ := s.Memory(todoMemory)
	if sum := listHash(todos); m.Text != sum {
		m = activity.Memory{Key: todoMemory, Text: sum}
	}
	if m.Continues >= o.Ceiling.Value {
		return noReminder("stale", "reminded "+strconv.Itoa(m.Continues)+" times, and the list is the same: "+evidence)
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

func noReminder(rule, evidence string) strategy.Verdict {
	return strategy.Verdict{Decision: strategy.Pass, Rule: rule, Sure: 100, Evidence: evidence}
}

func todoSection(heading string, todos []activity.Todo, most int) string {
	if len(todos) == 0 {
		return ""
	}
	section := heading + " (" + strconv.Itoa(len(todos)) + " items):\n"
	for _, t := range todos[:min(len(todos), most)] {
		section += "  - " + shortEntry(t.Content)
		if t.Blocked {
			section += " (waits for another)"
		}
		if t.Owner != "" {
			section += " (taken by " + shortEntry(t.Owner) + ")"
		}
		section += "\n"
	}
	if more := len(todos) - most; more > 0 {
		section += "  ... and " + strconv.Itoa(more) + " more\n"
	}
	return section
}

// shortEntry returns a todo on one line, up to maxEntry bytes, or "Unknown task".
func shortEntry(text string) string {
	text = strings.Join(strings.Fields(display.OneLine(text)), " ")
	if strings.Contains(strings.ToLower(text), "system-reminder") { // Claude Code's tag around a hook's text
		text = strings.NewReplacer("<", "(", ">", ")").Replace(text)
	}
	return cmp.Or(quotation.ClipBytes(text, maxEntry), "Unknown task")
}

func listHash(todos []activity.Todo) string {
	var b strings.Builder
	for _, t := range todos {
		b.WriteString(t.Status + "\x00" + t.Content + "\x00")
	}
	return quotation.HashText(b.String())
}

// readTodos parses {"todos": [{"content", "status"}]}, without invalid entries and those beyond maxEntries.
func readTodos(data []byte) ([]activity.Todo, error) {
	members, err := codec.ReadMembers(data)
	if err != nil {
		return nil, err
	}
	var todos []activity.Todo
	entries := 0
	list := codec.Elements(members["todos"], func(raw []byte) {
		entries++
		item, err := codec.ReadMembers(raw)
		if err != nil || entries > maxEntries {
			return
		}
		status, _ := codec.ExactString(item["status"])
		content, _ := codec.ExactString(item["content"])
		todos = append(todos, activity.Todo{Status: status, Content: content})
	})
	if !list && !codec.IsFalseOrNull(members["todos"]) {
		return nil, errors.New("todos is not a list")
	}
	return todos, nil
}
