// Rules are data: the built-in sets are Go values, a user's own come from
// strategy.json, and both are asked by the same loop. The first rule whose
// conditions all hold decides; no rule, no continuation.

package strategy

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Rule is one question and its answer. Conditions that are not set do not
// count; a rule with none never holds.
type Rule struct {
	ID string `json:"id"`
	// Tool is the name of the last tool called.
	Tool string `json:"tool,omitempty"`
	// Todo is a status that at least one entry of the todo list has.
	Todo string `json:"todo,omitempty"`
	// Closes are characters, one of which ends the text, markup left aside.
	Closes string `json:"closes,omitempty"`
	// Opens are phrases, one of which begins the last sentence, in any case.
	Opens []string `json:"opens,omitempty"`
	// Says are phrases, one of which is in the last paragraph, where Claude says
	// what happens next: whole words, in any case.
	Says []string `json:"says,omitempty"`
	// Ending is a regular expression (RE2) that matches in the last paragraph.
	Ending string `json:"ending,omitempty"`
	// Text is a regular expression that matches somewhere in the text.
	Text string `json:"text,omitempty"`

	Then Decision `json:"then"`
	// Reason goes to the model when the rule continues. {evidence} stands for
	// what the rule matched. Empty: a general sentence.
	Reason string `json:"reason,omitempty"`
}

// Limits of what a configuration may bring, so that a decision stays quick.
const (
	maxRules   = 200
	maxPattern = 1000 // bytes, of a regular expression or all phrases of a condition
	maxReason  = 2000 // bytes
)

const generalReason = "There is work left: {evidence}. Go on with it now. When everything is done, say so plainly; if you need a decision from the user, ask for it and wait."

// firstMatch asks the rules in order.
func firstMatch(rules []Rule, s Situation) (Verdict, bool) {
	e := endOf(s.Text)
	for _, r := range rules {
		evidence, ok := r.holds(s, e)
		if !ok {
			continue
		}
		v := Verdict{Decision: r.Then, Rule: r.ID, Evidence: evidence}
		if r.Then == Continue {
			reason := r.Reason
			if reason == "" {
				reason = generalReason
			}
			v.Reason = strings.ReplaceAll(reason, "{evidence}", evidence)
		}
		return v, true
	}
	return Verdict{}, false
}

// holds tests the conditions, the cheap ones first, and says what it saw.
// Regular expressions are compiled when their turn comes: most stops are
// decided before, and compiling costs more than all phrases together.
func (r Rule) holds(s Situation, e end) (evidence string, ok bool) {
	for _, c := range []struct {
		set  bool
		test func() (string, bool)
	}{
		{r.Tool != "", func() (string, bool) { return "the last tool call was " + r.Tool, s.LastTool == r.Tool }},
		{r.Todo != "", func() (string, bool) { return openTodos(s.Todos, r.Todo) }},
		{r.Closes != "", func() (string, bool) { return quote(e.last()), e.closes(r.Closes) }},
		{len(r.Opens) > 0, func() (string, bool) { return quote(e.last()), e.opens(r.Opens) }},
		{len(r.Says) > 0, func() (string, bool) { return e.says(r.Says) }},
		{r.Ending != "", func() (string, bool) { return find(r.Ending, e.paragraph) }},
		{r.Text != "", func() (string, bool) { return find(r.Text, s.Text) }},
	} {
		if !c.set {
			continue
		}
		if evidence, ok = c.test(); !ok {
			return "", false
		}
	}
	return evidence, ok
}

// openTodos counts the entries with a status and names the first.
func openTodos(todos []Todo, status string) (string, bool) {
	n, first := 0, ""
	for _, t := range todos {
		if t.Status == status {
			if n++; n == 1 {
				first = t.Content
			}
		}
	}
	return strconv.Itoa(n) + " " + status + " in the todo list, first " + quote(first), n > 0
}

// find reports the first match of a pattern. A pattern that does not compile
// matches nothing; Check has refused it before.
func find(pattern, text string) (string, bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	at := re.FindStringIndex(text)
	if at == nil {
		return "", false
	}
	return quote(text[at[0]:at[1]]), true
}

// check reports the first fault of a rule that a user wrote.
func (r Rule) check() error {
	switch {
	case r.ID == "":
		return errors.New("a rule has no id")
	case r.Then != Stop && r.Then != Continue:
		return errors.New("rule " + strconv.Quote(r.ID) + ": then must be \"stop\" or \"continue\"")
	case r.Tool == "" && r.Todo == "" && r.Closes == "" && len(r.Opens) == 0 && len(r.Says) == 0 && r.Ending == "" && r.Text == "":
		return errors.New("rule " + strconv.Quote(r.ID) + " has no condition: give tool, todo, closes, opens, says, ending or text")
	case len(r.Reason) > maxReason:
		return errors.New("rule " + strconv.Quote(r.ID) + ": reason is longer than " + strconv.Itoa(maxReason) + " bytes")
	}
	for _, phrases := range [][]string{r.Opens, r.Says} {
		if all := strings.Join(phrases, ""); len(all) > maxPattern || slices.Contains(phrases, "") {
			return errors.New("rule " + strconv.Quote(r.ID) + ": phrases must not be empty, nor longer than " + strconv.Itoa(maxPattern) + " bytes together")
		}
	}
	for _, pattern := range []string{r.Ending, r.Text} {
		if len(pattern) > maxPattern {
			return errors.New("rule " + strconv.Quote(r.ID) + ": pattern is longer than " + strconv.Itoa(maxPattern) + " bytes")
		}
		if _, err := regexp.Compile(pattern); err != nil {
			return errors.New("rule " + strconv.Quote(r.ID) + ": " + err.Error())
		}
	}
	return nil
}
