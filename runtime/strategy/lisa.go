// lisa-simpson: rules where they are sure, a model where they are not.
//
// The rules are ned-flanders', and a few more that know a stop which is none of
// his business: an answer without any work, a report of what is done, a message
// so long that it is one. Each is sure to some percent. What nobody is sure of,
// about one stop in twenty, goes to a judge, who sees a page and nothing else.
// Without an answer Claude may stop.

package strategy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// sureEnough is how sure a rule has to be for Lisa to believe it, in percent.
const sureEnough = 75

// A message of more bytes than longMessage in which no rule finds a next step is
// a report. Measured: of the stops where one was left, nine in ten are shorter.
const longMessage = 350

func lisa() Strategy {
	return Strategy{
		Name:   "lisa-simpson",
		Judges: true,
		Mend:   func(c Config) (Config, []error) { return mendOne(c, lisaSet()) },
		Rules:  lisaRules,
		Decide: func(c Config, s Situation) Verdict { return askUnlessSure(c, s, firstMatch(lisaRules(c), s)) },
		Prepare: func(c Config, kept *Kept) func(Situation) Verdict {
			match := matching(lisaRules(c), kept)
			return func(s Situation) Verdict { return askUnlessSure(c, s, match(s)) }
		},
	}
}

func lisaRules(c Config) []Rule {
	rules := arranged(c, lisaSet())
	for i, r := range rules {
		if r.Then == Continue && slices.Contains(c.Muted, r.ID) {
			rules[i].Then = Stop
		}
	}
	return rules
}

// askUnlessSure adds a page to what the rules say, unless they are sure.
func askUnlessSure(c Config, s Situation, v Verdict) Verdict {
	if c.Cascade == nil || *c.Cascade {
		if v.Sure >= sureEnough {
			return v
		}
	} else if v.Rule == "silent" {
		return v // there is nothing to show
	}
	v.Decision, v.Reason = Stop, ""
	v.Page = Page(s)
	v.Going = strings.ReplaceAll(goOnAsJudged, "{todos}", remaining(s.Todos.List))
	return v
}

// goOnAsJudged has none of the judge's words: what it has read may have been
// written by anybody.
const goOnAsJudged = "It looks as if the work is not finished.{todos} Go on with its next step now. When everything is done, say so plainly; if you need a decision from the user, ask for it and wait."

// Page is what a judge is shown of a situation.
func Page(s Situation) string {
	p := judge.Page{Skill: s.Skill.Name, Todos: fact.Count(s.Todos.List), Calls: s.Turn.Calls, Request: s.Turn.Prompt, Message: s.Message.Text, Asked: s.Turn.Asked, Running: s.Turn.Running}
	return p.String()
}

// lisaSet asks ned's rules first.
func lisaSet() []Rule {
	silent := func(s Situation) (string, string, bool) {
		return "nothing was said in this turn", "", s.Message.Earlier || strings.TrimSpace(s.Message.Text) == ""
	}
	left := func(s Situation) (string, string, bool) {
		open := s.own()
		return strconv.Itoa(open) + " open in the todo list, and no word of going on", "", open > 0 && s.Todos.Turns == 0
	}
	talk := func(s Situation) (string, string, bool) {
		return strconv.Itoa(s.Turn.Count) + " tool calls in this turn", "", s.Turn.Known && s.Turn.Count == 0 && !s.Message.Lags
	}
	report := func(s Situation) (string, string, bool) {
		sentence, ok := reports(s.Message.Text)
		return sentence, "", ok
	}
	long := func(s Situation) (string, string, bool) {
		return "a message of " + strconv.Itoa(len(s.Message.Text)) + " bytes", "", len(strings.TrimSpace(s.Message.Text)) > longMessage
	}
	unsure := func(Situation) (string, string, bool) { return "no rule is sure", "", true }
	return slices.Concat([]Rule{{ID: "silent", Then: Stop, Sure: 95, own: silent}}, nedDefault(), []Rule{
		{ID: "left", Then: Stop, Sure: 40, own: left},
		{ID: "talk", Then: Stop, Sure: 90, own: talk},
		{ID: "report", Then: Stop, Sure: 90, own: report},
		{ID: "long", Then: Stop, Sure: 78, own: long},
		{ID: "unsure", Then: Stop, Sure: 60, own: unsure},
	})
}

// reports finds the first sentence of a short message that says what has been
// done, or where it can be seen.
func reports(text string) (sentence string, ok bool) {
	if len(text) > longMessage*2 {
		return "", false
	}
	for _, s := range sentences(text) {
		if strings.Contains(s, "https://") || strings.Contains(s, "http://") {
			return quote(s), true
		}
		words := strings.FieldsFunc(fold(s), func(r rune) bool { return !isWord(r) && r != '\'' })
		for i, w := range words[:min(len(words), 5)] {
			if isResult(w) && (i == 0 || beginsAReport(words[0])) {
				return quote(s), true
			}
		}
	}
	return "", false
}

// isResult tells a word by which a sentence says that something has been done.
func isResult(word string) bool {
	return slices.Contains([]string{
		"pushed", "committed", "fixed", "done", "created", "updated", "added", "shipped", "merged", "removed", "deleted", "changed", "renamed", "moved",
		"replaced", "addressed", "resolved", "reverted", "rebased", "squashed", "installed", "deployed", "published", "released", "closed", "opened",
		"saved", "written", "verified", "confirmed", "cleaned", "implemented", "documented", "refactored", "restored", "complete", "completed", "finished",
	}, word)
}

// beginsAReport tells the first word of a sentence whose result comes a little
// later: "All 12 tests fixed", "PR created", "The branch is merged".
func beginsAReport(word string) bool {
	return slices.Contains([]string{"all", "pr", "draft", "branch", "commit", "both", "everything", "the", "conflicts", "changes", "it", "it's", "that's", "this"}, word)
}
