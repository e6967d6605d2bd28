// Package activity defines the types for the contents of a transcript and for the history of loops. explain
// --json prints them by their tags.
package activity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// Todo is an item of the todo list. Only tasks have an ID, an owner and items to wait for.
type Todo struct {
	ID      string `json:"id,omitempty"`
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress or completed
	Owner   string `json:"owner,omitempty"`
	Blocked bool   `json:"blocked"` // waits for another item
}

func (t Todo) IsOpen() bool { return t.Status == "pending" || t.Status == "in_progress" }

func (t Todo) IsTeammates() bool { return t.Owner != "" && !IsLeadName(t.Owner) }

// IsLeadName reports whether name is a team lead's, ignoring case.
func IsLeadName(name string) bool {
	switch strings.ToLower(name) {
	case "team-lead", "lead", "main", "claude", "me":
		return true
	}
	return false
}

// Team is the session's team of agents, without the session itself.
type Team struct {
	// Role is the session's: Lead, Teammate, or "" if unknown.
	Role string
	// AtWork and Idle are up to sixteen names in total. An idle member waits for a message.
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

// String returns text like "2/5 complete, 3 pending" ("none" if empty).
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

// Call is a tool call. Input and Result are short and on one line, such as a command, a file or a pattern,
// and the first line of the result or "exit 1".
type Call struct {
	Name   string `json:"name"`
	Input  string `json:"input,omitempty"`
	Result string `json:"result,omitempty"`
	Error  bool   `json:"error"`
	Done   bool   `json:"done"` // has a result, can be empty
	Denied bool   `json:"-"`    // not allowed, did not run
	Writes bool   `json:"-"`    // might change a file
	Seen   string `json:"-"`    // hash if the call failed, ignoring digits
	// Command is a shell's whole command, after "cd 'DIR' && " if the call names a directory.
	Command string `json:"-"`
	Open    bool   `json:"-"` // interrupted, or still in the background
}

// Plan is a plan file that the session named, or a directory of superpowers' ledgers, such as .superpowers/sdd/NAME.
type Plan struct {
	Name    string `json:"name"`
	Turns   int    `json:"turns"`   // prompts since it was last named
	Written bool   `json:"written"` // in this turn
}

// Skill is a skill in use, without the plugin's name.
type Skill struct {
	Name  string `json:"name"`
	From  string `json:"from"`  // the sign: tool, body or attribution
	Turns int    `json:"turns"` // prompts since the last sign
}

// Window is the content of the last lines of a transcript.
type Window struct {
	Text     string   // the assistant's last
	LastTool string   // of the last tool call
	Todos    []Todo   // from the last TodoWrite, or nil
	Said     []string // the assistant's texts since a person's last words, oldest first, without subagents'
	Raw      []string // lines that are no JSON objects: all lines of a plain text
}

// LoopEvent is an event in the life of a loop.
type LoopEvent struct {
	Loop       string // its ID
	At         int64  // Unix milliseconds
	Event      string
	Count, Max int // turns that are over, and all
	Session    string
	Dir        string
	Text       string // the end of Claude's last message
	File       string // set when the loop starts
	Typed      int    // 0 if no maximum was typed at a terminal
}

// MostIterations is the maximum number of turns in a loop.
const MostIterations = 500

// LoopPast is a loop's history: continues, highest count, and the maximum that the user typed last, or 0. The
// end of a loop moves Typed to Before and sets Over.
type LoopPast struct {
	Continues, Count, Typed, Before int
	Over                            bool
}

// The events of a loop. All but the first four end it.
const (
	LoopStarted   = "start"
	LoopRaised    = "max" // maximum typed by user
	LoopGoesOn    = "iteration"
	LoopLastRound = "last"
	LoopPromised  = "promise"
	LoopLimited   = "limit"
	LoopTimedOut  = "timeout"
	LoopStalled   = "stagnation"
	LoopCancelled = "cancel"
)

// StopsLoop reports whether the event ends or suspends the loop.
func (e LoopEvent) StopsLoop() bool {
	return !slices.Contains([]string{LoopStarted, LoopRaised, LoopGoesOn, LoopLastRound}, e.Event)
}

// IsShortLowerID reports whether id consists of 1 to 16 digits and lowercase letters.
func IsShortLowerID(id string) bool {
	return id != "" && len(id) <= 16 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// Memory is the state of a loop between two stops. The ledger keeps the last eight of a session.
type Memory struct {
	// Key is the path to the state file, to identify the loop.
	Key string
	// Mark is the loop's progress at our last continue, in the strategy's words.
	Mark string
	// Text is the hash of the last message at that continue. Form is the hash without digits. Calls is the
	// number of tool calls by then.
	Text, Form string
	Calls      int
	// Paused is the pause since then that the user was notified of.
	Paused string
	// Stalls counts our continues in a row with no progress. Continues counts continues since a goal loop was
	// started, or for a spec since the user's last prompt.
	Stalls, Continues int
	// At is the time of the last continue in Unix milliseconds.
	At int64
	// Max is the loop's maximum at that time. Typed is the maximum that the user typed.
	Max, Typed int
	// Prompt is the user's prompt that Continues belongs to.
	Prompt string
	// Told are hashes of the errors that the model received.
	Told []string
}

// Members lists a memory's members in the ledger.
func (r *Memory) Members(m *codec.Coder) {
	m.Text("key", &r.Key)
	m.Text("mark", &r.Mark)
	m.Text("text", &r.Text)
	m.Text("form", &r.Form)
	m.Text("paused", &r.Paused)
	codec.Number(m, "calls", &r.Calls)
	codec.Number(m, "stalls", &r.Stalls)
	codec.Number(m, "rounds", &r.Continues)
	codec.Number(m, "at", &r.At)
	codec.Number(m, "max", &r.Max)
	codec.Number(m, "typed", &r.Typed)
	m.Text("prompt", &r.Prompt)
	m.Texts("told", &r.Told)
}

// Members lists an event's members in the history.
func (e *LoopEvent) Members(m *codec.Coder) {
	m.EvenEmpty().Text("loop", &e.Loop)
	codec.Number(m.EvenEmpty(), "at", &e.At)
	m.EvenEmpty().Text("event", &e.Event)
	codec.Number(m.EvenEmpty(), "iteration", &e.Count)
	codec.Number(m.EvenEmpty(), "max", &e.Max)
	m.Text("session", &e.Session)
	m.Text("directory", &e.Dir)
	m.Masked("text", &e.Text)
	m.Text("file", &e.File)
	codec.Number(m, "typed", &e.Typed)
}
