// Package ledger keeps what outlives one stop: every decision, the state after
// it, and the holds.
//
// One file per session, append only. A stop is one write() of one JSON line
// that is decision and state at once; the newest complete line is the state.
// So a hook that is killed at any point leaves a file that still reads, and a
// torn last line is simply not there.
package ledger

import (
	"cmp"
	"slices"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
)

// Record is one decision and the state after it.
type Record struct {
	// ID names the decision for `why`: the session's hash and a number, like
	// 3f2a-17. Append sets it.
	ID string
	// Host is whose session it is, "" for Claude Code.
	Host    string
	At      int64 // Unix milliseconds
	Session string
	Cwd     string
	Project string // the directory that the session was started in, if the host says it
	Plugin  string
	// Decision is stop or continue; of a prompt pass or remind; None of a start of
	// the hook that came to no decision.
	Decision string
	// Event is what such a start was to answer, "" for Stop.
	Event    string
	Rule     string
	Evidence string
	// Lang are the languages that the message was read in, as in BCP 47.
	Lang   []string
	Reason string // to the model
	Told   string // to the user
	// Left is what a continue has left of the budget, nil for anything else and for a
	// continue of a loop, which has a maximum of its own.
	Left *Left
	// Asked is what a judge was asked, nil if none was.
	Asked *Asked
	Took  int64 // microseconds from start to here
	// Flaws are the first of what was wrong with rules and settings, and not in force.
	Flaws []string
	State State
}

// ProjectPlace is the project of a decision, as far as it is known.
func (r *Record) ProjectPlace() string {
	return cmp.Or(r.Project, r.Cwd)
}

// sideBySide is how far apart the hooks that one stop starts begin, at most, in milliseconds.
const sideBySide = 10_000

// StandsAsideFor tells that a plugin had nothing to decide at a stop, and another decided it.
func (r *Record) StandsAsideFor(other *Record) bool {
	apart := r.At - other.At
	return r.standsAside() && !other.standsAside() && (other.Decision == "stop" || other.Decision == "continue") &&
		r.Session == other.Session && r.Plugin != other.Plugin && -sideBySide < apart && apart < sideBySide
}

// standsAside tells that a plugin has no loop to drive, or that another drives one, and that the user was told nothing.
func (r *Record) standsAside() bool {
	return r.Decision == "stop" && r.Told == "" &&
		slices.Contains([]string{"another-loop", "no-loop", "other-session", "inactive", "no-spec", "no-feature", "no-state", "disabled"}, r.Rule)
}

// None is the decision of a record about a start of the hook that came to none.
const None = "none"

// Asking is the decision of a record that counts what a question may cost before it is asked.
// Who looks back does not see it.
const Asking = "asking"

// Left is what remained of the budget after a decision.
type Left struct {
	Burst  int // in the current five minutes, since the user's last prompt
	Prompt int // for the current prompt
	Hour   int // in the current hour
}

// Asked is a question to a judge.
type Asked struct {
	Backend string
	Model   string
	Bytes   int // of the page
	// Cached tells that the same page had been asked before in the session.
	Cached bool
	// Tokens in and out; what of the input came from a cache, or went there.
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Micros     int64 // cost in millionths of a dollar
	Took       int64 // milliseconds
	// Failed is why there was no answer, and Detail what was seen.
	Failed string
	Detail string
}

// Judged is a page that has been answered.
type Judged struct {
	Page     string // a hash of it, and of who was asked
	Continue bool
	Why      string
}

// State is what the next stop of the session has to know. All springfield
// plugins of a session share it.
type State struct {
	// Number counts the session's decisions.
	Number int
	// Clock is the time that counts in the session.
	Clock Clock
	// Continues are the times of the continues of the last hour, oldest first, in Unix
	// milliseconds, and Rounds those of the continues of loops, which have maximums of their own.
	Continues, Rounds []int64
	// Prompt is the user prompt that InPrompt belongs to.
	Prompt string
	// InPrompt counts the continues since that prompt.
	InPrompt int
	// Own is the user's own last prompt, as Claude Code itself has named it, and InOwn
	// counts the continues since.
	Own   string
	InOwn int
	// Named are hashes of the ids that events have given to prompts and whose origin is known, the
	// newest last. One of them is never new again, whatever the log says of it later.
	Named []uint64
	// Said is what the user's own last prompt says of going on.
	Said Said
	// AsksLeave reports whether the newest stop left the user with a question for leave. Leave is
	// why the next one may be answered with yes, "" if it may not; Once, that this is for one.
	AsksLeave, Once bool
	Leave           string
	// Waits is the prompt for which an agent was told to wait in the foreground.
	Waits string
	// InLoops counts the continues of loops since then, which their own memories can forget.
	InLoops int
	// Known counts all continues of the session that the ledger knows of.
	Known int
	// Seen is what the session looked like at our last continue, and Same how
	// often in a row it has looked so: no progress.
	Seen string
	Same int
	// Idle counts continues in a row without a tool call, as Claude Code does,
	// and Tools the calls it has been counted against.
	Idle  int
	Tools int
	// Loops are what loops remember of this session, the newest last.
	Loops []activity.Memory
	// Judged are the newest pages that judges have answered, the newest last, and
	// Spent is what judges have cost in the session, in millionths of a dollar.
	Judged []Judged
	Spent  int64
	// Barred tells that the project's settings kept the judge from being asked when
	// it was last tried, and that the user knows.
	Barred bool
	// Faults are those that the user has been told of: a plugin's name and a rule.
	Faults []string
	// Plugins are those that have decided in the session, the newest last.
	Plugins []Present
	// Log is what the reader of the transcript wants to know at the next stop, as
	// JSON.
	Log []byte
}

// Said is a prompt that was read once: the log of it can be written anew.
type Said struct {
	Of             string // names the prompt
	Kind, Evidence string // of its word
	At             int64  // when it was typed, Unix milliseconds, 0 if that is not known
}

// How many of each a session remembers, the newest last, and of a loop as many errors.
const (
	maxLoops   = 8
	maxPlugins = 16
	maxFaults  = 32
	maxJudged  = 8
)

// Remember puts a memory in the place of the one with its key, as the newest.
func (s *State) Remember(m activity.Memory) {
	m.Told = m.Told[max(0, len(m.Told)-maxLoops):]
	others := slices.DeleteFunc(slices.Clone(s.Loops), func(old activity.Memory) bool { return old.Key == m.Key })
	s.Loops = append(others, m)[max(0, len(others)+1-maxLoops):]
}

// Present is a plugin that has decided in the session.
type Present struct {
	Plugin   string
	Strategy string // "" if it is called as the plugin
	At       int64  // its newest decision, Unix milliseconds
	// Copy names the directory that it was started from and Stop the event that it decided,
	// which was Sent at that time, in Unix milliseconds; the decision Ended at a time in
	// Unix microseconds, because one takes less than a millisecond.
	Copy, Stop  string
	Sent, Ended int64
}

// MeetPlugin notes that a plugin has decided.
func (s *State) MeetPlugin(one Present) {
	if one.Strategy == one.Plugin {
		one.Strategy = ""
	}
	others := slices.DeleteFunc(slices.Clone(s.Plugins), func(p Present) bool { return p.Plugin == one.Plugin })
	s.Plugins = append(others, one)[max(0, len(others)+1-maxPlugins):]
}

// LastDecision tells when one of some plugins has decided last, 0 for never.
func (s State) LastDecision(of func(Present) bool) (at int64) {
	for _, p := range s.Plugins {
		if of(p) {
			at = max(at, p.At)
		}
	}
	return at
}

// TellOnce notes that the user is told of a plugin's fault, and is false if they were told
// before in this session.
func (s *State) TellOnce(plugin, rule string) bool {
	fault := plugin + " " + rule
	if slices.Contains(s.Faults, fault) {
		return false
	}
	s.Faults = append(slices.Clone(s.Faults), fault)[max(0, len(s.Faults)+1-maxFaults):]
	return true
}

// NoteJudgement remembers an answer.
func (s *State) NoteJudgement(j Judged) {
	s.Judged = append(slices.Clone(s.Judged), j)[max(0, len(s.Judged)+1-maxJudged):]
}

// Members are a record as it stands in the file, and as log --json prints it.
func (r *Record) Members(m *codec.Members) {
	m.KeepEmpty().Text("id", &r.ID)
	codec.Number(m.KeepEmpty(), "at", &r.At)
	m.Text("host", &r.Host)
	m.Text("session", &r.Session)
	m.Text("cwd", &r.Cwd)
	m.Text("project", &r.Project)
	m.KeepEmpty().Text("plugin", &r.Plugin)
	m.KeepEmpty().Text("decision", &r.Decision)
	m.Text("event", &r.Event)
	m.KeepEmpty().Text("rule", &r.Rule)
	m.Quoted("evidence", &r.Evidence)
	m.Texts("lang", &r.Lang)
	m.Quoted("reason", &r.Reason)
	m.Quoted("told", &r.Told)
	codec.Optional(m, "left", &r.Left)
	codec.Optional(m, "asked", &r.Asked)
	codec.Number(m.KeepEmpty(), "took", &r.Took)
	m.Texts("flaws", &r.Flaws)
	m.KeepEmpty().Object("state", &r.State)
}

func (l *Left) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "burst", &l.Burst)
	codec.Number(m.KeepEmpty(), "prompt", &l.Prompt)
	codec.Number(m.KeepEmpty(), "hour", &l.Hour)
}

func (a *Asked) Members(m *codec.Members) {
	m.Text("backend", &a.Backend)
	m.Text("model", &a.Model)
	codec.Number(m.KeepEmpty(), "bytes", &a.Bytes)
	m.Bool("cached", &a.Cached)
	codec.Number(m, "input", &a.Input)
	codec.Number(m, "output", &a.Output)
	codec.Number(m, "cache_read", &a.CacheRead)
	codec.Number(m, "cache_write", &a.CacheWrite)
	codec.Number(m.KeepEmpty(), "micros", &a.Micros)
	codec.Number(m.KeepEmpty(), "took", &a.Took)
	m.Text("failed", &a.Failed)
	m.Quoted("detail", &a.Detail)
}

func (j *Judged) Members(m *codec.Members) {
	m.Text("page", &j.Page)
	m.Bool("continue", &j.Continue)
	m.Quoted("why", &j.Why)
}

func (s *State) Members(m *codec.Members) {
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
	m.Quoted("leave", &s.Leave)
	m.Text("waits", &s.Waits)
	codec.Number(m, "in_loops", &s.InLoops)
	codec.Number(m, "known", &s.Known)
	m.Text("seen", &s.Seen)
	codec.Number(m, "same", &s.Same)
	codec.Number(m, "idle", &s.Idle)
	codec.Number(m, "tools", &s.Tools)
	codec.ListOf(m, "loops", &s.Loops)
	codec.ListOf(m, "judged", &s.Judged)
	codec.Number(m, "spent", &s.Spent)
	m.Bool("barred", &s.Barred)
	m.Texts("faults", &s.Faults)
	codec.ListOf(m, "plugins", &s.Plugins)
	m.Raw("log", &s.Log)
}

func (s *Said) Members(m *codec.Members) {
	m.Text("of", &s.Of)
	m.Text("kind", &s.Kind)
	m.Quoted("evidence", &s.Evidence)
	codec.Number(m, "at", &s.At)
}

func (p *Present) Members(m *codec.Members) {
	m.Text("plugin", &p.Plugin)
	m.Text("strategy", &p.Strategy)
	codec.Number(m, "at", &p.At)
	m.Text("copy", &p.Copy)
	m.Text("stop", &p.Stop)
	codec.Number(m, "sent", &p.Sent)
	codec.Number(m, "ended", &p.Ended)
}
