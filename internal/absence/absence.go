// Package absence reports on sessions: the sessions of an away order, before the user leaves and afterwards,
// and all sessions as they work. It reads the ledger, the hosts' logs, and Claude Code's process files.
package absence

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/grave"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

type Places struct {
	Orders  string   // directory of orders and their events
	States  []string // directories of decisions
	Config  string   // Claude Code's configuration directory
	Now     time.Time
	FindLog func(session string) (path string, err error)
}

const MostSessions = 200

const mostDecisions = 20_000

// session is a session of an order's project. Unknown parts are zero.
type session struct {
	id, host, cwd string
	decision      ledger.Record  // at its last stop
	left          *ledger.Record // see decided
	process       claude.Process
	ended         bool // its process is known to have ended
	log           sessionLog
	first         int64 // the time of its first activity since the report's start
}

// findSessions returns up to MostSessions sessions for a project (all if ""), and how many more there are. These are
// running, in past, or have a decision or new log lines since sinceMillis (Unix milliseconds). Running ones come first.
func (p Places) findSessions(project string, sinceMillis int64, past ...ledger.AwayEvent) (all []*session, more int) {
	ids := check.NamesOf(past, func(e ledger.AwayEvent) string { return e.Session })
	names, _ := filepath.Glob(filepath.Join(p.Config, "projects", cmp.Or(claude.LogDirName(project), "*"), "*.jsonl"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.ModTime().UnixMilli() >= sinceMillis {
			ids = append(ids, strings.TrimSuffix(filepath.Base(name), ".jsonl"))
		}
	}
	r := Reader{Places: p, project: project, since: sinceMillis}
	r.readDecided()
	return r.readSessions(ids)
}

func (s *session) processInWords() string {
	switch {
	case s.process.ID != 0:
		return "running, " + cmp.Or(maskedCut(s.process.Status), "at work")
	case s.ended:
		return "ended"
	}
	return "unknown"
}

// waits returns a phrase like "waits for you" ("" if the session is not known to wait).
func (s *session) waits() string {
	switch {
	case s.process.Status == "waiting":
		return "waits at a " + strings.TrimPrefix(cmp.Or(maskedCut(s.process.Waits), "dialog"), "a ")
	case s.process.Status == "busy", s.ended:
		return ""
	case s.process.ID != 0 && s.log.asked == "" && s.log.spoke == 0:
		return firstPrompt
	case s.process.ID != 0:
		return idleNeed
	case s.decision.Decision == "stop" && s.log.last <= s.decision.At+aMoment:
		return idleNeed + ", according to its log"
	}
	return ""
}

const (
	firstPrompt = "waits for its first prompt"
	idleNeed    = "waits for you"
)

// needs maps the rule of a stop, or the name of an open call, to a need of the user.
var needs = map[string]string{
	"asked": "a question", "asks": "a question", "dialogue": "a question", "AskUserQuestion": "a question",
	"choices": "a choice", "offers": "an offer", "plans": "a plan to approve", "ExitPlanMode": "a plan to approve",
	"blocked": "it is blocked", "check-denied": "it is blocked", "hands": "something to do", "waits": "it waited for something",
	away.Rule: workLeft, "budget": workLeft, "stagnation": workLeft, "idle": workLeft,
	"rounds": workLeft,
}

// needless are rules of stops where the plugin has found its work done, or neither work nor a need. So are those that
// end in -done.
var needless = []string{"otherwise", "hold", "report", "signal", "promise", "done"}

const (
	workLeft   = "it stopped with work left"
	failedNeed = "it failed"
	diedNeed   = "its process ended while it worked"
)

// findNeed returns why the session needs the user, with details, or empty strings. graveWord is the word making a
// question grave, if any. Callers mask text.
func (s *session) findNeed() (need, text, graveWord string) {
	rule := s.stoppedByRule()
	asks, found := s.log.needOfWords()
	tool, about, _ := strings.Cut(s.log.doing, " ")
	switch {
	case s.log.turn && needs[tool] != "":
		return needs[tool], about, ""
	case s.process.Status == "busy":
	case s.process.Status == "waiting":
		return s.waits(), s.log.doing, ""
	case s.log.failure != "":
		return failedNeed, s.log.failure, ""
	case s.log.turn && s.ended:
		return diedNeed, s.log.doing, ""
	case s.log.turn, rule == "finished", rule == "reported":
	case found && (asks.Rule != "waits" || s.process.ID == 0):
		if asks.Question {
			graveWord, _ = grave.Find(asks.Text)
		}
		return needs[asks.Rule], asks.Evidence, graveWord
	case rule == "hold" && lastmessage.ReadMessage(s.log.words).AnnouncesWork():
		return workLeft, s.log.words, ""
	case slices.Contains(needless, rule), strings.HasSuffix(rule, "-done"):
	case rule == away.Rule && strings.HasPrefix(s.decision.Evidence, away.Passed):
	case needs[rule] != "":
		return needs[rule], s.decision.Evidence, ""
	case s.log.asked != "" || s.log.spoke > 0 || s.decision.Plugin != "":
		return s.waits(), cmp.Or(s.log.words, s.decision.Evidence), ""
	}
	return "", "", ""
}

// aMoment is the time in which the host might log a stop after the decision, in milliseconds.
const aMoment = 10_000

func short(id string) string { return id[:min(len(id), 8)] }
