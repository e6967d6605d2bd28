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

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// sureEnough is how sure a rule has to be for Lisa to believe it, in percent.
const sureEnough = 75

var Strategy = strategy.Strategy{
	Name: "lisa-simpson", Judges: true, Special: [][2]string{{"cascade", "asks no judge"}, {"judge", "asks none"}},
	New: func() strategy.Options { return &Options{judge: judge.Defaults()} },
}

func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, ruleSet("")) }

func (o *Options) Prepare(cache *rules.Cache) func(strategy.Situation) strategy.Verdict {
	match := rules.Matching(o.Rules(), cache)
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
	return append(rules.BaseRules(), []rules.Rule{
		{ID: "left", Then: strategy.Stop, Sure: 40, Test: left},
		{ID: "talk", Then: strategy.Stop, Sure: 90, Test: talk},
		{ID: "report", Then: strategy.Stop, Sure: 90, Test: report},
		{ID: "long", Then: strategy.Stop, Sure: 78, Test: long},
		{ID: "unsure", Then: strategy.Stop, Sure: 60, Test: unsure},
	}...)
}

// Who may say what of the judge, in which layer. Everyone who writes a layer can ask
// for less; only the user's own file can have more spent, or name a program.

// maxDollars is the most that any file can have spent.
const maxDollars = 100

// commandInstead is what to write in place of the backends that this package once had.
const commandInstead = `: write {"judge": {"backend": "command", "command": ["/path/to/ask"], "cost": 0}} in your own file, as docs/lisa-simpson.md shows`

// Options are those of rules, and the judge.
type Options struct {
	rules.Options
	// always tells that rules that are sure are not believed either: the judge is
	// asked every time.
	always bool
	judge  judge.Options

	set struct { // by the file at hand
		cascade *bool
		judge   said
	}
}

// said is what a file says of the judge.
type said struct {
	Backend, Model       string
	Within               int
	Client, Address      string // no question goes to an address any more
	Command, Variables   []string
	Cost, Daily, Session *float64
}

func (s *said) Members(m *codec.Members) {
	m.Text("backend", &s.Backend)
	m.Text("model", &s.Model)
	codec.Number(m, "within", &s.Within)
	m.Text("client", &s.Client)
	m.Text("address", &s.Address)
	m.Texts("command", &s.Command)
	m.Texts("variables", &s.Variables)
	codec.OptionalMember(m, "cost", &s.Cost, codec.Float)
	codec.OptionalMember(m, "daily", &s.Daily, codec.Float)
	codec.OptionalMember(m, "session", &s.Session, codec.Float)
}

func (o *Options) Judge() judge.Options { return o.judge }

func (o *Options) Members(m *codec.Members) {
	o.Options.Members(m)
	codec.OptionalMember(m, "cascade", &o.set.cascade, (*codec.Members).Bool)
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
	o.takeLimits(o.set.judge, l)
	o.set.cascade, o.set.judge = nil, said{}
	o.PutChosen(&under.Options, nil, ruleSet, true, l)
}

// takeLimits takes of a file who is asked, for how long, and at what cost: that goes upwards
// from the user only.
func (o *Options) takeLimits(in said, l *strategy.Layer) {
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
	if gone := in.Backend == "api" || in.Backend == "openai"; gone && trusted {
		l.NoteFault("judge: there is no backend " + strconv.Quote(in.Backend) + " any more" + commandInstead)
		in.Backend = judge.Command // no other model gets what was meant for that one
	} else if in.Address != "" {
		l.NoteFault("judge: there is no address any more" + commandInstead)
	}
	choose("backend", in.Backend, &o.judge.Backend, trusted, slices.Contains(judge.Backends(), in.Backend),
		"there is no backend "+strconv.Quote(in.Backend)+": choose "+strings.Join(judge.Backends(), " or "))
	o.takeCommand(in, l)
	choose("model", in.Model, &o.judge.Model, trusted, judge.ValidModel(in.Model),
		strconv.Quote(in.Model)+" is not the name of a model")
	choose("client", in.Client, &o.judge.Client, user, in.Client == "" || l.IsAbs(in.Client),
		"client is the absolute path of Claude Code's program")
	switch {
	case in.Within == 0:
	case in.Within < 1 || in.Within > judge.MaxWithin:
		l.NoteFault("judge: within must be from 1 to " + strconv.Itoa(judge.MaxWithin) + " seconds")
	case in.Within > o.judge.Within && l.By == strategy.User: // hooks.json says when Claude Code ends the hook
		l.NoteFault("judge: within can only be shorter than the plugin's " + strconv.Itoa(o.judge.Within) + " seconds")
	case in.Within > o.judge.Within && l.By == strategy.Project:
	default:
		o.judge.Within = in.Within
	}
	for _, d := range []struct {
		name  string
		value *float64
		limit *float64
	}{{"daily", in.Daily, &o.judge.Daily}, {"session", in.Session, &o.judge.Session}} {
		switch {
		case d.value == nil:
		case !inDollars(d.name, *d.value, l):
		case *d.value > *d.limit && l.By == strategy.Author:
			l.NoteFault("judge: only your own file can raise " + d.name)
		case *d.value > *d.limit && l.By == strategy.Project:
		default:
			*d.limit = *d.value
		}
	}
}

// takeCommand takes the user's own program, what it is given, and what a question to it costs.
func (o *Options) takeCommand(in said, l *strategy.Layer) {
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
	if in.Cost != nil && inDollars("cost", *in.Cost, l) {
		o.judge.Cost = in.Cost
	}
}

// inDollars reports whether a number is so many dollars as any file can say.
func inDollars(name string, n float64, l *strategy.Layer) bool {
	if n >= 0 && n <= maxDollars {
		return true
	}
	l.NoteFault("judge: " + name + " must be from 0 to " + strconv.Itoa(maxDollars) + " dollars")
	return false
}
