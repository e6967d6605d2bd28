// Package fact holds what a session's transcript says, in the types that all use
// from the transcript to the judge, and what the ledger keeps of loops. explain --json
// prints them by their tags.
package fact

import (
	"strconv"
	"strings"
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

// Open tells that a todo is not done.
func (t Todo) Open() bool { return t.Status == "pending" || t.Status == "in_progress" }

// Others tells that another agent has taken a todo. Those that lead a team go by
// these names.
func (t Todo) Others() bool {
	switch strings.ToLower(t.Owner) {
	case "", "team-lead", "lead", "main", "claude", "me":
		return false
	}
	return true
}

// Tally is the state of a todo list.
type Tally struct{ Done, Doing, Pending int }

// Count counts a todo list.
func Count(todos []Todo) (n Tally) {
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
