// Package marge implements marge-simpson: it continues while a progress file contains open tasks. This is a
// workflow state, a ledger of superpowers' subagent-driven development, or the session's plan.
//
// The first progress file decides that is neither stale nor from a different session, unless the message
// needs the user.
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

type progress struct {
	done, total int    // tasks, 0 if there is no progress file
	where       string // in words: "2 of 5 tasks complete in …"
	next        string // the reason to continue
	waiting     string // why a person is needed, or ""
	fault       string // the file is broken and the agent can stop
	unsure      string // why not usable
}

var Strategy = strategy.Strategy{
	Name: "marge-simpson", Event: "Stop", Marks: []string{WorkflowFile, sddDir}, Special: [][2]string{{"stale", "reads no ledgers"}},
	New: func() strategy.Options {
		return &Options{stale: strategy.Number{Name: "stale", Value: 30, Most: maxStale, Unit: " minutes", Raised: true}}
	},
}

const maxStale = 7 * 24 * 60 // minutes

// Options are the settings of rules, and the age in minutes above which a progress file is stale.
type Options struct {
	rules.Options
	stale strategy.Number
}

func (o *Options) Members(m *codec.Coder) {
	o.Options.Members(m)
	o.stale.Member(m)
}

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	under := below.(*Options)
	o.stale.PutOver(under.stale, l)
	o.FillSafely(&under.Options, nil, o.ruleSet, false, l)
}

func (o *Options) Needs() strategy.Needs {
	needs := o.Options.Needs()
	needs.Plans, needs.Files = true, wantedFiles
	return needs
}

func (o *Options) Rules() []rules.Rule { return rules.Arranged(&o.Options, o.ruleSet("")) }

// Prepare returns a function that decides by o's rules, made new for each situation.
func (o *Options) Prepare(cache *rules.Cache) func(strategy.Situation) strategy.Verdict {
	return func(s strategy.Situation) strategy.Verdict { return rules.FirstMatch(o.Rules(), cache)(s) }
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict { return o.Prepare(nil)(s) }

type reader struct {
	id    string
	wants func(strategy.Situation) []strategy.WantedFile
	reads func(*Options, strategy.Situation) progress
}

// progressReaders returns the readers by precedence: state file, sdd directories, plans.
func progressReaders() []reader {
	return []reader{
		{"state", func(strategy.Situation) []strategy.WantedFile {
			return []strategy.WantedFile{{Name: WorkflowFile, Whole: codec.IsValid}}
		}, progressInWorkflow},
		{"sdd", nextSDDWants, sddReads},
		{"plan", planWants, progressInPlanFiles},
	}
}

func wantedFiles(s strategy.Situation) (all []strategy.WantedFile) {
	for _, r := range progressReaders() {
		all = append(all, r.wants(s)...)
	}
	return all
}

// ruleSet returns the rules for one situation. They share a cache.
func (o *Options) ruleSet(string) (fresh []rules.Rule) {
	all := append([]rules.Rule{rules.LeaveRule}, rules.PersonRules()...)
	known := map[string]progress{}
	read := func(r reader, s strategy.Situation) progress {
		p, ok := known[r.id]
		if !ok {
			p = r.reads(o, s)
			known[r.id] = p
		}
		return p
	}
	for _, r := range progressReaders() {
		own := func(holds func(p progress) (evidence string, ok bool)) func(strategy.Situation) (string, string, bool) {
			return func(s strategy.Situation) (evidence, reason string, ok bool) {
				p := read(r, s)
				evidence, ok = holds(p)
				return evidence, p.next + rules.Remaining(s.Todos.List), ok
			}
		}
		all = append(all,
			rules.Rule{ID: r.id + "-waiting", Then: strategy.Stop, Sure: 99, Test: own(func(p progress) (string, bool) { return p.waiting, p.waiting != "" })},
			rules.Rule{ID: r.id + "-fault", Then: strategy.Stop, Sure: 50, Test: own(func(p progress) (string, bool) { return p.fault, p.fault != "" })},
			rules.Rule{ID: r.id + "-done", Then: strategy.Stop, Test: own(func(p progress) (string, bool) { return p.where, p.isReliable() && p.done == p.total })},
			rules.Rule{ID: r.id, Then: strategy.Continue, Test: own(func(p progress) (string, bool) { return p.where, p.isReliable() && p.done < p.total })},
		)
	}
	return append(all, rules.Rule{ID: "unsure", Then: strategy.Stop, Sure: 50, Test: func(s strategy.Situation) (string, string, bool) {
		for _, r := range progressReaders() {
			if p := read(r, s); p.unsure != "" {
				return p.unsure, "", true
			}
		}
		return "no ledger is there", "", false
	}})
}

func (p progress) isReliable() bool {
	return p.total > 0 && p.waiting == "" && p.fault == "" && p.unsure == ""
}

// staleness returns why a progress file is stale ("" if not). age is in milliseconds.
func (o *Options) staleness(name string, age int64) string {
	minutes := o.stale.Value
	if age <= int64(minutes)*60_000 {
		return ""
	}
	return shownName(name) + " is stale: it has not changed for " + timestamp.LengthInWords(age) + ", and the limit is " + timestamp.LengthInWords(int64(minutes)*60_000)
}

// relativeTo returns path relative to dir, with slashes and no leading "./" ("" for an absolute path outside dir). A
// relative path stays relative.
func relativeTo(dir, path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if rest, ok := strings.CutPrefix(path, dir+"/"); ok && dir != "" {
		path = rest
	}
	path = strings.TrimPrefix(path, "./")
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || len(path) > 1 && path[1] == ':' {
		return ""
	}
	return path
}

func shownName(name string) string { return quotation.ClipBytes(quotation.OneLine(name), 200) }

func placeOf(name string, line int) string {
	return shownName(name) + ", line " + strconv.Itoa(line)
}
