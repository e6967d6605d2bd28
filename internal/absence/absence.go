// Package absence is what the command line knows of away orders: what agents do before the
// user leaves, and what they have done when the user is back. All of it is read: from the
// ledger, the hosts' logs, and what Claude Code says of its processes.
package absence

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/grave"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Places are where facts lie.
type Places struct {
	Orders string   // the directory of orders and what they have brought
	States []string // the directories of decisions
	Config string   // Claude Code's configuration directory
	Now    time.Time
	// FindLog finds the log of a session.
	FindLog func(session string) (path string, err error)
}

// MostSessions bounds how many sessions are told of.
const MostSessions = 50

// mostDecisions bounds how many decisions are looked at.
const mostDecisions = 20_000

// session is one of an order's project, as far as it is known.
type session struct {
	id, host, cwd string
	newest        ledger.Record // the decision at its last stop, without a plugin if there is none
	process       process       // without a PID if there is none
	gone          bool          // its process is known to have ended
	log           sessionLog    // empty if there is none
	first         int64         // the first sign of it since the time that was asked for, 0 for none
}

// findSessions finds the sessions of an order's project since a time: those that run, those in which
// orders have brought something, those that have decided, those whose logs have changed since then. Of too many it
// leaves out more: first those that need nothing of the user, as far as their last decision tells.
func (p Places) findSessions(o ledger.AwayOrder, since int64, past ...ledger.AwayEvent) (all []*session, more int) {
	byID := map[string]*session{}
	add := func(id, host, cwd string) *session {
		if byID[id] == nil && id != "" {
			byID[id] = &session{id: id, host: host, cwd: cwd}
			all = append(all, byID[id])
		}
		return byID[id]
	}
	processes := processesIn(p.Config)
	for id, q := range processes {
		if o.Covers(q.Cwd) {
			add(id, "", q.Cwd)
		}
	}
	slices.SortFunc(all, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, e := range past {
		add(e.Session, "", "")
	}
	looked := 0
	for r := range ledger.Backwards(p.States, ledger.Scope{Project: o.Project}) {
		if looked++; r.At < since || looked > mostDecisions {
			break
		}
		if r.Decision == "pass" || r.Decision == "remind" {
			continue
		}
		s := add(r.Session, r.Host, r.ProjectPlace())
		if s != nil && (s.newest.Plugin == "" || s.newest.StandsAsideFor(&r)) {
			s.newest, s.host, s.cwd = r, r.Host, r.ProjectPlace()
		}
		if s != nil {
			s.first = r.At
		}
	}
	// Claude Code names the directory of a project's logs by its path.
	named := regexp.MustCompile("[^0-9A-Za-z]").ReplaceAllString(o.Project, "-")
	names, _ := filepath.Glob(filepath.Join(p.Config, "projects", cmp.Or(named, "*"), "*.jsonl"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.ModTime().UnixMilli() >= since {
			add(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "", o.Project)
		}
	}
	rank := func(s *session) int {
		switch {
		case processes[s.id].PID != 0:
			return 0
		case s.newest.Decision == "stop" && needs[s.newest.Rule] != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b *session) int { return cmp.Compare(rank(a), rank(b)) })
	more = max(0, len(all)-MostSessions)
	all = all[:len(all)-more]
	_, known := os.Stat(filepath.Join(p.Config, "sessions"))
	for _, s := range all {
		s.process = processes[s.id]
		s.gone = s.process.PID == 0 && s.host == "" && known == nil
		if path, err := p.FindLog(s.id); err == nil {
			s.log, _ = readLog(path, since) // one that cannot be read says nothing
		}
		if s.log.first > 0 && (s.first == 0 || s.log.first < s.first) {
			s.first = s.log.first
		}
	}
	return all, more
}

// processInWords is what is known of a session's process.
func (s *session) processInWords() string {
	switch {
	case s.process.PID != 0:
		return "there, " + cmp.Or(say(s.process.Status), "at work")
	case s.gone:
		return "gone"
	}
	return "unknown"
}

// endOf is when an order ended, or ends.
func endOf(o ledger.AwayOrder) int64 {
	if o.Ended > 0 {
		return min(o.Ended, o.Until)
	}
	return o.Until
}

// waits tells what a session waits for that only the user can give it, "" for nothing.
func (s *session) waits() string {
	switch {
	case s.process.Status == "waiting":
		return "waits at a " + strings.TrimPrefix(cmp.Or(say(s.process.Waits), "dialog"), "a ")
	case s.process.Status == "busy", s.gone:
		return ""
	case s.process.PID != 0 && s.log.asked == "":
		return firstPrompt
	case s.process.PID != 0:
		return "waits for you"
	case s.newest.Decision == "stop" && s.log.last <= s.newest.At+aMoment:
		return "waits for you, as far as its log tells"
	}
	return ""
}

const firstPrompt = "waits for its first prompt"

// needs are what the user has to give, by the rule of a stop or by the call that stands.
var needs = map[string]string{
	"asked": "a question", "asks": "a question", "dialogue": "a question", "AskUserQuestion": "a question",
	"choices": "a choice", "offers": "an offer", "plans": "a plan to approve", "ExitPlanMode": "a plan to approve",
	"blocked": "it is blocked", "hands": "something to do", "waits": "it waited for something",
	away.Rule: workLeft, "hold": workLeft, "budget": workLeft, "stagnation": workLeft, "idle": workLeft,
	"rounds": workLeft,
}

const workLeft = "it stopped with work left"

// findNeed finds what a session needs of the user, whether its process is there or has ended, "" for
// nothing: a report that all is done needs no answer, nor does one whose check has passed. word makes
// it the user's alone to decide.
func (s *session) findNeed(passed bool) (need, text, word string) {
	stops := s.newest.Decision == "stop" && s.newest.At+aMoment >= s.log.spoke
	asks, said := rules.FindNeed(strategy.Situation{Message: strategy.Message{Text: s.log.words, FromEvent: true}})
	tool, about, _ := strings.Cut(s.log.doing, " ")
	switch {
	case s.log.turn && needs[tool] != "":
		return needs[tool], about, ""
	case s.process.Status == "busy":
	case s.process.Status == "waiting":
		return s.waits(), s.log.doing, ""
	case s.log.failure != "":
		return "it failed", s.log.failure, ""
	case s.log.turn && s.gone:
		return "its process ended while it worked", s.log.doing, ""
	case s.log.turn, stops && (s.newest.Rule == "finished" || s.newest.Rule == "reported"):
	case said && (asks.Rule != "waits" || s.process.PID == 0):
		if asks.Question {
			word, _ = grave.Find(asks.Text)
		}
		return needs[asks.Rule], asks.Evidence, word
	case passed:
	case stops && needs[s.newest.Rule] != "":
		return needs[s.newest.Rule], s.newest.Evidence, ""
	case s.log.asked != "" || s.newest.Plugin != "":
		return s.waits(), cmp.Or(s.log.words, s.newest.Evidence), ""
	}
	return "", "", ""
}

// aMoment is how long after a stop a host may still write about it, in milliseconds.
const aMoment = 10_000

// short is how a session is named for people.
func short(id string) string { return id[:min(len(id), 8)] }
