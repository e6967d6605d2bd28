// Package lisa is lisa-simpson: rules where they are sure, a model where they are not.
//
// The rules are ned-flanders', and a few more that know a stop which is none of
// his business: an answer without any work, a report of what is done, a message
// so long that it is one. Each is sure to some percent. What no rule is sure of,
// about one stop in twenty-five, goes to a judge, who sees a page and nothing else.
// Without an answer Claude may stop.
package lisa

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// sureEnough is how sure a rule has to be for Lisa to believe it, in percent.
const sureEnough = 75

// Strategy is lisa-simpson.
var Strategy = strategy.Strategy{
	Name: "lisa-simpson", Judges: true, Own: [][2]string{{"cascade", "asks no judge"}, {"judge", "asks none"}},
	New: func() strategy.Options { return &Options{judge: judge.Defaults()} },
}

// Rules are the rules in the order in which they are asked.
func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, ruleSet("")) }

// Prepare is Decide for many situations.
func (o *Options) Prepare(kept *rules.Kept) func(strategy.Situation) strategy.Verdict {
	match := rules.Matching(o.Rules(), kept)
	return func(s strategy.Situation) strategy.Verdict {
		v := match(s)
		if !o.always {
			if v.Sure >= sureEnough && v.Rule != rules.Opinion { // there, rules and second opinion disagree
				return v
			}
		} else if v.Rule == "silent" {
			return v // there is nothing to show
		}
		v.Decision, v.Reason = strategy.Stop, ""
		v.Page = judge.PageFor(s)
		v.Going = strings.ReplaceAll(goOnAsJudged, "{todos}", rules.Remaining(s.Todos.List))
		return v
	}
}

// Decide asks the rules, and adds a page where none is sure.
func (o *Options) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// goOnAsJudged has none of the judge's words: what it has read may have been
// written by others.
const goOnAsJudged = "The work does not look finished.{todos} Go on with its next step now. When all is done, say so. If you need a decision from the user, ask for it."

// ruleSet asks ned's rules first.
func ruleSet(string) []rules.Rule {
	silent := func(s strategy.Situation) (string, string, bool) {
		return "nothing was said in this turn", "", s.Message.Earlier || strings.TrimSpace(s.Message.Text) == ""
	}
	left := func(s strategy.Situation) (string, string, bool) {
		open := s.Todos.CountOwn()
		return strconv.Itoa(open) + " open in the todo list, and no word of going on", "", open > 0 && s.Todos.Turns == 0
	}
	talk := func(s strategy.Situation) (string, string, bool) {
		return strconv.Itoa(s.Turn.Count) + " tool calls in this turn", "", s.Turn.Known && s.Turn.Count == 0 && !s.Message.Lags
	}
	report := func(s strategy.Situation) (string, string, bool) {
		sentence, ok := rules.Reports(s.Message.Text)
		return sentence, "", ok
	}
	long := func(s strategy.Situation) (string, string, bool) {
		return "a message of " + strconv.Itoa(len(s.Message.Text)) + " bytes", "", len(strings.TrimSpace(s.Message.Text)) > rules.LongMessage
	}
	unsure := func(strategy.Situation) (string, string, bool) { return "no rule is sure", "", true }
	return slices.Concat([]rules.Rule{{ID: "silent", Then: strategy.Stop, Sure: 95, Own: silent}},
		rules.BaseRules(), []rules.Rule{
			{ID: "left", Then: strategy.Stop, Sure: 40, Own: left},
			{ID: "talk", Then: strategy.Stop, Sure: 90, Own: talk},
			{ID: "report", Then: strategy.Stop, Sure: 90, Own: report},
			{ID: "long", Then: strategy.Stop, Sure: 78, Own: long},
			{ID: "unsure", Then: strategy.Stop, Sure: 60, Own: unsure},
		})
}
