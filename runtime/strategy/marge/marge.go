// Package marge is marge-simpson: what remains is written down somewhere, so it reads that. Three
// kinds of ledger, each with a reader of its own: the workflow state of the first
// design (state.go), the ledger of superpowers' subagent-driven development
// (sdd.go), the plan that the session works through (plan.go).
//
// First the message is asked whether a person is needed: a ledger says what
// remains, the message says whose turn it is. Then the first ledger that speaks
// decides. One that is stale, or another session's, does not speak.
package marge

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// progress is what a reader found out.
type progress struct {
	// found tells that there is a ledger that speaks, or would if it could.
	found bool
	// done and total count its tasks.
	done, total int
	// where says how far it is, in words: "2 of 5 tasks complete in …".
	where string
	// next is what to do next, and how to write it down, for the model.
	next string
	// waiting is why a person is needed, "" if none is.
	waiting string
	// fault is what is wrong with it: Claude may stop.
	fault string
	// unsure is why it does not speak: it is stale, or cannot be understood.
	unsure string
}

var Strategy = strategy.Strategy{
	Name: "marge-simpson", Marks: []string{WorkflowFile, sddDir}, Special: [][2]string{{"stale", "reads no ledgers"}},
	New: func() strategy.Options {
		return &Options{stale: strategy.Number{Name: "stale", Value: 30, Most: maxStale, Unit: " minutes", Raised: true}}
	},
}

// maxStale is the longest time after which a ledger is stale, in
// minutes: a week.
const maxStale = 7 * 24 * 60

// Options are those of rules, and after how many minutes a ledger that has not been
// touched is stale. A project may only make ledgers stale sooner.
type Options struct {
	rules.Options
	stale strategy.Number
}

func (o *Options) Members(m *codec.Members) {
	o.Options.Members(m)
	o.stale.Member(m)
}

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	under := below.(*Options)
	o.stale.OverlayNumber(under.stale, l)
	o.PutChosen(&under.Options, nil, o.ruleSet, false, l)
}

func (o *Options) Needs() strategy.Needs {
	needs := o.Options.Needs()
	needs.Plans, needs.Files = true, wantedFiles
	return needs
}

func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, o.ruleSet("")) }

// Prepare is Decide for many situations. Each gets rules of its own, because they remember
// what they have read in the ledgers.
func (o *Options) Prepare(cache *rules.Cache) func(strategy.Situation) strategy.Verdict {
	return func(s strategy.Situation) strategy.Verdict { return rules.Matching(o.Rules(), cache)(s) }
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

// reader reads one kind of ledger.
type reader struct {
	id    string
	wants func(strategy.Situation) []strategy.Want
	reads func(*Options, strategy.Situation) progress
}

// progressReaders are in the order in which they speak.
func progressReaders() []reader {
	return []reader{
		{"state", func(strategy.Situation) []strategy.Want {
			return []strategy.Want{{Name: WorkflowFile, Whole: codec.IsValid}}
		}, workflowReads},
		{"sdd", sddWants, sddReads},
		{"plan", planWants, planReads},
	}
}

func wantedFiles(s strategy.Situation) (all []strategy.Want) {
	for _, r := range progressReaders() {
		all = append(all, r.wants(s)...)
	}
	return all
}

// ruleSet asks for the person, then every ledger. Each is read once, when the first of
// its rules is asked: these rules are for one situation.
func (o *Options) ruleSet(string) []rules.Rule {
	all := append([]rules.Rule{rules.LeaveRule()}, rules.PersonRules()...)
	var ledgers []func(strategy.Situation) progress
	for _, r := range progressReaders() {
		var known *progress
		ledgers = append(ledgers, func(s strategy.Situation) progress {
			if known == nil {
				p := r.reads(o, s)
				known = &p
			}
			return *known
		})
	}
	for i, r := range progressReaders() {
		own := func(holds func(p progress) (evidence string, ok bool)) func(strategy.Situation) (string, string, bool) {
			return func(s strategy.Situation) (evidence, reason string, ok bool) {
				p := ledgers[i](s)
				if evidence, ok = holds(p); ok {
					reason = p.next + rules.Remaining(s.Todos.List)
				}
				return evidence, reason, ok
			}
		}
		all = append(all,
			rules.Rule{ID: r.id + "-waiting", Then: strategy.Stop, Sure: 99, Test: own(func(p progress) (string, bool) { return p.waiting, p.waiting != "" })},
			rules.Rule{ID: r.id + "-fault", Then: strategy.Stop, Sure: 50, Test: own(func(p progress) (string, bool) { return p.fault, p.fault != "" })},
			rules.Rule{ID: r.id + "-done", Then: strategy.Stop, Test: own(func(p progress) (string, bool) { return p.where, p.hasProgress() && p.done == p.total })},
			rules.Rule{ID: r.id, Then: strategy.Continue, Test: own(func(p progress) (string, bool) { return p.where, p.hasProgress() && p.done < p.total })},
		)
	}
	return append(all, rules.Rule{ID: "unsure", Then: strategy.Stop, Sure: 50, Test: func(s strategy.Situation) (string, string, bool) {
		for _, ledger := range ledgers {
			if p := ledger(s); p.unsure != "" {
				return p.unsure, "", true
			}
		}
		return "no ledger is there", "", false
	}})
}

func (p progress) hasProgress() bool {
	return p.found && p.waiting == "" && p.fault == "" && p.unsure == ""
}

// isTooOld says that a ledger is too old to rely on, "" if it is not.
func (o *Options) isTooOld(name string, age int64) string {
	minutes := o.stale.Value
	if age <= int64(minutes)*60_000 {
		return ""
	}
	return shownName(name) + " is stale: it has not changed for " + timestamp.LengthInWords(age) + ", and the limit is " + timestamp.LengthInWords(int64(minutes)*60_000)
}

// relativeToWorkspace is a name in the workspace for a path as it was written, "" if it
// lies elsewhere.
func relativeToWorkspace(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "" {
		name = rest
	}
	name = strings.TrimPrefix(name, "./")
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 1 && name[1] == ':' {
		return ""
	}
	return name
}

// shownName is a name as it can be shown: on one line, without control characters,
// not too long.
func shownName(name string) string { return quotation.Beginning(quotation.OneLine(name), 200) }

// placeOf names a line of a file.
func placeOf(name string, line int) string {
	return shownName(name) + ", line " + strconv.Itoa(line)
}
