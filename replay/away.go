// What an away order would have made of a stop: one that has just been set, and has brought
// nothing yet, because what came after a continue cannot be known.

package replay

import (
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

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
