// Package away answers stops and permission requests while an away order is in force. It is pure: the hook
// reads the order and writes events.
//
// An answer only continues, denies, or asks for a command that the agent could run anyway. A forged order
// therefore gains only some turns, which are counted.
package away

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/grave"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/wake"
)

// Rule is the rule of an order's decisions. Passed begins the evidence of a stop after the check.
const (
	Rule   = "away"
	Passed = "the check has passed: "
)

type Stop struct {
	Situation *strategy.Situation
	Verdict   strategy.Verdict // of the strategy
	Session   string
	Key       string // identifies the stop for all plugins
	Plugin    string
	Now       int64  // Unix milliseconds
	Typed     int64  // the time of the user's last prompt in the session, 0 if unknown
	Turns     int    // prompts of the session
	Work      int    // files changed and tests run in the session
	Dir       string // of the agent's shell, without links
}

type Answer struct {
	Event   ledger.AwayEvent // to record, unless Did is ""
	Verdict strategy.Verdict // replaces the strategy's
	Counts  bool             // it is a continue within the order's number, instead of the limits burst and prompt
}

// presence is the time after the order, in milliseconds, in which a prompt does not mean that the user is back.
const presence = 15 * 60 * 1000

// CameBack reports whether the user typed a prompt, now or before, over 15 minutes after the order, not counting the
// session's first.
func CameBack(a *ledger.Away, session string, typedAtMillis int64, prompts int) bool {
	return typedAtMillis > a.Order.At+presence && prompts > 1 || slices.ContainsFunc(a.Past, func(e ledger.AwayEvent) bool {
		return e.Session == session && e.Did == ledger.AwayPresent
	})
}

// AnswerStop answers a stop under an order in force. s.Verdict can be a continue, which counts against the order's
// maximum unless the user is back.
func AnswerStop(a *ledger.Away, s Stop) Answer {
	stops := s.Verdict.Decision != strategy.Continue
	out := Answer{Verdict: s.Verdict, Event: ledger.AwayEvent{At: s.Now, Session: s.Session, Key: s.Key, By: s.Plugin, Work: s.Work}}
	used := a.CountContinues()
	var own []ledger.AwayEvent
	for _, e := range a.Past {
		if e.Session == s.Session {
			own = append(own, e)
		}
	}
	switch {
	case slices.ContainsFunc(a.Past, func(e ledger.AwayEvent) bool { return e.IsSameByAnother(out.Event) }):
		out.Counts = !stops && used <= a.Order.Most
		return out
	case CameBack(a, s.Session, s.Typed, s.Turns):
		if !slices.ContainsFunc(own, func(e ledger.AwayEvent) bool { return e.Did == ledger.AwayPresent }) {
			out.Event.Did = ledger.AwayPresent
		}
		return out
	case stops:
		out.answerStop(a, own, s)
	case s.Verdict.Rule == wake.Rule:
		out.Event.Did, out.Event.Text = ledger.AwayWoken, s.Verdict.Evidence
	default:
		out.Event.Did, out.Event.Text = ledger.AwayContinued, s.Verdict.Evidence
	}
	if out.Event.IsContinue() {
		if out.Counts = used < a.Order.Most; !out.Counts {
			out.stop(ledger.AwaySpent, strconv.Itoa(used)+" continues, as many as your away order may bring")
		}
	}
	return out
}

// answerStop answers the agent's question or leaves it to the user, and continues if the agent wraps up before a usage
// limit. Otherwise decideByCheck decides if there is a check, unless the user is needed, or the prompt only asks and
// nothing was changed.
func (out *Answer) answerStop(a *ledger.Away, inSession []ledger.AwayEvent, s Stop) {
	situation := *s.Situation
	calls := situation.Turn.Calls
	if n := len(calls); n > 0 && isOurDenial(calls[n-1]) {
		situation.Turn.Asked = "" // the dialog is closed, and the message is about something else
	}
	check := orderedCheck(&a.Order)
	call, ran := check.LastShell(calls, s.Dir)
	switch {
	case a.Order.Check == "":
	case ran && call.Error:
		out.Event.Check = ledger.AwayFailed
	case ran:
		out.Event.Check = ledger.AwayPassed
	case check.LastIsDenied(calls, s.Dir):
		out.Event.Check = ledger.AwayDenied
	}
	need, needed := rules.FindNeed(situation)
	switch {
	case needed && need.Question:
		out.answerQuestion(a, inSession, need)
	case !needed && s.Verdict.Rule == rules.Checkpoint: // after a real limit the client continues by itself
		out.Event.Did, out.Event.Text = ledger.AwayContinued, s.Verdict.Evidence
		out.goOn("it wraps up before a usage limit that is not reached: "+s.Verdict.Evidence,
			SayAway(&a.Order, out.Event.At)+" No usage limit has been reached yet. Go on with what is left.")
	case a.Order.Check == "":
	case needed && out.Event.Check != "":
		out.Event.Did = ledger.AwaySeen
	case needed, situation.Turn.Word.Kind == lastprompt.Asks && !situation.Turn.Changed:
	default:
		out.decideByCheck(a, inSession, call, ran, s.Dir)
	}
}

func (out *Answer) answerQuestion(a *ledger.Away, inSession []ledger.AwayEvent, need rules.Need) {
	e := &out.Event
	e.Text, e.Same = quotation.ClipBytes(need.Evidence, 1000), quotation.HashText(language.FoldText(need.Evidence))
	word, isGrave := grave.Find(need.Text)
	again, since := false, 0
	for _, old := range inSession {
		answered := old.Did == ledger.AwayAnswered
		again = again || answered && old.Same == e.Same
		if answered && old.Work == e.Work {
			since++
		}
	}
	verb := map[bool]string{true: "says", false: "asks"}[need.Rule == "offers"] // an offer, or an obstacle
	switch {
	case isGrave:
		e.Word = word
		out.stop(ledger.AwayLeft, "you are away, and this is yours to decide (“"+word+"”): "+need.Evidence)
	case again:
		out.stop(ledger.AwayLeft, "it "+verb+" again what was answered for you: "+need.Evidence)
	case since >= 2:
		out.stop(ledger.AwayLeft, "it "+verb+" a third thing, and no file changed and no test run since the first: "+need.Evidence)
	default:
		e.Did = ledger.AwayAnswered
		out.goOn("you are away, and it "+verb+": "+need.Evidence, SayAway(&a.Order, e.At)+decideYourself)
	}
}

const decideYourself = " Decide yourself: take the safest option that can be undone, say which and why under “Decided while you were away”, and go on with what does not depend on it."

// SayAway returns how long the user is still away, and the user's note (omitted if the order is for all projects).
func SayAway(o *ledger.AwayOrder, nowMillis int64) string {
	text := activity.AwayDenial + " for another " + timestamp.LengthInWords(o.Until-nowMillis) + "."
	if o.Note != "" && o.Project != "" {
		text += " They left a note: “" + display.OneLine(o.Note) + "”."
	}
	return text
}

// Describe returns an order's used continues, end, project and origin. It does not mask secrets.
func Describe(o ledger.AwayOrder, used int, nowMillis int64) string {
	from, where := "origin unknown", "every project"
	if o.From != "" {
		from = "from " + display.OneLine(quotation.ClipBytes(o.From, 100))
	}
	if o.Project != "" {
		where = display.OneLine(quotation.ClipBytes(o.Project, 200))
	}
	end := timestamp.LengthInWords(o.Until-nowMillis) + " left"
	switch {
	case o.Ended > 0:
		end = "ended " + timestamp.AgoInWords(nowMillis-o.Ended)
	case o.Until <= nowMillis:
		end = "ran out " + timestamp.AgoInWords(nowMillis-o.Until)
	case !o.IsInForce(time.UnixMilli(nowMillis)):
		end = "not in force: it has other bounds than an order may have"
	}
	return "away: " + strconv.Itoa(used) + " of " + strconv.Itoa(o.Most) + " continues used, " + end + ", in " + where + ", set " + timestamp.AgoInWords(nowMillis-o.At) + " " + from
}

// decideByCheck stops if the check is the last shell command and passed, was denied, or was asked for three times with
// the same outcome. Otherwise it continues, asking for the check. Callers set out.Event.Check. call and ran are from
// LastShell.
func (out *Answer) decideByCheck(a *ledger.Away, inSession []ledger.AwayEvent, call activity.Call, ran bool, shellDir string) {
	e, check := &out.Event, a.Order.Check
	e.Text = check
	failed := ran && call.Error
	if failed {
		e.Same = call.Seen
	}
	same := 1
	for i := len(inSession) - 1; i >= 0; i-- {
		old := inSession[i]
		if old.Did == ledger.AwayChecked && old.Same != e.Same {
			break
		}
		if old.Did == ledger.AwayChecked {
			same++
		}
	}
	switch {
	case ran && !failed:
		out.stop(ledger.AwayPassed, Passed+check)
		return
	case e.Check == ledger.AwayDenied:
		out.stop(ledger.AwaySeen, "the check was denied, so it did not run: "+check+"; "+activity.AllowHintFor(check))
		return
	case same > 3 && ran:
		out.stop(ledger.AwayFailed, "the check has failed in the same way three times: "+check)
		return
	case same > 3:
		out.stop(ledger.AwayFailed, "the check was not run, though asked for three times: "+check)
		return
	}
	e.Did = ledger.AwayChecked
	evidence := "it stops, and the check has not been run since the last change: " + check
	if ran {
		evidence = "the check has failed: " + check
	}
	out.goOn(evidence, SayAway(&a.Order, e.At)+" "+orderedCheck(&a.Order).Demand(ran, shellDir)+"\n\nIf it cannot be run here, say so under “Decided while you were away”.")
}

func orderedCheck(o *ledger.AwayOrder) activity.Check {
	return activity.Check{Command: o.Check, Project: o.Project}
}

// stop sets a stop. did is an event, e.g. ledger.AwayFailed.
func (out *Answer) stop(did, evidence string) {
	out.Event.Did = did
	out.Verdict = strategy.StopBy(Rule, evidence)
}

// goOn sets a continue with a reason for the agent. Callers set Event.Did.
func (out *Answer) goOn(evidence, reason string) {
	out.Verdict = strategy.Verdict{
		Decision: strategy.Continue, Rule: Rule, Sure: 100, Evidence: evidence, Reason: reason,
	}
}

type Request struct {
	Tool, About string
	Questions   string // of a dialog
	Session     string
	Key, Plugin string
	Plan        bool            // in plan mode, or a dialog that would leave it
	Now         int64           // Unix milliseconds
	Present     bool            // the user is back in the session
	Calls       []activity.Call // the last of the turn
}

// The maximum numbers of denials. mostInSession also bounds the records of requests left to the client.
const (
	mostInARow    = 3 // without another call between
	mostInSession = 20
)

func isOurDenial(c activity.Call) bool {
	return c.Error && strings.Contains(c.Result, activity.AwayDenial)
}

// AnswerRequest returns the message to deny a request ("" if the client decides), and the event to record unless its
// Did is "". It never allows. The order is in force.
func AnswerRequest(a *ledger.Away, r Request) (denial string, e ledger.AwayEvent) {
	e = ledger.AwayEvent{At: r.Now, Session: r.Session, Key: r.Key, By: r.Plugin, Text: quotation.ClipBytes(strings.TrimSpace(r.Tool+" "+r.About), 1000)}
	if r.Plan || r.Present {
		return "", e
	}
	denied, standing, noted, answered := 0, 0, false, false
	for _, old := range a.Past {
		if old.Session != r.Session {
			continue
		}
		answered = answered || old.IsSameByAnother(e)
		switch old.Did {
		case ledger.AwayDenied, ledger.AwayDialog, ledger.AwayLeft:
			denied++
		case ledger.AwayStands:
			standing++
			noted = noted || old.Key == r.Key
		}
	}
	row := 0
	for i := len(r.Calls) - 1; i >= 0; i-- {
		c := r.Calls[i]
		if c.Done && !isOurDenial(c) {
			break
		}
		if c.Done {
			row++
		}
	}
	defer func() {
		if answered { // another plugin has recorded it
			e.Did = ""
		}
	}()
	if denied >= mostInSession || row >= mostInARow {
		if !noted && standing < mostInSession {
			e.Did = ledger.AwayStands
		}
		return "", e
	}
	e.Did = ledger.AwayDenied
	if r.Questions == "" {
		return SayAway(&a.Order, r.Now) + " They cannot allow this. Go on with work that needs no permission, and list what you would need.", e
	}
	e.Did, e.Text = ledger.AwayDialog, quotation.ClipBytes(r.Questions, 1000)
	if word, found := grave.Find(r.Questions); found {
		e.Did, e.Word = ledger.AwayLeft, word
		return SayAway(&a.Order, r.Now) + " This is theirs to decide (“" + word + "”): leave it as it is, go on with what does not depend on it, and list it as a question to them.", e
	}
	return SayAway(&a.Order, r.Now) + decideYourself, e
}
