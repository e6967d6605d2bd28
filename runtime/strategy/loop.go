// What loops have in common: what happens to one is told to the history, and to
// the user's own command where there is one.

package strategy

// LoopEvent is one thing that happened to a loop.
type LoopEvent struct {
	Loop  string `json:"loop"` // its ID
	At    int64  `json:"at"`   // Unix milliseconds
	Event string `json:"event"`
	// Count and Max are the iteration and the last one.
	Count   int    `json:"iteration"`
	Max     int    `json:"max"`
	Session string `json:"session,omitempty"`
	Dir     string `json:"directory,omitempty"`
	Text    string `json:"text,omitempty"` // how Claude's last message ends
	File    string `json:"file,omitempty"` // at the start: the loop's file
}

// What happens to a loop. All but the first three end it.
const (
	LoopStarted   = "start"
	LoopGoesOn    = "iteration"
	LoopLastRound = "last"
	LoopPromised  = "promise"
	LoopLimited   = "limit"
	LoopTimedOut  = "timeout"
	LoopStalled   = "stagnation"
	LoopCancelled = "cancel"
)

// Ends tells that the loop is over with this, or rests.
func (e LoopEvent) Ends() bool {
	switch e.Event {
	case LoopStarted, LoopGoesOn, LoopLastRound:
		return false
	}
	return true
}

// Progress is a command that gets a line of JSON on its standard input when a loop
// starts, at every n-th iteration, at the last one, and when it ends.
type Progress struct {
	Command []string `json:"command"` // the first is an absolute path
	Every   int      `json:"every,omitempty"`
}

// Wants tells whether an event is to be told.
func (p Progress) Wants(e LoopEvent) bool {
	return e.Event != LoopGoesOn || e.Count%max(p.Every, 1) == 0
}
