// Package ledger keeps what outlives one stop: every decision, the state after
// it, and the holds.
//
// One file per session, append only. A stop is one write() of one JSON line
// that is decision and state at once; the newest complete line is the state.
// So a hook that is killed at any point leaves a file that still reads, and a
// torn last line is simply not there.
package ledger

import (
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Record is one decision and the state after it.
type Record struct {
	// ID names the decision for `why`: the session's hash and a number, like
	// 3f2a-17. Append sets it.
	ID      string `json:"id"`
	At      int64  `json:"at"` // Unix milliseconds
	Session string `json:"session,omitempty"`
	Cwd     string `json:"cwd,omitempty"`
	Plugin  string `json:"plugin"`
	// Decision is stop or continue; of a prompt pass or remind; None of a start of
	// the hook that came to no decision.
	Decision string `json:"decision"`
	// Event is what such a start was to answer, "" for Stop.
	Event    string `json:"event,omitempty"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
	// Lang are the languages that the message was read in, as in BCP 47.
	Lang   []string `json:"lang,omitempty"`
	Reason string   `json:"reason,omitempty"` // to the model
	Told   string   `json:"told,omitempty"`   // to the user
	Left   Left     `json:"left"`
	// Asked is what a judge was asked, nil if nobody was.
	Asked *Asked `json:"asked,omitempty"`
	Took  int64  `json:"took"` // microseconds from start to here
	// Flaws are the first of what was wrong with rules and settings, and not in force.
	Flaws []string `json:"flaws,omitempty"`
	State State    `json:"state"`
}

// Left is what remained of the budget after a decision.
type Left struct {
	Burst  int `json:"burst"`  // in the current five minutes
	Prompt int `json:"prompt"` // for the current prompt
}

// Asked is a question to a judge.
type Asked struct {
	Backend string `json:"backend,omitempty"`
	Model   string `json:"model,omitempty"`
	Bytes   int    `json:"bytes"` // of the page
	// Cached tells that the same page had been asked before in the session.
	Cached bool `json:"cached,omitempty"`
	// Tokens in and out; what of the input came from a cache, or went there.
	Input      int64 `json:"input,omitempty"`
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Micros     int64 `json:"micros"` // cost in millionths of a dollar
	Took       int64 `json:"took"`   // milliseconds
	// Failed is why there was no answer, and Detail what was seen.
	Failed string `json:"failed,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Judged is a page that has been answered.
type Judged struct {
	Page     string `json:"page"` // a hash of it, and of who was asked
	Continue bool   `json:"continue,omitempty"`
	Why      string `json:"why,omitempty"`
}

// State is what the next stop of the session has to know. All springfield
// plugins of a session share it.
type State struct {
	// Number counts the session's decisions.
	Number int `json:"number,omitempty"`
	// Continues are the times of the newest continues, oldest first, in Unix
	// milliseconds.
	Continues []int64 `json:"continues,omitempty"`
	// Prompt is the user prompt that InPrompt belongs to.
	Prompt string `json:"prompt,omitempty"`
	// InPrompt counts the continues since that prompt.
	InPrompt int `json:"in_prompt,omitempty"`
	// Seen is what the session looked like at our last continue, and Same how
	// often in a row it has looked so: no progress.
	Seen string `json:"seen,omitempty"`
	Same int    `json:"same,omitempty"`
	// Idle counts continues in a row without a tool call, as Claude Code does,
	// and Tools the calls it has been counted against.
	Idle  int `json:"idle,omitempty"`
	Tools int `json:"tools,omitempty"`
	// Rounds counts the continues of loops since the prompt LoopPrompt, which their
	// own memories can forget.
	LoopPrompt string `json:"loop_prompt,omitempty"`
	Rounds     int    `json:"rounds,omitempty"`
	// Loops are what loops remember of this session, the newest last.
	Loops []strategy.Memory `json:"loops,omitempty"`
	// Judged are the newest pages that judges have answered, the newest last, and
	// Spent is what judges have cost in the session, in millionths of a dollar.
	Judged []Judged `json:"judged,omitempty"`
	Spent  int64    `json:"spent,omitempty"`
	// Barred tells that the project's settings kept the judge from being asked when
	// it was last tried, and that the user knows.
	Barred bool `json:"barred,omitempty"`
	// Faults are those that the user has been told of.
	Faults []Told `json:"faults,omitempty"`
	// Log is how far the transcript has been read, and what it has said.
	Log transcript.Log `json:"log"`
}

// maxLoops is how many loops a session remembers, and of each how many errors.
const maxLoops = 8

// Remember puts a memory in the place of the one with its key, as the newest.
func (s *State) Remember(m strategy.Memory) {
	m.Told = m.Told[max(0, len(m.Told)-maxLoops):]
	loops := make([]strategy.Memory, 0, len(s.Loops)+1)
	for _, old := range s.Loops {
		if old.Key != m.Key {
			loops = append(loops, old)
		}
	}
	loops = append(loops, m)
	s.Loops = loops[max(0, len(loops)-maxLoops):]
}

// maxFaults is how many faults a session remembers to have told of.
const maxFaults = 32

// Told is a fault that the user has been told of.
type Told struct {
	Fault string `json:"fault"` // a plugin's name and a rule
	At    int64  `json:"at"`    // the start that told, Unix milliseconds
}

// Tell notes that a start tells the user of a plugin's fault, and is false if they
// were told before in this session.
func (s *State) Tell(plugin, rule string, at int64) bool {
	fault := plugin + " " + rule
	for _, told := range s.Faults {
		if told.Fault == fault {
			return false
		}
	}
	all := append(append([]Told(nil), s.Faults...), Told{fault, at})
	s.Faults = all[max(0, len(all)-maxFaults):]
	return true
}

// Unsaid forgets what a start was to tell whose words did not come out.
func (s *State) Unsaid(at int64) {
	var kept []Told
	for _, told := range s.Faults {
		if told.At != at {
			kept = append(kept, told)
		}
	}
	s.Faults = kept
}

// maxJudged is how many answers a session remembers.
const maxJudged = 8

// Note remembers an answer.
func (s *State) Note(j Judged) {
	all := append(append([]Judged(nil), s.Judged...), j)
	s.Judged = all[max(0, len(all)-maxJudged):]
}
