package fact

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

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

// IsLoopID tells whether a text can be a loop's ID. A file may bring one along.
func IsLoopID(id string) bool {
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
	// Stalls counts our continues in a row without progress, Rounds all of them
	// since the loop began.
	Stalls int
	Rounds int
	// Began and At are the times of the first continue and the last, in Unix
	// milliseconds.
	Began int64
	At    int64
	// Idle counts our continues in a row without a tool call, as Claude Code does.
	Idle int
	// Max is the loop's own maximum then.
	Max int
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
	codec.Number(m, "calls", &r.Calls)
	codec.Number(m, "stalls", &r.Stalls)
	codec.Number(m, "rounds", &r.Rounds)
	codec.Number(m, "began", &r.Began)
	codec.Number(m, "at", &r.At)
	codec.Number(m, "idle", &r.Idle)
	codec.Number(m, "max", &r.Max)
	m.Text("prompt", &r.Prompt)
	m.Texts("told", &r.Told)
}

// Members are an event as the history keeps it.
func (e *LoopEvent) Members(m *codec.Members) {
	m.Keep().Text("loop", &e.Loop)
	codec.Number(m.Keep(), "at", &e.At)
	m.Keep().Text("event", &e.Event)
	codec.Number(m.Keep(), "iteration", &e.Count)
	codec.Number(m.Keep(), "max", &e.Max)
	m.Text("session", &e.Session)
	m.Text("directory", &e.Dir)
	m.Text("text", &e.Text)
	m.Text("file", &e.File)
}

// MarshalJSON and UnmarshalJSON are for programs that use encoding/json.
func (e LoopEvent) MarshalJSON() ([]byte, error) { return codec.Append(nil, &e), nil }

func (e *LoopEvent) UnmarshalJSON(data []byte) error { return codec.Read(data, e) }
