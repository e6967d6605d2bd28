// Tool calls and their results. A call is a claim: what it says will be so once
// its result is there and is no error. It is believed at once, because the
// result may not be written yet when a stop is decided; a claim that turns out
// to be an error is undone.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	maxRecent = 8
	maxClaims = 16
)

// past is a call of the newest, with the places of what it was about and what
// came back.
type past struct {
	ID     uint32 // hash of the call's id
	Name   string
	Input  place // the object
	Result place
	Done   bool // there is a result
	Failed bool
}

// claim is a call whose result will matter, and what was so before it.
type claim struct {
	ID    uint32
	Of    what
	Name  string // of a task or a background job
	Input place
	List  list
	Task  *task
	Skill skill
	When  when
}

// what a claim is about.
type what byte

const (
	theList    what = iota + 1 // TodoWrite
	newTask                    // TaskCreate
	aTask                      // TaskUpdate
	oneTask                    // TaskGet
	allTasks                   // TaskList
	aSkill                     // Skill
	background                 // work that may go on behind the turn
	theEnd                     // of such work
)

// callID is a short hash of a call's id.
func callID(id []byte) uint32 {
	h := fnv1a(id)
	return uint32(h ^ h>>32)
}

// call takes a tool call.
func (l *Log) call(e *entry, b *block) {
	name := "?"
	if plain(b.name, maxName) {
		name = l.known(b.name)
	}
	l.Calls++
	l.Said = false
	id, input := callID(b.id), e.place(b.input)
	l.Recent = push(l.Recent, past{ID: id, Name: name, Input: input}, maxRecent)
	l.namesIn(e, name, b.input)

	c := claim{ID: id, When: l.Todos.When}
	switch name {
	case "TodoWrite":
		c.Of, c.List = theList, l.Todos.List
		l.setList(e, codec.Member(b.input, "todos"))
	case "TaskCreate":
		c.Of = newTask
	case "TaskGet":
		c.Of = oneTask
	case "TaskList":
		c.Of = allTasks
	case "TaskUpdate":
		c.Of = aTask
		c.Name, c.Task = l.updateTask(e, b.input)
	case "Skill":
		c.Of, c.Skill = aSkill, l.Skill
		l.useSkill(codec.Inside(codec.Member(b.input, "skill", "command")), byTool) // "command" before 2.1
	case "Agent", "Task", "Monitor", "Workflow":
		c.Of, c.Input = background, input
	case "TeamDelete":
		l.Team = nil
		return
	case "TaskStop", "KillShell", "KillBash", "TaskOutput", "BashOutput", "AgentOutput":
		c.Of, c.Name = theEnd, jobName(b.input)
	default:
		if string(codec.Member(b.input, "run_in_background")) != "true" {
			return
		}
		c.Of, c.Input = background, input
	}
	l.Claims = push(l.Claims, c, maxClaims)
}

// known is a tool's name, shared with an earlier call where there is one.
func (l *Log) known(name []byte) string {
	for i := range l.Recent {
		if l.Recent[i].Name == string(name) {
			return l.Recent[i].Name
		}
	}
	return string(name)
}

// result takes the result of a call.
func (l *Log) result(e *entry, b *block) {
	id := callID(b.id)
	var input place
	for i := range l.Recent {
		if p := &l.Recent[i]; p.ID == id {
			p.Result, p.Done, p.Failed = e.place(firstText(b.answer)), true, b.failed
			input = p.Input
		}
	}
	for i := range l.Claims {
		if l.Claims[i].ID != id {
			continue
		}
		c := l.Claims[i]
		l.Claims = append(l.Claims[:i], l.Claims[i+1:]...)
		if b.failed || string(codec.Member(e.outcome, "success")) == "false" {
			l.undo(c)
		} else {
			l.settle(e, b, c)
		}
		return
	}
	// A command can be sent to the background while it runs.
	if !b.failed && bytes.Contains(e.outcome, []byte(`"backgroundTaskId":"`)) {
		l.start(e.outcome, nil, input)
	}
}

// undo takes back what a failed call had claimed.
func (l *Log) undo(c claim) {
	switch c.Of {
	case theList:
		l.Todos.List, l.Todos.When = c.List, c.When
	case aTask:
		l.putBack(c.Name, c.Task)
		l.Todos.When = c.When
	case aSkill:
		l.Skill = c.Skill
	}
}

// settle takes what only a result can tell.
func (l *Log) settle(e *entry, b *block, c claim) {
	switch c.Of {
	case newTask, oneTask:
		l.learnTask(e, firstText(b.answer))
	case allTasks:
		l.correctTasks(e, codec.Member(e.outcome, "tasks"))
	case background:
		l.join(e.outcome)
		l.start(e.outcome, firstText(b.answer), c.Input)
	case theEnd:
		l.stopped(e.outcome, firstText(b.answer), c.Name)
	}
}

// answered notes that Claude has said something: whatever it asked by a tool
// and got an answer to is behind it.
func (l *Log) answered() {
	if n := len(l.Recent); n > 0 && l.Recent[n-1].Done && !l.Recent[n-1].Failed {
		l.Said = true
	}
}
