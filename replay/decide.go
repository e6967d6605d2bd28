// What each candidate does at a place, by the code of the hook.
//
// The event is what Claude Code would have sent there: Claude's last text, the
// session, the permission mode of the newest prompt, what this turn had started in
// the background and had not been seen to end. The log ends there. Two things of then
// are gone, and nothing of today is put in their place: the files of the project,
// so the workspace is none and ralph-loop's file is not looked for, and holds.
//
// Budgets over time. A session has one state for each candidate, which goes from
// stop to stop as the ledger has it, at the time of the log's own lines. What a
// continue would have led to is not known: the history after it is what it was. So
//   - a stop that the candidate continues takes one from its budget, rightly or
//     wrongly continued, as it would have then;
//   - a point in mid-work is no stop. It is asked as if Claude had stopped just
//     there: it sees what real stops have spent, and spends nothing, because there
//     are hundreds of them in a session where there would have been one stop;
//   - the same for a place at which a person broke in: no Stop hook ran.
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

// maxEvidence bounds what a row keeps of a decision's evidence, in bytes.
const maxEvidence = 200

// scene is a place as the candidates find it.
type scene struct {
	event  hook.Event
	host   string // of the session, as rows have it
	view   transcript.View
	now    time.Time
	lines  func(n int) activity.Window
	window map[int]activity.Window
	away   *string // what an away order makes of a stop there, nil: not asked yet
}

// ReadNew gives the situation at the place, whatever was read before.
func (m *scene) ReadNew([]byte, string) ([]byte, transcript.View, error) {
	return nil, m.view, nil
}

// LastLines gives the last lines up to the place.
func (m *scene) LastLines(n int, _ string) (activity.Window, error) {
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

// eventAt is what Claude Code would have sent.
func (w *walker) eventAt(text string, view transcript.View) hook.Event {
	e := hook.Event{Host: w.host, Name: "Stop", SessionID: w.id, TranscriptPath: w.path, LastMessage: strings.TrimSpace(text), PromptID: view.Opening.ID, Moment: guard.Moment{PermissionMode: w.mode}}
	e.Active = view.Feedback.InTurn+view.Feedback.Others > 0
	for _, t := range view.Started {
		// Shell commands are most, and the only ones that are not always waited for.
		e.Tasks = append(e.Tasks, guard.Background{ID: t.ID, Type: "shell", Description: t.What, Command: t.What})
	}
	return e
}

// opinion is what one candidate says at a place, before its budget has a say.
type opinion struct {
	snapshot hook.Snapshot
	alone    strategy.Verdict
}

// voter is what one candidate remembers of a session.
type voter struct {
	Candidate
	state ledger.State
}

// voters are the candidates at the beginning of a session.
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

// window is the most lines that a candidate looks at.
func window(candidates []Candidate) (lines int) {
	for _, c := range candidates {
		if needs := c.Settings.Options.Needs(); needs.Files == nil { // else it decides before it looks at them
			lines = max(lines, needs.Lines)
		}
	}
	return lines
}

// look asks the candidate.
func (v *voter) look(m *scene) opinion {
	stop := hook.Stop{Event: m.event, Settings: v.Settings, Before: v.state, Reading: m, Now: m.now, Alone: v.Bare}
	snapshot := stop.Examine()
	o := opinion{snapshot, snapshot.Verdict}
	if snapshot.Veto.Rule != "" { // a guard has answered
		stop.Alone = true
		o.alone = stop.Examine().Verdict
	}
	return o
}

// choose spends the budget, if the place was a stop.
func (v *voter) choose(o opinion, m *scene, label Label) Choice {
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
		c.Asks, c.Bytes = true, len(o.snapshot.Verdict.Page)+len(judge.PromptFor("Claude"))
	}
	if by != "" && o.alone.Decision != verdict.Decision {
		c.Alone, c.Guard = string(o.alone.Decision), by
	}
	c.Away = m.askAway(o, label)
	return c
}

// What an away order would have made of a stop: one that has just been set, and has brought
// nothing yet, because what came after a continue cannot be known.

// askAway asks such an order about a stop: "" if it is silent. A guard's word stands.
func (m *scene) askAway(o opinion, label Label) (did string) {
	s := &o.snapshot
	if !label.HadStopHooks() || s.Veto.Rule != "" || s.Verdict.Decision == strategy.Continue {
		return ""
	}
	if m.away == nil { // what a message asks is the same whichever strategy stops there
		order := &ledger.Away{Order: ledger.AwayOrder{Most: ledger.MostContinues}}
		answer := away.AnswerStop(order, away.Stop{Situation: &s.Situation, Verdict: s.Verdict, Stops: true})
		m.away = &answer.Event.Did
	}
	return *m.away
}
