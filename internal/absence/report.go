package absence

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Report is what an away order has brought; back --json prints it. Times are Unix milliseconds.
type Report struct {
	Order     Order     `json:"order"`
	Questions []Open    `json:"questions"` // that were left to the user, grave ones first
	Prompts   []Open    `json:"prompts"`   // permissions that were not denied any more, and stand
	Waiting   []Open    `json:"waiting"`   // sessions that wait now
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

// Open is something that needs the user.
type Open struct {
	At      int64  `json:"at"`
	Session string `json:"session"`
	Text    string `json:"text"`
	Grave   string `json:"grave,omitempty"` // the word in it that makes it the user's alone to decide
}

// Session is what one session has done.
type Session struct {
	ID        string     `json:"id"`
	Host      string     `json:"host"`
	Project   string     `json:"project"`
	Asked     string     `json:"asked"` // its first prompt
	Ran       int64      `json:"ran"`   // milliseconds since the order, up to the last sign of it
	Continues int        `json:"continues"`
	Calls     int        `json:"calls"`
	TokensIn  int64      `json:"tokens_in,omitempty"`
	TokensOut int64      `json:"tokens_out,omitempty"`
	Decided   []Decided  `json:"decided"`
	Refused   []Refused  `json:"refused"`
	Failed    []Failure  `json:"failed"`
	Check     *Checked   `json:"check,omitempty"`
	Ended     string     `json:"ended,omitempty"` // why the order brought nothing more there
	Stands    *LastStand `json:"stands,omitempty"`
	Words     string     `json:"words"` // its last
	Process   string     `json:"process"`
}

// Decided is a question that the agent was told to decide.
type Decided struct {
	At       int64  `json:"at"`
	Question string `json:"question"`
	Answer   string `json:"answer"` // the agent's words on it, "" if there are none
}

// Refused is a permission that was denied.
type Refused struct {
	What  string `json:"what"`
	Times int    `json:"times"`
}

// Failure is what failed and when.
type Failure struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// Checked is what came of the check.
type Checked struct {
	At     int64  `json:"at"`
	Result string `json:"result"` // passed, failed or asked
	// Deciding are the files that changed since the order and decide what the check says.
	Deciding []File `json:"deciding"`
}

// LastStand is the newest decision of a session.
type LastStand struct {
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
	r := Report{now: p.Now.UnixMilli(), Questions: []Open{}, Prompts: []Open{}, Waiting: []Open{}, Sessions: []Session{}, Changed: []File{}, Notes: []string{},
		Order: p.summary(o, past)}
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
		if !slices.Contains(ids, e.Session) {
			ids = append(ids, e.Session)
		}
	}
	for _, s := range p.findSessions(o, o.At, ids...) {
		r.addSession(s, o, past)
	}
	r.Changed = r.Changed[:min(len(r.Changed), mostFiles)]
	slices.SortStableFunc(r.Questions, func(a, b Open) int {
		if (a.Grave != "") != (b.Grave != "") {
			return cmp.Compare(b.Grave, a.Grave)
		}
		return cmp.Compare(a.At, b.At)
	})
	r.Questions, r.Prompts = r.Questions[:min(len(r.Questions), mostOpen)], r.Prompts[:min(len(r.Prompts), mostOpen)]
	return r
}

// Summary is what an order is, and how much of it is used.
func (p Places) Summary(o ledger.AwayOrder) Order {
	past, _ := ledger.AwayEvents(p.Orders, o.ID) // what cannot be read has brought nothing
	return p.summary(o, past)
}

func (p Places) summary(o ledger.AwayOrder, past []ledger.AwayEvent) Order {
	used := ledger.Away{Order: o, Past: past}
	return Order{say(o.ID), o.At, o.Until, o.Ended, say(o.Project), say(o.From), used.CountContinues(), o.Most, say(o.Check), say(o.Head), o.IsInForce(p.Now)}
}

// addSession adds what one session has done.
func (r *Report) addSession(s *session, o ledger.AwayOrder, past []ledger.AwayEvent) {
	id := say(s.id)
	out := Session{ID: id, Host: s.hostTitle(), Project: say(cmp.Or(s.process.Cwd, s.cwd)), Asked: say(s.log.asked), Calls: s.log.calls,
		TokensIn: s.log.in, TokensOut: s.log.out, Words: say(s.log.words), Decided: []Decided{}, Refused: []Refused{}, Failed: []Failure{}}
	decided := s.log.decided
	for i, e := range past {
		if e.Session != s.id {
			continue
		}
		if e.IsContinue() {
			out.Continues++
		}
		switch text := say(e.Text); e.Did {
		case ledger.AwayAnswered, ledger.AwayDialog:
			out.Decided = append(out.Decided, Decided{e.At, text, answerTo(e.At, past[i+1:], e.Session, decided)})
		case ledger.AwayLeft:
			r.Questions = append(r.Questions, Open{e.At, id, text, say(e.Word)})
		case ledger.AwayDenied:
			out.refuse(text)
		case ledger.AwayStands:
			if s.process.Status == "waiting" || s.process.PID == 0 && !s.gone && s.log.last <= e.At+aMoment {
				r.Prompts = append(r.Prompts, Open{At: e.At, Session: id, Text: text})
			}
		case ledger.AwayChecked, ledger.AwayPassed, ledger.AwayFailed:
			out.Check = &Checked{At: e.At, Result: map[string]string{ledger.AwayChecked: "asked"}[e.Did]}
			out.Check.Result = cmp.Or(out.Check.Result, e.Did)
		case ledger.AwaySpent:
			out.Ended = "all continues of the order were used"
		case ledger.AwayPresent:
			out.Ended = "you typed a prompt in it"
		}
	}
	if out.Check != nil {
		out.Check.Deciding = []File{}
		for _, f := range r.Changed {
			if decidesCheck(f.Path, o.Check) && len(out.Check.Deciding) < mostOf {
				out.Check.Deciding = append(out.Check.Deciding, f)
			}
		}
	}
	for _, what := range s.log.refused {
		out.refuse(say(what))
	}
	for _, m := range s.log.failures {
		out.Failed = append(out.Failed, Failure{m.at, say(m.text)})
	}
	if n := s.newest; n.Plugin != "" {
		out.Stands = &LastStand{n.At, say(n.Plugin), say(n.Decision), say(n.Rule), say(n.Evidence)}
	}
	if end := max(s.log.last, s.newest.At); end > o.At {
		out.Ran = end - max(o.At, s.log.began)
	}
	switch {
	case s.process.PID != 0:
		out.Process = "there, " + cmp.Or(say(s.process.Status), "at work")
	case s.gone:
		out.Process = "gone"
	default:
		out.Process = "unknown"
	}
	out.Decided, out.Refused = out.Decided[:min(len(out.Decided), mostOf)], out.Refused[:min(len(out.Refused), mostOf)]
	out.Failed = out.Failed[max(0, len(out.Failed)-mostOf):]
	if waits := s.waits(); waits != "" {
		why := waits
		if out.Stands != nil && out.Stands.Decision == "stop" {
			why += ": " + out.Stands.Evidence
		}
		r.Waiting = append(r.Waiting, Open{At: max(s.process.StatusAt, s.newest.At), Session: id, Text: say(why)})
	}
	r.Sessions = append(r.Sessions, out)
}

// answerTo is what the agent says of a decision: its first words of that kind after the question,
// and before the next one in the session.
func answerTo(at int64, later []ledger.AwayEvent, session string, decided []moment) string {
	end := int64(1) << 62
	for _, e := range later {
		if e.Session == session && (e.Did == ledger.AwayAnswered || e.Did == ledger.AwayDialog) {
			end = e.At
			break
		}
	}
	for _, m := range decided {
		if m.at >= at && m.at <= end {
			return say(m.text)
		}
	}
	return ""
}

func (s *Session) refuse(what string) {
	i := slices.IndexFunc(s.Refused, func(r Refused) bool { return r.What == what })
	if i < 0 {
		s.Refused = append(s.Refused, Refused{what, 1})
		return
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
		"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile*", "rakefile", "package.json", "tox.ini", "noxfile.py",
		"pytest.ini", "conftest.py", "pyproject.toml", "setup.cfg", "jest.config.*", "vitest.config.*", "playwright.config.*", "karma.conf.*",
		".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml", "build.gradle*", "pom.xml", "cmakelists.txt", "cargo.toml",
		"*_test.*", "test_*", "*.test.*", "*.spec.*", "*_spec.*", "*test.java", "*tests.cs",
	} {
		if is, _ := path.Match(pattern, name); is {
			return true
		}
	}
	return false
}
