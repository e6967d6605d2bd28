package absence

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Report is what an away order has brought; back --json prints it. Times are Unix milliseconds.
type Report struct {
	Order     Order     `json:"order"`
	Questions []Item    `json:"questions"` // that were left to the user, grave ones first
	Prompts   []Item    `json:"prompts"`   // permissions that were not denied any more, and stand
	Waiting   []Item    `json:"waiting"`   // sessions that wait now
	Sessions  []Session `json:"sessions"`
	Changed   []File    `json:"changed"` // since the order, the largest first
	Return    string    `json:"return"`  // the command that gives the files back, "" for none
	Notes     []string  `json:"notes"`
	now       int64
}

// Order is an order as the report has it.
type Order struct {
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Until   int64  `json:"until"`
	Ended   int64  `json:"ended,omitempty"` // before its time
	Project string `json:"project"`         // "" for all
	From    string `json:"from"`            // a terminal, "" if that is not known
	Used    int    `json:"used"`
	Most    int    `json:"most"`
	Check   string `json:"check,omitempty"`
	Head    string `json:"head,omitempty"`
	InForce bool   `json:"in_force"`
}

// Item is something that happened.
type Item struct {
	At      int64  `json:"at,omitempty"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text"`
	Word    string `json:"word,omitempty"`   // in a question, that makes it the user's alone to decide
	Answer  string `json:"answer,omitempty"` // of the agent to a question, "" if it says nothing of it
	Times   int    `json:"times,omitempty"`
}

// Session is what one session has done.
type Session struct {
	ID        string `json:"id"`
	Host      string `json:"host"`
	Project   string `json:"project"`
	Asked     string `json:"asked"` // its first prompt
	Ran       int64  `json:"ran"`   // milliseconds since the order, up to the last sign of it
	Continues int    `json:"continues"`
	Calls     int    `json:"calls"`
	TokensIn  int64  `json:"tokens_in,omitempty"`
	TokensOut int64  `json:"tokens_out,omitempty"`
	Decided   []Item `json:"decided"` // in the user's place
	Refused   []Item `json:"refused"` // permissions
	Failed    []Item `json:"failed"`
	Check     string `json:"check,omitempty"` // passed, failed, or checked: it was told to run it
	CheckAt   int64  `json:"check_at,omitempty"`
	Deciding  []File `json:"deciding"`        // changed files that decide what the check says
	Ended     string `json:"ended,omitempty"` // why the order brought nothing more there
	Stands    *Stand `json:"stands,omitempty"`
	Words     string `json:"words"` // its last
	Process   string `json:"process"`
}

// Stand is the newest decision of a session.
type Stand struct {
	At       int64  `json:"at"`
	Plugin   string `json:"plugin"`
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence"`
}

// File is a changed file.
type File struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

// The bounds of a report.
const (
	mostOpen  = 50  // of each kind
	mostOf    = 20  // of each kind in a session
	mostFiles = 500 // that changed
)

// Report makes the report of an order. changed are the files that differ from its snapshot.
func (p Places) Report(o ledger.AwayOrder, changed []git.Changed) Report {
	past, err := ledger.AwayEvents(p.Orders, o.ID)
	r := Report{
		Order: summarize(o, past, p.Now), Questions: []Item{}, Prompts: []Item{}, Waiting: []Item{},
		Sessions: []Session{}, Changed: []File{}, Notes: []string{}, now: p.Now.UnixMilli(),
	}
	if err != nil {
		r.Notes = append(r.Notes, "what the order has brought cannot be read: "+err.Error())
	}
	for _, f := range changed {
		r.Changed = append(r.Changed, File{Mask(f.Path), f.Added, f.Deleted, f.Binary})
	}
	slices.SortStableFunc(r.Changed, func(a, b File) int { return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted) })
	if o.Kept != "" {
		r.Return = "git restore --source=" + git.Snapshots + o.ID + " --worktree -- :/"
	}
	var ids []string
	for _, e := range past {
		ids = append(ids, e.Session)
	}
	for _, s := range p.findSessions(o, o.At, ids...) {
		r.addSession(s, o, past)
	}
	slices.SortStableFunc(r.Questions, func(a, b Item) int {
		if (a.Word != "") != (b.Word != "") {
			return cmp.Compare(b.Word, a.Word)
		}
		return cmp.Compare(a.At, b.At)
	})
	r.Changed = r.Changed[:min(len(r.Changed), mostFiles)]
	r.Questions, r.Prompts = r.Questions[:min(len(r.Questions), mostOpen)], r.Prompts[:min(len(r.Prompts), mostOpen)]
	return r
}

// Summary is what an order is, and how much of it is used.
func (p Places) Summary(o ledger.AwayOrder) Order {
	past, _ := ledger.AwayEvents(p.Orders, o.ID) // what cannot be read has brought nothing
	return summarize(o, past, p.Now)
}

func summarize(o ledger.AwayOrder, past []ledger.AwayEvent, now time.Time) Order {
	used := ledger.Away{Order: o, Past: past}
	return Order{
		ID: say(o.ID), At: o.At, Until: o.Until, Ended: o.Ended, Project: say(o.Project), From: say(o.From),
		Used: used.CountContinues(), Most: o.Most, Check: say(o.Check), Head: say(o.Head), InForce: o.IsInForce(now),
	}
}

// addSession adds what one session has done.
func (r *Report) addSession(s *session, o ledger.AwayOrder, past []ledger.AwayEvent) {
	out := Session{
		ID: say(s.id), Host: s.hostTitle(), Project: say(cmp.Or(s.process.Cwd, s.cwd)), Asked: say(s.log.asked),
		Calls: s.log.calls, TokensIn: s.log.in, TokensOut: s.log.out, Words: say(s.log.words), Process: s.processInWords(),
		Decided: []Item{}, Refused: []Item{}, Failed: []Item{}, Deciding: []File{},
	}
	for i, e := range past {
		if e.Session == s.id {
			r.addEvent(&out, s, e, past[i+1:])
		}
	}
	for _, f := range r.Changed {
		if out.Check != "" && decidesCheck(f.Path, o.Check) && len(out.Deciding) < mostOf {
			out.Deciding = append(out.Deciding, f)
		}
	}
	for _, what := range s.log.refused {
		out.refuse(say(what))
	}
	for _, m := range s.log.failures[max(0, len(s.log.failures)-mostOf):] {
		out.Failed = append(out.Failed, Item{At: m.at, Text: say(m.text)})
	}
	if n := s.newest; n.Plugin != "" {
		out.Stands = &Stand{n.At, say(n.Plugin), say(n.Decision), say(n.Rule), say(n.Evidence)}
	}
	if end := max(s.log.last, s.newest.At); end > o.At {
		out.Ran = end - max(o.At, s.log.began)
	}
	out.Decided, out.Refused = out.Decided[:min(len(out.Decided), mostOf)], out.Refused[:min(len(out.Refused), mostOf)]
	if waits := s.waits(); waits != "" {
		if out.Stands != nil && out.Stands.Decision == "stop" {
			waits += ": " + out.Stands.Evidence
		}
		r.Waiting = append(r.Waiting, Item{At: max(s.process.StatusAt, s.newest.At), Session: out.ID, Text: say(waits)})
	}
	r.Sessions = append(r.Sessions, out)
}

// addEvent adds what an order has brought in a session; later is what it has brought since.
func (r *Report) addEvent(out *Session, s *session, e ledger.AwayEvent, later []ledger.AwayEvent) {
	if e.IsContinue() {
		out.Continues++
	}
	item := Item{At: e.At, Session: out.ID, Text: say(e.Text), Word: say(e.Word)}
	switch e.Did {
	case ledger.AwayAnswered, ledger.AwayDialog:
		item.Session, item.Answer = "", s.answerTo(e, later)
		out.Decided = append(out.Decided, item)
	case ledger.AwayLeft:
		r.Questions = append(r.Questions, item)
	case ledger.AwayDenied:
		out.refuse(item.Text)
	case ledger.AwayStands:
		if s.process.Status == "waiting" || s.process.PID == 0 && !s.gone && s.log.last <= e.At+aMoment {
			r.Prompts = append(r.Prompts, item)
		}
	case ledger.AwayChecked, ledger.AwayPassed, ledger.AwayFailed:
		out.Check, out.CheckAt = e.Did, e.At
	case ledger.AwaySpent:
		out.Ended = "all continues of the order were used"
	case ledger.AwayPresent:
		out.Ended = "you typed a prompt in it"
	}
}

// answerTo is what the agent says of a decision: its first words of that kind after the question, and
// before the next one in the session.
func (s *session) answerTo(e ledger.AwayEvent, later []ledger.AwayEvent) string {
	end := int64(math.MaxInt64)
	for _, next := range later {
		if next.Session == s.id && (next.Did == ledger.AwayAnswered || next.Did == ledger.AwayDialog) {
			end = next.At
			break
		}
	}
	for _, m := range s.log.decided {
		if m.at >= e.At && m.at <= end {
			return say(m.text)
		}
	}
	return ""
}

func (s *Session) refuse(what string) {
	i := slices.IndexFunc(s.Refused, func(r Item) bool { return r.Text == what })
	if i < 0 {
		i, s.Refused = len(s.Refused), append(s.Refused, Item{Text: what})
	}
	s.Refused[i].Times++
}

// decidesCheck tells whether a file may decide what a check says: what it runs by, CI, tests.
func decidesCheck(file, check string) bool {
	for _, word := range strings.Fields(check) {
		if path.Clean(strings.TrimPrefix(word, "./")) == file {
			return true
		}
	}
	dir, name := path.Split(strings.ToLower(file))
	for _, part := range strings.Split(dir, "/") {
		switch part {
		case ".github", ".circleci", ".buildkite", "test", "tests", "spec", "specs", "__tests__", "testdata", "e2e":
			return true
		}
	}
	for _, pattern := range []string{
		"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile*", "rakefile", "package.json", "tox.ini",
		"noxfile.py", "pytest.ini", "conftest.py", "pyproject.toml", "setup.cfg", "*.config.js", "*.config.ts",
		"*.config.mjs", ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", "build.gradle*", "pom.xml", "cmakelists.txt", "cargo.toml",
		"*_test.*", "test_*", "*.test.*", "*.spec.*", "*_spec.*", "*test.java", "*tests.cs",
	} {
		if is, _ := path.Match(pattern, name); is {
			return true
		}
	}
	return false
}
