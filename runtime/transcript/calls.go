// Tool calls and their results. A call is a claim: what it says will be so once
// its result is there and is no error. It is believed at once, because the
// result may not be written yet when a stop is decided; a claim that turns out
// to be an error is undone.

package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/cameronsjo/springfield/runtime/activity"
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
	Does   Does
	Input  place // the object
	Result place
	Done   bool // there is a result
	Failed bool
	Denied bool // it was not allowed, so it did not run
	Open   bool // it was interrupted, or goes on in the background
}

// claim is a call whose result will matter, and what was so before it.
type claim struct {
	ID    uint32
	Of    Does
	Name  string // of a task or a background job
	Input place
	List  list
	Task  *task
	Skill skill
	When  when
}

func shortCallID(id []byte) uint32 {
	h := hashFNV1a(id)
	return uint32(h ^ h>>32)
}

func (l *Log) takeCall(e *Entry, p *Part) {
	name := "?"
	if isPlainName(p.Name, maxName) {
		same := slices.IndexFunc(l.Recent, func(old past) bool { return old.Name == string(p.Name) })
		if same >= 0 { // shared, where an earlier call has it
			name = l.Recent[same].Name
		} else {
			name = string(p.Name)
		}
	}
	l.Calls++
	l.Said = false
	command := codec.FindMember(p.Input, "command", "cmd")
	proves := func(word string) bool { return bytes.Contains(command, []byte(word)) } // whether the work is good
	if p.Does == WritesFile || p.Does == NothingSpecial && slices.ContainsFunc([]string{"test", "check", "lint", "build", "spec"}, proves) {
		l.Work++
	}
	l.Changed = l.Changed || p.changes()
	id, input := shortCallID(p.ID), e.placeOf(p.Input)
	l.Recent = pushBounded(l.Recent, past{ID: id, Name: name, Does: p.Does, Input: input, Open: p.Does == MayGoOn}, maxRecent)
	l.namesIn(e, p)

	c := claim{ID: id, Of: p.Does, When: l.Todos.When}
	switch p.Does {
	case WritesTodos:
		c.List = l.Todos.List
		l.setList(e, listInInput(p.Input))
	case MakesTask, ReadsTask, ListsTasks:
	case SchedulesWake:
		l.Wakes = string(codec.FindMember(p.Input, "stop")) != "true"
	case ChangesTask:
		c.Name, c.Task = l.updateTask(e, p.Input)
		owner, status := mateName(codec.InsideQuotes(codec.FindMember(p.Input, "owner"))), codec.FindMember(p.Input, "status")
		if l.findMate(owner) >= 0 && string(status) != `"completed"` && string(status) != `"deleted"` {
			l.noteMate(owner, false) // it is told of the task
		}
	case UsesSkill:
		c.Skill = l.Skill
		l.useSkill(p.Text, byTool)
	case MayGoOn, TellsMate:
		c.Input, c.Name = input, mateName(p.Text)
		if p.Does == MayGoOn || l.Role == activity.Lead || l.findMate(c.Name) >= 0 {
			l.noteMate(c.Name, false)
		}
	case EndsBackground:
		c.Name = string(parseIdentifier(p.Text, maxID))
	case BeginsTeam:
		l.Role = activity.Lead
		return
	case EndsTeam:
	default:
		return
	}
	l.Claims = pushBounded(l.Claims, c, maxClaims)
}

func (l *Log) takeResult(f *Format, e *Entry, p *Part) {
	id := shortCallID(p.ID)
	var input place
	for i := range l.Recent {
		if r := &l.Recent[i]; r.ID == id {
			r.Result, r.Done, r.Failed, r.Denied = e.placeOf(p.Text), true, p.Failed, p.Denied
			r.Open = r.Open || bytes.Contains(p.Outcome, []byte(`"interrupted":true`))
			// Claude Code explains the status of grep, diff, test and their like, and calls them no errors.
			r.Failed = r.Failed || bytes.Contains(p.Outcome, []byte(`"returnCodeInterpretation":"`))
			input = r.Input
		}
	}
	for i := range l.Claims {
		if l.Claims[i].ID != id {
			continue
		}
		c := l.Claims[i]
		l.Claims = append(l.Claims[:i], l.Claims[i+1:]...)
		var o Outcome
		if !p.Failed && f.Outcome != nil {
			o = f.Outcome(c.Of, p)
		}
		if c.Of == MayGoOn && len(o.Job) == 0 {
			l.markOpen(id, false)
		}
		if p.Failed || o.Refused {
			l.undoClaim(c)
		} else {
			l.settleClaim(e, o, c)
		}
		return
	}
	// A command can be sent to the background while it runs.
	if !p.Failed && p.Outcome != nil && f.Outcome != nil {
		job := f.Outcome(NothingSpecial, p).Job
		if len(job) > 0 {
			l.markOpen(id, true)
		}
		l.startWork(job, input)
	}
}

// markOpen notes of a call whether it goes on in the background.
func (l *Log) markOpen(id uint32, open bool) {
	for i := range l.Recent {
		if l.Recent[i].ID == id {
			l.Recent[i].Open = open
		}
	}
}

// undoClaim takes back what a failed call had claimed.
func (l *Log) undoClaim(c claim) {
	switch c.Of {
	case WritesTodos:
		l.Todos.List, l.Todos.When = c.List, c.When
	case ChangesTask:
		if c.Task != nil {
			l.keepTask(*c.Task)
		} else if c.Name != "" {
			l.dropTask(l.findTask([]byte(c.Name)))
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

// settleClaim takes what only a result can tell.
func (l *Log) settleClaim(e *Entry, o Outcome, c claim) {
	switch c.Of {
	case MakesTask, ReadsTask:
		l.learnTask(e, o)
	case ListsTasks:
		l.correctTasks(e, o.Tasks)
	case MayGoOn:
		if c.Name = cmp.Or(c.Name, mateName(o.Mate)); c.Name != "" {
			l.noteMate(c.Name, false)
			l.Role = cmp.Or(l.Role, activity.Lead)
		}
		l.startWork(o.Job, c.Input)
	case EndsTeam:
		l.Mates = nil
	case EndsBackground:
		if !o.Running {
			l.endWork([]byte(c.Name))
		}
	}
}

// Work that a turn has put into the background: shell commands, agents,
// monitors. The id is in the result of the call that started it; the end is
// told by a notification, or by the result of the call that stopped it or asked
// for its output.

const maxStarted = 16

// job is work in the background.
type job struct {
	ID    string
	Input place // of the call that started it
}

// startWork takes the id of work that goes on in the background.
func (l *Log) startWork(id []byte, input place) {
	if id = parseIdentifier(id, maxID); id != nil {
		l.endWork(id)
		l.Started = pushBounded(l.Started, job{ID: string(id), Input: input}, maxStarted)
	}
}

func (l *Log) endWork(id []byte) {
	l.Started = slices.DeleteFunc(l.Started, func(j job) bool { return j.ID == string(id) })
}

// Teammates: agents that run beside this one and take tasks. One joins when it is spawned or
// writes, and leaves when it is shut down or the team is deleted. It is at work until it says
// that it is idle, and again from the next message to it.

// AllMates is the name of every teammate in a message to all.
const AllMates = "*"

const (
	maxTeam = 16
	// maxSilence is for how many prompts of a person a teammate counts as at work of which
	// nothing is heard: none survives the client.
	maxSilence = 3
)

type mate struct {
	Name string
	Idle bool
	Turn int // of the newest word to it or from it
}

// mateName is a teammate's name, "" for none, and something short in the place of a name that
// is not plain. One may be called by its team's name, too: moe@barn.
func mateName(raw []byte) string {
	name, _, _ := bytes.Cut(raw, []byte("@"))
	if len(name) == 0 || isPlainName(name, maxID) {
		return string(name)
	}
	return "#" + strconv.FormatUint(hashFNV1a(name), 36)
}

func (l *Log) findMate(name string) int {
	return slices.IndexFunc(l.Mates, func(m mate) bool { return m.Name == name })
}

// noteMate notes that a teammate is at work or idle.
func (l *Log) noteMate(name string, idle bool) {
	i := l.findMate(name)
	switch {
	case name == AllMates:
		for i := range l.Mates {
			l.Mates[i].Idle, l.Mates[i].Turn = idle, l.Turns
		}
		return
	case name == "" || activity.IsLeadName(name):
		return
	case i < 0:
		l.Mates = pushBounded(l.Mates, mate{Name: name}, maxTeam)
		i = len(l.Mates) - 1
	}
	l.Mates[i].Idle, l.Mates[i].Turn = idle, l.Turns
}

func (l *Log) dropMate(name string) {
	l.Mates = slices.DeleteFunc(l.Mates, func(m mate) bool { return m.Name == name })
}

// teamOfView is the team as a decision sees it.
func (l *Log) teamOfView() activity.Team {
	t := activity.Team{Role: l.Role}
	for _, m := range l.Mates {
		if m.Idle || l.Turns-m.Turn >= maxSilence {
			t.Idle = append(t.Idle, m.Name)
		} else {
			t.AtWork = append(t.AtWork, m.Name)
		}
	}
	return t
}
