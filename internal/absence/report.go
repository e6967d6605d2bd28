package absence

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Report is what an away order has brought; back --json prints it. Times are Unix milliseconds.
type Report struct {
	Order     Order         `json:"order"`
	Held      bool          `json:"held"`      // a hold is in force
	Questions []Item        `json:"questions"` // that were left to the user, grave ones first
	Waiting   []Item        `json:"waiting"`   // what sessions need now besides
	Sessions  []Session     `json:"sessions"`
	Deciding  []git.Changed `json:"deciding"` // of those changed, that decide what the check says
	Changed   []git.Changed `json:"changed"`  // since the order, the largest first
	Return    string        `json:"return"`   // the command that gives the files back, "" for none
	Notes     []string      `json:"notes"`
	now       int64
}

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
	Needs   string `json:"needs,omitempty"` // what of the user: an answer, a yes
	Text    string `json:"text"`
	Word    string `json:"word,omitempty"`   // in a question, that makes it the user's alone to decide
	Answer  string `json:"answer,omitempty"` // of the agent to a question, "" if it says nothing of it
	Times   int    `json:"times,omitempty"`
}

type Session struct {
	ID        string `json:"id"`
	Host      string `json:"host"`
	Project   string `json:"project"`
	Asked     string `json:"asked"` // its first prompt
	Ran       int64  `json:"ran"`   // milliseconds since the order, up to the last sign of it
	Continues int    `json:"continues"`
	Calls     int    `json:"calls"`
	Decided   []Item `json:"decided"` // in the user's place
	Refused   []Item `json:"refused"` // permissions
	Failed    []Item `json:"failed"`
	Check     string `json:"check,omitempty"` // passed, failed, denied, or checked: it was told to run it
	CheckAt   int64  `json:"check_at,omitempty"`
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

// The bounds of a report.
const (
	mostOpen  = 50  // of each kind
	mostOf    = 20  // of each kind in a session
	mostFiles = 500 // that changed
)

// Report makes the report of an order. changed are the files that differ from its snapshot.
func (p Places) Report(o ledger.AwayOrder, changed []git.Changed) Report {
	r := Report{
		Order: p.Summary(o), Questions: []Item{}, Waiting: []Item{},
		Sessions: []Session{}, Changed: []git.Changed{}, Notes: []string{}, now: p.Now.UnixMilli(),
	}
	_, r.Held = ledger.LongestHold(p.States, "", p.Now)
	var past []ledger.AwayEvent
	orders := p.followed(o)
	for _, one := range orders {
		some, err := ledger.AwayEvents(p.Orders, one.ID)
		if past = append(past, some...); err != nil {
			r.Notes = append(r.Notes, "what the order has brought cannot be read: "+err.Error())
		}
	}
	since := orders[0].At
	if since < o.At {
		r.Notes = append(r.Notes, "this tells of the order before it, too, which was set "+timestamp.AgoInWords(r.now-since))
	}
	for _, f := range changed {
		f.Path = secret.Mask(f.Path)
		r.Changed = append(r.Changed, f)
	}
	slices.SortStableFunc(r.Changed, func(a, b git.Changed) int {
		return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted)
	})
	r.Deciding = slices.DeleteFunc(slices.Clone(r.Changed), func(f git.Changed) bool {
		return o.Check == "" || !decidesCheck(f.Path, o.Check)
	})
	slices.SortStableFunc(r.Deciding, func(a, b git.Changed) int { // what all tests run by comes before one of many tests
		return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/"))
	})
	r.Deciding = r.Deciding[:min(len(r.Deciding), mostOf)]
	if o.Kept != "" {
		r.Return = "git -C " + check.QuoteArgument(say(o.Project)) + " restore --source=" + git.Snapshots + o.ID + " --worktree -- :/"
	}
	sessions, more := p.findSessions(o, since, past...)
	if more > 0 {
		r.Notes = append(r.Notes, layout.CountOf(more, "more session")+" were at work than are shown here: springfield log has their decisions")
	}
	for _, s := range sessions {
		brought := slices.DeleteFunc(slices.Clone(past), func(e ledger.AwayEvent) bool { return e.Session != s.id })
		stands := s.process.Status == "waiting" && s.process.StatusAt <= endOf(o)
		if len(brought) > 0 || stands || s.first > 0 && s.first <= endOf(o) {
			r.addSession(s, since, brought)
		}
	}
	for _, e := range past { // of sessions that are too many to be told of
		known := slices.ContainsFunc(r.Sessions, func(s Session) bool { return s.ID == say(e.Session) })
		if e.Did == ledger.AwayLeft && !known {
			r.Questions = append(r.Questions, Item{At: e.At, Session: say(e.Session), Text: say(e.Text), Word: say(e.Word)})
		}
	}
	slices.SortStableFunc(r.Questions, func(a, b Item) int {
		if (a.Word != "") != (b.Word != "") {
			return cmp.Compare(b.Word, a.Word)
		}
		return cmp.Compare(a.At, b.At)
	})
	slices.SortStableFunc(r.Waiting, func(a, b Item) int { // what only waits comes last
		return cmp.Compare(strings.Count(a.Needs, "waits for you"), strings.Count(b.Needs, "waits for you"))
	})
	r.Changed = r.Changed[:min(len(r.Changed), mostFiles)]
	if n := len(r.Questions) - mostOpen; n > 0 {
		r.Notes = append(r.Notes, layout.CountOf(n, "more question")+" were left to you than are shown here")
	}
	r.Questions, r.Waiting = r.Questions[:min(len(r.Questions), mostOpen)], r.Waiting[:min(len(r.Waiting), mostOpen)]
	return r
}

// followed is an order behind those of its scope that it followed within a day, if the user has not
// looked at what they brought.
func (p Places) followed(o ledger.AwayOrder) []ledger.AwayOrder {
	orders := []ledger.AwayOrder{o}
	for _, one := range slices.Backward(ledger.AwayOrders(p.Orders)) {
		if one.ID == "" || one.Project != o.Project || one.At >= orders[0].At {
			continue
		}
		if one.Looked > 0 || endOf(one) < orders[0].At-ledger.MostAway.Milliseconds() {
			break
		}
		orders = slices.Insert(orders, 0, one)
	}
	return orders
}

// Summary is what an order is, and how much of it is used.
func (p Places) Summary(o ledger.AwayOrder) Order {
	past, _ := ledger.AwayEvents(p.Orders, o.ID) // what cannot be read has brought nothing
	used := ledger.Away{Order: o, Past: past}
	return Order{
		ID: say(o.ID), At: o.At, Until: o.Until, Ended: o.Ended, Project: say(o.Project), From: say(o.From),
		Used: used.CountContinues(), Most: o.Most, Check: say(o.Check), Head: say(o.Head), InForce: o.IsInForce(p.Now),
	}
}

// addSession adds what one session has done since a time, and what the order has brought in it.
func (r *Report) addSession(s *session, since int64, brought []ledger.AwayEvent) {
	out := Session{
		ID: say(s.id), Host: registry.TitleOf(s.host), Project: say(cmp.Or(s.process.Cwd, s.cwd)), Asked: say(s.log.asked),
		Calls: s.log.calls, Words: say(s.log.words), Process: s.processInWords(),
		Decided: []Item{}, Refused: []Item{}, Failed: []Item{},
	}
	for _, e := range brought {
		r.addEvent(&out, s, e)
	}
	for _, m := range s.log.decided { // of what was decided before it, its first words are about the newest
		for i := len(out.Decided) - 1; i >= 0; i-- {
			if d := &out.Decided[i]; d.At <= m.at {
				d.Answer = cmp.Or(d.Answer, say(m.text))
				break
			}
		}
	}
	out.Decided = slices.DeleteFunc(out.Decided, func(d Item) bool { // what was only asked again
		left := func(e ledger.AwayEvent) bool { return e.Did == ledger.AwayLeft && say(e.Text) == d.Text }
		return d.Answer == "" && slices.ContainsFunc(brought, left)
	})
	for _, what := range s.log.refused {
		out.refuse(say(what))
	}
	for _, m := range s.log.failures[max(0, len(s.log.failures)-mostOf):] {
		out.Failed = append(out.Failed, Item{At: m.at, Text: say(m.text)})
	}
	if n := s.newest; n.Plugin != "" {
		out.Stands = &Stand{n.At, say(n.Plugin), say(n.Decision), say(n.Rule), say(n.Evidence)}
	}
	if end := max(s.log.last, s.newest.At); end > since {
		out.Ran = end - max(since, s.log.began)
	}
	out.Decided, out.Refused = out.Decided[:min(len(out.Decided), mostOf)], out.Refused[:min(len(out.Refused), mostOf)]
	r.addNeed(s, out.Check == ledger.AwayPassed)
	r.Sessions = append(r.Sessions, out)
}

// addNeed adds what a session needs of the user now, unless that is there already.
func (r *Report) addNeed(s *session, passed bool) {
	need, text, word := s.findNeed(passed)
	at := max(s.process.StatusAt, s.newest.At, s.log.spoke)
	item := Item{At: at, Session: say(s.id), Needs: need, Text: say(text), Word: say(word)}
	said := func(q Item) bool {
		return q.Session == item.Session && (q.Text == item.Text || max(q.At-item.At, item.At-q.At) < aMoment)
	}
	switch {
	case need == "", slices.ContainsFunc(r.Questions, said), slices.ContainsFunc(r.Waiting, said):
	case word != "":
		r.Questions = append(r.Questions, item)
	default:
		r.Waiting = append(r.Waiting, item)
	}
}

// addEvent adds what an order has brought in a session.
func (r *Report) addEvent(out *Session, s *session, e ledger.AwayEvent) {
	if e.IsContinue() {
		out.Continues++
	}
	check := e.Check
	if e.Did == ledger.AwayPassed || e.Did == ledger.AwayFailed || e.Did == ledger.AwayChecked {
		check = cmp.Or(check, e.Did)
	}
	if check != "" {
		out.Check, out.CheckAt = check, e.At
	}
	item := Item{At: e.At, Session: out.ID, Needs: "a question", Text: say(e.Text), Word: say(e.Word)}
	switch e.Did {
	case ledger.AwayAnswered, ledger.AwayDialog:
		out.Decided = append(out.Decided, Item{At: e.At, Text: item.Text, Word: item.Word})
	case ledger.AwayLeft:
		if s.log.prompted <= e.At { // else the user has answered
			r.Questions = append(r.Questions, item)
		}
	case ledger.AwayDenied:
		out.refuse(item.Text)
	case ledger.AwayStands:
		if s.process.Status == "waiting" || s.process.PID == 0 && !s.gone && s.log.last <= e.At+aMoment {
			item.Needs = "a permission prompt stands"
			r.Waiting = append(r.Waiting, item)
		}
	}
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
	for _, pattern := range []string{
		".github", ".circleci", ".buildkite", "test", "tests", "spec", "specs", "__tests__", "testdata", "e2e",
		"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile*", "rakefile", "package.json", "tox.ini",
		"noxfile.py", "pytest.ini", "conftest.py", "pyproject.toml", "setup.cfg", "*.config.js", "*.config.ts",
		"*.config.mjs", ".gitlab-ci.yml", "jenkinsfile", "azure-pipelines.yml", "build.gradle*", "pom.xml", "cmakelists.txt", "cargo.toml",
		"*_test.*", "test_*", "*.test.*", "*.spec.*", "*_spec.*", "*test.java", "*tests.cs",
	} {
		matches := func(part string) bool { is, _ := path.Match(pattern, part); return is }
		if slices.ContainsFunc(strings.Split(strings.ToLower(file), "/"), matches) {
			return true
		}
	}
	return false
}
