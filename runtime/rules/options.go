package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

type Options struct {
	Set   string   // name of a built-in rule set, "" for the first
	Add   []Rule   // tested before the built-in rules
	Off   []string // IDs of disabled rules
	Order []string // IDs of the rules to test first, in order
	// Last are a project's continuing rules. They are tested last, because they must not override a stop.
	Last []Rule
	// Muted are the IDs of continuing rules that a project disables for a strategy with a judge. They then
	// stop, so that no more questions reach the judge.
	Muted []string

	// Leave is one of Always, AfterYes and Never, "" for AfterYes.
	Leave string
}

// The values of Leave: when the agent may go on although it asks permission. Never also overrides a standing order.
const (
	Always   = "always"
	AfterYes = "after-yes" // a yes to such a question permits the next one, too
	Never    = "never"
)

// Ruled is implemented by the options of strategies that decide by rules.
type Ruled interface {
	strategy.Options
	Chosen() *Options
	// Rules returns the rules in the order in which they are tested.
	Rules() []Rule
	// Prepare returns a function like Decide for many situations. It is not safe for concurrent use.
	Prepare(*Cache) func(strategy.Situation) strategy.Verdict
}

type Kind struct {
	Rules func(set string) []Rule
	Sets  []string // names, default first
	Once  bool     // the same message is not continued twice
}

// New returns the options that apply without any settings file.
func (k *Kind) New() strategy.Options { return &decider{kind: k} }

type decider struct {
	Options
	kind *Kind
}

// RuleSetsOf returns a strategy's rule set names, or nil without a choice.
func RuleSetsOf(s strategy.Strategy) []string {
	if o, ok := s.New().(*decider); ok {
		return o.kind.Sets
	}
	return nil
}

func (o *decider) Over(below strategy.Options, l *strategy.Layer) {
	o.FillSafely(&below.(*decider).Options, o.kind.Sets, o.kind.Rules, false, l)
}

func (o *decider) Needs() strategy.Needs {
	needs := o.Options.Needs()
	if slices.ContainsFunc(o.kind.Rules(o.Set), func(r Rule) bool { return r.Window }) {
		needs.Lines = 50
	}
	return needs
}

func (o *decider) Rules() []Rule { return Arranged(&o.Options, o.kind.Rules(o.Set)) }

func (o *decider) Prepare(cache *Cache) func(strategy.Situation) strategy.Verdict {
	match := FirstMatch(o.Rules(), cache)
	return func(s strategy.Situation) strategy.Verdict {
		v := match(s)
		v.Once = o.kind.Once
		return v
	}
}

func (o *decider) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// Members lists a settings file's members. It accepts one rule more than MaxRules so that FillSafely can report the
// fault.
func (o *Options) Members(m *codec.Coder) {
	m.Text("rules", &o.Set)
	m.Most = MaxRules + 1
	codec.ListOf(m, "add", &o.Add)
	m.Texts("off", &o.Off)
	m.Texts("order", &o.Order)
	m.Text("leave", &o.Leave)
}

func (o *Options) Needs() strategy.Needs { return strategy.Needs{Todos: true, Skill: true} }

func (o *Options) Chosen() *Options { return o }

const maxIDs = 400 // in off or order

// FillSafely completes o, one file's options, with options from the files below, and limits a project's. sets names the
// built-in rule sets, or is nil. rulesOf returns a set's rules ("" for the first). judges is set if the strategy asks a
// judge. Only faulty parts are dropped and noted in l.
func (o *Options) FillSafely(below *Options, sets []string, rulesOf func(name string) []Rule, judges bool, l *strategy.Layer) {
	tooMany := "add: more than " + strconv.Itoa(MaxRules) + " rules"
	if len(o.Add) > MaxRules {
		l.NoteFault(tooMany)
		o.Add = o.Add[:MaxRules]
	}
	if o.Leave != "" {
		o.dropUnallowedLeave(l)
	}
	o.Leave = cmp.Or(o.Leave, below.Leave)
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
		o.limitProject(Arranged(below, rulesOf(below.Set)), judges)
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
			*list = (*list)[n-MaxRules:] // in Add, the rules of the current file come first
		}
		*list = Without(*list, func(r *Rule) bool {
			err := r.checkFields()
			if err != nil {
				l.NoteFault("add: " + err.Error())
			}
			return err != nil
		})
	}
	for i, list := range lists {
		for _, id := range named[i] {
			is := func(r Rule) bool { return r.ID == id }
			if !slices.ContainsFunc(o.Add, is) && !slices.ContainsFunc(rulesOf(o.Set), is) && !slices.ContainsFunc(o.Last, is) {
				l.NoteFault(list.name + ": there is no rule " + strconv.Quote(id))
			}
		}
	}
}

// dropUnallowedLeave removes o.Leave (not "") and notes a fault if the value is unknown or not allowed in l's file.
func (o *Options) dropUnallowedLeave(l *strategy.Layer) {
	switch {
	case !slices.Contains([]string{Never, AfterYes, Always}, o.Leave):
		l.NoteFault("leave: there is no " + strconv.Quote(o.Leave) + ": choose always, after-yes or never")
	case l.By == strategy.Project && o.Leave != Never:
		l.NoteFault("leave: a project's file can only choose never")
	case l.By == strategy.Author && o.Leave == Always:
		l.NoteFault("leave: only your own file can choose always")
	default:
		return
	}
	o.Leave = ""
}

// limitProject removes from a project's options what could continue against the user's choice. Rules that continue move
// to Last, without reasons. The project cannot disable rules of below that stop. With muteOff, rules it disables are
// muted.
func (o *Options) limitProject(below []Rule, muteOff bool) {
	theirs := *o
	*o = Options{Leave: o.Leave}
	for _, r := range theirs.Add {
		r.Reason, r.Sure = "", 0 // an unsure rule would ask the judge
		r.ByProject = true
		if r.Then == strategy.Stop {
			o.Add = append(o.Add, r)
		} else {
			o.Last = append(o.Last, r)
		}
	}
	o.Off = slices.DeleteFunc(theirs.Off, func(id string) bool {
		return slices.ContainsFunc(below, func(r Rule) bool { return r.ID == id && r.Then == strategy.Stop })
	})
	if muteOff {
		o.Off, o.Muted = nil, o.Off
	}
}

func CheckPatterns(options strategy.Options) (faults []error) {
	ruled, ok := options.(Ruled)
	if !ok {
		return nil
	}
	a := newEvaluation(strategy.Situation{}, nil)
	for _, r := range slices.Concat(ruled.Chosen().Add, ruled.Chosen().Last) {
		for _, expr := range []string{r.Ending, r.Text} {
			if expr == "" {
				continue
			}
			if _, err := a.cache.matchPattern(expr, "", a.sharedBudget(&r)); err != nil {
				faults = append(faults, r.faultOf(err))
			}
		}
	}
	return faults
}

func Without(all []Rule, these func(*Rule) bool) (others []Rule) {
	for i := range all {
		if !these(&all[i]) {
			others = append(others, all[i])
		}
	}
	return others
}

// Arranged returns the rules in test order: those in o.Order, added, built-in, late rules (before a final stop rule
// "finished"), then a project's continuing rules. Disabled rules are dropped, muted rules stop. If o changes nothing,
// it returns set itself.
func Arranged(o *Options, set []Rule) []Rule {
	if len(o.Add)+len(o.Off)+len(o.Order)+len(o.Last)+len(o.Muted) == 0 {
		return set
	}
	off := func(r *Rule) bool { return slices.Contains(o.Off, r.ID) }
	late := func(r *Rule) bool { return r.Late && !slices.Contains(o.Order, r.ID) }
	all := Without(slices.Concat(o.Add, set), func(r *Rule) bool { return off(r) || late(r) })
	var first []Rule
	for _, id := range o.Order {
		for _, r := range all {
			if r.ID == id {
				first = append(first, r)
			}
		}
	}
	all = append(first, Without(all, func(r *Rule) bool { return slices.Contains(o.Order, r.ID) })...)
	// Late rules come last, but before a final rule "finished", because a turn with no match stops anyway.
	end := len(all)
	for i := len(all) - 1; i >= 0 && all[i].Then == strategy.Stop; i-- {
		if all[i].ID == "finished" {
			end = i
		}
	}
	added := Without(o.Add, func(r *Rule) bool { return off(r) || !late(r) })
	// A project's continuing rules are always last, even if o.Order names them.
	all = slices.Concat(all[:end], added, all[end:], Without(o.Last, off))
	for i, r := range all {
		if r.Then == strategy.Continue && slices.Contains(o.Muted, r.ID) {
			all[i].Then = strategy.Stop
		}
	}
	return all
}
