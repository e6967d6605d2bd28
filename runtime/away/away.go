// Package away decides what an away order makes of a stop, and of a permission that the agent
// asks for. It is pure: the hook reads the order and what it has brought, and writes down
// what comes of it.
//
// Nothing here is more than the agent could do with its own tools at that moment: it goes
// on, it is refused, it is told to run a command. So who forges an order gains some turns, and
// these are counted.
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
	"github.com/cameronsjo/springfield/runtime/lastword"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Rule is the rule of a decision that an order has taken.
const Rule = "away"

// Stop is a stop that an order is asked about.
type Stop struct {
	Situation *strategy.Situation
	Verdict   strategy.Verdict // the strategy's
	Stops     bool             // that is the decision
	Session   string
	Key       string // names the stop, whichever plugin decides it
	Plugin    string
	Now       int64 // Unix milliseconds
	// Typed is when the user has typed their newest prompt in the session, Unix milliseconds,
	// 0 if that is not known; Turns counts the session's prompts.
	Typed int64
	Turns int
	Work  int    // counts what was done in the session: files changed and tests run
	Dir   string // that the agent's shell is in, without links
}

// Answer is what an order makes of a stop.
type Answer struct {
	Event   ledger.AwayEvent // what is to be noted, unless Did is ""
	Verdict strategy.Verdict // in the place of the strategy's
	Counts  bool             // a continue is one of the order's: its number stands for burst and prompt
}

// presence is how long after an order a prompt of the user's still belongs to their leaving.
const presence = 15 * 60 * 1000

// IsPresent tells that the user is back in a session: they have typed a prompt there since, which
// was not its first one.
func IsPresent(a *ledger.Away, session string, typed int64, turns int) bool {
	return typed > a.Order.At+presence && turns > 1 || slices.ContainsFunc(a.Past, func(e ledger.AwayEvent) bool {
		return e.Session == session && e.Did == ledger.AwayPresent
	})
}

// AnswerStop asks an order about a stop.
func AnswerStop(a *ledger.Away, s Stop) Answer {
	out := Answer{Verdict: s.Verdict, Event: ledger.AwayEvent{At: s.Now, Session: s.Session, Key: s.Key, By: s.Plugin, Work: s.Work}}
	used := a.CountContinues()
	var own []ledger.AwayEvent // of this session
	noted := false
	for _, e := range a.Past {
		if e.Session == s.Session {
			own = append(own, e)
			noted = noted || e.Did == ledger.AwayPresent
		}
		if e.IsByAnother(out.Event) {
			out.Counts = !s.Stops && used <= a.Order.Most
			return out // another plugin has answered
		}
	}
	if IsPresent(a, s.Session, s.Typed, s.Turns) {
		if !noted {
			out.Event.Did = ledger.AwayPresent
		}
		return out
	}
	if !s.Stops {
		out.Event.Did, out.Event.Text = ledger.AwayContinued, s.Verdict.Evidence
	} else {
		situation := *s.Situation
		calls := situation.Turn.Calls
		if n := len(calls); n > 0 && isDenied(calls[n-1]) {
			situation.Turn.Asked = "" // the dialog is closed, and the message is about something else
		}
		call, ran := findCheck(calls, &a.Order, s.Dir)
		switch {
		case a.Order.Check == "":
		case ran && call.Error:
			out.Event.Check = ledger.AwayFailed
		case ran:
			out.Event.Check = ledger.AwayPassed
		case isCheckDenied(calls, &a.Order, s.Dir):
			out.Event.Check = ledger.AwayDenied
		}
		need, needed := rules.FindNeed(situation)
		switch {
		case needed && need.Question:
			out.answerQuestion(a, own, need)
		case !needed && s.Verdict.Rule == rules.Checkpoint: // the client itself goes on after a limit, and none has been reached
			out.Event.Did, out.Event.Text = ledger.AwayContinued, s.Verdict.Evidence
			out.Verdict = strategy.Verdict{
				Decision: strategy.Continue, Rule: Rule, Sure: 100, Evidence: "it wraps up before a usage limit that is not reached: " + s.Verdict.Evidence,
				Reason: SayAway(&a.Order, out.Event.At) + " No usage limit has been reached yet. Go on with what is left.",
			}
		case a.Order.Check == "":
			return out
		case needed && out.Event.Check != "":
			out.Event.Did = ledger.AwaySeen
			return out
		case needed || situation.Turn.Word.Kind == lastword.Asks && !situation.Turn.Changed:
			return out
		default:
			out.askForCheck(a, own, call, ran, s.Dir)
		}
	}
	if out.Event.IsContinue() {
		if used >= a.Order.Most {
			out.stop(ledger.AwaySpent, strconv.Itoa(used)+" continues, as many as your away order may bring")
			return out
		}
		out.Counts = true
	}
	return out
}

// answerQuestion decides a question in the user's place, once, if it may be decided so.
func (out *Answer) answerQuestion(a *ledger.Away, own []ledger.AwayEvent, need rules.Need) {
	e := &out.Event
	e.Text, e.Same = quotation.Beginning(need.Evidence, 1000), quotation.HashText(language.FoldText(need.Evidence))
	word, isGrave := grave.Find(need.Text)
	again, since := false, 0
	for _, old := range own {
		if old.Did != ledger.AwayAnswered {
			continue
		}
		again = again || old.Same == e.Same
		if old.Work == e.Work {
			since++
		}
	}
	switch {
	case isGrave:
		e.Word = word
		out.stop(ledger.AwayLeft, "you are away, and this is yours to decide (“"+word+"”): "+need.Evidence)
	case again:
		out.stop(ledger.AwayLeft, "it asks again what was answered for you: "+need.Evidence)
	case since >= 2:
		out.stop(ledger.AwayLeft, "a third question, and no file changed and no test run since the first: "+need.Evidence)
	default:
		e.Did = ledger.AwayAnswered
		out.Verdict = strategy.Verdict{
			Decision: strategy.Continue, Rule: Rule, Sure: 100, Evidence: "you are away, and it asks: " + need.Evidence,
			Reason: SayAway(&a.Order, e.At) + decideYourself,
		}
	}
}

const decideYourself = " Decide yourself: take the safest option that can be undone, say which and why under “Decided while you were away”, and go on with what does not depend on it."

// SayAway says that the user is away, and for how long.
func SayAway(o *ledger.AwayOrder, now int64) string {
	return Denial + " for another " + timestamp.LengthInWords(o.Until-now) + "."
}

// Describe says what an order is, in one line: who set it, when, from where, until when, how much is used.
func Describe(o ledger.AwayOrder, used int, now int64) string {
	from, where := "origin unknown", "every project"
	if o.From != "" {
		from = "from " + display.OneLine(quotation.Beginning(o.From, 100))
	}
	if o.Project != "" {
		where = display.OneLine(quotation.Beginning(o.Project, 200))
	}
	end := "for another " + timestamp.LengthInWords(o.Until-now)
	switch {
	case o.Ended > 0:
		end = "ended " + timestamp.AgoInWords(now-o.Ended)
	case o.Until <= now:
		end = "ran out " + timestamp.AgoInWords(now-o.Until)
	case !o.IsInForce(time.UnixMilli(now)):
		end = "not in force: it has other bounds than an order may have"
	}
	return "away: " + where + ", set " + timestamp.AgoInWords(now-o.At) + " " + from + ", " + end + "; " + strconv.Itoa(used) + " of " + strconv.Itoa(o.Most) + " continues used"
}

// askForCheck has the agent run the order's check, where it has not since the last change to a
// file, and reads what came of it.
func (out *Answer) askForCheck(a *ledger.Away, own []ledger.AwayEvent, call activity.Call, ran bool, dir string) {
	e, check := &out.Event, a.Order.Check
	e.Text = check
	if ran && !call.Error {
		out.stop(ledger.AwayPassed, "the check has passed: "+check)
		return
	}
	if e.Check == ledger.AwayDenied { // to ask again would bring no more
		out.stop(ledger.AwaySeen, "the check was denied, so it did not run: "+check+"; "+NeededFor(check))
		return
	}
	if ran {
		e.Same = call.Seen
	}
	same := 1
	for i := len(own) - 1; i >= 0; i-- {
		if own[i].Did != ledger.AwayChecked {
			continue
		}
		if own[i].Same != e.Same {
			break
		}
		same++
	}
	switch {
	case same > 3 && ran:
		out.stop(ledger.AwayFailed, "the check has failed in the same way three times: "+check)
		return
	case same > 3:
		out.stop(ledger.AwayFailed, "the check was not run, though asked for three times: "+check)
		return
	}
	e.Did = ledger.AwayChecked
	in, command := ".", check
	if a.Order.Project != "" {
		in = " in " + a.Order.Project + "."
		if dir != a.Order.Project {
			command = "cd " + quotation.ShellWord(a.Order.Project) + " && " + check
		}
	}
	reason := "Before you say that it is done, run exactly this command, alone, with your Bash or shell tool" + in + " Change nothing after it:\n\n    " + command + "\n\n"
	evidence := "it stops, and the check has not been run since the last change: " + check
	if ran {
		evidence = "the check has failed: " + check
		reason = "The check has failed. Mend what is wrong, and run exactly this command again" + in + "\n\n    " + command + "\n\n"
	}
	out.Verdict = strategy.Verdict{Decision: strategy.Continue, Rule: Rule, Sure: 100, Evidence: evidence,
		Reason: SayAway(&a.Order, e.At) + " " + reason + "If it cannot be run here, say so under “Decided while you were away”."}
}

// RuleFor is the rule by which Claude Code allows a check and nothing else; "": no rule can say so.
func RuleFor(check string) string {
	if check == "" || strings.ContainsAny(check, `()*:\`) {
		return ""
	}
	return "Bash(" + check + ")"
}

// NeededFor says what a check that was denied needs.
func NeededFor(check string) string {
	rule := RuleFor(check)
	if rule == "" {
		rule = "a rule for it"
	}
	return "it needs " + rule + " in permissions.allow, and no rule or hook against it"
}

// findCheck finds the check among the newest calls: the newest command of a shell, as isCheck knows it, behind the last
// call that can have changed a file, and at its end.
func findCheck(calls []activity.Call, o *ledger.AwayOrder, dir string) (activity.Call, bool) {
	for _, c := range slices.Backward(calls) {
		if c.Command == "" && c.Writes {
			break
		}
		if c.Command != "" {
			return c, isCheck(c, o, dir) && c.Done && !c.Open && !wasDenied(c)
		}
	}
	return activity.Call{}, false
}

// isCheckDenied tells that the newest call of the check was denied, whatever came after it.
func isCheckDenied(calls []activity.Call, o *ledger.AwayOrder, dir string) bool {
	for i := len(calls) - 1; i >= 0; i-- {
		if isCheck(calls[i], o, dir) {
			return wasDenied(calls[i])
		}
	}
	return false
}

// isCheck knows the check by its command, whole and as it stands, in the order's project.
func isCheck(c activity.Call, o *ledger.AwayOrder, dir string) bool {
	command, isThere := c.Command, o.Project == "" || dir == o.Project
	for _, place := range []string{o.Project, "'" + o.Project + "'", `"` + o.Project + `"`, quotation.ShellWord(o.Project)} {
		if rest, ok := strings.CutPrefix(command, "cd "+place+" && "); ok && o.Project != "" && command != o.Check {
			command, isThere = rest, true
		}
	}
	return isThere && command == o.Check
}

func (out *Answer) stop(did, evidence string) {
	out.Event.Did = did
	out.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: Rule, Sure: 100, Evidence: evidence}
}

// Request is a permission that the agent asks for, or a dialog that it would show.
type Request struct {
	Tool, About string
	Questions   string // of a dialog
	Session     string
	Key, Plugin string
	Mode        string // the permission mode
	Plan        bool   // the dialog asks to leave plan mode
	Now         int64
	Present     bool            // the user is back in the session
	Calls       []activity.Call // the newest of the turn
}

// The bounds of denials: in a row with no other call between, and in a session; so many prompts that
// stand are noted, too.
const (
	mostInARow    = 3
	mostInSession = 20
)

// Denial begins what a call brings back that an order has denied, by which the next one knows it.
const Denial = "The user is away"

func isDenied(c activity.Call) bool { return c.Error && strings.Contains(c.Result, Denial) }

// wasDenied tells that a call did not run: the user, the client or an order has denied it.
func wasDenied(c activity.Call) bool { return c.Denied || isDenied(c) }

// AnswerRequest asks an order about a request: the words to deny it with, "" to leave it to
// the client. It never allows one.
func AnswerRequest(a *ledger.Away, r Request) (words string, e ledger.AwayEvent) {
	e = ledger.AwayEvent{At: r.Now, Session: r.Session, Key: r.Key, By: r.Plugin, Text: quotation.Beginning(strings.TrimSpace(r.Tool+" "+r.About), 1000)}
	if r.Mode == "plan" || r.Plan || r.Present {
		return "", e
	}
	denied, standing, noted, answered := 0, 0, false, false
	for _, old := range a.Past {
		if old.Session != r.Session {
			continue
		}
		answered = answered || old.IsByAnother(e)
		if old.Did == ledger.AwayDenied || old.Did == ledger.AwayDialog || old.Did == ledger.AwayLeft {
			denied++
		}
		if old.Did == ledger.AwayStands {
			standing++
			noted = noted || old.Key == r.Key
		}
	}
	row := 0
	for i := len(r.Calls) - 1; i >= 0 && (!r.Calls[i].Done || isDenied(r.Calls[i])); i-- {
		if r.Calls[i].Done {
			row++
		}
	}
	defer func() {
		if answered { // another plugin has noted it
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
	e.Did, e.Text = ledger.AwayDialog, quotation.Beginning(r.Questions, 1000)
	if word, found := grave.Find(r.Questions); found {
		e.Did, e.Word = ledger.AwayLeft, word
		return SayAway(&a.Order, r.Now) + " This is theirs to decide (“" + word + "”): leave it as it is, go on with what does not depend on it, and list it as a question to them.", e
	}
	return SayAway(&a.Order, r.Now) + decideYourself, e
}
