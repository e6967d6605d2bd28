// Rules are data: the built-in sets are Go values, a user's own come from
// strategy.json, and both are asked by the same loop. The first rule whose
// conditions all hold decides; no rule, no continuation.

package rules

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Rule is one question and its answer. Conditions that are not set do not
// count; a rule with none never holds.
type Rule struct {
	ID string
	// Asked tells that the turn ended with a tool that asks the user.
	Asked bool
	// Tool is the name of the last tool called.
	Tool string
	// Todo is a status that at least one entry of the todo list has: pending,
	// in_progress, completed, or open for either of the first two.
	Todo string
	// Within is how many turns ago the todo list, or the skill, may have
	// changed: 1 means in this turn. 0: any time. It is no condition of its own.
	Within int
	// Skill are names of skills, one of which is in use.
	Skill []string
	// Act is what the message does at its end, as package lastmessage reads it: asks,
	// offers, waits, blocked, hands, plans, finishes, heads, moves, announces, breaks,
	// leaves or counts. Near looks for it before the last paragraph instead.
	Act  lastmessage.Act
	Near bool
	// Used tells that tools were called in this turn.
	Used bool
	// Lang are languages, one of which the message is in, as in BCP 47.
	Lang []string
	// Closes are characters, one of which ends the text, markup left aside.
	Closes string
	// Lists are characters, one of which ends the paragraph in front of a list
	// that ends the text.
	Lists string
	// Opens are phrases, one of which begins the last sentence, in any case. A
	// phrase may end in {do} or {doing}: any verb of work, in that form.
	Opens []string
	// Begins are phrases, one of which begins any sentence of the last paragraph,
	// or of the one in front of a list that ends the text.
	Begins []string
	// Last are phrases, one of which is in the last sentence: whole words, in
	// any case.
	Last []string
	// Says are phrases, one of which is in the last paragraph, where Claude says
	// what happens next, or in the one in front of a list that ends the text: whole
	// words, in any case.
	Says []string
	// Unless are phrases, none of which is in the last sentence. It is no
	// condition of its own.
	Unless []string
	// Ending is a regular expression (RE2) that matches in the last paragraph.
	Ending string
	// Text is a regular expression that matches somewhere in the text.
	Text string

	// Late puts a rule that a file adds behind the others: it decides only where none
	// of them knows of a person who is needed, or of work.
	Late bool

	// ByProject marks a rule from a project, which may spend less; see effort.go. No
	// file sets it.
	ByProject bool

	Then strategy.Decision
	// Sure is how sure the answer is, in percent; 0 counts as 90.
	Sure int
	// Reason goes to the model when the rule continues. {evidence} stands for
	// what the rule matched, {todos} for what is open in the todo list. Empty: a
	// general sentence.
	Reason string

	// Doubtful tells that the second opinion may take a continue back. No file sets it.
	Doubtful bool

	// Window makes Tool and Todo look at the last lines of the transcript only,
	// as the first design has it. No file sets it.
	Window bool
	// Test is a condition of the strategy's own. It returns evidence, whether it holds
	// or not, and may return words to the model in place of Reason. No file sets it.
	Test func(strategy.Situation) (evidence, reason string, ok bool)
}

// Members are a rule as a file has it.
func (r *Rule) Members(m *codec.Members) {
	m.Text("id", &r.ID)
	m.Bool("asked", &r.Asked)
	m.Text("tool", &r.Tool)
	m.Text("todo", &r.Todo)
	codec.Number(m, "within", &r.Within)
	m.Texts("skill", &r.Skill)
	m.Text("act", (*string)(&r.Act))
	m.Bool("near", &r.Near)
	m.Bool("used", &r.Used)
	m.Texts("lang", &r.Lang)
	m.Text("closes", &r.Closes)
	m.Text("lists", &r.Lists)
	m.Texts("opens", &r.Opens)
	m.Texts("begins", &r.Begins)
	m.Texts("last", &r.Last)
	m.Texts("says", &r.Says)
	m.Texts("unless", &r.Unless)
	m.Text("ending", &r.Ending)
	m.Text("text", &r.Text)
	m.Bool("late", &r.Late)
	m.Text("then", (*string)(&r.Then))
	codec.Number(m, "sure", &r.Sure)
	m.Text("reason", &r.Reason)
}

// Limits of what a configuration may bring, so that a decision stays quick.
const (
	MaxRules   = 200  // of a file, and of all files together
	maxPattern = 1000 // bytes, of a regular expression or all phrases of a condition
	maxReason  = 2000 // bytes
	maxID      = 40   // bytes
)

const generalReason = "There is work left.{todos} Go on with it now. When all is done, say so. If you need a decision from the user, ask for it."

// asking is one situation that rules are asked about.
type asking struct {
	situation *strategy.Situation
	message   *message
	read      bool     // a rule has asked how the message reads
	reason    string   // what the newest own condition has to say to the model
	faults    []error  // patterns that are none, found when their turn came
	unasked   []string // rules that there were no steps for
	cache     *Cache
	// What is left to spend: for a project's rules, and for all others.
	byProject, trusted meter
}

// newAsking begins to ask; cache is nil for one situation alone.
func newAsking(s strategy.Situation, cache *Cache) *asking {
	if cache == nil {
		cache = &Cache{}
	}
	return &asking{situation: &s, message: cache.messageOf(s.Message.Text), cache: cache, byProject: meter{maxProjectSteps}, trusted: meter{maxSteps}}
}

// Matching asks rules in order, of one situation after the other. Without a match it is
// a stop.
func Matching(rules []Rule, cache *Cache) func(strategy.Situation) strategy.Verdict {
	secondOpinion := slices.ContainsFunc(rules, func(r Rule) bool { return r.ID == Opinion })
	return func(s strategy.Situation) strategy.Verdict {
		a := newAsking(s, cache)
		v := strategy.Verdict{Decision: strategy.Stop, Rule: strategy.Unmatched, Sure: 80, Evidence: "no rule matched"}
		for i := range rules {
			if evidence, ok := a.holdsFor(&rules[i]); ok {
				v = rules[i].verdictFor(&s, evidence, a.reason)
				if secondOpinion && rules[i].Doubtful && v.Decision == strategy.Continue {
					a.takeBack(&v)
				}
				break
			}
		}
		v.Faults = a.faults
		if len(a.unasked) > 0 {
			v.Faults = append(v.Faults, a.unaskedFault())
		}
		if a.read {
			v.Languages = a.message.closing().Languages
		}
		return v
	}
}

func (r *Rule) verdictFor(s *strategy.Situation, evidence, reason string) strategy.Verdict {
	v := strategy.Verdict{Decision: r.Then, Rule: r.ID, Sure: cmp.Or(r.Sure, 90), Evidence: evidence}
	if r.Test == nil || reason == "" {
		reason = r.Reason
	}
	if r.Then == strategy.Continue {
		v.Reason = strings.ReplaceAll(strings.ReplaceAll(cmp.Or(reason, generalReason), "{todos}", Remaining(s.Todos.List)), "{evidence}",
			evidence)
	}
	return v
}

// Answer is what one rule had to say, for explaining a decision.
type Answer struct {
	Rule     Rule
	Holds    bool
	Evidence string // what held, or what did not
}

// AskEach asks every rule, whether an earlier one has decided or not.
func AskEach(rules []Rule, s strategy.Situation) []Answer {
	a := newAsking(s, nil)
	var all []Answer
	for i := range rules {
		evidence, ok := a.holdsFor(&rules[i])
		all = append(all, Answer{rules[i], ok, evidence})
	}
	return all
}

// holdsFor tests the conditions, the cheap ones first, and says what it saw: what
// held, or the first condition that did not. Regular expressions are compiled
// when their turn comes: most stops are decided before, and compiling costs
// more than all phrases together. A rule that there are no steps for does not hold.
func (a *asking) holdsFor(r *Rule) (evidence string, ok bool) {
	m := a.meterFor(r)
	if m.left >= 0 && m.spendSteps(asked+len(r.Skill)) {
		evidence, ok = a.testRule(r, m)
	}
	if m.left < 0 {
		a.unasked = append(a.unasked, strconv.Quote(r.ID))
		return errSteps.Error(), false
	}
	return evidence, ok
}

// asked is what a rule costs beside its phrases and patterns, in steps.
const asked = 200

// condition is something that a rule can ask for.
type condition struct {
	fails string // what is so where it does not hold
	set   func(r *Rule) bool
	test  func(a *asking, r *Rule, m *meter) (evidence string, ok bool)
}

// conditions are all of them, the cheap ones first.
var conditions = [...]condition{
	{"the turn did not end with a tool that asks you", func(r *Rule) bool { return r.Asked }, func(a *asking, _ *Rule, _ *meter) (string, bool) {
		return "the turn ended with " + a.situation.Turn.Asked, a.situation.Turn.Asked != ""
	}},
	{"the last tool call was another one", func(r *Rule) bool { return r.Tool != "" }, func(a *asking, r *Rule, _ *meter) (string, bool) {
		last := a.situation.Turn.LastTool
		if r.Window {
			last = a.situation.Window.LastTool
		}
		return "the last tool call was " + r.Tool, last == r.Tool
	}},
	{"there is no such todo, or none that changed lately", func(r *Rule) bool { return r.Todo != "" }, func(a *asking, r *Rule, _ *meter) (string, bool) { return r.matchesTodos(a.situation) }},
	{"no such skill is in use", func(r *Rule) bool { return len(r.Skill) > 0 }, func(a *asking, r *Rule, _ *meter) (string, bool) { return r.matchesSkill(a.situation) }},
	{"no tool was called in this turn", func(r *Rule) bool { return r.Used }, func(a *asking, _ *Rule, _ *meter) (string, bool) {
		return strconv.Itoa(a.situation.Turn.Count) + " tool calls in this turn", a.situation.Turn.Count > 0
	}},
	{"the message is in another language", func(r *Rule) bool { return len(r.Lang) > 0 }, func(a *asking, r *Rule, _ *meter) (string, bool) {
		a.read = true
		i := slices.IndexFunc(a.message.closing().Languages, func(code string) bool { return slices.Contains(r.Lang, code) })
		if i < 0 {
			return "", false
		}
		return "the message is in " + a.message.closing().Languages[i], true
	}},
	{"the message does not end so", func(r *Rule) bool { return r.Act != "" && !r.Near }, (*asking).matchesAct},
	{"nothing so before the last paragraph", func(r *Rule) bool { return r.Act != "" && r.Near }, (*asking).matchesAct},
	{"the message does not end with this sign", func(r *Rule) bool { return r.Closes != "" }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return quoteIf(m.closesParagraph(a.message.end.paragraph, r.Closes), a.message.end.last)
	}},
	{"the message does not end with such a list", func(r *Rule) bool { return r.Lists != "" }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return quoteIf(m.closesParagraph(a.message.end.intro, r.Lists), a.message.end.intro)
	}},
	{"the last sentence does not begin so", func(r *Rule) bool { return len(r.Opens) > 0 }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return quoteIf(m.opensWithPhrase(a.message.end.last, r.Opens), a.message.end.last)
	}},
	{"no sentence of the last paragraph begins so", func(r *Rule) bool { return len(r.Begins) > 0 }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return a.message.end.findSentence(slices.Backward(a.message.end.sentences), r.Begins, m, (*meter).opensWithPhrase)
	}},
	{"the last sentence does not say so", func(r *Rule) bool { return len(r.Last) > 0 }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return quoteIf(m.hasAnyPhrase(a.message.end.last, r.Last), a.message.end.last)
	}},
	{"the last paragraph does not say so", func(r *Rule) bool { return len(r.Says) > 0 }, func(a *asking, r *Rule, m *meter) (string, bool) {
		return a.message.end.findSentence(slices.All(a.message.end.sentences), r.Says, m, (*meter).hasAnyPhrase)
	}},
	{"the last paragraph does not match", func(r *Rule) bool { return r.Ending != "" }, func(a *asking, r *Rule, _ *meter) (string, bool) {
		return a.findInText(r, r.Ending, a.message.end.paragraph)
	}},
	{"the message does not match", func(r *Rule) bool { return r.Text != "" }, func(a *asking, r *Rule, _ *meter) (string, bool) {
		return a.findInText(r, r.Text, a.situation.Message.Text)
	}},
	{"it does not match", func(r *Rule) bool { return r.Test != nil }, func(a *asking, r *Rule, _ *meter) (seen string, held bool) {
		seen, a.reason, held = r.Test(*a.situation)
		return seen, held
	}},
}

// quoteIf quotes what a condition held for.
func quoteIf(ok bool, text string) (string, bool) {
	if !ok {
		return "", false
	}
	return quotation.QuoteEvidence(text), true
}

func (a *asking) testRule(r *Rule, m *meter) (evidence string, ok bool) {
	for i := range conditions {
		c := &conditions[i]
		if !c.set(r) {
			continue
		}
		if evidence, ok = c.test(a, r, m); !ok {
			if r.Test == nil || evidence == "" {
				evidence = c.fails
			}
			return evidence, false
		}
	}
	if last := a.message.end.last; ok && m.hasAnyPhrase(last, r.Unless) {
		return "unless: " + quotation.QuoteEvidence(last), false
	}
	return evidence, ok
}

func (a *asking) matchesAct(r *Rule, _ *meter) (evidence string, ok bool) {
	a.read = true
	said, ok := a.message.findAct(r.Act, r.Near)
	return quoteIf(ok, said)
}

func (a *asking) meterFor(r *Rule) *meter {
	if r.ByProject {
		return &a.byProject
	}
	return &a.trusted
}

// unaskedFault names the rules that there were no steps for.
func (a *asking) unaskedFault() error {
	const named = 5
	n := len(a.unasked)
	names := strings.Join(a.unasked[:min(n, named)], ", ")
	if n > named {
		names += " and " + strconv.Itoa(n-named) + " more"
	}
	return errors.New("rule " + names + ": " + errSteps.Error())
}

func (r *Rule) faultOf(err error) error {
	return errors.New("rule " + strconv.Quote(r.ID) + ": " + err.Error())
}

// findInText reports the first match of a pattern. One that does not compile matches
// nothing and is a fault.
func (a *asking) findInText(r *Rule, expr, text string) (string, bool) {
	at, err := a.matchInText(r, expr, text)
	switch {
	case err == errSteps:
		a.unasked = append(a.unasked, strconv.Quote(r.ID))
	case err != nil:
		a.faults = append(a.faults, r.faultOf(err))
	case at != nil:
		found := strings.TrimSpace(text[at[0]:at[1]])
		for _, end := range []string{"\n", ". ", "! ", "? "} { // a pattern may have found several sentences
			found, _, _ = strings.Cut(found, end)
		}
		return quotation.QuoteEvidence(found), true
	}
	return "", false
}

func (a *asking) matchInText(r *Rule, expr, text string) (at []int, err error) {
	most := maxProgram
	if r.ByProject {
		most = maxProjectProgram
	}
	return a.cache.matchPattern(expr, text, most, a.meterFor(r))
}

// matchesTodos looks for entries with the status in the list that the rule set means:
// the replayed one, or that of the window.
func (r *Rule) matchesTodos(s *strategy.Situation) (string, bool) {
	list, turns := s.Todos.List, s.Todos.Turns
	if r.Window {
		list, turns = s.Window.Todos, 0
	}
	if r.Within > 0 && turns >= r.Within {
		return "", false
	}
	n, first := 0, ""
	for _, t := range list {
		switch {
		case r.Window && (t.Blocked || t.Owner != ""):
		case t.IsOpen() && t.IsOthers():
			return "another agent has an open task: " + quotation.QuoteEvidence(t.Content), false
		case !t.Blocked && (t.Status == r.Todo || r.Todo == "open" && t.IsOpen()):
			if n++; n == 1 {
				first = t.Content
			}
		}
	}
	if n == 0 {
		return "no " + r.Todo + " todo", false
	}
	todos := " todos, first "
	if n == 1 {
		todos = " todo, "
	}
	return strconv.Itoa(n) + " " + r.Todo + todos + quotation.QuoteEvidence(first), true
}

func (r *Rule) matchesSkill(s *strategy.Situation) (string, bool) {
	if s.Skill.Name == "" || r.Within > 0 && s.Skill.Turns >= r.Within {
		return "", false
	}
	return "the skill " + s.Skill.Name + " is in use", slices.Contains(r.Skill, s.Skill.Name)
}

// Remaining says what is open in the todo list, a sentence with a blank in
// front; "" if nothing is.
func Remaining(todos []activity.Todo) string {
	var open []string
	for _, t := range todos {
		if t.IsOpen() {
			open = append(open, quotation.QuoteEvidence(t.Content))
		}
	}
	if len(open) == 0 {
		return ""
	}
	rest := ""
	if len(open) > 3 {
		rest = " and " + strconv.Itoa(len(open)-3) + " more"
		open = open[:3]
	}
	return " Open in the todo list: " + strings.Join(open, ", ") + rest + "."
}

// checkFields reports the first fault of a rule that a user wrote, but for patterns:
// those are compiled when their turn comes, by matchPattern.
func (r *Rule) checkFields() error {
	quoted := "rule " + strconv.Quote(r.ID)
	var acts []string
	for _, act := range lastmessage.AllActs() {
		acts = append(acts, string(act))
	}
	switch {
	case r.ID == "":
		return errors.New("a rule has no id")
	case len(r.ID) > maxID || strings.ContainsFunc(r.ID, func(c rune) bool { return c <= ' ' || c >= 0x7f }):
		return errors.New(quoted + ": an id has at most " + strconv.Itoa(maxID) + " letters, digits and signs")
	case r.Then != strategy.Stop && r.Then != strategy.Continue:
		return errors.New(quoted + ": then must be \"stop\" or \"continue\"")
	case r.Act != "" && !slices.Contains(acts, string(r.Act)):
		return errors.New(quoted + ": there is no act " + strconv.Quote(string(r.Act)) + ": choose one of " + strings.Join(acts, ", "))
	case slices.ContainsFunc(r.Lang, func(code string) bool { return !slices.Contains(language.PackCodes(), code) }):
		return errors.New(quoted + ": there is no language pack for its lang: choose from " + strings.Join(language.PackCodes(), ", "))
	case !r.Asked && !r.Used && r.Act == "" && len(r.Lang) == 0 && r.Tool == "" && r.Todo == "" && len(r.Skill) == 0 && r.Closes == "" && r.Lists == "" && len(r.Opens) == 0 && len(r.Begins) == 0 && len(r.Last) == 0 && len(r.Says) == 0 && r.Ending == "" && r.Text == "":
		return errors.New(quoted + " has no condition: give asked, used, act, lang, tool, todo, skill, closes, lists, opens, begins, last, says, ending or text")
	case r.Sure < 0 || r.Sure > 100:
		return errors.New(quoted + ": sure must be from 0 to 100")
	case r.Within < 0:
		return errors.New(quoted + ": within must be 0 or more turns")
	case len(r.Reason) > maxReason:
		return errors.New(quoted + ": reason is longer than " + strconv.Itoa(maxReason) + " bytes")
	case len(r.Ending) > maxPattern || len(r.Text) > maxPattern:
		return errors.New(quoted + ": pattern is longer than " + strconv.Itoa(maxPattern) + " bytes")
	case len(r.Closes) > maxPattern || len(r.Lists) > maxPattern || len(r.Tool) > maxPattern || len(r.Todo) > maxPattern:
		return errors.New(quoted + ": a condition is longer than " + strconv.Itoa(maxPattern) + " bytes")
	}
	for _, phrases := range [][]string{r.Skill, r.Opens, r.Begins, r.Last, r.Says, r.Unless} {
		if len(strings.Join(phrases, "")) > maxPattern || slices.Contains(phrases, "") {
			return errors.New(quoted + ": phrases must not be empty, nor longer than " + strconv.Itoa(maxPattern) + " bytes together")
		}
	}
	return nil
}
