// Package strategy defines the contract between the hook and the strategies, which are in separate folders.
//
// Strategies are pure: they read a Situation and return a Verdict, in the hook, in tests and in replays of
// past sessions.
package strategy

import (
	"cmp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Decision is the outcome for a turn or a prompt.
type Decision string

const (
	Stop     Decision = "stop"
	Continue Decision = "continue"
	// Pass and Remind are for strategies that answer UserPromptSubmit.
	Pass   Decision = "pass"   // no change
	Remind Decision = "remind" // adds the reason to the model's context
)

// Situation is the input of a strategy: a session as the hook found it.
type Situation struct {
	Message Message
	Turn    Turn
	Session Session
	Team    activity.Team
	// Todos is the todo list, replayed over the whole session.
	Todos Todos
	Skill activity.Skill
	// Plans are the plan files named in the session, the most recent first.
	Plans []activity.Plan
	// Window is read from the last Needs.Lines lines of the transcript only.
	Window    activity.Window
	Workspace Workspace
	// Memories are the session's memories of the strategy's loops.
	Memories []activity.Memory
	// Past looks up a loop in the user's own history, which is slow. If there is no history, it is nil.
	Past func(loop, dir string) activity.LoopPast
}

type Message struct {
	// Text comes from the event or from the transcript, where it can be from an earlier turn.
	Text      string
	FromEvent bool
	// Lags reports that the transcript lacks the message, and maybe more of this turn.
	Lags bool
	// Earlier reports that the message is from an earlier turn.
	Earlier bool
}

// Turn is the session since the last prompt that a person typed. Times are Unix milliseconds, 0 if unknown.
type Turn struct {
	Prompt, PromptID string // first 400 bytes and ID
	// Own is the ID of the user's last own prompt. It is "" unless both the host and the transcript contain it.
	Own      string
	Question bool            // the whole prompt ends with a question mark
	Word     lastprompt.Word // lastprompt.Unknown if the prompt is uncertain
	WordAt   int64
	Changed  bool   // a call of this turn may have changed anything
	Leave    string // why the agent may go on when it asks permission, or ""
	Attended bool   // a person is at the terminal
	Away     bool   // the user's away order is in force
	// Known reports whether the prompt was found in the transcript. If not, Count, Calls and the window are
	// meaningless.
	Known    bool
	Count    int             // tool calls
	Calls    []activity.Call // up to eight, oldest first
	LastTool string          // "" if none
	Asked    string          // AskUserQuestion or ExitPlanMode, if the turn ended with it
	Running  int             // background tasks of this turn
	Active   bool            // the event's stop_hook_active: any Stop hook has continued this turn
	Ours     bool            // a springfield plugin continued in this turn, from the ledger
}

type Session struct {
	ID       string // "" if the event has none
	Plugin   string // name, used as prefix for slash commands
	Agent    string // "" for Claude
	Hold     string // the command that stops the plugin, "" if unknown
	Protocol string // of a continue, from settings: "exit2" writes the reason to standard error
	Now      int64  // Unix milliseconds
}

// AgentName returns the agent's name for display, "Claude" by default.
func (s Session) AgentName() string { return cmp.Or(s.Agent, "Claude") }

// Todos is a todo list, empty if the log lacks the beginning of a task.
type Todos struct {
	List []activity.Todo
	// Turns is the number of prompts since the last change: 0 means this turn.
	Turns int
}

// CountReadyIfAlone returns the number of open, unblocked todos (0 if any open todo belongs to a teammate).
func (t Todos) CountReadyIfAlone() int {
	n := 0
	for _, todo := range t.List {
		if todo.IsOpen() && todo.IsTeammates() {
			return 0
		}
		if todo.IsOpen() && !todo.Blocked {
			n++
		}
	}
	return n
}

// Workspace is the project as a strategy sees it.
type Workspace struct {
	Dir string // absolute
	// CwdDiffers reports that the session's own directory is not Dir, so that names relative to Dir are wrong there.
	CwdDiffers bool
	// Project is the slash-separated path of the project around Dir, "" if unknown or Dir itself.
	Project string
	// Files are the results of Needs.Files, by name.
	Files map[string]File
}

// Unmatched is the rule of a stop at which no rule matched.
const Unmatched = "otherwise"

// Verdict is a decision with its reason and effects.
type Verdict struct {
	Decision  Decision
	Rule      string // the rule that decided
	Sure      int    // percent
	Evidence  string // the words or the fact behind the decision, short
	Reason    string // for the model if it continues
	Faults    []error
	Languages []string // BCP 47 tags, if the message was read

	// Page is the question to a judge, or "". A yes makes the verdict a continue with the reason Going. If
	// there is no answer the decision is final.
	Page, Going string
	// Once prevents the same message from continuing twice with no tool call in between.
	Once bool
	// Told is shown to the user at a stop and at a prompt's first continue.
	Told    string
	Notes   []string // lines for standard error
	Changes []Change // in order. If any fails, the agent can stop
	// Script is a program below the plugin's root and its arguments. It runs last. Output and exit code are ignored.
	Script []string
	// Remember replaces the memory with the same key, unless the key is "". A continue with Remember set
	// belongs to a loop, and only the loop's maximum applies.
	Remember activity.Memory
	Events   []activity.LoopEvent // for a loop's history
}

// StopBy returns a stop with 100 percent certainty.
func StopBy(rule, evidence string) Verdict {
	return Verdict{Decision: Stop, Rule: rule, Sure: 100, Evidence: evidence}
}

// Strategy is one way of deciding. Only Name, Event and New are required.
type Strategy struct {
	Name    string
	Event   string // of Claude Code: Stop or UserPromptSubmit
	Default bool   // it is used if none is named
	// Prefix begins the strategy's lines on standard error. If set, only the notes of verdicts are printed.
	Prefix string
	Placed bool  // it answers only events that name their directory
	Blocks bool  // a continue is "decision": "block" by default, as the original promises
	Loop   *Loop // nil for none
	Owns   bool  // its verdicts change files of the workspace, so stops there are serialized
	Judges bool  // verdicts can have a page
	// Marks are files or directories. The workspace is the nearest directory that contains any of them, from
	// the session's directory up to the top of the repository. By default it is the session's directory.
	Marks []string
	// Special are members of strategy.json for some strategies only. The second string is why all others
	// refuse the member, for example "reads no ledgers".
	Special [][2]string
	New     func() Options // before any file
}

// Kind is the role of a strategy in a session. A user should enable only one strategy of each kind.
type Kind string

const (
	Daily       Kind = "daily"     // decides at every stop
	GoalLoop    Kind = "goal loop" // drives a loop to a goal
	SpecLoop    Kind = "spec loop"
	OutsideStop Kind = "beside" // decides nothing at a stop
)

func (s Strategy) KindOf() Kind {
	switch {
	case s.Event != "Stop":
		return OutsideStop
	case s.Loop == nil:
		return Daily
	case s.Loop.Spec:
		return SpecLoop
	}
	return GoalLoop
}

func (s Strategy) NoEffect() Decision {
	if s.Event == "Stop" {
		return Stop
	}
	return Pass
}

// WantedFile is a file to read. Name is relative to the workspace, or an absolute path in the project around it,
// with slashes. A trailing slash asks for the entries of a directory. Files outside are not found.
type WantedFile struct {
	Name string
	// Whole reports whether the data can be a complete file. A file changed in the last two seconds is read
	// again for up to a second, until it is whole and unchanged. nil accepts any content.
	Whole func([]byte) bool
}

type File struct {
	Found bool
	Data  []byte   // at most 256 KiB
	Names []string // entries if this is a directory, sorted, at most 1000
	Age   int64    // milliseconds since the last change, 0 for a time in the future
	// Problem is why the file could not be read, or "": too large, not regular, not readable, or outside of
	// the workspace.
	Problem string
}

func (f File) Readable() bool { return f.Found && f.Problem == "" }

// Change is a write to a file, or its removal.
type Change struct {
	Name string
	Data []byte // nil removes the file
	// Was is the expected content. If the file differs, the change is dropped. nil accepts any content.
	Was []byte
	// Optional changes can fail.
	Optional bool
}

// MemoryKey returns the loop's memory key from path: Workspace.Dir, a slash and the state file's name.
func MemoryKey(path string) string {
	if key := quotation.ShownName(path, 200); key != path {
		return key + quotation.HashText(path)
	}
	return path
}

// Memory returns the memory with this key (from MemoryKey for a loop), or one with only the key.
func (s *Situation) Memory(key string) (m activity.Memory, found bool) {
	for _, m := range s.Memories {
		if m.Key == key {
			return m, true
		}
	}
	return activity.Memory{Key: key}, false
}

// NewestMemory returns the latest memory for a loop with this state file name. It misses shortened keys.
func (s *Situation) NewestMemory(base string) (m activity.Memory, ok bool) {
	for i := len(s.Memories) - 1; i >= 0; i-- {
		m := s.Memories[i]
		if strings.HasSuffix(m.Key, "/"+base) {
			return m, true
		}
	}
	return m, false
}

// Loop describes a loop to the session's other plugins. While it is armed, they let it decide.
type Loop struct {
	// Spec marks a loop through the tasks of a spec, which other tools also drive.
	Spec bool
	// Files are the files that Armed reads, as in Needs.
	Files func(Situation) []WantedFile
	Armed func(Situation) Armed
}

// Armed is the state of a loop in a session. The zero value means no loop.
type Armed struct {
	// Evidence is why the loop is armed, or "".
	Evidence string
	// Running reports whether this loop has continued in this session, from the user's ledger. The state file
	// alone might be from the project.
	Running bool
}

const sameStop = 30_000 // milliseconds between two hooks of one stop

// IsFromThisStop reports whether the loop's own hook wrote m at this stop.
func (s *Situation) IsFromThisStop(m activity.Memory) bool {
	apart := s.Session.Now - m.At
	return m.Text != "" && m.Text == quotation.HashText(s.Message.Text) && -sameStop < apart && apart < sameStop
}
