// Package lisa implements lisa-simpson. It uses the rules of ned-flanders, and more rules to recognize reports and
// answers. If no rule is sure, it asks a judge, which sees only a page. If there is no answer, the agent may stop.
package lisa

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const sureEnough = 75 // percent: from here on no judge is asked

var Strategy = strategy.Strategy{
	Name: "lisa-simpson", Event: "Stop", Judges: true, Special: [][2]string{{"cascade", "asks no judge"}, {"judge", "asks none"}},
	New: func() strategy.Options { return &Options{judge: judge.Defaults()} },
}

func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, ruleSet("")) }

// Prepare returns a function that decides by o's rules. If no rule is sure enough, the second opinion overrules one, or
// o.always is set (except at rule silent), the verdict is a stop with a page, about which the caller asks the judge.
// cache can be nil.
func (o *Options) Prepare(cache *rules.Cache) func(strategy.Situation) strategy.Verdict {
	match := rules.FirstMatch(o.Rules(), cache)
	return func(s strategy.Situation) strategy.Verdict {
		v := match(s)
		disputed := v.Rule == rules.Opinion // against another rule
		if !o.always && v.Sure >= sureEnough && !disputed || o.always && v.Rule == "silent" {
			return v
		}
		v.Decision, v.Reason = strategy.Stop, ""
		v.Page = judge.PageFor(s)
		v.Going = strings.ReplaceAll(goOnAsJudged, "{todos}", rules.Remaining(s.Todos.List))
		return v
	}
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// goOnAsJudged does not quote the judge, whose words might repeat text from strangers.
const goOnAsJudged = "The work does not look finished.{todos} Go on with its next step now. When all is done, say so. If you need a decision from the user, ask for it."

func ruleSet(string) []rules.Rule {
	left := func(s strategy.Situation) (string, string, bool) {
		open := s.Todos.CountReadyIfAlone()
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
	return append(rules.BaseRules, []rules.Rule{
		{ID: "left", Then: strategy.Stop, Sure: 40, Test: left},
		{ID: "talk", Then: strategy.Stop, Sure: 90, Test: talk},
		{ID: "report", Then: strategy.Stop, Sure: 90, Test: report},
		{ID: "long", Then: strategy.Stop, Sure: 78, Test: long},
		{ID: "unsure", Then: strategy.Stop, Sure: 60, Test: unsure},
	}...)
}

const maxDollars = 100 // of any amount in a file

// Options are the settings for rules and the judge. Any file can lower the judge's limits, but only the
// user's can raise costs or set the command.
type Options struct {
	rules.Options
	// always makes the strategy ask the judge at every stop.
	always bool
	judge  judge.Options

	set struct { // by the current file
		cascade *bool
		judge   chosenJudge
	}
}

type chosenJudge struct {
	Backend, Model       string
	Within               int
	Client               string
	Command, Variables   []string
	Cost, Daily, Session *float64
}

func (s *chosenJudge) Members(m *codec.Coder) {
	m.Text("backend", &s.Backend)
	m.Text("model", &s.Model)
	codec.Number(m, "within", &s.Within)
	m.Text("client", &s.Client)
	m.Texts("command", &s.Command)
	m.Texts("variables", &s.Variables)
	codec.ReadOptional(m, "cost", &s.Cost, codec.ReadFloat)
	codec.ReadOptional(m, "daily", &s.Daily, codec.ReadFloat)
	codec.ReadOptional(m, "session", &s.Session, codec.ReadFloat)
}

func (o *Options) Judge() judge.Options { return o.judge }

func (o *Options) Members(m *codec.Coder) {
	o.Options.Members(m)
	codec.ReadOptional(m, "cascade", &o.set.cascade, (*codec.Coder).Bool)
	m.Object("judge", &o.set.judge)
}

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	under := below.(*Options)
	o.always, o.judge = under.always, under.judge
	switch cascade := o.set.cascade; {
	case cascade == nil:
	case !*cascade && l.By == strategy.Project:
		l.NoteFault("cascade: a project cannot have the judge asked every time")
	default:
		o.always = !*cascade
	}
	o.takeJudge(o.set.judge, l)
	o.set.cascade, o.set.judge = nil, chosenJudge{}
	o.FillSafely(&under.Options, nil, ruleSet, true, l)
}

// takeJudge overlays a file's settings (in) on o.judge, which contains those from the files below. "", 0 and nil mean
// not set. Faults are recorded in l.
func (o *Options) takeJudge(in chosenJudge, l *strategy.Layer) {
	choose := func(name, value string, to *string, allowed, valid bool, wants string) {
		switch {
		case value == "" || value == *to:
		case !allowed:
			l.NoteFault("judge: only your own file can set " + name)
		case !valid:
			l.NoteFault("judge: " + wants)
		default:
			*to = value
		}
	}
	user, trusted := l.By == strategy.User, l.By != strategy.Project
	known := slices.Contains(judge.Backends(), in.Backend)
	choose("backend", in.Backend, &o.judge.Backend, trusted, known,
		"there is no backend "+strconv.Quote(in.Backend)+": choose "+strings.Join(judge.Backends(), " or "))
	if trusted && in.Backend != "" && !known {
		o.judge.Backend = judge.Command // the questions must not go to another model
	}
	o.takeUserOnly(in, l)
	choose("model", in.Model, &o.judge.Model, trusted, judge.ValidModel(in.Model),
		strconv.Quote(in.Model)+" is not the name of a model")
	choose("client", in.Client, &o.judge.Client, user, in.Client == "" || l.IsAbs(in.Client),
		"client is the absolute path of Claude Code's program")
	switch {
	case in.Within == 0:
	case in.Within < 1 || in.Within > judge.MaxWithin:
		l.NoteFault("judge: within must be from 1 to " + strconv.Itoa(judge.MaxWithin) + " seconds")
	case in.Within > o.judge.Within && l.By == strategy.User: // the timeout in hooks.json would kill the hook
		l.NoteFault("judge: within can only be shorter than the plugin's " + strconv.Itoa(o.judge.Within) + " seconds")
	case in.Within > o.judge.Within && l.By == strategy.Project:
	default:
		o.judge.Within = in.Within
	}
	for _, d := range []struct {
		name         string
		value, limit *float64
	}{{"daily", in.Daily, &o.judge.Daily}, {"session", in.Session, &o.judge.Session}} {
		switch {
		case d.value == nil:
		case !checkDollars(d.name, *d.value, l):
		case *d.value > *d.limit && l.By == strategy.Author:
			l.NoteFault("judge: only your own file can raise " + d.name)
		case *d.value > *d.limit && l.By == strategy.Project:
		default:
			*d.limit = *d.value
		}
	}
}

func (o *Options) takeUserOnly(in chosenJudge, l *strategy.Layer) {
	if in.Command == nil && in.Variables == nil && in.Cost == nil {
		return
	}
	if l.By != strategy.User {
		l.NoteFault("judge: only your own file can set command, variables and cost")
		return
	}
	if len(in.Command) > 0 && !l.IsAbs(in.Command[0]) {
		l.NoteFault("judge: command begins with the absolute path of a program")
	} else if in.Command != nil {
		o.judge.Command = in.Command
	}
	if i := slices.IndexFunc(in.Variables, func(name string) bool { return name == "" || strings.ContainsAny(name, "=\x00") }); i >= 0 {
		l.NoteFault("judge: " + strconv.Quote(in.Variables[i]) + " is not the name of a variable")
	} else if in.Variables != nil {
		o.judge.Variables = in.Variables
	}
	if in.Cost != nil && checkDollars("cost", *in.Cost, l) {
		o.judge.Cost = in.Cost
	}
}

func checkDollars(name string, n float64, l *strategy.Layer) (inRange bool) {
	if n >= 0 && n <= maxDollars {
		return true
	}
	l.NoteFault("judge: " + name + " must be from 0 to " + strconv.Itoa(maxDollars) + " dollars")
	return false
}
