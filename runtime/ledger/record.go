// Package ledger keeps what outlives one stop: every decision, and the state
// after it.
//
// One file per session, append only. A stop is one write() of one JSON line
// that is decision and state at once; the newest complete line is the state.
// So a hook that is killed at any point leaves a file that still reads, and a
// torn last line is simply not there.
package ledger

// Record is one decision and the state after it.
type Record struct {
	At       int64  `json:"at"` // Unix milliseconds
	Session  string `json:"session,omitempty"`
	Plugin   string `json:"plugin"`
	Decision string `json:"decision"` // stop or continue
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
	State    State  `json:"state"`
}

// State is what the next stop of the session has to know. All springfield
// plugins of a session share it.
type State struct {
	// Continues are the times of the newest continues, oldest first, in Unix
	// milliseconds; no more of them than the budget counts.
	Continues []int64 `json:"continues,omitempty"`
	// Prompt is the user prompt that InPrompt belongs to.
	Prompt string `json:"prompt,omitempty"`
	// InPrompt counts the continues since that prompt.
	InPrompt int `json:"in_prompt,omitempty"`
}
