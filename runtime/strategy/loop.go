// What loops have in common: what happens to one is told to the history, and to
// the user's own command where there is one.

package strategy

import "github.com/cameronsjo/springfield/runtime/fact"

// Progress is a command that gets a line of JSON on its standard input when a loop
// starts, at every n-th iteration, at the last one, and when it ends.
type Progress struct {
	Command []string `json:"command"` // the first is an absolute path
	Every   int      `json:"every,omitempty"`
}

// Wants tells whether an event is to be told.
func (p Progress) Wants(e fact.LoopEvent) bool {
	return e.Event != fact.LoopGoesOn || e.Count%max(p.Every, 1) == 0
}
