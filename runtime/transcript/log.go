// The state of a log between two stops. It is updated line by line, so reading a log in pieces or at once
// gives the same Log.

package transcript

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

const (
	// form is the Log version. Other versions are discarded.
	form = 8
	// maxSeen is the maximum distance of duplicates, which Claude Code writes when it resumes or forks a session.
	maxSeen  = 32
	maxHeard = 2 * 4
	maxName  = 64 // bytes, for tools and skills
	maxID    = 40 // bytes, for prompts and background tasks
)

// Log is the state at an offset of a log. It must fit into a ledger record: at most 16 KiB of JSON.
type Log struct {
	Form   int
	Format string
	Offset int64  // of the end of the last line
	Mark   string // FNV-128a of the last 256 bytes before Offset

	Seen []uint64 // hashes of uuids

	Prompt   string // uuid
	PromptID string
	Asks     place // the prompt's words
	Opening  turnOpening
	Heard    []int64 // places of View.Heard
	fresh    bool    // read from the beginning
	Facts

	Text place

	Calls  int
	Before int           // the last prompt
	Recent []past        // oldest first
	Said   bool          // since the last call's result
	Claims []pendingCall // calls without a result

	Todos    todos
	Skill    skill
	Role     string
	Mates    []mate
	Started  []job
	Earlier  []string // IDs
	Feedback feedback
	Plans    []named // oldest first
}

// Facts are parts of a View.
type Facts struct {
	Turns    int    // prompts of the session
	Version  string // of the client at the last prompt, like 2.1.163
	OwnAt    int64  // when the user last typed a prompt, not a command: Unix milliseconds, 0 if unknown
	Mode     string // permission mode
	Subagent bool   // the log is a subagent's
	Work     int    // calls that changed a file or ran a test
	Skipped  int64  // bytes skipped if the log is huge
	Driven   bool   // a loop of the host itself began the turn
	Escaped  bool   // a person has interrupted since they last typed
	Changed  bool   // a call since a person last spoke may have changed something
	Wakes    bool   // a call since then has scheduled a wake-up
}

// turnOpening is the first line of View.Opening. A later line with the same ID can be forged.
type turnOpening struct {
	ID    string
	Named bool // by the host
	Found bool
	Own   bool
	Words place
	At    int64 // Unix milliseconds
}

// takePersonsAct updates Opening, Heard and Escaped from a line.
func (l *Log) takePersonsAct(e *Entry) {
	o, own := &l.Opening, e.What == Prompted && !e.Command
	switch {
	case e.What == Interrupted:
		l.Escaped = true
		return
	case !o.Named && own,
		o.Named && !o.Found && e.PromptID != nil && o.ID == string(parseIdentifier(e.PromptID, maxID)):
		if o.Found, o.Own = true, own; own {
			o.ID = string(parseIdentifier(e.PromptID, maxID))
			o.Words, o.At = e.placeOf(e.Words), timeInMillis(e.Time)
			if l.Heard, l.Escaped = nil, false; o.ID != "" {
				l.Feedback.Own = 0
			}
		}
	case own || e.What == Joined && !e.Command:
		if own && l.fresh { // earlier ones were not read
			l.Heard = nil
		}
		at := e.placeOf(e.Words)
		l.Heard = append(l.Heard[max(0, len(l.Heard)+2-maxHeard):], at[0], at[1])
	}
}

// takeEntry updates the log, or returns false if the entry's ID is one of the last 32.
func (l *Log) takeEntry(f *Format, e *Entry) (isNew bool) {
	if len(e.ID) > 0 {
		h := quotation.Hash64(e.ID)
		if slices.Contains(l.Seen, h) {
			return false
		}
		l.Seen = append(l.Seen[max(0, len(l.Seen)+1-maxSeen):], h)
	}
	if e.Filled {
		return true
	}
	l.takePersonsAct(e)
	switch e.What {
	case Prompted, Joined:
		l.beginTurn(e)
	case Driven:
		l.Driven = true
	case Woken:
		l.Wakes = false
	}
	if isPlainASCII(e.Mode, maxName) {
		l.Mode = string(e.Mode)
	}
	l.Subagent = l.Subagent || e.Subagent
	l.Role = cmp.Or(e.Role, l.Role)
	if e.Tasks != nil {
		l.correctTasks(e, e.Tasks)
	}
	if e.Todos != nil {
		l.correctTodos(e, e.Todos)
	}
	if e.Skill != nil {
		l.useSkill(e.Skill, byAttribution)
	}
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case Text:
			if IsBlankJSON(p.Text) {
				continue
			}
			l.Text = e.placeOf(p.Text)
			eachPlan(p.Text, func(name []byte) { l.takePlanName(e, name, false) })
			if n := len(l.Recent); n > 0 && l.Recent[n-1].Done && !l.Recent[n-1].Failed {
				l.Said = true // a tool question was answered
			}
		case Call:
			l.takeCall(e, p)
		case Result:
			l.takeResult(f, e, p)
		case Ended:
			l.endJob(p.ID)
		case Mate, Idle:
			l.noteMate(mateName(p.Name), p.Kind == Idle)
		case Gone:
			l.dropMate(mateName(p.Name))
		case SkillText:
			l.useSkill(p.Name, byBody)
		case HookBlock, HookContext:
			if p.Ours {
				l.Feedback.addOurs(e)
			}
		}
	}
	return true
}

func (l *Log) beginTurn(e *Entry) {
	l.Turns++
	l.Prompt, l.Asks = "", e.placeOf(e.Words)
	if isPlainASCII(e.ID, maxID) {
		l.Prompt = string(e.ID)
	}
	l.PromptID = string(parseIdentifier(e.PromptID, maxID))
	if e.What == Prompted && !e.Command && !bytes.Contains(e.Words, []byte("<command-name>")) {
		l.OwnAt = timeInMillis(e.Time)
	}
	if isPlainASCII(e.Version, maxName) {
		l.Version = string(e.Version)
	}
	l.Before, l.Said, l.Driven, l.Changed, l.Wakes = l.Calls, false, false, false, false
	for _, j := range l.Started {
		l.Earlier = append(l.Earlier[max(0, len(l.Earlier)+1-maxStarted):], j.ID)
	}
	l.Started = l.Started[:0]
	l.Claims = l.Claims[:0]
	l.Feedback.Mine = 0
	eachPlan(e.Words, func(name []byte) { l.takePlanName(e, name, false) })
}

// maxOurs limits our continues within oursWithin milliseconds.
const maxOurs, oursWithin = 240, 3600_000

// feedback counts our continues, in case the ledger is lost. Only a line that names the hook counts.
type feedback struct {
	Ours []int64 // times in Unix milliseconds, oldest first
	All  int
	Own  int // from the user's last prompt
	Mine int // since the last prompt
}

// addOurs counts a continue by our hook, at e's time. Callers check that a part is ours.
func (f *feedback) addOurs(e *Entry) {
	f.All++
	f.Own++
	f.Mine++
	at := timeInMillis(e.Time)
	f.Ours = slices.DeleteFunc(f.Ours, func(old int64) bool { return at-old >= oursWithin })
	f.Ours = append(f.Ours[max(0, len(f.Ours)+1-maxOurs):], at)
}

func timeInMillis(insideQuotes []byte) int64 {
	ms, _ := timestamp.ParseTime(string(insideQuotes))
	return ms
}

func (l *Log) Members(m *codec.Coder) {
	codec.Number(m, "form", &l.Form)
	m.Text("format", &l.Format)
	codec.Number(m, "at", &l.Offset)
	m.Text("mark", &l.Mark)
	codec.Numbers(m, "seen", &l.Seen)
	codec.Number(m, "turns", &l.Turns)
	codec.Number(m, "skipped", &l.Skipped)
	m.Text("prompt", &l.Prompt)
	m.Text("prompt_id", &l.PromptID)
	m.Object("opening", &l.Opening)
	codec.Numbers(m, "heard", &l.Heard)
	m.Bool("escaped", &l.Escaped)
	m.Bool("changed", &l.Changed)
	m.Bool("wakes", &l.Wakes)
	codec.Number(m, "own_at", &l.OwnAt)
	m.Text("version", &l.Version)
	m.Text("mode", &l.Mode)
	m.Bool("subagent", &l.Subagent)
	codec.NumberPair(m, "asks", &l.Asks)
	codec.NumberPair(m, "text", &l.Text)
	codec.Number(m, "calls", &l.Calls)
	codec.Number(m, "before", &l.Before)
	codec.Number(m, "work", &l.Work)
	codec.ListOf(m, "recent", &l.Recent)
	m.Bool("said", &l.Said)
	codec.ListOf(m, "claims", &l.Claims)
	m.Object("todos", &l.Todos)
	m.Object("skill", &l.Skill)
	m.Bool("driven", &l.Driven)
	m.Text("role", &l.Role)
	codec.ListOf(m, "mates", &l.Mates)
	codec.ListOf(m, "started", &l.Started)
	m.Texts("earlier", &l.Earlier)
	m.Object("feedback", &l.Feedback)
	codec.ListOf(m, "plans", &l.Plans)
}

func (o *turnOpening) Members(m *codec.Coder) {
	m.Text("id", &o.ID)
	m.Bool("named", &o.Named)
	m.Bool("found", &o.Found)
	m.Bool("own", &o.Own)
	codec.NumberPair(m, "words", &o.Words)
	codec.Number(m, "at", &o.At)
}

func (p *past) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "id", &p.ID)
	m.Text("name", &p.Name)
	codec.Number(m, "does", &p.Does)
	codec.NumberPair(m, "in", &p.Input)
	codec.NumberPair(m, "out", &p.Result)
	m.Bool("done", &p.Done)
	m.Bool("failed", &p.Failed)
	m.Bool("denied", &p.Denied)
	m.Bool("open", &p.Open)
}

func (c *pendingCall) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "id", &c.ID)
	codec.Number(m, "of", &c.Of)
	m.Text("name", &c.Name)
	codec.NumberPair(m, "in", &c.Input)
	m.Object("list", &c.List)
	codec.Optional(m, "task", &c.Task)
	m.Object("skill", &c.Skill)
	m.Object("when", &c.When)
}

func (j *job) Members(m *codec.Coder) {
	m.Text("id", &j.ID)
	codec.NumberPair(m, "in", &j.Input)
}

func (t *mate) Members(m *codec.Coder) {
	m.Text("name", &t.Name)
	m.Bool("idle", &t.Idle)
	codec.Number(m, "turn", &t.Turn)
}

func (t *todos) Members(m *codec.Coder) {
	m.Object("list", &t.List)
	codec.ListOf(m, "tasks", &t.Tasks)
	m.Object("when", &t.When)
}

func (l *list) Members(m *codec.Coder) {
	codec.NumberPair(m, "place", &l.Place)
	codec.Number(m, "sum", &l.Sum)
}

func (w *todoStamp) Members(m *codec.Coder) {
	codec.Number(m, "turn", &w.Turn)
	m.Bool("tasks", &w.Tasks)
}

func (t *task) Members(m *codec.Coder) {
	m.Text("id", &t.ID)
	codec.Number(m, "is", &t.State)
	codec.NumberPair(m, "of", &t.Subject)
	codec.NumberPair(m, "by", &t.Owner)
	codec.Numbers(m, "after", &t.Blockers)
}

func (s *skill) Members(m *codec.Coder) {
	m.Text("name", &s.Name)
	codec.Number(m, "from", &s.From)
	codec.Number(m, "turn", &s.Turn)
}

func (f *feedback) Members(m *codec.Coder) {
	codec.Numbers(m, "ours", &f.Ours)
	codec.Number(m, "mine", &f.Mine)
	codec.Number(m, "all", &f.All)
	codec.Number(m, "own", &f.Own)
}

func (n *named) Members(m *codec.Coder) {
	codec.NumberPair(m, "at", &n.At)
	codec.Number(m.EvenEmpty(), "sum", &n.Sum)
	codec.Number(m, "turn", &n.Turn)
	codec.Number(m, "new", &n.Wrote)
}
