package absence

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// State is the state of a session, as watch prints it.
type State string

const (
	Fresh      State = "new"
	Working    State = "working"
	Background State = "in the background"
	Waiting    State = "waits for you"
	Finished   State = "finished"
	Failed     State = "failed"
	Gone       State = "gone" // it is no longer listed
)

// Sight is a session as it was last seen, which watch --json prints. Unknown parts are zero.
type Sight struct {
	Session string `json:"session"`
	Host    string `json:"host"`
	Project string `json:"project"`
	State   State  `json:"state"`
	Text    string `json:"text"`  // the question, the error, the call, or the last words
	Since   int64  `json:"since"` // Unix milliseconds
	Live    bool   `json:"live"`  // else it is as last seen, mostly at its last stop
	Plugin  string `json:"plugin"`
	Left    *int   `json:"left,omitempty"` // continues, at its last stop
}

func (s *session) sightAt(nowMillis int64) Sight {
	is, text := s.currentState()
	out := Sight{
		Session: maskedCut(s.id), Host: registry.TitleOf(s.host), Project: maskedCut(cmp.Or(s.process.Cwd, s.cwd)),
		Live: s.process.ID != 0, Plugin: maskedCut(s.decision.Plugin), Left: s.continuesLeft(nowMillis),
		State: is, Text: maskedCut(text),
	}
	switch {
	case out.State == Working && s.log.prompted > 0:
		out.Since = max(s.log.prompted, s.log.pushed)
	case s.process.Since > 0:
		out.Since = s.process.Since
	default:
		out.Since = cmp.Or(max(s.decision.At, s.log.spoke), s.log.last)
	}
	return out
}

// currentState returns the state and its text. Callers mask text.
func (s *session) currentState() (is State, text string) {
	need, text, _ := s.findNeed()
	generic, words := s.waits(), cmp.Or(s.log.words, s.decision.Evidence)
	unseen := s.process.ID == 0 && !s.ended
	switch {
	case generic == firstPrompt:
		return Fresh, ""
	case need == failedNeed, need == diedNeed:
		return Failed, cmp.Or(text, need)
	case s.process.Status == "waiting", need != "" && need != generic:
		return Waiting, needInWords(need, text)
	case s.process.Status == "busy", s.log.turn && !s.ended, unseen && s.decision.Decision == "continue" && s.decision.At >= s.log.last:
		return Working, s.log.doing
	case s.hasBackgroundWork():
		return Background, words
	case need != "":
		return Waiting, cmp.Or(text, words)
	}
	return Finished, words
}

func (s *session) stoppedByRule() string {
	if s.decision.Decision == "stop" && s.decision.At+aMoment >= s.log.spoke {
		return s.decision.Rule
	}
	return ""
}

func needInWords(need, text string) string {
	need = strings.TrimPrefix(need, "waits at a ")
	if need == "a question" && text != "" || text == "" {
		return cmp.Or(text, need)
	}
	return need + ": " + text
}

// hasBackgroundWork reports whether background work will wake the stopped agent.
func (s *session) hasBackgroundWork() bool {
	if rule := s.stoppedByRule(); rule != "" {
		return slices.Contains([]string{"background", "team", "scheduled"}, rule)
	}
	return s.process.Status == "shell" || s.log.background && !s.ended
}

// longest is the age up to which a session with no process is listed. If the session was closed or works
// unseen, lately applies.
const longest = 12 * time.Hour

func (s *session) isListed(seen Sight, nowMillis int64) bool {
	age := time.Duration(nowMillis-max(seen.Since, s.log.last)) * time.Millisecond
	brief := seen.State == Working || seen.State == Background || seen.State == Finished && s.ended
	begun := s.log.asked != "" || s.log.spoke > 0 || s.decision.Plugin != ""
	return seen.Live || begun && (age < lately || !brief && age < longest)
}

func (s Sight) rank() int {
	return slices.Index([]State{Waiting, Failed, Working, Background, Finished, Fresh}, s.State)
}

// View is all sessions with the orders and holds in force.
type View struct {
	Now      int64
	Orders   []Order
	Holds    []ledger.InForce
	Sessions []Sight
	More     int // sessions beyond MostSessions
}

func (s *session) continuesLeft(nowMillis int64) *int {
	if s.left == nil || s.ended {
		return nil
	}
	left := max(0, min(s.left.Left.Prompt, s.left.Left.Hour))
	if nowMillis-s.left.At < guard.Window.Milliseconds() {
		left = min(left, max(0, s.left.Left.Burst))
	}
	return &left
}
