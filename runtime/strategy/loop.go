// What loops have in common: how other plugins of the session see one, and what
// happens to it, which is told to the history, and to the user's own command where
// there is one.

package strategy

import (
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/excerpt"
	"github.com/cameronsjo/springfield/runtime/fact"
)

// Loop is a loop as the other plugins of a session see it. While it is armed, they
// stand aside: any hook that blocks wins, and two that drive get in each other's way.
type Loop struct {
	// Spec tells that the loop goes through the tasks of a spec, which plugins of others
	// drive, too.
	Spec bool
	// Files are what Armed has to read, as in Needs.
	Files func(Situation) []Want
	// Armed looks at these files, and at what is remembered of the loop.
	Armed func(Situation) Armed
}

// Armed tells how a loop stands in a session. The zero Armed is none.
type Armed struct {
	// Evidence says what tells so, "" if the loop is not armed.
	Evidence string
	// Running tells that the user's own ledger has continues of this loop in this
	// session. Without them there is only the state file, which may have come with the
	// project.
	Running bool
	// Age is how long ago the state file changed, in milliseconds, unless it is Undated.
	Age     int64
	Undated bool
}

// sameStop is by how much two hooks of one stop can be apart, in milliseconds.
const sameStop = 30_000

// IsNow tells whether a memory was written at this very stop, by the hook of the loop's
// own plugin, which was faster.
func (s Situation) IsNow(m fact.Memory) bool {
	apart := s.Session.Now - m.At
	return m.Text != "" && m.Text == excerpt.Hash(s.Message.Text) && -sameStop < apart && apart < sameStop
}

// Progress is a command that gets a line of JSON on its standard input when a loop
// starts, at every n-th iteration, at the last one, and when it ends.
type Progress struct {
	Command []string `json:"command"` // the first is an absolute path
	Every   int      `json:"every,omitempty"`
}

// Members are the command as a file has it.
func (p *Progress) Members(m *codec.Members) {
	m.Texts("command", &p.Command)
	codec.Number(m, "every", &p.Every)
}

// Wants tells whether an event is to be told.
func (p Progress) Wants(e fact.LoopEvent) bool {
	return e.Event != fact.LoopGoesOn || e.Count%max(p.Every, 1) == 0
}
