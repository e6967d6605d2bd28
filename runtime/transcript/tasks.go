// The todo list, replayed over the whole session. There are two kinds of it.
// TodoWrite writes the list anew each time, so it is enough to know where it
// was last written. TaskCreate, TaskUpdate and TaskList change single tasks, so
// these are remembered; their subjects stay where they were written. The kind
// that changed last is the list that counts. Compaction changes neither.
//
// Reminders and TaskList show a list as it is; they correct what was replayed.

package transcript

import (
	"bytes"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	maxTodos   = 60
	maxTaskID  = 12      // bytes; they are numbers
	maxBlocker = 4       // per task
	maxWeight  = 4 << 10 // bytes of JSON that all tasks may take in a Log
)

// todos is the state of both kinds.
type todos struct {
	List  list
	Tasks []task
	When  when
}

// list is what TodoWrite wrote last.
type list struct {
	Place place  // the array
	Sum   uint64 // of contents and states, 0 for an empty list
}

// when is the last change.
type when struct {
	Turn  int
	Tasks bool // it changed a task, not the written list
}

// task is one item that TaskCreate made.
type task struct {
	ID       string
	State    state
	Subject  place
	Owner    place
	Blockers []uint32 // hashes of the ids it waits for
}

// state is a todo's status.
type state byte

const (
	pending state = iota
	inProgress
	completed
	deleted
)

func stateOf(raw []byte) (s state, ok bool) {
	i := slices.Index([]string{`"pending"`, `"in_progress"`, `"completed"`, `"deleted"`}, string(raw))
	return state(max(i, 0)), i >= 0
}

func (s state) String() string {
	switch s {
	case inProgress:
		return "in_progress"
	case completed:
		return "completed"
	}
	return "pending"
}

func (l *Log) noteChange(tasks bool) {
	l.Todos.When = when{Turn: l.Turns, Tasks: tasks}
}

// setList takes a list that TodoWrite wrote.
func (l *Log) setList(e *Entry, array []byte) {
	sum, ok := sumOfList(array)
	if !ok {
		return
	}
	if sum != l.Todos.List.Sum || l.Todos.When.Tasks {
		l.noteChange(false)
	}
	l.Todos.List = list{Place: e.placeOf(array), Sum: sum}
}

// correctList takes a list that Claude Code shows. An empty one says nothing
// about the other kind.
func (l *Log) correctList(e *Entry, array []byte) {
	sum, ok := sumOfList(array)
	switch {
	case !ok || sum == l.Todos.List.Sum:
	case sum == 0 && l.Todos.When.Tasks:
		l.Todos.List = list{}
	default:
		l.setList(e, array)
	}
}

// sumOfList tells lists apart: 0 is an empty one. False: it is no list.
func sumOfList(list []byte) (sum uint64, ok bool) {
	ok = eachItem(list, maxNested, func(i item) {
		sum = (sum*31+hashFNV1a(i.content))*31 + hashFNV1a(i.status)
	})
	return sum, ok
}

// findTask is the index of a task, -1 if it is not known.
func (l *Log) findTask(id []byte) int {
	return slices.IndexFunc(l.Todos.Tasks, func(t task) bool { return t.ID == string(id) })
}

// keepTask puts a task in its place or behind the others, and holds the bounds.
func (l *Log) keepTask(t task) {
	if i := l.findTask([]byte(t.ID)); i >= 0 {
		l.Todos.Tasks[i] = t
	} else {
		l.Todos.Tasks = append(l.Todos.Tasks, t)
	}
	for tasks := l.Todos.Tasks; len(tasks) > maxTodos || weightOf(tasks) > maxWeight; tasks = l.Todos.Tasks {
		done := slices.IndexFunc(tasks, func(t task) bool { return t.State == completed })
		l.dropTask(max(done, 0)) // else the oldest of all
	}
}

// dropTask forgets the task at an index, if there is one.
func (l *Log) dropTask(i int) {
	if i >= 0 {
		l.Todos.Tasks = append(l.Todos.Tasks[:i], l.Todos.Tasks[i+1:]...)
	}
}

// weightOf is how much JSON tasks take, at most.
func weightOf(tasks []task) (bytes int) {
	for _, t := range tasks {
		bytes += 50 + len(t.ID)
		if t.Owner != (place{}) {
			bytes += 30
		}
		if t.Blockers != nil {
			bytes += 11 + 11*len(t.Blockers)
		}
	}
	return bytes
}

// updateTask takes the input of a TaskUpdate. It returns which task that was
// and what it was before, nil if it was not known. The model writes the id's
// name in three ways, all of which Claude Code understands.
func (l *Log) updateTask(e *Entry, input []byte) (id string, before *task) {
	name := parseIdentifier(codec.FindMember(input, "taskId", "id", "task_id"), maxTaskID)
	if name == nil {
		return "", nil
	}
	t := task{ID: string(name)}
	i := l.findTask(name)
	if i >= 0 {
		t = l.Todos.Tasks[i]
		was := t
		before = &was
	}
	if s, ok := stateOf(codec.FindMember(input, "status")); ok {
		t.State = s
	}
	t.takeSubjectAndOwner(e, input)
	t.Blockers = parseBlockers(t.Blockers, codec.FindMember(input, "addBlockedBy"))
	if t.State == deleted {
		l.dropTask(i)
	} else {
		l.keepTask(t)
	}
	codec.Elements(codec.FindMember(input, "addBlocks"), func(element []byte) {
		if i := l.findTask(parseIdentifier(element, maxTaskID)); i >= 0 {
			l.Todos.Tasks[i].Blockers = addBlocker(l.Todos.Tasks[i].Blockers, name)
			l.keepTask(l.Todos.Tasks[i])
		}
	})
	l.noteChange(true)
	return t.ID, before
}

func (t *task) takeSubjectAndOwner(e *Entry, object []byte) {
	if s := codec.InsideQuotes(codec.FindMember(object, "subject")); s != nil {
		t.Subject = e.placeOf(s)
	}
	if s := codec.InsideQuotes(codec.FindMember(object, "owner")); s != nil {
		t.Owner = e.placeOf(s)
	}
}

func parseBlockers(known []uint32, ids []byte) []uint32 {
	codec.Elements(ids, func(element []byte) {
		if id := parseIdentifier(element, maxTaskID); id != nil {
			known = addBlocker(known, id)
		}
	})
	return known
}

// addBlocker makes a new list, because an older one may wait in a claim.
func addBlocker(known []uint32, id []byte) []uint32 {
	h := shortCallID(id)
	if len(known) >= maxBlocker || slices.Contains(known, h) {
		return known
	}
	return append(known[:len(known):len(known)], h)
}

// learnTask takes the result of MakesTask or ReadsTask: a structured one, else what its
// text says.
func (l *Log) learnTask(e *Entry, o Outcome) {
	t, ok := taskFrom(e, o.Task)
	if !ok {
		t = task{ID: string(parseIdentifier(o.TaskID, maxTaskID)), Subject: e.placeOf(o.Subject)}
	}
	if t.ID != "" && l.findTask([]byte(t.ID)) < 0 {
		l.keepTask(t)
		l.noteChange(true)
	}
}

// taskFrom reads a task as Claude Code writes it in results and reminders.
func taskFrom(e *Entry, object []byte) (t task, ok bool) {
	t.ID = string(parseIdentifier(codec.FindMember(object, "id"), maxTaskID))
	t.State, _ = stateOf(codec.FindMember(object, "status"))
	t.Blockers = parseBlockers(nil, codec.FindMember(object, "blockedBy"))
	t.takeSubjectAndOwner(e, object)
	return t, t.ID != "" && t.State != deleted
}

// correctTasks takes all tasks as Claude Code shows them. That is a change only
// where it is not what was known, and none at all tasks say nothing about the
// other kind.
func (l *Log) correctTasks(e *Entry, array []byte) {
	old := l.Todos.Tasks
	l.Todos.Tasks = nil
	complete := codec.Elements(array, func(element []byte) {
		if t, ok := taskFrom(e, element); ok {
			l.keepTask(t)
		}
	})
	if !complete {
		l.Todos.Tasks = old
		return
	}
	if len(l.Todos.Tasks) == 0 && !l.Todos.When.Tasks {
		return
	}
	same := len(old) == len(l.Todos.Tasks)
	for i := range old {
		same = same && old[i].ID == l.Todos.Tasks[i].ID && old[i].State == l.Todos.Tasks[i].State
	}
	if !same {
		l.noteChange(true)
	}
}

// A todo list as agents write it: an array of items, with a text and a status each, the
// object or the string that such an array is in, or a text with a line an item.

// item is one of a list. plain tells that its values are texts, not insides of strings.
type item struct {
	content, status []byte
	plain           bool
}

// maxNested is how many objects and strings a list may be in.
const maxNested = 3

// listInInput is the list in a call's input, a part of it: where the input is a string all of
// that.
func listInInput(input []byte) []byte {
	if len(input) > 0 && input[0] == '{' {
		return codec.FindMember(input, "todos", "plan", "items")
	}
	return input
}

// eachItem calls yield with each item of a list, which may be so deep in another value.
// False: it is none, or not a complete one.
func eachItem(list []byte, depth int, yield func(item)) bool {
	list = bytes.TrimSpace(list)
	if len(list) == 0 || depth == 0 {
		return false
	}
	switch list[0] {
	case '[':
		return codec.Elements(list, func(raw []byte) {
			yield(item{codec.InsideQuotes(codec.FindMember(raw, "content", "step", "description", "title", "text")), codec.InsideQuotes(codec.FindMember(raw, "status")), false})
		})
	case '{':
		return eachItem(codec.FindMember(list, "todos", "plan", "items"), depth-1, yield)
	case '"':
		text := bytes.TrimSpace(codec.Unescape(nil, codec.InsideQuotes(list)))
		if string(text) == "[]" || len(text) > 0 && (text[0] == '{' || text[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte{'{'})) {
			return eachItem(text, depth-1, yield)
		}
		return eachLine(text, yield)
	}
	return false
}

// eachLine reads lines like "- [x] Write the tests" and "2. [in_progress] Write them". A
// text without one is no list.
func eachLine(text []byte, yield func(item)) (found bool) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t-*+0123456789.)")
		box, content, ok := bytes.Cut(line, []byte("]"))
		if !ok || len(box) == 0 || box[0] != '[' {
			continue
		}
		i := item{content: bytes.TrimSpace(content), plain: true}
		switch string(bytes.TrimSpace(box[1:])) {
		case "x", "X", "completed", "done":
			i.status = []byte(completed.String())
		case "~", "-", ">", "in_progress":
			i.status = []byte(inProgress.String())
		default:
			i.status = []byte(pending.String())
		}
		found = true
		yield(i)
	}
	return found
}

func readList(list []byte) (all []activity.Todo, ok bool) {
	all = []activity.Todo{}
	ok = eachItem(list, maxNested, func(i item) {
		if len(all) == maxTodos { // the oldest that is done makes room
			oldest := slices.IndexFunc(all, func(t activity.Todo) bool { return t.Status == completed.String() })
			if oldest < 0 {
				return
			}
			all = append(all[:oldest], all[oldest+1:]...)
		}
		if i.plain {
			all = append(all, activity.Todo{Content: oneLine(string(bytes.ToValidUTF8(i.content, []byte("\uFFFD"))), maxTodo), Status: string(i.status)})
			return
		}
		all = append(all, activity.Todo{Content: shortText(i.content, maxTodo), Status: shortText(i.status, maxName)})
	})
	if !ok {
		return nil, false
	}
	return all, true
}
