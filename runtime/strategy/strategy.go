// Package strategy is what a strategy is: the contract between the hook and the
// folders below this one, each of which holds one strategy.
//
// A strategy is pure. Everything it looks at arrives in a Situation, everything
// it wants leaves in a Verdict; it reads no file, no clock and no environment.
// That is what lets the hook, the tests and a replay over past sessions share
// it. No strategy imports os or time, and a test keeps it so.
package strategy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/lastword"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Decision says what happens to the turn.
type Decision string

const (
	Stop     Decision = "stop"     // Claude hands the turn back
	Continue Decision = "continue" // Claude goes on
	// What happens to a prompt, for strategies that answer UserPromptSubmit.
	Pass   Decision = "pass"   // nothing
	Remind Decision = "remind" // the model is told the reason besides
)

// Situation is what a strategy may look at: a session as the hook found it.
type Situation struct {
	Message Message
	Turn    Turn
	Session Session
	// Team is the team that the session is in.
	Team activity.Team
	// Todos is the todo list, replayed over the whole session.
	Todos Todos
	Skill activity.Skill
	// Plans are the plan files that the session has named, the newest first.
	Plans []activity.Plan
	// Window is what the last lines of the transcript alone say, for a strategy that
	// asks for lines.
	Window activity.Window
	// Workspace is for a strategy that reads files of the project.
	Workspace Workspace
	// Memories are what the strategy has asked to remember of its loops in this
	// session.
	Memories []activity.Memory
	// Past looks up what the user's own history has of a loop in a directory, which takes a
	// while; nil: it has nothing.
	Past func(loop, dir string) activity.LoopPast
}

// Message is the last thing that Claude said.
type Message struct {
	// Text is the event's own text, else the newest of the transcript, which may be
	// from an earlier turn. FromEvent reports whether it is the event's.
	Text      string
	FromEvent bool
	// Lags tells that the transcript does not have it yet: what it has of this turn
	// may not be all.
	Lags bool
	// Earlier tells that it is from an earlier turn: nothing was said in this one.
	Earlier bool
}

// Turn is what has happened since the newest prompt of a person.
type Turn struct {
	// Prompt is how that prompt begins, its first 400 bytes; PromptID names it.
	Prompt, PromptID string
	// Own names the user's own last prompt as the host and the transcript both have it, "" where
	// one of them does not.
	Own string
	// Question tells that it ends with a question mark, however long it is.
	Question bool
	// Word is what the user's newest own prompt says of going on; its Kind is lastword.Unknown where
	// that prompt is not certain.
	Word lastword.Word
	// WordAt is when that prompt was typed, Unix milliseconds, 0 if that is not known.
	WordAt int64
	// Changed reports whether a call of this turn may have changed anything.
	Changed bool
	// Leave is why a question for leave to go on may be answered with yes, "" if it may not.
	Leave string
	// Attended reports whether a person sits at the session's terminal, Away whether their away
	// order is in force.
	Attended, Away bool
	// Known tells that there is a transcript, and that the prompt is in what was read of it;
	// else Count and the window say nothing. Count is how many tools were called; Calls are the newest of them,
	// oldest first, at most eight.
	Known bool
	Count int
	Calls []activity.Call
	// LastTool names the last tool called, "" if none was.
	LastTool string
	// Asked is the tool that asks the user, AskUserQuestion or ExitPlanMode, when
	// that is what the turn ended with.
	Asked string
	// Running is how many tasks of this turn run in the background.
	Running int
	// Active tells that a Stop hook, ours or another, has kept Claude going in this
	// turn already: the event's stop_hook_active. Ours tells that the ledger has a
	// continue of a springfield plugin in it.
	Active, Ours bool
}

// Session is the session, and the moment in it.
type Session struct {
	ID string // "" if the event has none
	// Plugin is the plugin's name, which its slash commands begin with.
	Plugin string
	// Agent goes on and stops, "" for Claude; Host is the program, "" for Claude Code. Hold
	// is what the user types to stop the plugin, "" if that is not known.
	Agent, Host, Hold string
	// Cap is how many continues in a row without a tool call the host honours, 0 if all
	// or if that is not known, and CapVariable the environment variable that changes it.
	Cap         int
	CapVariable string
	// Protocol is how settings want a continue to be said, "" if they do not say. "exit2"
	// is words on standard error and exit code 2.
	Protocol string
	// Now is the time of the stop in Unix milliseconds.
	Now int64
}

// AgentName is the agent, in a sentence.
func (s Session) AgentName() string { return cmp.Or(s.Agent, "Claude") }

// Program is the host, in a sentence.
func (s Session) Program() string { return cmp.Or(s.Host, "Claude Code") }

// Todos is a todo list, none where not all of it is known: a log that does not say what a
// task is about has not its beginning. Turns is how many prompts of a person ago it changed, 0: in this turn.
type Todos struct {
	List  []activity.Todo
	Turns int
}

// CountOwn counts the entries of the todo list that this agent could go on with: none
// while another has an open task.
func (t Todos) CountOwn() int {
	n := 0
	for _, todo := range t.List {
		if todo.IsOpen() && todo.IsOthers() {
			return 0
		}
		if todo.IsOpen() && !todo.Blocked {
			n++
		}
	}
	return n
}

// Workspace is the project as a strategy sees it. Dir is an absolute path; CwdDiffers
// tells that the session's own directory is another, so that names relative to Dir
// mean nothing there. Project is the path, with slashes, of the project that Dir lies in,
// "" if Dir is it or that is not known. Files are those that the strategy asked for, by the names it
// asked by.
type Workspace struct {
	Dir        string
	CwdDiffers bool
	Project    string
	Files      map[string]File
}

// Unmatched is the rule of a stop where no rule matched.
const Unmatched = "otherwise"

// Verdict is a decision and why it was taken.
type Verdict struct {
	Decision Decision
	Rule     string // id of the rule that decided
	Sure     int    // how sure it is, in percent
	Evidence string // the words or the fact it decided on, short
	Reason   string // to the model when it continues: what remains, what next
	Faults   []error
	// Languages are those that the message was read in, as in BCP 47; none if no rule
	// has read it.
	Languages []string

	// Page is what to ask a judge, "" for nothing. Its yes makes a continue of the
	// verdict, with Going as the reason; without an answer the decision stands.
	Page  string
	Going string

	// Once tells that this is said once: the same message, with no tool called
	// since, is not continued again.
	Once bool

	// Told is said to the user at a stop, and at a prompt's first continue in place of the usual line; at
	// others if it is Pressing.
	Told     string
	Pressing bool
	// Notes go to standard error, a line each, behind the strategy's prefix.
	Notes []string
	// Changes are what happens to files of the workspace, in this order. If one
	// of them fails, Claude may stop.
	Changes []Change
	// Script is a program of the plugin's, relative to its root, and its arguments.
	// It runs when all else is done, its output goes nowhere, and whether it works
	// does not matter.
	Script []string
	// Remember replaces what is remembered under its key, unless that is "". A
	// continue that remembers is one of a loop with a maximum of its own: the
	// budget does not count it.
	Remember activity.Memory
	// Events are what happens to a loop with this verdict, for its history.
	Events []activity.LoopEvent
}

// Strategy is one way of deciding. Only Name and New are required.
type Strategy struct {
	Name string
	// Event is the event of Claude Code that it answers, "" for Stop.
	Event string
	// Default tells that it is meant where none is named.
	Default bool
	// Prefix begins each of its lines on standard error. A strategy with one of its
	// own says there only what its verdicts say: what it imitates is silent otherwise.
	Prefix string
	// Placed tells that it answers only events that name their directory.
	Placed bool
	// Blocks tells that a continue is a decision to block where settings say nothing
	// else: what it imitates promises that.
	Blocks bool
	// Loop is the loop that it drives, nil for none.
	Loop *Loop
	// Owns tells that its verdicts change files of the workspace: only one stop at a
	// time may decide there.
	Owns bool
	// Judges tells that its verdicts may carry a page.
	Judges bool
	// Marks are names of what it reads: its workspace is the nearest directory that
	// has one of them, from the session's upwards to the top of the repository. None:
	// the session's own.
	Marks []string
	// Special are members of strategy.json that not every strategy has, each with what is said
	// where one without it is given it, like "reads no ledgers".
	Special [][2]string
	// New are its options as long as no file has set one.
	New func() Options
}

// Kind is what a strategy does in a session. Of one kind, a user has one on.
type Kind string

const (
	Daily       Kind = "daily"     // decides at every stop
	GoalLoop    Kind = "goal loop" // drives a loop to a goal
	SpecLoop    Kind = "spec loop" // drives a loop through the tasks of a spec
	OutsideStop Kind = "beside"    // decides nothing at a stop
)

// KindOf is what the strategy does.
func (s Strategy) KindOf() Kind {
	switch {
	case s.EventName() != "Stop":
		return OutsideStop
	case s.Loop == nil:
		return Daily
	case s.Loop.Spec:
		return SpecLoop
	}
	return GoalLoop
}

// Silence is the decision that changes nothing.
func (s Strategy) Silence() Decision {
	if s.EventName() == "Stop" {
		return Stop
	}
	return Pass
}

// EventName is the event of Claude Code that the strategy answers.
func (s Strategy) EventName() string { return cmp.Or(s.Event, "Stop") }

// Files of the workspace, as a strategy sees them: it names what it wants to
// read, gets what was found, and says what shall change. Names are relative to
// the workspace and have slashes; what leads out of the workspace is not there.

// Want names a file to read: one of the workspace, or by its whole path one of the project around
// it. A name that ends in a slash is a directory, whose
// entries are read.
type Want struct {
	Name string
	// Whole tells whether what was read can be all of it. A file that changed in
	// the last two seconds is read again until it is whole and stays the same, for
	// a second at most: its writer may be at work. nil: any content will do.
	Whole func([]byte) bool
}

// File is what was found under a name.
type File struct {
	// Found tells that there is something.
	Found bool
	// Data is what it holds, at most 256 KiB.
	Data []byte
	// Names are the entries of a directory, sorted, at most 1000.
	Names []string
	// Age is how long ago it changed, in milliseconds, 0 for a time to come.
	Age int64
	// Problem is why it could not be read, "" if it could: it is larger, no
	// regular file, not readable, or lies outside of the workspace.
	Problem string
}

// Readable tells that a file is there and was read.
func (f File) Readable() bool { return f.Found && f.Problem == "" }

// Change is what happens to a file.
type Change struct {
	Name string
	// Data is what it shall hold; nil: it shall be gone.
	Data []byte
	// Was is what it must hold still: if it has changed since it was
	// read, the change does not happen. nil: whatever it holds.
	Was []byte
	// Optional changes may fail.
	Optional bool
}

// MemoryKey names a loop by the path of its state file. Eight of them have to go
// into one record of the ledger, and to come out as they went in: a letter that
// JSON cannot hold would make a loop a stranger at every stop.
func MemoryKey(path string) string {
	if key := quotation.ShownName(path, 200); key != path {
		return key + quotation.HashText(path)
	}
	return path
}

// Memory is what is remembered under a key.
func (s Situation) Memory(key string) (activity.Memory, bool) {
	for _, m := range s.Memories {
		if m.Key == key {
			return m, true
		}
	}
	return activity.Memory{Key: key}, false
}

// NewestMemory is what is remembered of the session's newest loop that has a state file of this name.
func (s Situation) NewestMemory(file string) (m activity.Memory, ok bool) {
	for _, m := range slices.Backward(s.Memories) {
		if strings.HasSuffix(m.Key, "/"+file) {
			return m, true
		}
	}
	return m, false
}

// What loops have in common: how other plugins of the session see one, and what
// happens to it, which is told to the history, and to the user's own command where
// there is one.

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
}

// sameStop is by how much two hooks of one stop can be apart, in milliseconds.
const sameStop = 30_000

// IsFromThisStop tells whether a memory was written at this very stop, by the hook of the loop's
// own plugin, which was faster.
func (s Situation) IsFromThisStop(m activity.Memory) bool {
	apart := s.Session.Now - m.At
	return m.Text != "" && m.Text == quotation.HashText(s.Message.Text) && -sameStop < apart && apart < sameStop
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

func (p Progress) WantsEvent(e activity.LoopEvent) bool {
	return e.Event != activity.LoopGoesOn || e.Count%max(p.Every, 1) == 0
}
