// The hook's own code decides for each candidate.
//
// The event is the one that the agent would have sent. Holds and project files of that time are unknown.
//
// Each candidate has one state per session, as in the ledger, with the times of the log.
//   - A continue uses the candidate's budget, wanted or not. The history after it remains the real one.
//   - The budget limits mid-work points and interruptions, but they do not use it.

package replay

import (
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// maxEvidence bounds the evidence of a row, in bytes.
const maxEvidence = 200

type scene struct {
	event  hook.Event
	host   string // of the session, as in rows
	view   transcript.View
	now    time.Time
	lines  func(n int) activity.Window
	window map[int]activity.Window
	away   *string // act of an away order; nil if not computed yet
}

// ReadNew returns the stop's view. It ignores its arguments. The returned log is nil.
func (m *scene) ReadNew([]byte, string) ([]byte, transcript.View, error) {
	return nil, m.view, nil
}

func (m *scene) LastLines(n int) (activity.Window, error) {
	w, ok := m.window[n]
	if !ok {
		w = m.lines(n)
		if m.window == nil {
			m.window = map[int]activity.Window{}
		}
		m.window[n] = w
	}
	return w, nil
}

// eventAt returns the Stop event for a message, with an empty Cwd. w.id and w.mode are set.
func (w *walker) eventAt(lastMessage string, view transcript.View) hook.Event {
	e := hook.Event{Host: w.host, Name: "Stop", SessionID: w.id, TranscriptPath: w.path, LastMessage: strings.TrimSpace(lastMessage), PromptID: view.Opening.ID, Moment: guard.Moment{PermissionMode: w.mode}}
	e.Active = view.Feedback.InTurn > 0
	for _, t := range view.Started {
		// Most are shell commands, the only work that an agent does not always wait for.
		e.Tasks = append(e.Tasks, guard.Background{ID: t.ID, Type: "shell", Description: t.What, Command: t.What})
	}
	return e
}

type opinion struct {
	snapshot hook.Snapshot
	alone    strategy.Verdict
}

type voter struct {
	Candidate
	state ledger.State
}

// voters returns a voter for each candidate. They share an unlocked cache, so each goroutine needs its own. Callers
// reset their state before each session.
func voters(candidates []Candidate) []voter {
	all := make([]voter, len(candidates))
	cache := &rules.Cache{}
	for i, c := range candidates {
		all[i].Candidate = c
		if ruled, ok := c.Settings.Options.(rules.Ruled); ok {
			all[i].Settings.Prepared = ruled.Prepare(cache)
		}
	}
	return all
}

func linesNeeded(candidates []Candidate) (lines int) {
	for _, c := range candidates {
		if needs := c.Settings.Options.Needs(); needs.Files == nil { // the others decide before they read lines
			lines = max(lines, needs.Lines)
		}
	}
	return lines
}

func (v *voter) examineStop(m *scene) opinion {
	stop := hook.Stop{Event: m.event, Settings: v.Settings, Before: v.state, Reading: m, Now: m.now, Unguarded: v.Bare}
	snapshot := stop.Examine()
	o := opinion{snapshot, snapshot.Verdict}
	if snapshot.Veto.Rule != "" { // a guard has decided
		stop.Unguarded = true
		o.alone = stop.Examine().Verdict
	}
	return o
}

// voteNext returns the choice with limits applied. If label says Stop hooks ran, v.state is updated unless v is bare.
// Call it once for each place, in log order.
func (v *voter) voteNext(o opinion, m *scene, label Label) Choice {
	verdict, by := o.snapshot.Verdict, o.snapshot.Veto.Rule
	if !v.Bare {
		o.snapshot.Before, o.snapshot.Settings = v.state, v.Settings
		settled := o.snapshot.Settle()
		if label.HadStopHooks() {
			v.state = settled.Next
		}
		if settled.Decision != verdict.Decision {
			by = settled.Rule
		}
		verdict = settled.Verdict
	}
	c := Choice{Decision: string(verdict.Decision), Rule: verdict.Rule, Evidence: strings.Clone(quotation.Head(verdict.Evidence, maxEvidence))}
	if o.snapshot.Veto.Rule == "" && o.snapshot.Verdict.Page != "" {
		c.Asks, c.Bytes = true, len(o.snapshot.Verdict.Page)+len(judge.SystemPrompt("Claude"))
	}
	if by != "" && o.alone.Decision != verdict.Decision {
		c.Alone, c.Guard = string(o.alone.Decision), by
	}
	c.Away = m.actOfAway(o, label)
	return c
}

// actOfAway returns a new away order's act for a stop ("" for a veto or a continue, and if Stop hooks did not run).
func (m *scene) actOfAway(o opinion, label Label) (did string) {
	s := &o.snapshot
	if !label.HadStopHooks() || s.Veto.Rule != "" || s.Verdict.Decision == strategy.Continue {
		return ""
	}
	if m.away == nil { // the same for every strategy that stops there
		order := &ledger.Away{Order: ledger.AwayOrder{Most: ledger.MostContinues}}
		answer := away.AnswerStop(order, away.Stop{Situation: &s.Situation, Verdict: s.Verdict})
		m.away = &answer.Event.Did
	}
	return *m.away
}
