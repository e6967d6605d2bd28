// What files of settings choose of rules: additions, which are asked before the
// built-in ones, and those to leave out or to ask first.

package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Options are what files choose. A strategy that decides by rules embeds them.
type Options struct {
	Set   string   // name of a built-in rule set, "" for the first
	Add   []Rule   // asked before the built-in rules
	Off   []string // ids of rules to leave out
	Order []string // ids of rules to ask first, in this order
	// Last are rules asked after all others: the continuing rules of a project, which
	// must not outvote a stop.
	Last []Rule
	// Muted are continuing rules that a project has switched off where a judge is
	// asked: they stop, for it must not be asked more often because of a project.
	Muted []string

	// Leave is what answers a question for leave to go on: "" for AfterYes.
	Leave string

	added []Rule // as a file has them
}

// What can answer a question for leave: every one is, none is, or the next one after the user has
// said yes to one, and all under a standing order.
const (
	Always   = "always"
	AfterYes = "after-yes"
	Never    = "never"
)

// Ruled are the options of a strategy that decides by rules.
type Ruled interface {
	strategy.Options
	// Chosen is what files have chosen.
	Chosen() *Options
	// Rules are the rules in the order in which they are asked.
	Rules() []Rule
	// Prepare is Decide for many situations: what does not depend on the
	// situation is made once. What it returns is for one goroutine.
	Prepare(*Cache) func(strategy.Situation) strategy.Verdict
}

// Kind is what strategies that decide by rules alone differ in.
type Kind struct {
	Rules func(set string) []Rule
	Sets  []string // their names that "rules" can choose, the default first; none if there is no choice
	// Windowed is the set that looks at the last lines of the transcript, "" for none.
	Windowed string
	Once     bool // the same message is not continued twice
}

// New are the options of such a strategy as long as no file has set one.
func (k *Kind) New() strategy.Options { return &decider{kind: k} }

type decider struct {
	Options
	kind *Kind
}

// RuleSetsOf names the rule sets of a strategy that has a choice of them.
func RuleSetsOf(s strategy.Strategy) []string {
	if o, ok := s.New().(*decider); ok {
		return o.kind.Sets
	}
	return nil
}

func (o *decider) Over(below strategy.Options, l *strategy.Layer) {
	o.PutChosen(&below.(*decider).Options, o.kind.Sets, o.kind.Rules, false, l)
}

func (o *decider) Needs() strategy.Needs {
	needs := o.Options.Needs()
	if o.kind.Windowed != "" && o.Set == o.kind.Windowed {
		needs.Lines = 50
	}
	return needs
}

func (o *decider) Rules() []Rule { return Arranged(&o.Options, o.kind.Rules(o.Set)) }

func (o *decider) Prepare(cache *Cache) func(strategy.Situation) strategy.Verdict {
	match := Matching(o.Rules(), cache)
	return func(s strategy.Situation) strategy.Verdict {
		v := match(s)
		v.Once = o.kind.Once
		return v
	}
}

func (o *decider) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// Members are those of strategy.json. One rule more than a file can have is read, which
// is the fault that is told; no room is made for all of them.
func (o *Options) Members(m *codec.Members) {
	m.Text("rules", &o.Set)
	codec.ListOf(m.LimitNext(MaxRules+1), "add", &o.added)
	m.Texts("off", &o.Off)
	m.Texts("order", &o.Order)
	m.Text("leave", &o.Leave)
}

func (o *Options) Needs() strategy.Needs { return strategy.Needs{Todos: true, Skill: true} }

func (o *Options) Chosen() *Options { return o }

// maxIDs is how many ids a file can switch off or order: more than there are rules.
const maxIDs = 400

// PutChosen puts what a file has chosen over what is in force below. sets are the names of
// the built-in rule sets, none if there is no choice; set is what is in one; judged
// tells that a judge is asked where no rule is sure. Only what is wrong is taken out: a
// fault in one rule must not take a stop rule beside it out of force.
func (o *Options) PutChosen(below *Options, sets []string, set func(name string) []Rule, judged bool, l *strategy.Layer) {
	tooMany := "add: more than " + strconv.Itoa(MaxRules) + " rules"
	if len(o.added) > MaxRules {
		l.NoteFault(tooMany)
	}
	o.Add = append(o.Add, o.added[:min(len(o.added), MaxRules)]...)
	o.added = nil
	o.chooseLeave(below.Leave, l)
	lists := []struct {
		name string
		ids  *[]string
	}{{"off", &o.Off}, {"order", &o.Order}}
	for _, list := range lists {
		if len(*list.ids) > maxIDs {
			l.NoteFault(list.name + ": more than " + strconv.Itoa(maxIDs) + " names")
			*list.ids = (*list.ids)[:maxIDs]
		}
	}
	if l.By == strategy.Project {
		o.restrictProject(Arranged(below, set(below.Set)), judged)
	}
	named := [...][]string{o.Off, o.Order}
	o.Add = slices.Concat(o.Add, below.Add)
	o.Off = slices.Concat(o.Off, below.Off)
	o.Last = slices.Concat(below.Last, o.Last)
	if len(o.Order) == 0 {
		o.Order = below.Order
	}
	switch {
	case o.Set == "":
	case len(sets) == 0:
		l.NoteFault("rules: " + l.Strategy + " has only one set of rules")
	case !slices.Contains(sets, o.Set):
		l.NoteFault("rules: there is no rule set " + strconv.Quote(o.Set) + ": choose " + strings.Join(sets, " or "))
	}
	if !slices.Contains(sets, o.Set) {
		o.Set = below.Set
	}
	for _, list := range []*[]Rule{&o.Add, &o.Last} {
		if n := len(*list); n > MaxRules {
			l.NoteFault(tooMany)
			*list = (*list)[n-MaxRules:] // the newest layer lies in front: it goes first
		}
		var good []Rule
		for _, r := range *list {
			if err := r.checkFields(); err != nil {
				l.NoteFault("add: " + err.Error())
				continue
			}
			good = append(good, r)
		}
		*list = good
	}
	known := slices.Concat(o.Add, set(o.Set), o.Last)
	for i, list := range lists {
		for _, id := range named[i] {
			if !slices.ContainsFunc(known, func(r Rule) bool { return r.ID == id }) {
				l.NoteFault(list.name + ": there is no rule " + strconv.Quote(id))
			}
		}
	}
}

// chooseLeave keeps what the writer of a file may choose: a project only less, and always the user alone.
func (o *Options) chooseLeave(below string, l *strategy.Layer) {
	switch {
	case o.Leave == "":
	case !slices.Contains([]string{Never, AfterYes, Always}, o.Leave):
		l.NoteFault("leave: there is no " + strconv.Quote(o.Leave) + ": choose always, after-yes or never")
	case l.By == strategy.Project && o.Leave != Never:
		l.NoteFault("leave: a project's file can only choose never")
	case l.By == strategy.Author && o.Leave == Always:
		l.NoteFault("leave: only your own file can choose always")
	default:
		return
	}
	o.Leave = below
}

// restrictProject keeps of a project's choice what cannot push Claude on against the user's:
// rules that stop, rules that continue where no other decides, with no words of its
// own, and continuing rules switched off.
func (o *Options) restrictProject(inForce []Rule, judged bool) {
	theirs := *o
	*o = Options{Leave: o.Leave}
	for _, r := range theirs.Add {
		r.Reason, r.Sure = "", 0 // a rule that is not sure has a judge asked
		r.ByProject = true
		if r.Then == strategy.Stop {
			o.Add = append(o.Add, r)
		} else {
			o.Last = append(o.Last, r)
		}
	}
	for _, id := range theirs.Off {
		if !slices.ContainsFunc(inForce, func(r Rule) bool { return r.ID == id && r.Then == strategy.Stop }) {
			o.Off = append(o.Off, id)
		}
	}
	if judged {
		o.Off, o.Muted = nil, o.Off
	}
}

// CheckPatterns names the rules of files whose patterns will not be in force, and why.
// A decision finds that out when their turn comes.
func CheckPatterns(options strategy.Options) (faults []error) {
	ruled, ok := options.(Ruled)
	if !ok {
		return nil
	}
	o := ruled.Chosen()
	a := newAsking(strategy.Situation{}, nil)
	for _, list := range [][]Rule{o.Add, o.Last} {
		for i := range list {
			r := &list[i]
			for _, expr := range []string{r.Ending, r.Text} {
				if expr == "" {
					continue
				}
				if _, err := a.matchInText(r, expr, ""); err != nil {
					faults = append(faults, r.faultOf(err))
				}
			}
		}
	}
	return faults
}

// Arranged are the user's additions, a built-in set, and a project's own continuing
// rules, in the user's order and without what is switched off.
func Arranged(o *Options, set []Rule) []Rule {
	off := func(r Rule) bool { return slices.Contains(o.Off, r.ID) }
	late := func(r Rule) bool { return r.Late && !slices.Contains(o.Order, r.ID) }
	all := slices.DeleteFunc(slices.Concat(o.Add, set), func(r Rule) bool { return off(r) || late(r) })
	if len(o.Order) > 0 {
		all = orderRules(all, o.Order)
	}
	// Late rules stand at the end, but in front of a rule "finished" that no continuing
	// rule comes after. What such a rule stops would stop without it.
	place := len(all)
	for i := len(all) - 1; i >= 0 && all[i].Then == strategy.Stop; i-- {
		if all[i].ID == "finished" {
			place = i
		}
	}
	all = slices.Insert(all, place, slices.DeleteFunc(slices.Clone(o.Add), func(r Rule) bool { return off(r) || !late(r) })...)
	// A project's own stay last, whatever the order says: they decide only where no
	// other does.
	all = append(all, slices.DeleteFunc(slices.Clone(o.Last), off)...)
	for i, r := range all {
		if r.Then == strategy.Continue && slices.Contains(o.Muted, r.ID) {
			all[i].Then = strategy.Stop
		}
	}
	return all
}

// orderRules puts the named rules first, in the order of their names.
func orderRules(rules []Rule, ids []string) []Rule {
	first := make([]Rule, 0, len(rules))
	for _, id := range ids {
		for _, r := range rules {
			if r.ID == id {
				first = append(first, r)
			}
		}
	}
	for _, r := range rules {
		if !slices.Contains(ids, r.ID) {
			first = append(first, r)
		}
	}
	return first
}
