// Package ledger records all decisions with the state after them, and all holds.
//
// Each session has a file. A stop appends a JSON line with the decision and the new state in a single
// write(). The last complete line contains the current state: a last line torn by a kill is ignored.
package ledger

import (
	"cmp"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

// Record is a decision in a ledger.
type Record struct {
	// ID is the end of the session's key and a number, like 3f2a51-17. AppendRecord sets it.
	ID      string
	Host    string // "" for Claude Code
	At      int64  // Unix milliseconds
	Session string
	Cwd     string
	Project string // directory in which the session started, if the host reports it
	Plugin  string
	// Decision is stop or continue, before a prompt pass or remind, or None.
	Decision string
	Event    string // of a run without a decision, and StopFailure; "" for Stop
	Rule     string
	Evidence string
	Lang     []string // languages of the message, as in BCP 47
	Reason   string   // to the model
	Told     string   // to the user
	Left     *Left    // budget left, if it continued and is not in a loop
	Asked    *Asked   // nil if no judge was asked
	Took     int64    // microseconds
	Flaws    []string // the first mistakes in rules and settings
	State    State
}

func (r *Record) ProjectOrCwd() string {
	return cmp.Or(r.Project, r.Cwd)
}

// sideBySide bounds the time between the hooks of one stop, in milliseconds.
const sideBySide = 10_000

// StandsAsideFor reports whether other is a different plugin's decision at the same stop and matters more than r. Of
// loops with nothing to drive, the last matters.
func (r *Record) StandsAsideFor(other *Record) bool {
	apart := r.At - other.At
	idle := r.minorRank() == 3 && other.minorRank() == 3 && r.State.Number < other.State.Number
	return (r.minorRank() > other.minorRank() || idle) && (other.Decision == "stop" || other.Decision == "continue") &&
		r.Session == other.Session && r.Event == other.Event && r.Plugin != other.Plugin && -sideBySide < apart && apart < sideBySide
}

// minorRank returns 3 for a stop with no loop to drive, 2 if no rule matched, 1 for other stops, and 0 if the user gets
// a message, for an away order's stop, and for other decisions.
func (r *Record) minorRank() int {
	if r.Decision != "stop" || r.Told != "" || r.Rule == "away" {
		return 0
	}
	switch r.Rule {
	case "another-loop", "no-loop", "other-session", "inactive", "no-spec", "no-feature", "no-state", "disabled":
		return 3
	case "otherwise":
		return 2
	}
	return 1
}

// None is the decision of a run that failed to decide.
const None = "none"

// Asking is the decision of a record that reserves the cost of a question. Searches skip it.
const Asking = "asking"

type Left struct {
	Burst  int // in the current five minutes
	Prompt int // for the current prompt
	Hour   int // in the current hour
}

// Asked is a question to a judge.
type Asked struct {
	Backend string
	Model   string
	Bytes   int  // of the page
	Cached  bool // asked for this page before
	// Tokens. CacheRead and CacheWrite are parts of the input.
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Micros     int64  // millionths of a dollar
	Took       int64  // milliseconds
	Failed     string // why no answer
	Detail     string
}

// Judged is a page with its answer.
type Judged struct {
	Page     string // hash of the page and the judge
	Continue bool
	Why      string
}

// State is the state of a session, which all springfield plugins share.
type State struct {
	Number int // of decisions
	Clock  Clock
	// Continues are the times of continues in the last hour, oldest first, in Unix milliseconds. Rounds are
	// the times of continues in loops, which have separate maximums.
	Continues, Rounds []int64
	Prompt            string
	// InPrompt counts continues from Prompt on.
	InPrompt int
	// Own is the host's ID of the user's last prompt. InOwn counts continues since then.
	Own   string
	InOwn int
	// Named are hashes of the prompt IDs seen so far, the latest last. The log cannot make them new again.
	Named []uint64
	// Said is the word of the user's last prompt.
	Said Said
	// AsksLeave is set if the last stop left the user with a question whether to go on. Leave is why the next
	// one can be answered with yes, or "". Once limits that to one question.
	AsksLeave, Once bool
	Leave           string
	// Waits is the prompt that already caused a continue to wait in the foreground.
	Waits string
	// InLoops counts continues in loops since Own, even of loops that Loops has dropped.
	InLoops int
	// Known counts all continues of the session.
	Known int
	// Seen is a hash of the session at our last continue. Same counts continues in a row with that hash.
	Seen string
	Same int
	// Idle counts continues in a row with no tool call, as Claude Code does. Tools is the number of calls by then.
	Idle   int
	Tools  int
	Outage Outage
	Stood  int               // prompts and continues when the agent last stopped for the user
	Loops  []activity.Memory // the latest last
	Judged []Judged          // the latest last
	Spent  int64             // by judges, in millionths of a dollar
	// Barred is set if the project's settings bar the judge and the user knows.
	Barred  bool
	Faults  []string     // reported to the user: plugin and rule
	Plugins []SeenPlugin // that started or decided here, the latest last
	Log     []byte       // JSON, for the reader of the transcript
}

// Outage counts how often the API failed in a row. Since, Turns and Calls name the last failure.
type Outage struct {
	At           int64 // when it was claimed, Unix milliseconds
	Since        int64 // when it left the client idle
	Turns, Calls int   // prompts of the session, and calls since the last one
	Times        int
}

// Said is the word of a prompt, kept because the log can be rewritten.
type Said struct {
	Of             string // the prompt
	Kind, Evidence string
	At             int64 // Unix milliseconds, 0 if unknown
	Held           string
}

// How many are remembered in a session.
const (
	maxLoops   = 8
	maxPlugins = 16
	maxFaults  = 32
	maxJudged  = 8
)

// Remember stores m as the most recent, replacing any memory with the same key. It drops the oldest beyond maxLoops.
func (s *State) Remember(m activity.Memory) {
	m.Told = m.Told[max(0, len(m.Told)-maxLoops):]
	var others []activity.Memory
	for _, old := range s.Loops {
		if old.Key != m.Key {
			others = append(others, old)
		}
	}
	s.Loops = append(others, m)[max(0, len(others)+1-maxLoops):]
}

type SeenPlugin struct {
	Plugin   string
	Strategy string // if not the plugin name
	At       int64  // of the last decision, Unix milliseconds
	// Copy identifies the plugin's directory. Stop identifies the event, which the host sent at Sent, in Unix
	// milliseconds. Ended is when the decision ended, in Unix microseconds.
	Copy, Stop  string
	Sent, Ended int64
}

// MeetPlugin stores one as the most recent, replacing the plugin's entry.
func (s *State) MeetPlugin(one SeenPlugin) {
	if one.Strategy == one.Plugin {
		one.Strategy = ""
	}
	var others []SeenPlugin
	for _, p := range s.Plugins {
		if p.Plugin != one.Plugin {
			others = append(others, p)
		}
	}
	s.Plugins = append(others, one)[max(0, len(others)+1-maxPlugins):]
}

// LastDecidedAt returns when any plugin accepted by of last decided or recorded a session start, in Unix milliseconds,
// or 0.
func (s *State) LastDecidedAt(of func(SeenPlugin) bool) (atMillis int64) {
	for _, p := range s.Plugins {
		if of(p) {
			atMillis = max(atMillis, p.At)
		}
	}
	return atMillis
}

// NoteTold records that the user is notified of a plugin's fault, or returns false if this already happened in the
// session.
func (s *State) NoteTold(plugin, rule string) bool {
	fault := plugin + " " + rule
	if slices.Contains(s.Faults, fault) {
		return false
	}
	s.Faults = append(slices.Clone(s.Faults), fault)[max(0, len(s.Faults)+1-maxFaults):]
	return true
}

func (s *State) NoteJudgement(j Judged) {
	s.Judged = append(s.Judged[:len(s.Judged):len(s.Judged)], j)[max(0, len(s.Judged)+1-maxJudged):]
}

func (r *Record) Members(m *codec.Coder) {
	m.EvenEmpty().Text("id", &r.ID)
	codec.Number(m.EvenEmpty(), "at", &r.At)
	m.Text("host", &r.Host)
	m.Text("session", &r.Session)
	m.Text("cwd", &r.Cwd)
	m.Text("project", &r.Project)
	m.EvenEmpty().Text("plugin", &r.Plugin)
	m.EvenEmpty().Text("decision", &r.Decision)
	m.Text("event", &r.Event)
	m.EvenEmpty().Text("rule", &r.Rule)
	m.Masked("evidence", &r.Evidence)
	m.Texts("lang", &r.Lang)
	m.Masked("reason", &r.Reason)
	m.Masked("told", &r.Told)
	codec.Optional(m, "left", &r.Left)
	codec.Optional(m, "asked", &r.Asked)
	codec.Number(m.EvenEmpty(), "took", &r.Took)
	m.Texts("flaws", &r.Flaws)
	m.EvenEmpty().Object("state", &r.State)
}

func (l *Left) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "burst", &l.Burst)
	codec.Number(m.EvenEmpty(), "prompt", &l.Prompt)
	codec.Number(m.EvenEmpty(), "hour", &l.Hour)
}

func (a *Asked) Members(m *codec.Coder) {
	m.Text("backend", &a.Backend)
	m.Text("model", &a.Model)
	codec.Number(m.EvenEmpty(), "bytes", &a.Bytes)
	m.Bool("cached", &a.Cached)
	codec.Number(m, "input", &a.Input)
	codec.Number(m, "output", &a.Output)
	codec.Number(m, "cache_read", &a.CacheRead)
	codec.Number(m, "cache_write", &a.CacheWrite)
	codec.Number(m.EvenEmpty(), "micros", &a.Micros)
	codec.Number(m.EvenEmpty(), "took", &a.Took)
	m.Text("failed", &a.Failed)
	m.Masked("detail", &a.Detail)
}

func (j *Judged) Members(m *codec.Coder) {
	m.Text("page", &j.Page)
	m.Bool("continue", &j.Continue)
	m.Masked("why", &j.Why)
}

func (s *State) Members(m *codec.Coder) {
	codec.Number(m, "number", &s.Number)
	codec.Number(m, "clock", &s.Clock.At)
	codec.Number(m, "up", &s.Clock.Up)
	codec.Numbers(m, "continues", &s.Continues)
	codec.Numbers(m, "rounds", &s.Rounds)
	m.Text("prompt", &s.Prompt)
	codec.Number(m, "in_prompt", &s.InPrompt)
	m.Text("own", &s.Own)
	codec.Number(m, "in_own", &s.InOwn)
	codec.Numbers(m, "named", &s.Named)
	m.Object("said", &s.Said)
	m.Bool("asks_leave", &s.AsksLeave)
	m.Bool("once", &s.Once)
	m.Masked("leave", &s.Leave)
	m.Text("waits", &s.Waits)
	codec.Number(m, "in_loops", &s.InLoops)
	codec.Number(m, "known", &s.Known)
	m.Text("seen", &s.Seen)
	codec.Number(m, "same", &s.Same)
	codec.Number(m, "idle", &s.Idle)
	codec.Number(m, "tools", &s.Tools)
	m.Object("outage", &s.Outage)
	codec.Number(m, "stood", &s.Stood)
	codec.ListOf(m, "loops", &s.Loops)
	codec.ListOf(m, "judged", &s.Judged)
	codec.Number(m, "spent", &s.Spent)
	m.Bool("barred", &s.Barred)
	m.Texts("faults", &s.Faults)
	codec.ListOf(m, "plugins", &s.Plugins)
	m.Raw("log", &s.Log)
}

func (o *Outage) Members(m *codec.Coder) {
	codec.Number(m, "at", &o.At)
	codec.Number(m, "since", &o.Since)
	codec.Number(m, "turns", &o.Turns)
	codec.Number(m, "calls", &o.Calls)
	codec.Number(m, "times", &o.Times)
}

func (s *Said) Members(m *codec.Coder) {
	m.Text("of", &s.Of)
	m.Text("kind", &s.Kind)
	m.Masked("evidence", &s.Evidence)
	codec.Number(m, "at", &s.At)
	m.Masked("held", &s.Held)
}

func (p *SeenPlugin) Members(m *codec.Coder) {
	m.Text("plugin", &p.Plugin)
	m.Text("strategy", &p.Strategy)
	codec.Number(m, "at", &p.At)
	m.Text("copy", &p.Copy)
	m.Text("stop", &p.Stop)
	codec.Number(m, "sent", &p.Sent)
	codec.Number(m, "ended", &p.Ended)
}
