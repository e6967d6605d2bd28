// What is remembered of a log between two stops, and how one line changes it.
//
// A line changes the Log by itself and nothing else does, so a log read in
// pieces and a log read at once end in the same Log. It has no bounds to be
// trimmed to afterwards: every list in it is bounded as it grows.

package transcript

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

const (
	// form is the version of Log. A Log of another form is not continued: the
	// log is read anew.
	form = 8
	// maxSeen is how many lines back a duplicate is noticed. Claude Code writes
	// duplicates when a session is resumed or forked, one right after the other.
	maxSeen = 32
	maxName = 64 // bytes of a name: a tool, a skill
	maxID   = 40 // bytes of an id: a prompt, a background task
)

// Log is what a session log has said so far, small enough to lie in a ledger
// record: at most 16 KiB of JSON, usually two. Only Offset means anything
// outside this package.
type Log struct {
	Form   int
	Format string // whose log it is
	Offset int64  // how far the log has been read: behind a line end
	Mark   string // FNV-128a of the bytes before Offset, at most 256

	Seen []uint64 // hashes of the newest lines' uuids

	Prompt   string // uuid
	PromptID string
	Asks     place // the prompt's words
	Opening  opening
	Heard    []int64 // places of what else a person seems to have said since then, the newest last
	fresh    bool    // it is read from the beginning
	Facts

	Text place

	Calls  int     // of tools, so far
	Before int     // of them before the newest prompt
	Recent []past  // the newest calls, oldest first
	Said   bool    // Claude has spoken since the newest call's result
	Claims []claim // calls that wait for their result

	Todos    todos
	Skill    skill
	Role     string // the session's in a team
	Mates    []mate // the other members
	Started  []job
	Earlier  []string // ids of what earlier turns started
	Feedback feedback
	Plans    []named // that were named, the newest last
}

// Facts are what a decision is told as it is remembered.
type Facts struct {
	Turns    int    // prompts of the session
	Version  string // the client that wrote the newest prompt, like 2.1.163
	OwnAt    int64  // when the user typed a prompt last, no command and no words that had to wait, in Unix milliseconds; 0: not known
	Mode     string // the permission mode that the log names last, "" if it names none
	Subagent bool   // the log is a subagent's own
	Work     int    // calls that changed a file or ran a test
	Skipped  int64  // bytes at the log's beginning that were too many to read
	Driven   bool   // a loop of the host's own has begun the turn
	Escaped  bool   // a person has broken in since their own prompt, see Opening
	Changed  bool   // a call since the newest words of a person may have changed something
	Wakes    bool   // a call since then has scheduled a wake-up
}

// opening is the first line that has an id: a line that comes later can be forged. The id is the
// one that the host names, and where it names none, that of the newest prompt of a person.
type opening struct {
	ID    string
	Named bool  // by the host
	Found bool  // the log has the line
	Own   bool  // a person typed it, and it is no command of ours
	Words place // of that person
	At    int64 // Unix milliseconds
}

const maxHeard = 2 * 4

// takeOpening takes a line that can open a prompt. Where the host names an id, other prompts of
// the log are only heard. The notice of an interruption has the id of what follows it.
func (l *Log) takeOpening(e *Entry) {
	o, own := &l.Opening, e.What == Prompted && !e.Command
	switch {
	case e.What == Interrupted:
		l.Escaped = true
		return
	case !o.Named && own, o.Named && !o.Found && e.PromptID != nil && o.ID == string(parseIdentifier(e.PromptID, maxID)):
		if o.Found, o.Own = true, own; own {
			if !o.Named {
				o.ID = string(parseIdentifier(e.PromptID, maxID))
			}
			o.Words, o.At = e.placeOf(e.Words), parseMillis(e.Time)
			if l.Heard, l.Escaped = nil, false; o.ID != "" {
				l.Feedback.Own = 0
			}
		}
	case own || e.What == Joined && !e.Command:
		if own && l.fresh { // nothing is known of the ones before it
			l.Heard = nil
		}
		at := e.placeOf(e.Words)
		l.Heard = pushBounded(pushBounded(l.Heard, at[0], maxHeard), at[1], maxHeard)
	}
}

// takeEntry lets one line change the log. False: it has just been there.
func (l *Log) takeEntry(f *Format, e *Entry) bool {
	if len(e.ID) > 0 {
		h := hashFNV1a(e.ID)
		if slices.Contains(l.Seen, h) {
			return false
		}
		l.Seen = pushBounded(l.Seen, h, maxSeen)
	}
	if e.Filled {
		return true // the host fills a gap in the conversation; the agent has said nothing
	}
	l.takeOpening(e)
	switch e.What {
	case Prompted, Joined:
		l.beginTurn(e)
	case Driven:
		l.Driven = true
	case Woken:
		l.Wakes = false
	}
	if isPlainName(e.Mode, maxName) {
		l.Mode = string(e.Mode)
	}
	l.Subagent = l.Subagent || e.Subagent
	l.Role = cmp.Or(e.Role, l.Role)
	if e.Tasks != nil {
		l.correctTasks(e, e.Tasks)
	}
	if e.Todos != nil {
		l.correctList(e, e.Todos)
	}
	if e.Skill != nil {
		l.useSkill(e.Skill, byAttribution)
	}
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case Text:
			if IsBlank(p.Text) {
				continue
			}
			l.Text = e.placeOf(p.Text)
			l.takePlanNames(e, p.Text, false)
			// What it asked by a tool and got an answer to is behind it.
			if n := len(l.Recent); n > 0 && l.Recent[n-1].Done && !l.Recent[n-1].Failed {
				l.Said = true
			}
			l.findAnnouncement(p.Text)
		case Call:
			l.takeCall(e, p)
		case Result:
			l.takeResult(f, e, p)
		case Ended:
			l.endWork(p.ID)
		case Mate, Idle:
			l.noteMate(mateName(p.Name), p.Kind == Idle)
		case Gone:
			l.dropMate(mateName(p.Name))
		case SkillText:
			l.useSkill(p.Name, byBody)
		case HookBlock, HookContext, HookWords:
			l.Feedback.takeHookLine(e, p)
		}
	}
	return true
}

// beginTurn begins a turn, with a person's words. What belongs to the turn before is over.
func (l *Log) beginTurn(e *Entry) {
	l.Turns++
	l.Prompt, l.Asks = "", e.placeOf(e.Words)
	if isPlainName(e.ID, maxID) {
		l.Prompt = string(e.ID)
	}
	l.PromptID = string(parseIdentifier(e.PromptID, maxID))
	if e.What == Prompted && !e.Command && !bytes.Contains(e.Words, []byte("<command-name>")) {
		l.OwnAt = parseMillis(e.Time)
	}
	if isPlainName(e.Version, maxName) {
		l.Version = string(e.Version)
	}
	l.Before, l.Said, l.Driven, l.Changed, l.Wakes = l.Calls, false, false, false, false
	for _, j := range l.Started {
		l.Earlier = pushBounded(l.Earlier, j.ID, maxStarted)
	}
	l.Started = l.Started[:0]
	l.Claims = l.Claims[:0]
	f := &l.Feedback
	f.Mine, f.Theirs, f.Lines, f.Blocks, f.Contexts = 0, 0, 0, 0, 0
	l.takePlanNames(e, e.Words, false)
}

// pushBounded appends to a list that keeps its newest limit items.
func pushBounded[T any](list []T, item T, limit int) []T {
	if over := len(list) + 1 - limit; over > 0 {
		list = list[:copy(list, list[over:])]
	}
	return append(list, item)
}

// Stop hooks that kept the agent going. What a hook leaves in the log depends on the host,
// and on how it says a continue: a line that names the hook, a line with the words to the
// model, which may name none, or both. What is more of the second than the first explain is
// others'.
//
// These lines are the second witness of our own continues, should the ledger go
// missing.

// maxOurs is the most that the guards let through in an hour. Older ones are not kept.
const maxOurs, oursWithin = 240, 3600_000

type feedback struct {
	Ours     []int64 // Unix milliseconds of our continues of the last hour, oldest first
	All      int     // our continues in the whole log
	Own      int     // and since the user's own last prompt
	Mine     int     // and since the newest prompt
	Theirs   int     // blocks of others
	Lines    int     // user lines about blocks, ours or not
	Blocks   int     // our blocks
	Contexts int     // contexts of Stop hooks, ours or not
}

func (f *feedback) takeHookLine(e *Entry, p *Part) {
	switch {
	case p.Kind == HookWords:
		f.Lines++
	case p.Ours:
		if p.Kind == HookBlock {
			f.Blocks++
		}
		f.All++
		f.Own++
		f.Mine++
		at := parseMillis(e.Time)
		f.Ours = slices.DeleteFunc(f.Ours, func(old int64) bool { return at-old >= oursWithin })
		f.Ours = pushBounded(f.Ours, at, maxOurs)
	case p.Kind == HookBlock:
		f.Theirs++
	default:
		f.Contexts++
	}
}

// parseMillis is a line's timestamp in Unix milliseconds, 0 if it has none.
func parseMillis(raw []byte) int64 {
	ms, _ := timestamp.ParseTime(string(raw))
	return ms
}

// Members are what a ledger record keeps of a log.
func (l *Log) Members(m *codec.Members) {
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

func (o *opening) Members(m *codec.Members) {
	m.Text("id", &o.ID)
	m.Bool("named", &o.Named)
	m.Bool("found", &o.Found)
	m.Bool("own", &o.Own)
	codec.NumberPair(m, "words", &o.Words)
	codec.Number(m, "at", &o.At)
}

func (p *past) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "id", &p.ID)
	m.Text("name", &p.Name)
	codec.Number(m, "does", &p.Does)
	codec.NumberPair(m, "in", &p.Input)
	codec.NumberPair(m, "out", &p.Result)
	m.Bool("done", &p.Done)
	m.Bool("failed", &p.Failed)
	m.Bool("denied", &p.Denied)
	m.Bool("open", &p.Open)
}

func (c *claim) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "id", &c.ID)
	codec.Number(m, "of", &c.Of)
	m.Text("name", &c.Name)
	codec.NumberPair(m, "in", &c.Input)
	m.Object("list", &c.List)
	codec.Optional(m, "task", &c.Task)
	m.Object("skill", &c.Skill)
	m.Object("when", &c.When)
}

func (j *job) Members(m *codec.Members) {
	m.Text("id", &j.ID)
	codec.NumberPair(m, "in", &j.Input)
}

func (t *mate) Members(m *codec.Members) {
	m.Text("name", &t.Name)
	m.Bool("idle", &t.Idle)
	codec.Number(m, "turn", &t.Turn)
}

func (t *todos) Members(m *codec.Members) {
	m.Object("list", &t.List)
	codec.ListOf(m, "tasks", &t.Tasks)
	m.Object("when", &t.When)
}

func (l *list) Members(m *codec.Members) {
	codec.NumberPair(m, "place", &l.Place)
	codec.Number(m, "sum", &l.Sum)
}

func (w *when) Members(m *codec.Members) {
	codec.Number(m, "turn", &w.Turn)
	m.Bool("tasks", &w.Tasks)
}

func (t *task) Members(m *codec.Members) {
	m.Text("id", &t.ID)
	codec.Number(m, "is", &t.State)
	codec.NumberPair(m, "of", &t.Subject)
	codec.NumberPair(m, "by", &t.Owner)
	codec.Numbers(m, "after", &t.Blockers)
}

func (s *skill) Members(m *codec.Members) {
	m.Text("name", &s.Name)
	codec.Number(m, "from", &s.From)
	codec.Number(m, "turn", &s.Turn)
}

func (f *feedback) Members(m *codec.Members) {
	codec.Numbers(m, "ours", &f.Ours)
	codec.Number(m, "mine", &f.Mine)
	codec.Number(m, "theirs", &f.Theirs)
	codec.Number(m, "lines", &f.Lines)
	codec.Number(m, "blocks", &f.Blocks)
	codec.Number(m, "contexts", &f.Contexts)
	codec.Number(m, "all", &f.All)
	codec.Number(m, "own", &f.Own)
}

func (n *named) Members(m *codec.Members) {
	codec.NumberPair(m, "at", &n.At)
	codec.Number(m.KeepEmpty(), "sum", &n.Sum)
	codec.Number(m, "turn", &n.Turn)
	codec.Number(m, "new", &n.Wrote)
}
