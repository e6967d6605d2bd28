// Tool calls and results. A call is applied at once, because the result might not be there yet at a stop. It
// is undone if the result is an error.

package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

const (
	maxRecent = 8
	maxClaims = 16
)

type past struct {
	ID     uint32 // hash of the ID
	Name   string
	Does   Does
	Input  place
	Result place
	Done   bool
	Failed bool
	Denied bool
	Open   bool // interrupted or in background
}

// pendingCall is a call with no result yet, and the state before it.
type pendingCall struct {
	ID    uint32
	Of    Does
	Name  string // of a task, a teammate or background work
	Input place
	List  list
	Task  *task
	Skill skill
	When  todoStamp
}

func shortHash(id []byte) uint32 {
	h := quotation.Hash64(id)
	return uint32(h ^ h>>32)
}

func (l *Log) takeCall(e *Entry, p *Part) {
	name := "?"
	if isPlainASCII(p.Name, maxName) {
		name = string(p.Name)
	}
	l.Calls++
	l.Said = false
	command := codec.FindMember(p.Input, "command", "cmd")
	in := func(word string) bool { return bytes.Contains(command, []byte(word)) }
	proofs := []string{"test", "check", "lint", "build", "spec"}
	if p.Does == WritesFile || p.Does == NothingSpecial && slices.ContainsFunc(proofs, in) {
		l.Work++
	}
	l.Changed = l.Changed || p.MayChange()
	id, input := shortHash(p.ID), e.placeOf(p.Input)
	call := past{ID: id, Name: name, Does: p.Does, Input: input, Open: p.Does == MayGoOn}
	l.Recent = append(l.Recent[max(0, len(l.Recent)+1-maxRecent):], call)
	l.takeCallPlans(e, p)

	c := pendingCall{ID: id, Of: p.Does, When: l.Todos.When}
	switch p.Does {
	case WritesTodos:
		c.List = l.Todos.List
		l.setList(e, todosIn(p.Input))
	case MakesTask, ReadsTask, ListsTasks:
	case SchedulesWake:
		l.Wakes = string(codec.FindMember(p.Input, "stop")) != "true"
	case ChangesTask:
		c.Name, c.Task = l.updateTask(e, p.Input)
		owner := mateName(codec.InsideQuotes(codec.FindMember(p.Input, "owner")))
		status := string(codec.FindMember(p.Input, "status"))
		if l.findMate(owner) >= 0 && status != `"completed"` && status != `"deleted"` {
			l.noteMate(owner, false) // it gets the task
		}
	case UsesSkill:
		c.Skill = l.Skill
		l.useSkill(p.Text, byTool)
	case MayGoOn, TellsMate:
		c.Input, c.Name = input, mateName(p.Text)
		if p.Does == MayGoOn || l.Role == activity.Lead || l.findMate(c.Name) >= 0 {
			l.noteMate(c.Name, false)
		}
	case MayEndJob:
		c.Name = string(parseIdentifier(p.Text, maxID))
	case BeginsTeam:
		l.Role = activity.Lead
		return
	case EndsTeam:
	default:
		return
	}
	l.Claims = append(l.Claims[max(0, len(l.Claims)+1-maxClaims):], c)
}

func (l *Log) takeResult(f *Format, e *Entry, p *Part) {
	id := shortHash(p.ID)
	var input place
	for i := range l.Recent {
		if r := &l.Recent[i]; r.ID == id {
			r.Result, r.Done, r.Denied, input = e.placeOf(p.Text), true, p.Denied, r.Input
			r.Open = r.Open || bytes.Contains(p.RawResult, []byte(`"interrupted":true`))
			// Claude Code interprets the status of grep, diff, test and similar instead of reporting an error.
			r.Failed = p.Failed || bytes.Contains(p.RawResult, []byte(`"returnCodeInterpretation":"`))
		}
	}
	for i, c := range l.Claims {
		if c.ID != id {
			continue
		}
		l.Claims = append(l.Claims[:i], l.Claims[i+1:]...)
		var o Effect
		if !p.Failed && f.EffectOf != nil {
			o = f.EffectOf(c.Of, p)
		}
		if c.Of == MayGoOn && len(o.Job) == 0 {
			l.markUnfinished(id, false)
		}
		if p.Failed || o.Refused {
			l.undoCall(c)
		} else {
			l.settleCall(e, o, c)
		}
		return
	}
	// A running command can be sent to the background.
	if !p.Failed && p.RawResult != nil && f.EffectOf != nil {
		job := f.EffectOf(NothingSpecial, p).Job
		if len(job) > 0 {
			l.markUnfinished(id, true)
		}
		l.startJob(job, input)
	}
}

func (l *Log) markUnfinished(idHash uint32, open bool) {
	for i := range l.Recent {
		if l.Recent[i].ID == idHash {
			l.Recent[i].Open = open
		}
	}
}

// undoCall restores the state before a failed call. Callers remove c from l.Claims.
func (l *Log) undoCall(c pendingCall) {
	switch c.Of {
	case WritesTodos:
		l.Todos.List, l.Todos.When = c.List, c.When
	case ChangesTask:
		if c.Task != nil {
			l.putTask(*c.Task)
		} else if c.Name != "" {
			l.dropTodoTask(l.findTask([]byte(c.Name)))
		}
		l.Todos.When = c.When
	case SchedulesWake:
		l.Wakes = false
	case UsesSkill:
		l.Skill = c.Skill
	case MayGoOn:
		l.dropMate(c.Name)
	case TellsMate:
		if c.Name != AllMates && l.findMate(c.Name) >= 0 {
			l.noteMate(c.Name, true)
		}
	}
}

// settleCall applies the effect of a successful result in e. Callers remove c from l.Claims.
func (l *Log) settleCall(e *Entry, o Effect, c pendingCall) {
	switch c.Of {
	case MakesTask, ReadsTask:
		l.addNewTask(e, o)
	case ListsTasks:
		l.correctTasks(e, o.Tasks)
	case MayGoOn:
		if c.Name = cmp.Or(c.Name, mateName(o.Mate)); c.Name != "" {
			l.noteMate(c.Name, false)
			l.Role = cmp.Or(l.Role, activity.Lead)
		}
		l.startJob(o.Job, c.Input)
	case EndsTeam:
		l.Mates = nil
	case MayEndJob:
		if !o.Running {
			l.endJob([]byte(c.Name))
		}
	}
}

const maxStarted = 16

// job is background work: a shell command, an agent or a monitor. It ends by a notification, or by a call
// that stops it or reads the output.
type job struct {
	ID    string
	Input place // of the call that started it
}

func (l *Log) startJob(rawJobID []byte, callInput place) {
	if rawJobID = parseIdentifier(rawJobID, maxID); rawJobID != nil {
		l.endJob(rawJobID)
		l.Started = append(l.Started[max(0, len(l.Started)+1-maxStarted):], job{ID: string(rawJobID), Input: callInput})
	}
}

func (l *Log) endJob(jobID []byte) {
	for i := range l.Started {
		if l.Started[i].ID == string(jobID) {
			l.Started = append(l.Started[:i], l.Started[i+1:]...)
			return
		}
	}
}

// AllMates addresses every teammate.
const AllMates = "*"

const (
	maxTeam = 16
	// maxSilence is the number of prompts after which a silent teammate is idle.
	maxSilence = 3
)

// mate is a teammate. It joins when it is spawned or writes, works from each message until it reports that it
// is idle, and leaves when it is shut down or the team is deleted.
type mate struct {
	Name string
	Idle bool
	Turn int // of the last message
}

// mateName returns a teammate's name without the team, or a hash if not plain ASCII of up to maxID bytes. "" stays "".
func mateName(insideQuotes []byte) string {
	name, _, _ := bytes.Cut(insideQuotes, []byte("@"))
	if len(name) == 0 || isPlainASCII(name, maxID) {
		return string(name)
	}
	return "#" + strconv.FormatUint(quotation.Hash64(name), 36)
}

func (l *Log) findMate(fromMateName string) int {
	return slices.IndexFunc(l.Mates, func(m mate) bool { return m.Name == fromMateName })
}

// noteMate sets whether a teammate is idle, adding an unknown one. name is from mateName. AllMates changes all known
// ones. "" and the lead are ignored.
func (l *Log) noteMate(name string, idle bool) {
	if name == "" || activity.IsLeadName(name) {
		return
	}
	if name != AllMates && l.findMate(name) < 0 {
		l.Mates = append(l.Mates[max(0, len(l.Mates)+1-maxTeam):], mate{Name: name})
	}
	for i := range l.Mates {
		if m := &l.Mates[i]; name == AllMates || m.Name == name {
			m.Idle, m.Turn = idle, l.Turns
		}
	}
}

func (l *Log) dropMate(fromMateName string) {
	if i := l.findMate(fromMateName); i >= 0 {
		l.Mates = append(l.Mates[:i], l.Mates[i+1:]...)
	}
}
