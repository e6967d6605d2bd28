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

// Rule is a decision and its conditions, of which it needs at least one. The first rule whose conditions are
// all met decides. In a list, one match is enough. Phrases match whole words, case-insensitively.
type Rule struct {
	ID string

	Asked bool     // the turn ended with a tool that asks the user
	Tool  string   // name of the last tool called
	Todo  string   // status of any todo: pending, in_progress, completed, or open for the first two
	Skill []string // names of skills in use
	Used  bool     // a tool was called in this turn
	Lang  []string // BCP 47 tags of the message
	// Within is the maximum age, in turns, of the todo list's last change or the skill: 1 for this turn only,
	// 0 for no limit.
	Within int

	Act    lastmessage.Act // at the end of the message
	Near   bool            // find Act before the last paragraph instead
	Closes string          // characters that end the text, ignoring markup
	Lists  string          // characters that end the paragraph before a final list
	// Opens are phrases that begin the last sentence. {do} or {doing} at the end of a phrase matches any verb of work.
	Opens  []string
	Begins []string // begin any sentence in the last paragraph, or the paragraph before a final list
	Last   []string // in the last sentence
	Says   []string // in the last paragraph, or the paragraph before a final list
	Unless []string // not in the last sentence, and cannot be the only condition
	Ending string   // regular expression (RE2) for the last paragraph
	Text   string   // regular expression for the whole text

	Late bool
	Then strategy.Decision
	Sure int // percent, 0 for 90
	// Reason is the text for the model if the rule continues, with {evidence} and {todos} replaced. If it is
	// "", generalReason is used.
	Reason string

	// Files cannot set the following members.

	ByProject bool // the rule is from a project and has a smaller budget
	Doubtful  bool // the second opinion can veto the rule
	Window    bool // Tool and Todo use only the last lines of the transcript
	// Test is a condition of the strategy. It always returns evidence, and optionally a replacement for Reason.
	Test func(strategy.Situation) (evidence, reason string, ok bool)
}

func (r *Rule) Members(m *codec.Coder) {
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

// Limits of a configuration, so that decisions stay fast.
const (
	MaxRules   = 200  // in a file, and in all files together
	maxPattern = 1000 // bytes of a regular expression, or of all phrases of a condition
	maxReason  = 2000 // bytes
	maxID      = 40   // bytes
)

const generalReason = "There is work left.{todos} Go on with it now. When all is done, say so. If you need a decision from the user, ask for it."

type evaluation struct {
	situation *strategy.Situation
	message   *message
	read      bool     // the message's closing was read
	reason    string   // from the last Test
	faults    []error  // of patterns
	unasked   []string // quoted IDs of rules that were too expensive
	cache     *Cache
	// Budgets for rules from a project, and for all other rules.
	byProject, trusted StepBudget
}

func newEvaluation(s strategy.Situation, cache *Cache) *evaluation {
	if cache == nil {
		cache = &Cache{}
	}
	if text := s.Message.Text; cache.last == nil || cache.last.text != text {
		cache.last = &message{text: text, end: endOfText(text)}
	}
	return &evaluation{
		situation: &s, message: cache.last, cache: cache,
		byProject: StepBudget{maxProjectSteps, maxProjectProgram}, trusted: StepBudget{maxSteps, maxProgram},
	}
}

// FirstMatch returns a function that decides by the first rule that holds, else stops by strategy.Unmatched. With
// Opinion in the rules, a doubtful rule can be vetoed. cache can be nil.
func FirstMatch(rules []Rule, cache *Cache) func(strategy.Situation) strategy.Verdict {
	secondOpinion := slices.ContainsFunc(rules, func(r Rule) bool { return r.ID == Opinion })
	return func(s strategy.Situation) strategy.Verdict {
		a := newEvaluation(s, cache)
		v := strategy.Verdict{Decision: strategy.Stop, Rule: strategy.Unmatched, Sure: 80, Evidence: "no rule matched"}
		for i := range rules {
			r := &rules[i]
			evidence, ok := a.holdsFor(r)
			if !ok {
				continue
			}
			v.Decision, v.Rule, v.Sure, v.Evidence = r.Then, r.ID, cmp.Or(r.Sure, 90), evidence
			if r.Then == strategy.Continue {
				reason := cmp.Or(r.Reason, generalReason)
				if r.Test != nil {
					reason = cmp.Or(a.reason, reason)
				}
				v.Reason = strings.ReplaceAll(reason, "{todos}", Remaining(s.Todos.List))
				v.Reason = strings.ReplaceAll(v.Reason, "{evidence}", evidence)
			}
			if secondOpinion && r.Doubtful && v.Decision == strategy.Continue {
				a.stopByWeights(&v)
			}
			break
		}
		v.Faults = a.faults
		if len(a.unasked) > 0 {
			v.Faults = append(v.Faults, a.outOfSteps())
		}
		if a.read {
			v.Languages = a.message.closing().Languages
		}
		return v
	}
}

// Answer is the result of testing one rule.
type Answer struct {
	Rule     Rule
	Holds    bool
	Evidence string
}

func AskEach(rules []Rule, s strategy.Situation) []Answer {
	a := newEvaluation(s, nil)
	var all []Answer
	for i := range rules {
		evidence, ok := a.holdsFor(&rules[i])
		all = append(all, Answer{rules[i], ok, evidence})
	}
	return all
}

// holdsFor reports whether a rule's conditions hold. evidence is of the first condition that failed, else of the last.
// A rule beyond the budget does not hold, and is added to a.unasked.
func (a *evaluation) holdsFor(r *Rule) (evidence string, ok bool) {
	m := a.sharedBudget(r)
	if m.left >= 0 && m.spendSteps(asked+len(r.Skill)) {
		evidence, ok = a.testRule(r, m)
	}
	if m.left < 0 {
		a.unasked = append(a.unasked, strconv.Quote(r.ID))
		return errSteps.Error(), false
	}
	return evidence, ok
}

const asked = 200 // steps of testing a rule

type condition struct {
	fails string // the evidence if the condition is not met
	set   func(r *Rule) bool
	test  func(a *evaluation, r *Rule, m *StepBudget) (evidence string, ok bool)
}

// conditions lists all conditions, the cheapest first.
var conditions = [...]condition{
	{"the turn did not end with a tool that asks you", func(r *Rule) bool { return r.Asked }, func(a *evaluation, _ *Rule, _ *StepBudget) (string, bool) {
		return "the turn ended with " + a.situation.Turn.Asked, a.situation.Turn.Asked != ""
	}},
	{"no such tool call came last", func(r *Rule) bool { return r.Tool != "" }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		last := a.situation.Turn.LastTool
		if r.Window {
			last = a.situation.Window.LastTool
		}
		return "the last tool call was " + r.Tool, last == r.Tool
	}},
	{"there is no such todo, or none that changed lately", func(r *Rule) bool { return r.Todo != "" }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) { return r.matchesTodos(a.situation) }},
	{"no such skill is in use", func(r *Rule) bool { return len(r.Skill) > 0 }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		skill := a.situation.Skill
		if skill.Name == "" || r.Within > 0 && skill.Turns >= r.Within {
			return "", false
		}
		return "the skill " + skill.Name + " is in use", slices.Contains(r.Skill, skill.Name)
	}},
	{"no tool was called in this turn", func(r *Rule) bool { return r.Used }, func(a *evaluation, _ *Rule, _ *StepBudget) (string, bool) {
		return strconv.Itoa(a.situation.Turn.Count) + " tool calls in this turn", a.situation.Turn.Count > 0
	}},
	{"the message is in another language", func(r *Rule) bool { return len(r.Lang) > 0 }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		a.read = true
		i := slices.IndexFunc(a.message.closing().Languages, func(code string) bool { return slices.Contains(r.Lang, code) })
		if i < 0 {
			return "", false
		}
		return "the message is in " + a.message.closing().Languages[i], true
	}},
	{"the end of the message has no such act", func(r *Rule) bool { return r.Act != "" }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		a.read = true
		said, ok := a.message.closing().FindAct(r.Act, r.Near)
		return quoteIf(ok, said)
	}},
	{"the message does not end with this sign", func(r *Rule) bool { return r.Closes != "" }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return quoteIf(EndsWithSign(a.message.end.paragraph, r.Closes, m), a.message.end.last)
	}},
	{"the message does not end with such a list", func(r *Rule) bool { return r.Lists != "" }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return quoteIf(EndsWithSign(a.message.end.intro, r.Lists, m), a.message.end.intro)
	}},
	{"the last sentence does not begin so", func(r *Rule) bool { return len(r.Opens) > 0 }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return quoteIf(OpensWithPhrase(a.message.end.last, r.Opens, m), a.message.end.last)
	}},
	{"no sentence of the last paragraph begins so", func(r *Rule) bool { return len(r.Begins) > 0 }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return a.message.end.findSentence(true, r.Begins, m, OpensWithPhrase)
	}},
	{"the last sentence does not say so", func(r *Rule) bool { return len(r.Last) > 0 }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return quoteIf(HasAnyPhrase(a.message.end.last, r.Last, m), a.message.end.last)
	}},
	{"the last paragraph does not say so", func(r *Rule) bool { return len(r.Says) > 0 }, func(a *evaluation, r *Rule, m *StepBudget) (string, bool) {
		return a.message.end.findSentence(false, r.Says, m, HasAnyPhrase)
	}},
	{"the last paragraph does not match", func(r *Rule) bool { return r.Ending != "" }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		return a.findInText(r, r.Ending, a.message.end.paragraph)
	}},
	{"the message does not match", func(r *Rule) bool { return r.Text != "" }, func(a *evaluation, r *Rule, _ *StepBudget) (string, bool) {
		return a.findInText(r, r.Text, a.situation.Message.Text)
	}},
	{"it does not match", func(r *Rule) bool { return r.Test != nil }, func(a *evaluation, r *Rule, _ *StepBudget) (seen string, held bool) {
		seen, a.reason, held = r.Test(*a.situation)
		return seen, held
	}},
}

func quoteIf(ok bool, text string) (string, bool) {
	if !ok {
		return "", false
	}
	return quotation.QuoteEvidence(text), true
}

func (a *evaluation) testRule(r *Rule, m *StepBudget) (foundOrWhy string, ok bool) {
	for i := range conditions {
		c := &conditions[i]
		if !c.set(r) {
			continue
		}
		if foundOrWhy, ok = c.test(a, r, m); !ok {
			if r.Test == nil || foundOrWhy == "" {
				foundOrWhy = c.fails
			}
			return foundOrWhy, false
		}
	}
	if last := a.message.end.last; ok && HasAnyPhrase(last, r.Unless, m) {
		return "unless: " + quotation.QuoteEvidence(last), false
	}
	return foundOrWhy, ok
}

func (a *evaluation) sharedBudget(r *Rule) *StepBudget {
	if r.ByProject {
		return &a.byProject
	}
	return &a.trusted
}

// outOfSteps returns an error naming the rules in a.unasked (not empty).
func (a *evaluation) outOfSteps() error {
	return errors.New("rule " + firstNames(a.unasked, 5) + ": " + errSteps.Error())
}

func (r *Rule) faultOf(err error) error {
	return errors.New("rule " + strconv.Quote(r.ID) + ": " + err.Error())
}

func (a *evaluation) findInText(r *Rule, expr, text string) (evidence string, ok bool) {
	at, err := a.cache.matchPattern(expr, text, a.sharedBudget(r))
	switch {
	case err == errSteps:
		a.unasked = append(a.unasked, strconv.Quote(r.ID))
	case err != nil:
		a.faults = append(a.faults, r.faultOf(err))
	case at != nil:
		found := strings.TrimSpace(text[at[0]:at[1]])
		for _, end := range []string{"\n", ". ", "! ", "? "} { // a match can span sentences
			found, _, _ = strings.Cut(found, end)
		}
		return quotation.QuoteEvidence(found), true
	}
	return "", false
}

// matchesTodos reports whether an unblocked todo has the status r.Todo, and returns the evidence. Lists r.Within (if
// not 0) or more turns old do not match. Without r.Window, another agent's open todo makes this false.
func (r *Rule) matchesTodos(s *strategy.Situation) (foundOrWhy string, ok bool) {
	list, turns := s.Todos.List, s.Todos.Turns
	if r.Window {
		list, turns = s.Window.Todos, 0
	}
	if r.Within > 0 && turns >= r.Within {
		return "", false
	}
	var matches []string
	for _, t := range list {
		switch {
		case r.Window && (t.Blocked || t.Owner != ""):
		case t.IsOpen() && t.IsTeammates():
			return "another agent has an open task: " + quotation.QuoteEvidence(t.Content), false
		case !t.Blocked && (t.Status == r.Todo || r.Todo == "open" && t.IsOpen()):
			matches = append(matches, quotation.QuoteEvidence(t.Content))
		}
	}
	switch n := len(matches); n {
	case 0:
		return "no " + r.Todo + " todo", false
	case 1:
		return "1 " + r.Todo + " todo, " + matches[0], true
	default:
		return strconv.Itoa(n) + " " + r.Todo + " todos, first " + matches[0], true
	}
}

// Remaining returns a sentence naming up to three open todos, with a leading space, or "" if none.
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
	return " Open in the todo list: " + firstNames(open, 3) + "."
}

func firstNames(all []string, most int) string {
	names := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		names += " and " + strconv.Itoa(more) + " more"
	}
	return names
}

// checkFields returns the first fault of a rule from a file. It does not compile patterns.
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
	case !slices.ContainsFunc(conditions[:], func(c condition) bool { return c.set(r) }):
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
