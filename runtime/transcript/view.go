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
	// In bytes.
	maxText   = 64 << 10 // last text, from the end
	maxPrompt = 400      // for both the start and the end
	maxTodo   = 160
	maxShort  = 120 // of a call's summary or result
	maxInput  = 4 << 10
)

// View is the situation at the end of a log. Lines from subagents are not included.
type View struct {
	// Text is the agent's last text, up to 64 KiB from its end.
	Text string
	// Spoken is set if that text came after the last prompt.
	Spoken bool
	// Prompt is the uuid of a person's last prompt, or "".
	Prompt string
	// PromptID is the host's ID of that prompt, the event's prompt_id, or "".
	PromptID string
	Opening  Opening
	// Heard are other words of a person since that prompt, oldest first.
	Heard []Words
	// Rewritten is set if the log is not the one read before.
	Rewritten bool
	Facts
	// PromptText and PromptEnd are the first and the last 400 bytes of the prompt.
	PromptText, PromptEnd string
	// Calls are the last eight calls since the last prompt, oldest first. CallsInTurn counts all.
	Calls       []activity.Call
	CallsInTurn int
	// LastTool is the tool of the session's last call.
	LastTool string
	// Todos has up to 60 items. TodosTurns is the number of prompts since they changed.
	Todos      []activity.Todo
	TodosTurns int
	// Plans are the last eight plan files that were named, the last one first.
	Plans []activity.Plan
	Skill activity.Skill
	// Asked is the tool of the last call if that asked the person, unless the agent has spoken since a good result.
	Asked string
	Team  activity.Team
	// Started is this turn's unfinished background work, at most 16.
	Started []Task
	// Earlier are the last 16 IDs of earlier turns' unfinished background work.
	Earlier  []string
	Feedback Feedback
}

// Opening is the first line of the current prompt: with the host's ID, or of a person's last prompt.
type Opening struct {
	ID    string
	Found bool // it is in the log
	Own   bool // typed by a person, but not our command
	Words Words
	At    int64 // Unix milliseconds, 0 if unknown
}

// Words are the first and the last 400 bytes of a prompt.
type Words struct{ Begin, End string }

// Task is background work; ID may be unknown.
type Task struct{ ID, What string }

// Feedback counts our continues.
type Feedback struct {
	Ours   []int64 // times of the last hour in Unix milliseconds, oldest first
	All    int
	InOwn  int // from the user's last prompt
	InTurn int // since the last prompt
}

func (l *Log) makeView(f io.ReaderAt, noCallTexts bool) View {
	buf, hooks := make([]byte, maxInput), &l.Feedback
	about := func(p place) string { return aboutCall(fetchPlace(f, p, maxInput, buf)) }
	prompt := wordsAt(f, l.Asks, buf)
	v := View{
		Text:   quotation.Tail(codec.ValidText(fetchPlace(f, l.Text, maxLine, buf)), maxText),
		Spoken: l.Text[1] > 0 && l.Text[0] > l.Asks[0],
		Prompt: l.Prompt, PromptID: l.PromptID, Facts: l.Facts,
		PromptText: prompt.Begin, PromptEnd: prompt.End,
		Opening: Opening{
			ID: l.Opening.ID, Found: l.Opening.Found, Own: l.Opening.Own, At: l.Opening.At,
			Words: wordsAt(f, l.Opening.Words, buf),
		},
		CallsInTurn: l.Calls - l.Before,
		TodosTurns:  l.Turns - l.Todos.When.Turn,
		Feedback: Feedback{
			Ours:   slices.Clone(hooks.Ours),
			All:    hooks.All,
			InOwn:  hooks.Own,
			InTurn: hooks.Mine,
		},
		Team:    activity.Team{Role: l.Role},
		Earlier: slices.Clone(l.Earlier),
	}
	for i := 0; i+1 < len(l.Heard); i += 2 {
		v.Heard = append(v.Heard, wordsAt(f, place{l.Heard[i], l.Heard[i+1]}, buf))
	}
	for _, m := range l.Mates {
		if m.Idle || l.Turns-m.Turn >= maxSilence {
			v.Team.Idle = append(v.Team.Idle, m.Name)
		} else {
			v.Team.AtWork = append(v.Team.AtWork, m.Name)
		}
	}
	if l.Skill.Name != "" {
		v.Skill = activity.Skill{Name: l.Skill.Name, From: l.Skill.From.String(), Turns: l.Turns - l.Skill.Turn}
	}

	for i := len(l.Plans) - 1; i >= 0; i-- {
		n := l.Plans[i]
		if name := strings.ReplaceAll(codec.ValidText(fetchPlace(f, n.At, maxPath, buf)), `\`, "/"); name != "" {
			v.Plans = append(v.Plans, activity.Plan{Name: name, Turns: l.Turns - n.Turn, Written: n.Wrote == l.Turns+1})
		}
	}
	for _, p := range l.Recent[max(0, len(l.Recent)-max(0, v.CallsInTurn)):] {
		call := activity.Call{
			Name:   p.Name,
			Error:  p.Failed,
			Denied: p.Denied,
			Done:   p.Done,
			Writes: slices.Contains(writers, p.Does) && !slices.Contains(readers, p.Name),
			Open:   p.Open,
		}
		if !noCallTexts {
			call.Input, call.Result = about(p.Input), firstLine(fetchPlace(f, p.Result, 6*maxShort+64, buf))
			call.Seen, call.Command = failedResultHash(f, p, buf), commandOf(f, p, buf)
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
	const most = 6*maxPrompt + 64 // an escape is up to six bytes
	text := codec.ValidText(fetchPlace(f, at, most, buf))
	begin := quotation.Head(text, maxPrompt)
	if at[1] > most {
		text = codec.ValidText(fetchPlace(f, place{at[0] + at[1] - most, most}, most, buf))
	}
	return Words{Begin: begin, End: quotation.Tail(text, maxPrompt)}
}

func (l *Log) tasksMade(f io.ReaderAt, buf []byte) (all []activity.Todo) {
	for _, t := range l.Todos.Tasks {
		blocks := func(other task) bool {
			return other.State != completed && slices.Contains(t.Blockers, shortHash([]byte(other.ID)))
		}
		all = append(all, activity.Todo{
			ID:      t.ID,
			Content: oneLineInside(fetchPlace(f, t.Subject, 6*maxTodo+64, buf), maxTodo),
			Status:  t.State.String(),
			Owner:   oneLineInside(fetchPlace(f, t.Owner, 6*maxName+64, buf), maxName),
			Blocked: slices.ContainsFunc(l.Todos.Tasks, blocks),
		})
	}
	return all
}

// vague lists members of inputs, the most descriptive first.
var vague = [][]string{
	{"command", "cmd", "file_path", "notebook_path", "pattern", "skill", "taskId"},
	{"subject", "query", "url", "task_id"},
	{"description", "path"},
	{"prompt"},
}

// aboutCall summarizes a call by its input's most descriptive member. input can be truncated.
func aboutCall(input []byte) string {
	var best, status []byte
	rank := len(vague) + 1
	for w := codec.EnterValue(unquoteObject(input), '{'); w.Next(); {
		key := string(w.Key)
		value := codec.InsideQuotes(w.TakeValue())
		if value == nil {
			value = w.TornText()
		}
		if key == "status" {
			status = value
		}
		r := slices.IndexFunc(vague, func(keys []string) bool { return slices.Contains(keys, key) })
		if r < 0 {
			r = len(vague)
		}
		if r < rank && value != nil {
			best, rank = value, r
		}
	}
	if status != nil && rank == 0 { // of a task
		return quotation.Head("#"+oneLineInside(best, maxShort)+" → "+oneLineInside(status, maxName), maxShort)
	}
	return oneLineInside(best, maxShort)
}

// failedResultHash returns a hash of a failed call's result, ignoring digits ("" if the call succeeded).
func failedResultHash(f io.ReaderAt, p past, buf []byte) string {
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

var shells = []string{"Bash", "bash", "shell", "exec_command", "run_shell_command", "Execute"}

// commandOf returns a shell call's command line, after a cd to its directory, if any. It returns "?" if the input is
// too long or has no command, and "" for other tools.
func commandOf(f io.ReaderAt, p past, buf []byte) string {
	if !slices.Contains(shells, p.Name) {
		return ""
	}
	input := unquoteObject(fetchPlace(f, p.Input, maxInput, buf))
	command := codec.InsideQuotes(codec.FindMember(input, "command", "cmd"))
	if command == nil {
		return "?"
	}
	dir := codec.InsideQuotes(codec.FindMember(input, "workdir", "directory", "dir_path"))
	if len(dir) > 0 && string(dir) != "." {
		return "cd " + quotation.ShellWord(codec.ExactText(dir)) + " && " + codec.ExactText(command)
	}
	return codec.ExactText(command)
}

var readers = []string{
	"Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "ToolSearch", "NotebookRead", "BashOutput", "TaskOutput",
	"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content",
	"web_fetch", "google_web_search", "web_search", "web_search_call",
	"view", "grep", "rg", "read_bash", "view_image",
	"TodoRead", "ask_user", "ask_user_question", "request_user_input",
	"update_plan", "todo_write", "write_todos", "update_todo",
}

// writers are the calls that can have changed a file, except readers. This is assumed of unknown tools and subagents.
var writers = []Does{NothingSpecial, WritesFile, UsesSkill, MayGoOn, TellsMate}

// firstLine returns a result's first line for display. escaped is the inside of a JSON string, possibly truncated.
func firstLine(escaped []byte) string {
	s := strings.TrimSpace(strings.TrimPrefix(codec.ValidText(escaped), "<tool_use_error>"))
	s, _, _ = strings.Cut(s, "\n")
	s = strings.TrimSuffix(s, "</tool_use_error>")
	if code, ok := strings.CutPrefix(s, "Exit code "); ok {
		return quotation.Head("exit "+code, maxShort)
	}
	return oneLine(s, maxShort)
}
