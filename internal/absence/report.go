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

// Report is the report of an away order, which back --json prints. Times are Unix milliseconds.
type Report struct {
	Order     Order         `json:"order"`
	Held      bool          `json:"held"`      // a hold is in force
	Questions []Item        `json:"questions"` // left to the user, grave ones first
	Waiting   []Item        `json:"waiting"`   // other needs of sessions now
	Sessions  []Session     `json:"sessions"`
	Deciding  []git.Changed `json:"deciding"` // changed files that affect the check
	Changed   []git.Changed `json:"changed"`  // the largest change first
	Return    string        `json:"return"`   // command that restores the files, "" for none
	Notes     []string      `json:"notes"`
	now       int64
}

type Order struct {
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Until   int64  `json:"until"`
	Ended   int64  `json:"ended,omitempty"` // before its time
	Project string `json:"project"`         // "" for all
	From    string `json:"from"`            // a terminal, "" if unknown
	Used    int    `json:"used"`
	Most    int    `json:"most"`
	Check   string `json:"check,omitempty"`
	Note    string `json:"note,omitempty"` // the user's wishes
	Head    string `json:"head,omitempty"`
	InForce bool   `json:"in_force"`
}

type Item struct {
	At      int64  `json:"at,omitempty"`
	Session string `json:"session,omitempty"`
	Needs   string `json:"needs,omitempty"` // the need of the user
	Text    string `json:"text"`
	Word    string `json:"word,omitempty"`   // makes a question grave
	Answer  string `json:"answer,omitempty"` // of the agent to its question, "" if unknown
	Times   int    `json:"times,omitempty"`
}

type Session struct {
	ID        string `json:"id"`
	Host      string `json:"host"`
	Project   string `json:"project"`
	Asked     string `json:"asked"` // first prompt
	Ran       int64  `json:"ran"`   // milliseconds from the order to its last activity
	Continues int    `json:"continues"`
	Woken     int    `json:"woken"` // after API errors
	Calls     int    `json:"calls"`
	Decided   []Item `json:"decided"` // in the user's place
	Refused   []Item `json:"refused"` // permissions
	Failed    []Item `json:"failed"`
	Check     string `json:"check,omitempty"` // passed, failed, denied, outdated, or checked if it was asked for
	CheckAt   int64  `json:"check_at,omitempty"`
	Stands    *Stand `json:"stands,omitempty"`
	Words     string `json:"words"` // the agent's last
	Process   string `json:"process"`
}

// Stand is the last decision of a session.
type Stand struct {
	At       int64  `json:"at"`
	Plugin   string `json:"plugin"`
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence"`
}

const (
	mostOpen  = 50  // of each kind
	mostOf    = 20  // of each kind in a session
	mostFiles = 500 // changed
)

// Report returns the report on an order, and earlier ones the user has not seen. changed lists files that differ from
// the order's snapshot. If it is gone or the files cannot be compared, the caller clears o.Kept.
func (p Places) Report(o ledger.AwayOrder, changed []git.Changed) Report {
	r := Report{
		Order: p.MaskOrder(o), Questions: []Item{}, Waiting: []Item{},
		Sessions: []Session{}, Changed: []git.Changed{}, Notes: []string{}, now: p.Now.UnixMilli(),
	}
	_, r.Held = ledger.LongestExact(p.States, "", p.Now)
	var past []ledger.AwayEvent
	orders := p.withUnseen(o)
	for _, one := range orders {
		some, err := ledger.AwayEvents(p.Orders, one.ID)
		if past = append(past, some...); err != nil {
			r.Notes = append(r.Notes, "the events of the order cannot be read: "+err.Error())
		}
	}
	since := orders[0].At
	if since < o.At {
		r.Notes = append(r.Notes, "this report includes the previous order, which was set "+timestamp.AgoInWords(r.now-since))
	}
	for _, f := range changed {
		f.Path = secret.Mask(f.Path)
		r.Changed = append(r.Changed, f)
	}
	slices.SortStableFunc(r.Changed, func(a, b git.Changed) int {
		return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted)
	})
	r.Deciding = slices.DeleteFunc(slices.Clone(r.Changed), func(f git.Changed) bool {
		return o.Check == "" || !mayAffectCheck(f.Path, o.Check)
	})
	slices.SortStableFunc(r.Deciding, func(a, b git.Changed) int { // a Makefile before one of many tests
		return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/"))
	})
	r.Deciding = r.Deciding[:min(len(r.Deciding), mostOf)]
	if o.Kept != "" {
		r.Return = "git -C " + check.QuoteArgument(maskedCut(o.Project)) + " restore --source=" + git.Snapshots + o.ID + " --worktree -- :/"
	}
	sessions, more := p.findSessions(o.Project, since, past...)
	if more > 0 {
		r.Notes = append(r.Notes, layout.CountOf(more, "more session")+" were at work than are shown here; run springfield log to see their decisions")
	}
	for _, s := range sessions {
		events := slices.DeleteFunc(slices.Clone(past), func(e ledger.AwayEvent) bool { return e.Session != s.id })
		stands := s.process.Status == "waiting" && s.process.Since <= endOf(o)
		switch {
		case len(events) > 0, stands, s.first > 0 && s.first <= endOf(o):
			r.addSession(s, since, events)
		case s.first == 0 && s.process.ID != 0:
			if need, _, _ := s.findNeed(); need != idleNeed { // since before the order
				r.addNeed(s)
			}
		}
	}
	slices.SortStableFunc(r.Questions, func(a, b Item) int {
		if (a.Word != "") != (b.Word != "") {
			return cmp.Compare(b.Word, a.Word)
		}
		return cmp.Compare(a.At, b.At)
	})
	slices.SortStableFunc(r.Waiting, func(a, b Item) int { // unspecific needs last
		return cmp.Compare(strings.Count(a.Needs, idleNeed), strings.Count(b.Needs, idleNeed))
	})
	r.Changed = r.Changed[:min(len(r.Changed), mostFiles)]
	if n := len(r.Questions) - mostOpen; n > 0 {
		r.Notes = append(r.Notes, layout.CountOf(n, "more question")+" were left to you than are shown here")
	}
	r.Questions, r.Waiting = r.Questions[:min(len(r.Questions), mostOpen)], r.Waiting[:min(len(r.Waiting), mostOpen)]
	return r
}

// withUnseen returns o, preceded by the project's earlier orders with unseen reports. Gaps between orders are up to a
// day.
func (p Places) withUnseen(o ledger.AwayOrder) []ledger.AwayOrder {
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

func (p Places) MaskOrder(o ledger.AwayOrder) Order {
	past, _ := ledger.AwayEvents(p.Orders, o.ID)
	used := ledger.Away{Order: o, Past: past}
	return Order{
		ID: maskedCut(o.ID), At: o.At, Until: o.Until, Ended: o.Ended, Project: maskedCut(o.Project), From: maskedCut(o.From),
		Used: used.CountContinues(), Most: o.Most, Check: maskedCut(o.Check), Note: maskedUncut(o.Note), Head: maskedCut(o.Head), InForce: o.IsInForce(p.Now),
	}
}

// addSession adds a session and its needs. events are of this session alone. fromMillis is the report's start in Unix
// milliseconds.
func (r *Report) addSession(s *session, fromMillis int64, events []ledger.AwayEvent) {
	out := Session{
		ID: maskedCut(s.id), Host: registry.TitleOf(s.host), Project: maskedCut(cmp.Or(s.process.Cwd, s.cwd)), Asked: maskedCut(s.log.asked),
		Calls: s.log.calls, Words: maskedCut(s.log.words), Process: s.processInWords(),
		Decided: []Item{}, Refused: []Item{}, Failed: []Item{},
	}
	for _, e := range events {
		r.addEvent(&out, s, e)
	}
	if out.Check == ledger.AwayPassed && s.log.changed > out.CheckAt {
		out.Check = "outdated"
	}
	for _, m := range s.log.decided { // it explains the last decision before it
		for i, d := range slices.Backward(out.Decided) {
			if d.At <= m.at {
				out.Decided[i].Answer = cmp.Or(d.Answer, maskedCut(m.text))
				break
			}
		}
	}
	out.Decided = slices.DeleteFunc(out.Decided, func(d Item) bool { // questions that were only asked again
		left := func(e ledger.AwayEvent) bool { return e.Did == ledger.AwayLeft && maskedCut(e.Text) == d.Text }
		return d.Answer == "" && slices.ContainsFunc(events, left)
	})
	for _, call := range s.log.refused {
		out.addRefused(maskedCut(call))
	}
	for _, m := range s.log.failures[max(0, len(s.log.failures)-mostOf):] {
		text := maskedCut(m.text)
		if s.log.failure == "" || m.at != s.log.spoke {
			text += " (it went on)"
		}
		out.Failed = append(out.Failed, Item{At: m.at, Text: text})
	}
	if n := s.decision; n.Plugin != "" {
		out.Stands = &Stand{n.At, maskedCut(n.Plugin), maskedCut(n.Decision), maskedCut(n.Rule), maskedCut(n.Evidence)}
	}
	if end := max(s.log.last, s.decision.At); end > fromMillis {
		out.Ran = end - max(fromMillis, s.log.began)
	}
	out.Decided, out.Refused = out.Decided[:min(len(out.Decided), mostOf)], out.Refused[:min(len(out.Refused), mostOf)]
	r.addNeed(s)
	r.Sessions = append(r.Sessions, out)
}

func (r *Report) addNeed(s *session) {
	need, text, word := s.findNeed()
	item := Item{At: max(s.process.Since, s.decision.At, s.log.spoke), Session: maskedCut(s.id), Needs: need, Text: maskedCut(text), Word: maskedCut(word)}
	same := func(q Item) bool {
		return q.Session == item.Session && (q.Text == item.Text || max(q.At-item.At, item.At-q.At) < aMoment)
	}
	switch {
	case need == "", slices.ContainsFunc(r.Questions, same), slices.ContainsFunc(r.Waiting, same):
	case word != "":
		r.Questions = append(r.Questions, item)
	default:
		r.Waiting = append(r.Waiting, item)
	}
}

func (r *Report) addEvent(out *Session, s *session, e ledger.AwayEvent) {
	if e.IsContinue() {
		out.Continues++
	}
	if e.Check != "" {
		out.Check, out.CheckAt = e.Check, e.At
	}
	item := Item{At: e.At, Session: out.ID, Needs: "a question", Text: maskedCut(e.Text), Word: maskedCut(e.Word)}
	switch e.Did {
	case ledger.AwayPassed, ledger.AwayFailed, ledger.AwayChecked:
		out.Check, out.CheckAt = cmp.Or(e.Check, e.Did), e.At
	case ledger.AwayAnswered, ledger.AwayDialog:
		out.Decided = append(out.Decided, Item{At: e.At, Text: item.Text, Word: item.Word})
	case ledger.AwayLeft:
		if s.log.prompted <= e.At { // the user has not answered
			r.Questions = append(r.Questions, item)
		}
	case ledger.AwayWoken:
		out.Woken++
	case ledger.AwayDenied:
		out.addRefused(item.Text)
	case ledger.AwayStands:
		if s.process.Status == "waiting" || s.process.ID == 0 && !s.ended && s.log.last <= e.At+aMoment {
			item.Needs = "a permission prompt is open"
			r.Waiting = append(r.Waiting, item)
		}
	}
}

func (s *Session) addRefused(maskedCall string) {
	i := slices.IndexFunc(s.Refused, func(r Item) bool { return r.Text == maskedCall })
	if i < 0 {
		i, s.Refused = len(s.Refused), append(s.Refused, Item{Text: maskedCall})
	}
	s.Refused[i].Times++
}

// mayAffectCheck reports whether the check names a file, or its path is typical for builds, CI or tests.
func mayAffectCheck(file, check string) bool {
	isFile := func(word string) bool { return path.Clean(strings.TrimPrefix(word, "./")) == file }
	if slices.ContainsFunc(strings.Fields(check), isFile) {
		return true
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
