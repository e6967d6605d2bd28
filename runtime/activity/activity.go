// Package activity holds what a session's transcript says, in the types that all use
// from the transcript to the judge, and what the ledger keeps of loops. explain --json
// prints them by their tags.
package activity

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// Todo is one item of the todo list. Only tasks have an ID, an owner, and others to
// wait for.
type Todo struct {
	ID      string `json:"id,omitempty"`
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress or completed
	Owner   string `json:"owner,omitempty"`
	Blocked bool   `json:"blocked"` // waits for another item
}

func (t Todo) IsOpen() bool { return t.Status == "pending" || t.Status == "in_progress" }

// IsOthers tells that another agent has taken a todo.
func (t Todo) IsOthers() bool { return t.Owner != "" && !IsLeadName(t.Owner) }

// IsLeadName tells whether a name is one that a session goes by which leads a team, in
// messages and as the owner of todos.
func IsLeadName(name string) bool {
	switch strings.ToLower(name) {
	case "team-lead", "lead", "main", "claude", "me":
		return true
	}
	return false
}

// Team is a team of agents that the session is in. It has none of the session's own name.
type Team struct {
	// Role is the session's: Lead, Teammate, or "" where nothing says so.
	Role string
	// AtWork and Idle are the other members' names, at most sixteen together. An idle one
	// waits for a message.
	AtWork, Idle []string
}

// The roles.
const (
	Lead     = "lead"
	Teammate = "teammate"
)

// Tally is the state of a todo list.
type Tally struct{ Done, Doing, Pending int }

func CountTodos(todos []Todo) (n Tally) {
	for _, t := range todos {
		switch t.Status {
		case "completed":
			n.Done++
		case "in_progress":
			n.Doing++
		case "pending":
			n.Pending++
		}
	}
	return n
}

// String is like "2/5 complete, 3 pending".
func (n Tally) String() string {
	all := n.Done + n.Doing + n.Pending
	if all == 0 {
		return "none"
	}
	s := strconv.Itoa(n.Done) + "/" + strconv.Itoa(all) + " complete"
	if n.Doing > 0 {
		s += ", " + strconv.Itoa(n.Doing) + " in progress"
	}
	if n.Pending > 0 {
		s += ", " + strconv.Itoa(n.Pending) + " pending"
	}
	return s
}

// Call is one tool call. Input and Result are short and one line: the command, the
// file, the pattern …; the first line of what came back, or "exit 1".
type Call struct {
	Name   string `json:"name"`
	Input  string `json:"input,omitempty"`
	Result string `json:"result,omitempty"`
	Error  bool   `json:"error"`
	Done   bool   `json:"done"` // there is a result, be it an empty one
	// Denied tells that it was not allowed, so it did not run.
	Denied bool `json:"-"`
	// Writes tells that it may change a file; Seen names what a failed one brought back, numbers left aside.
	Writes bool   `json:"-"`
	Seen   string `json:"-"`
	// Command is what a shell was told, whole and as it stands, "" for other tools; behind "cd 'DIR' && " where the
	// call names a directory. Open tells that it was interrupted, or goes on in the background.
	Command string `json:"-"`
	Open    bool   `json:"-"`
}

// Plan is a plan file that the session has named, or a directory of superpowers'
// ledgers, as .superpowers/sdd/NAME. Turns is how many prompts ago it was named
// last; Written tells that it was written or edited in this turn.
type Plan struct {
	Name    string `json:"name"`
	Turns   int    `json:"turns"`
	Written bool   `json:"written"`
}

// Skill is a skill in use, without its plugin's name. From is the sign that showed
// it: tool, body, attribution or announcement; Turns is how many prompts ago the
// newest sign was.
type Skill struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	Turns int    `json:"turns"`
}

// Window is what the last lines of a transcript alone say.
type Window struct {
	Text     string // newest text of the assistant
	LastTool string // name of the newest tool call
	Todos    []Todo // newest TodoWrite, nil if there is none
	// Said are the assistant's texts since the newest words of a person, oldest
	// first, and subagents' left out; Raw are the lines that are no JSON objects: all
	// of a transcript that is plain text.
	Said []string
	Raw  []string
	// Background tells that the turn started a shell command in the background.
	Background bool
}

// LoopEvent is one thing that happened to a loop.
type LoopEvent struct {
	Loop  string // its ID
	At    int64  // Unix milliseconds
	Event string
	// Count and Max are the iteration and the last one.
	Count   int
	Max     int
	Session string
	Dir     string
	Text    string // how Claude's last message ends
	File    string // at the start: the loop's file
	// Typed is the maximum that the user has typed at a terminal, 0 for none.
	Typed int
}

// MostIterations is the most iterations that a loop can have in its life, also by a number that the user types.
const MostIterations = 500

// LoopPast is what the user's own history has of a loop: how often it has gone on, and the
// maximum that the user typed last. Behind an end of the loop nothing typed is in force, and
// Before is what was. 0 is none. Over tells that the newest is such an end.
type LoopPast struct {
	Continues, Typed, Before int
	Over                     bool
}

// What happens to a loop. All but the first four end it.
const (
	LoopStarted   = "start"
	LoopRaised    = "max" // the user has typed a maximum
	LoopGoesOn    = "iteration"
	LoopLastRound = "last"
	LoopPromised  = "promise"
	LoopLimited   = "limit"
	LoopTimedOut  = "timeout"
	LoopStalled   = "stagnation"
	LoopCancelled = "cancel"
)

// EndsLoop tells that the loop is over with this, or rests.
func (e LoopEvent) EndsLoop() bool {
	switch e.Event {
	case LoopStarted, LoopRaised, LoopGoesOn, LoopLastRound:
		return false
	}
	return true
}

// IsPlainID reports whether a text can be the ID of a loop or of an order, and so be a part of a command. A file may bring one along.
func IsPlainID(id string) bool {
	return id != "" && len(id) <= 16 && !strings.ContainsFunc(id, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') })
}

// Memory is what a loop remembers from one stop of a session to the next. The
// ledger keeps it; the newest eight of a session are kept.
type Memory struct {
	// Key names the loop: the path of its state file.
	Key string
	// Mark is where the loop stood at our last continue, in the strategy's words.
	Mark string
	// Text is the hash of the last message at our last continue, Calls the tool
	// calls of the session by then.
	Text  string
	Calls int
	// Form is the hash of that message, its numbers left aside.
	Form string
	// Paused names the pause that the user was told of since then.
	Paused string
	// Stalls counts our continues in a row without progress, Continues all of them: of a goal
	// loop in its life, of a spec since the user's own prompt.
	Stalls    int
	Continues int
	// At is the time of the last continue, in Unix milliseconds.
	At int64
	// Idle counts our continues in a row without a tool call, as Claude Code does.
	Idle int
	// Max is the loop's own maximum then, and Typed what the user has typed for it.
	Max, Typed int
	// Prompt is the user's prompt that the rounds were counted in.
	Prompt string
	// Told are hashes of the errors that the model has been told of.
	Told []string
}

// Members are a memory as the ledger keeps it.
func (r *Memory) Members(m *codec.Members) {
	m.Text("key", &r.Key)
	m.Text("mark", &r.Mark)
	m.Text("text", &r.Text)
	m.Text("form", &r.Form)
	m.Text("paused", &r.Paused)
	codec.Number(m, "calls", &r.Calls)
	codec.Number(m, "stalls", &r.Stalls)
	codec.Number(m, "rounds", &r.Continues)
	codec.Number(m, "at", &r.At)
	codec.Number(m, "idle", &r.Idle)
	codec.Number(m, "max", &r.Max)
	codec.Number(m, "typed", &r.Typed)
	m.Text("prompt", &r.Prompt)
	m.Texts("told", &r.Told)
}

// Members are an event as the history keeps it.
func (e *LoopEvent) Members(m *codec.Members) {
	m.KeepEmpty().Text("loop", &e.Loop)
	codec.Number(m.KeepEmpty(), "at", &e.At)
	m.KeepEmpty().Text("event", &e.Event)
	codec.Number(m.KeepEmpty(), "iteration", &e.Count)
	codec.Number(m.KeepEmpty(), "max", &e.Max)
	m.Text("session", &e.Session)
	m.Text("directory", &e.Dir)
	m.Quoted("text", &e.Text)
	m.Text("file", &e.File)
	codec.Number(m, "typed", &e.Typed)
}
