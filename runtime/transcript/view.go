// The situation: what a Log knows, and the texts it knows the places of.

package transcript

import (
	"io"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

const (
	maxText   = 64 << 10 // bytes of the newest text, from its end
	maxPrompt = 400      // bytes of the prompt's beginning, and of its end
	maxTodo   = 160      // bytes of a todo's content
	maxShort  = 120      // bytes of what a call was about, or what came back
	maxInput  = 4 << 10  // bytes of a call's input that are looked at
)

// View is the situation of a session as of the end of its log. Subagents' lines
// count nowhere in it.
type View struct {
	// Text is the newest text of the assistant, its last 64 KiB.
	Text string
	// Spoken tells that it was said since the newest prompt.
	Spoken bool
	// Prompt is the uuid of the newest prompt of a person, "" if there is none
	// or it has none.
	Prompt string
	// PromptID is the host's own id of it, the event's prompt_id, "" where
	// the log does not say.
	PromptID string
	// Opening is the line that opened the prompt at hand.
	Opening Opening
	// Heard is what else a person seems to have said since their own last prompt, the newest last.
	Heard []Words
	// Rewritten reports whether the log is not the one that was read before.
	Rewritten bool
	Facts
	// PromptText is how it begins: its first 400 bytes; PromptEnd is how it ends, its last 400.
	PromptText, PromptEnd string
	// Calls are the newest tool calls since the newest prompt, oldest first, at
	// most eight; CallsInTurn is how many there were.
	Calls       []activity.Call
	CallsInTurn int
	// LastTool names the newest tool call of the session, also if it was before
	// the newest prompt.
	LastTool string
	// Todos is the todo list, replayed over the session: at most 60 items, open
	// ones preferred. TodosTurns says how many prompts ago it last changed, and means
	// something while there is a list.
	Todos      []activity.Todo
	TodosTurns int
	// Plans are the plan files that were named, the newest first, at most eight.
	Plans []activity.Plan
	// Skill is the newest skill at work.
	Skill activity.Skill
	// Asked is the tool that asks the person, AskUserQuestion for instance, when that is
	// what the turn ended with: the newest call, with no good result or with nothing said after it.
	Asked string
	// Team is the team that the session is in.
	Team activity.Team
	// Started is background work that this turn began and that has not been seen
	// end, at most 16.
	Started []Task
	// Earlier are the ids of background work that earlier turns began and had not
	// seen end, the newest 16.
	Earlier []string
	// Feedback is how often Stop hooks have kept Claude going.
	Feedback Feedback
}

// Opening is the first line of the prompt at hand: of the one that the host names, or else of the
// newest of a person.
type Opening struct {
	ID    string
	Found bool // the log has it
	Own   bool // a person typed it, and it is no command of ours
	Words Words
	At    int64 // Unix milliseconds, 0 if that is not known
}

// Words are as much of a prompt as is read: its first 400 bytes, and its last 400. Of a short one
// both are the whole.
type Words struct{ Begin, End string }

// Task is work in the background. Its ID is "" until it is told.
type Task struct{ ID, What string }

// Feedback is how often Stop hooks have kept Claude going.
type Feedback struct {
	Ours   []int64 // our own continues within an hour of the newest, at most 240, oldest first, in Unix milliseconds
	All    int     // all of our own
	InOwn  int     // our own since the newest prompt that is the user's own, see View.Opening
	InTurn int     // our own since the newest prompt
	Others int     // those of other hooks since the newest prompt
}

// makeView makes the situation; brief leaves out what calls were about and what came back.
func (l *Log) makeView(f io.ReaderAt, brief bool) View {
	buf, hooks := make([]byte, maxInput), &l.Feedback
	about := func(p place) string { return aboutCall(fetchPlace(f, p, maxInput, buf)) }
	text := codec.ValidText(fetchPlace(f, l.Text, maxLine, buf))
	v := View{
		Text:   quotation.Tail(text, maxText),
		Spoken: l.Text[1] > 0 && l.Text[0] > l.Asks[0],
		Prompt: l.Prompt, PromptID: l.PromptID, Facts: l.Facts,
		CallsInTurn: l.Calls - l.Before,
		TodosTurns:  l.Turns - l.Todos.When.Turn,
		Feedback: Feedback{
			Ours:   slices.Clone(hooks.Ours),
			All:    hooks.All,
			InOwn:  hooks.Own,
			InTurn: hooks.Mine,
			Others: max(hooks.Theirs, hooks.Lines-hooks.Blocks) + max(0, hooks.Contexts-(hooks.Mine-hooks.Blocks)),
		},
		Team: l.teamOfView(),
	}
	prompt := wordsAt(f, l.Asks, buf)
	v.PromptText, v.PromptEnd = prompt.Begin, prompt.End
	v.Opening = Opening{ID: l.Opening.ID, Found: l.Opening.Found, Own: l.Opening.Own, Words: wordsAt(f, l.Opening.Words, buf), At: l.Opening.At}
	for i := 0; i+1 < len(l.Heard); i += 2 {
		v.Heard = append(v.Heard, wordsAt(f, place{l.Heard[i], l.Heard[i+1]}, buf))
	}
	if l.Skill.Name != "" {
		v.Skill = activity.Skill{Name: l.Skill.Name, From: l.Skill.From.String(), Turns: l.Turns - l.Skill.Turn}
	}

	for _, n := range slices.Backward(l.Plans) {
		if name := withSlash(codec.ValidText(fetchPlace(f, n.At, maxPath, buf))); name != "" {
			v.Plans = append(v.Plans, activity.Plan{Name: name, Turns: l.Turns - n.Turn, Written: n.Wrote == l.Turns+1})
		}
	}
	for _, p := range l.Recent[max(0, len(l.Recent)-max(0, v.CallsInTurn)):] {
		call := activity.Call{
			Name:   p.Name,
			Error:  p.Failed,
			Denied: p.Denied,
			Done:   p.Done,
			Writes: p.mayWrite(),
			Open:   p.Open,
		}
		if !brief {
			call.Input, call.Result = about(p.Input), outcomeOf(fetchPlace(f, p.Result, 6*maxShort+64, buf))
			call.Seen, call.Command = hashFailure(f, p, buf), commandOf(f, p, buf)
		}
		v.Calls = append(v.Calls, call)
	}
	if n := len(l.Recent); n > 0 {
		newest := &l.Recent[n-1]
		v.LastTool = newest.Name
		if (newest.Does == AsksPerson || newest.Does == EndsPlan) && v.CallsInTurn > 0 && !l.Said {
			v.Asked = v.LastTool
		}
	}

	v.Earlier = slices.Clone(l.Earlier)
	for _, j := range l.Started {
		v.Started = append(v.Started, Task{ID: j.ID, What: about(j.Input)})
	}
	for _, c := range l.Claims {
		if c.Of == MayGoOn && len(v.Started) < maxStarted {
			v.Started = append(v.Started, Task{What: about(c.Input)})
		}
	}

	if l.Todos.When.Tasks {
		v.Todos = l.tasksMade(f, buf)
	} else if list := fetchPlace(f, l.Todos.List.Place, maxLine, buf); list != nil {
		v.Todos, _ = readList(list)
	}
	return v
}

func wordsAt(f io.ReaderAt, at place, buf []byte) Words {
	const most = 6*maxPrompt + 64 // an escape is at most six bytes
	text := codec.ValidText(fetchPlace(f, at, most, buf))
	w := Words{Begin: quotation.Head(text, maxPrompt)}
	if at[1] > most {
		text = codec.ValidText(fetchPlace(f, place{at[0] + at[1] - most, most}, most, buf))
	}
	w.End = quotation.Tail(text, maxPrompt)
	return w
}

// tasksMade are the todos that TaskCreate made.
func (l *Log) tasksMade(f io.ReaderAt, buf []byte) (all []activity.Todo) {
	for _, t := range l.Todos.Tasks {
		blocked := false
		for _, other := range l.Todos.Tasks {
			blocked = blocked || other.State != completed && slices.Contains(t.Blockers, shortCallID([]byte(other.ID)))
		}
		all = append(all, activity.Todo{
			ID:      t.ID,
			Content: shortText(fetchPlace(f, t.Subject, 6*maxTodo+64, buf), maxTodo),
			Status:  t.State.String(),
			Owner:   shortText(fetchPlace(f, t.Owner, 6*maxName+64, buf), maxName),
			Blocked: blocked,
		})
	}
	return all
}

// aboutCall says what a call was about: the member of its input that tells most.
// The input may be torn; what comes first in it is enough.
func aboutCall(input []byte) string {
	var best, status []byte
	rank := 100
	w := codec.EnterValue(objectIn(input), '{')
	for w.Next() {
		key := string(w.Key)
		value := codec.InsideQuotes(w.Value())
		if value == nil {
			value = w.CutRest() // a long text, cut
		}
		if key == "status" {
			status = value
		}
		if r := rankVagueness(key); r < rank && value != nil {
			best, rank = value, r
		}
	}
	s := shortText(best, maxShort)
	if status != nil && rank == 0 { // of a task
		s = quotation.Head("#"+s+" → "+shortText(status, maxName), maxShort)
	}
	return s
}

// rankVagueness is how little a member tells about a call.
func rankVagueness(key string) int {
	switch key {
	case "command", "cmd", "file_path", "notebook_path", "pattern", "skill", "taskId":
		return 0
	case "subject", "query", "url", "task_id":
		return 1
	case "description", "path":
		return 2
	case "prompt":
		return 3
	}
	return 4
}

// hashFailure names what a failed call brought back, numbers left aside: times and addresses
// differ from run to run.
func hashFailure(f io.ReaderAt, p past, buf []byte) string {
	if !p.Failed {
		return ""
	}
	return quotation.HashText(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, string(fetchPlace(f, p.Result, maxInput, buf))))
}

// shells are the tools of all hosts that run a command.
var shells = []string{"Bash", "bash", "shell", "exec_command", "run_shell_command", "Execute"}

// commandOf is what a shell was told.
func commandOf(f io.ReaderAt, p past, buf []byte) string {
	if !slices.Contains(shells, p.Name) {
		return ""
	}
	input := objectIn(fetchPlace(f, p.Input, maxInput, buf))
	command := codec.InsideQuotes(codec.FindMember(input, "command", "cmd"))
	if command == nil {
		return "?" // it cannot be read as a whole
	}
	if dir := codec.InsideQuotes(codec.FindMember(input, "workdir", "directory", "dir_path")); len(dir) > 0 && string(dir) != "." {
		return "cd '" + codec.ExactText(dir) + "' && " + codec.ExactText(command)
	}
	return codec.ExactText(command)
}

// readers are tools of all hosts that change no file.
var readers = []string{
	"Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "ToolSearch", "NotebookRead", "BashOutput", "TaskOutput",
	"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content", "web_fetch", "google_web_search", "web_search", "web_search_call",
	"view", "grep", "rg", "read_bash", "view_image",
	"TodoRead", "ask_user", "ask_user_question", "request_user_input", "update_plan", "todo_write", "write_todos", "update_todo",
}

// changes reports whether a call may change anything. Lists and questions are the session's own.
func (p *Part) changes() bool {
	switch p.Does {
	case WritesTodos, MakesTask, ChangesTask, ReadsTask, ListsTasks, AsksPerson, BeginsPlan, EndsPlan, SchedulesWake:
		return false
	}
	name := string(p.Name)
	if !slices.Contains(shells, name) {
		return !slices.Contains(readers, name)
	}
	input := objectIn(p.Input)
	return !onlyLooks(codec.ExactText(codec.InsideQuotes(codec.FindMember(input, "command", "cmd"))))
}

// mayWrite tells whether a call can have changed a file: one of a tool that is not known can, and
// so can a subagent.
func (p *past) mayWrite() bool {
	switch p.Does {
	case NothingSpecial, WritesFile, UsesSkill, MayGoOn, TellsMate:
		return !slices.Contains(readers, p.Name)
	}
	return false
}

// outcomeOf is the first line of a result.
func outcomeOf(raw []byte) string {
	s := strings.TrimSpace(strings.TrimPrefix(codec.ValidText(raw), "<tool_use_error>"))
	s, _, _ = strings.Cut(s, "\n")
	s = strings.TrimSuffix(s, "</tool_use_error>")
	if code, ok := strings.CutPrefix(s, "Exit code "); ok {
		return quotation.Head("exit "+code, maxShort)
	}
	return oneLine(s, maxShort)
}
