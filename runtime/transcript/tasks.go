// The todo list. TodoWrite writes whole lists; TaskCreate and TaskUpdate change single tasks. The kind that changed last
// is in effect. Reminders and TaskList correct it.

package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

const (
	maxTodos   = 60
	maxTaskID  = 12      // bytes; they are numbers
	maxBlocker = 4       // per task
	maxWeight  = 4 << 10 // bytes of JSON for all tasks of a Log
)

type todos struct {
	List  list
	Tasks []task
	When  todoStamp
}

type list struct {
	Place place
	Sum   uint64 // 0 for an empty list
}

type todoStamp struct {
	Turn  int
	Tasks bool // not the list
}

type task struct {
	ID       string
	State    taskState
	Subject  place
	Owner    place
	Blockers []uint32 // hashes of IDs
}

type taskState byte

const (
	pending taskState = iota
	inProgress
	completed
	deleted
)

func taskStateOf(raw []byte) (s taskState, ok bool) {
	i := slices.Index([]string{`"pending"`, `"in_progress"`, `"completed"`, `"deleted"`}, string(raw))
	return taskState(max(i, 0)), i >= 0
}

func (s taskState) String() string {
	switch s {
	case inProgress:
		return "in_progress"
	case completed:
		return "completed"
	}
	return "pending"
}

func (l *Log) stampTodos(byTasks bool) {
	l.Todos.When = todoStamp{Turn: l.Turns, Tasks: byTasks}
}

func (l *Log) setList(e *Entry, rawList []byte) {
	sum, ok := hashTodoList(rawList)
	if !ok {
		return
	}
	if sum != l.Todos.List.Sum || l.Todos.When.Tasks {
		l.stampTodos(false)
	}
	l.Todos.List = list{Place: e.placeOf(rawList), Sum: sum}
}

// correctTodos sets the todo list to the host's. An empty list does not replace tasks.
func (l *Log) correctTodos(e *Entry, array []byte) {
	sum, ok := hashTodoList(array)
	switch {
	case !ok || sum == l.Todos.List.Sum:
	case sum == 0 && l.Todos.When.Tasks:
		l.Todos.List = list{}
	default:
		l.setList(e, array)
	}
}

// hashTodoList returns a todo list's hash (0 if empty). ok is false for an incomplete list.
func hashTodoList(list []byte) (sum uint64, ok bool) {
	ok = eachTodo(list, maxNested, func(i item) {
		sum = (sum*31+quotation.Hash64(i.content))*31 + quotation.Hash64(i.status)
	})
	return sum, ok
}

func (l *Log) findTask(id []byte) int {
	return slices.IndexFunc(l.Todos.Tasks, func(t task) bool { return t.ID == string(id) })
}

func (l *Log) putTask(t task) {
	if i := l.findTask([]byte(t.ID)); i >= 0 {
		l.Todos.Tasks[i] = t
	} else {
		l.Todos.Tasks = append(l.Todos.Tasks, t)
	}
	for tasks := l.Todos.Tasks; len(tasks) > maxTodos || weightOf(tasks) > maxWeight; tasks = l.Todos.Tasks {
		done := slices.IndexFunc(tasks, func(t task) bool { return t.State == completed })
		l.dropTodoTask(max(done, 0)) // else the oldest of all
	}
}

// dropTodoTask removes task i from l.Todos.Tasks. -1 does nothing.
func (l *Log) dropTodoTask(i int) {
	if i >= 0 {
		l.Todos.Tasks = append(l.Todos.Tasks[:i], l.Todos.Tasks[i+1:]...)
	}
}

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

// updateTask applies TaskUpdate input to l.Todos, adding unknown tasks. It returns the task's ID ("" if not in the
// input) and the task before the update (nil if unknown).
func (l *Log) updateTask(e *Entry, input []byte) (id string, before *task) {
	name := parseIdentifier(codec.FindMember(input, "taskId", "id", "task_id"), maxTaskID)
	if name == nil {
		return "", nil
	}
	t := task{ID: string(name)}
	i := l.findTask(name)
	if i >= 0 {
		was := l.Todos.Tasks[i]
		t, before = was, &was
	}
	if s, ok := taskStateOf(codec.FindMember(input, "status")); ok {
		t.State = s
	}
	t.takeSubjectAndOwner(e, input)
	t.Blockers = parseBlockers(t.Blockers, codec.FindMember(input, "addBlockedBy"))
	if t.State == deleted {
		l.dropTodoTask(i)
	} else {
		l.putTask(t)
	}
	codec.Elements(codec.FindMember(input, "addBlocks"), func(element []byte) {
		if i := l.findTask(parseIdentifier(element, maxTaskID)); i >= 0 {
			l.Todos.Tasks[i].Blockers = addBlocker(l.Todos.Tasks[i].Blockers, name)
			l.putTask(l.Todos.Tasks[i])
		}
	})
	l.stampTodos(true)
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

func parseBlockers(appendTo []uint32, ids []byte) []uint32 {
	codec.Elements(ids, func(element []byte) {
		if id := parseIdentifier(element, maxTaskID); id != nil {
			appendTo = addBlocker(appendTo, id)
		}
	})
	return appendTo
}

// addBlocker returns known with id's hash added, unless full. It does not change known.
func addBlocker(known []uint32, id []byte) []uint32 {
	h := shortHash(id)
	if len(known) >= maxBlocker || slices.Contains(known, h) {
		return known
	}
	return append(known[:len(known):len(known)], h)
}

func (l *Log) addNewTask(e *Entry, o Effect) {
	if t, ok := taskFrom(e, o.Task); ok && l.findTask([]byte(t.ID)) < 0 {
		l.putTask(t)
		l.stampTodos(true)
	}
}

func taskFrom(e *Entry, object []byte) (t task, ok bool) {
	t.ID = string(parseIdentifier(codec.FindMember(object, "id"), maxTaskID))
	t.State, _ = taskStateOf(codec.FindMember(object, "status"))
	t.Blockers = parseBlockers(nil, codec.FindMember(object, "blockedBy"))
	t.takeSubjectAndOwner(e, object)
	return t, t.ID != "" && t.State != deleted
}

// correctTasks sets the tasks to the host's. An incomplete array changes nothing. An empty one does not replace a
// TodoWrite list.
func (l *Log) correctTasks(e *Entry, array []byte) {
	old := l.Todos.Tasks
	l.Todos.Tasks = nil
	complete := codec.Elements(array, func(element []byte) {
		if t, ok := taskFrom(e, element); ok {
			l.putTask(t)
		}
	})
	if !complete {
		l.Todos.Tasks = old
		return
	}
	if len(l.Todos.Tasks) == 0 && !l.Todos.When.Tasks {
		return
	}
	same := func(a, b task) bool { return a.ID == b.ID && a.State == b.State }
	if !slices.EqualFunc(old, l.Todos.Tasks, same) {
		l.stampTodos(true)
	}
}

type item struct {
	content, status []byte
	plain           bool // the values are texts, not insides of strings
}

// maxNested limits the objects and strings around a list.
const maxNested = 3

func todosIn(input []byte) (listOrInput []byte) {
	if len(input) > 0 && input[0] == '{' {
		return codec.FindMember(input, "todos", "plan", "items")
	}
	return input
}

// eachTodo yields the todos in a JSON array, an object or string with one, or a string's lines. It returns false for
// incomplete lists, even if todos were yielded. depthLeft is maxNested initially.
func eachTodo(list []byte, depthLeft int, yield func(item)) (complete bool) {
	list = bytes.TrimSpace(list)
	if len(list) == 0 || depthLeft == 0 {
		return false
	}
	switch list[0] {
	case '[':
		return codec.Elements(list, func(raw []byte) {
			yield(item{
				content: codec.InsideQuotes(codec.FindMember(raw, "content", "step", "description", "title", "text")),
				status:  codec.InsideQuotes(codec.FindMember(raw, "status")),
			})
		})
	case '{':
		return eachTodo(codec.FindMember(list, "todos", "plan", "items"), depthLeft-1, yield)
	case '"':
		text := bytes.TrimSpace(codec.Unescape(nil, codec.InsideQuotes(list)))
		array := bytes.HasPrefix(text, []byte("[")) && bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte("{"))
		if array || string(text) == "[]" || bytes.HasPrefix(text, []byte("{")) {
			return eachTodo(text, depthLeft-1, yield)
		}
		return eachTodoLine(text, yield)
	}
	return false
}

// eachTodoLine yields the todos in decoded lines like "- [x] Write the tests".
func eachTodoLine(text []byte, yield func(item)) (found bool) {
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

// readList returns up to maxTodos todos in an eachTodo list. For an empty list, all is not nil. ok is false for an
// incomplete list.
func readList(list []byte) (all []activity.Todo, ok bool) {
	all = []activity.Todo{}
	ok = eachTodo(list, maxNested, func(i item) {
		if len(all) == maxTodos { // drop the oldest completed one
			oldest := slices.IndexFunc(all, func(t activity.Todo) bool { return t.Status == completed.String() })
			if oldest < 0 {
				return
			}
			all = append(all[:oldest], all[oldest+1:]...)
		}
		t := activity.Todo{Content: oneLineInside(i.content, maxTodo), Status: oneLineInside(i.status, maxName)}
		if i.plain {
			t.Content, t.Status = oneLine(strings.ToValidUTF8(string(i.content), "\uFFFD"), maxTodo), string(i.status)
		}
		all = append(all, t)
	})
	if !ok {
		return nil, false
	}
	return all, true
}
