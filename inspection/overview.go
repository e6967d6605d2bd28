package inspection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Overview is what springfield alone prints: where its user is, on one screen. What
// exactly is in effect here, hook by hook, is for status.
type Overview struct {
	On       []Switch        `json:"on"`      // springfield plugins that run here
	Reasons  []string        `json:"reasons"` // why none decides
	Last     *Decision       `json:"last"`    // the last decision at a stop, in any project; null: none yet
	Today    Today           `json:"today"`
	Notes    []string        `json:"notes"`    // holds, and how they ended
	Problems []check.Finding `json:"problems"` // what doctor would call a failure or a warning
	Next     string          `json:"next"`     // the command to call next
	Try      string          `json:"try,omitempty"`
}

// Switch is a plugin that runs.
type Switch struct {
	ID       string `json:"id"`
	Strategy string `json:"strategy"`
	Scope    string `json:"scope"`
	Decides  bool   `json:"decides"`        // at a stop
	Host     string `json:"host,omitempty"` // "" for Claude Code
	title    string
}

// Decision is one in short.
type Decision struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Plugin   string    `json:"plugin"`
	Decision string    `json:"decision"`
	Rule     string    `json:"rule"`
	Evidence string    `json:"evidence,omitempty"`
	Project  string    `json:"project,omitempty"`
	Host     string    `json:"host,omitempty"` // none: Claude Code
}

// Today is what was decided since midnight, in all projects.
type Today struct {
	Continues int     `json:"continues"`
	Stops     int     `json:"stops"`
	Sessions  int     `json:"sessions"`
	Questions int     `json:"questions"` // to judges
	Dollars   float64 `json:"dollars"`
	More      bool    `json:"more,omitempty"` // there are more decisions than were counted
	spent     string
}

// Try is a prompt that shows what a plugin does: Claude ends its turn with work left.
const Try = "Count to three, one number per turn. Until you reach three, end each turn with: Moving on to the next number."

// maxToday bounds how many decisions of today are counted.
const maxToday = 300

// maxLooked bounds how many records are looked at for them: those of prompts are among
// them.
const maxLooked = 1000

// Known tells whether springfield has anything to say of this user: a plugin that
// settings name, a suite, or a decision.
func (in *Inspection) Known() bool {
	return len(in.ours) > 0 || len(in.onOthers()) > 0 || len(in.Suites) > 0 || in.recent().last != nil
}

// Begun tells whether a plugin runs, or has ever decided.
func (in *Inspection) Begun() bool {
	return len(in.Drivers())+len(in.Beside())+len(in.onOthers()) > 0 || in.recent().last != nil
}

// Overview sums up where the user is.
func (in *Inspection) Overview() Overview {
	w := in.whatWorks()
	o := Overview{On: []Switch{}, Problems: []check.Finding{}, Reasons: in.reasons(w), Notes: append([]string{}, in.Holds()...)}
	for i, p := range slices.Concat(w.deciding, w.beside) {
		o.On = append(o.On, Switch{ID: p.ID, Strategy: p.Strategy, Scope: p.Decides, Decides: i < len(w.deciding)})
	}
	o.On = append(o.On, in.onOthers()...)
	decides := slices.ContainsFunc(o.On, func(s Switch) bool { return s.Decides })
	if decides {
		o.Reasons = []string{} // of Claude Code alone
	}
	o.Today, o.Last = in.recent().today, in.recent().last
	// The client's version is not asked for: that takes longer than all of this.
	checks := slices.DeleteFunc(Checks(), func(c check.Check[*Inspection]) bool { return c.Name == "client" })
	for _, f := range check.Run(in, checks) {
		if f.State == check.Failure || f.State == check.Warning {
			o.Problems = append(o.Problems, f)
		}
	}
	for _, of := range in.foundHosts() {
		for _, f := range of.checkPlugins(false) {
			if f.State == check.Failure || f.State == check.Warning {
				f.Check = of.Host
				o.Problems = append(o.Problems, f)
			}
		}
	}
	slices.SortStableFunc(o.Problems, func(a, b check.Finding) int { return cmp.Compare(a.State, b.State) }) // failures first
	_, held := ledger.LongestHold(in.states(), "", in.Now)
	switch {
	case check.Count(o.Problems, check.Failure) > 0:
		o.Next = "springfield doctor"
	case held:
		o.Next = "springfield resume"
	case !decides && in.Suggestion() != "":
		o.Next = "springfield enable " + in.Suggestion()
	case len(o.On) == 0:
		o.Next = "springfield init"
	case o.updates() != "":
		o.Next = o.updates()
	case o.Last == nil:
		o.Next = programOf(o.On[0])
		if decides && ShowsItself(o.On[0].Strategy) {
			o.Try = Try
		}
	default:
		o.Next = "springfield why " + o.Last.ID
	}
	return o
}

// updates is the command that brings suites up to date, "" where they are.
func (o Overview) updates() string {
	for _, f := range o.Problems {
		if strings.HasPrefix(f.Fix, "springfield update") {
			return f.Fix
		}
	}
	return ""
}

// programOf is the program in which a plugin runs.
func programOf(s Switch) string {
	h, known := hosts.Named(cmp.Or(s.Host, hosts.Claude))
	if !known {
		return hosts.Claude
	}
	return h.Program
}

// onOthers are the plugins that are on at other hosts.
func (in *Inspection) onOthers() (on []Switch) {
	for _, o := range in.foundHosts() {
		for _, p := range o.Plugins {
			if p.On {
				on = append(on, Switch{p.ID, p.Strategy, p.Scope, p.Decides, o.Host, o.Title})
			}
		}
	}
	return on
}

// foundHosts are the other hosts that are there, looked at once.
func (in *Inspection) foundHosts() []OnHost {
	if in.others == nil {
		in.others = []OnHost{}
		for _, at := range hosts.Found(in.User) {
			in.others = append(in.others, in.OnHosts([]hosts.Host{at.Host})...)
		}
	}
	return in.others
}

// ShowsItself tells whether a strategy makes Claude go on at the prompt that Try is.
func ShowsItself(strategy string) bool {
	return strategy == registry.Default() || strategy == "lisa-simpson"
}

// Suggestion is what enable takes for a plugin of a suite at hand that decides at a
// stop; "" if there is none.
func (in *Inspection) Suggestion() string { return in.toEnable(generator.Suite.Suggested) }

// Suggested is the plugin that Suggestion names, and its suite.
func (in *Inspection) Suggested() (p generator.Plugin, of Suite) {
	for _, s := range in.Suites {
		if p = s.Suggested(); s.Err == nil && in.called(p.Name, s) == in.Suggestion() {
			return p, s
		}
	}
	return generator.Plugin{}, Suite{}
}

// isStop tells a decision at a stop from what a plugin did before a prompt, and from a
// start that came to no decision.
func isStop(r ledger.Record) bool { return r.Decision == "continue" || r.Decision == "stop" }

// recent is what the newest decisions say, read once.
type recent struct {
	last  *Decision
	today Today
}

func (in *Inspection) recent() recent {
	if in.decided != nil {
		return *in.decided
	}
	local := in.Now.Local()
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, local.Location()).UnixMilli()
	var all recent
	sessions := map[string]bool{}
	looked := 0
	for r := range ledger.Back(in.states(), ledger.Scope{}) {
		if looked++; looked > maxLooked {
			break
		}
		if !isStop(r) {
			continue
		}
		if all.last == nil {
			all.last = &Decision{r.ID, time.UnixMilli(r.At), r.Plugin, r.Decision, r.Rule, r.Evidence, r.Cwd, r.Host}
		}
		if all.today.More = all.today.Continues+all.today.Stops == maxToday; r.At < midnight || all.today.More {
			break
		}
		sessions[r.Session] = true
		if r.Decision == "continue" {
			all.today.Continues++
		} else {
			all.today.Stops++
		}
	}
	all.today.Sessions = len(sessions)
	spend, _ := ledger.ReadSpend(in.state(), in.Now) // one that cannot be read is among the problems
	all.today.Questions, all.today.Dollars, all.today.spent = spend.Questions, float64(spend.Micros)/1e6, judge.Dollars(spend.Micros)
	in.decided = &all
	return all
}

// whose says for whom a plugin is on.
func (s Switch) whose() string {
	if s.title != "" {
		return "for you in " + s.title
	}
	switch s.Scope {
	case string(client.User):
		return "for you in every project"
	case string(client.Project):
		return "for everyone in this project"
	case string(client.Local):
		return "for you in this project"
	case client.Managed:
		return "by your administrator"
	}
	return "in " + s.Scope + " settings"
}

// awaited is which agent's stop brings the first decision.
func (o Overview) awaited() string {
	switch {
	case len(o.On) > 1 && slices.ContainsFunc(o.On, func(s Switch) bool { return s.title != o.On[0].title }):
		return "an agent"
	case len(o.On) > 0 && o.On[0].title != "":
		return o.On[0].title
	}
	return "Claude"
}

// mostProblems is how many problems are told.
const mostProblems = 2

// WriteText writes the overview for a terminal of 24 lines.
func (o Overview) WriteText(out layout.Printer, now time.Time) {
	const column = 10
	say := func(title, format string, args ...any) {
		out.Fold(layout.Pad(title, column), "%s", fmt.Sprintf(format, args...))
	}
	title := "on"
	for _, s := range o.On {
		beside := ""
		if !s.Decides {
			beside = ", beside what decides at a stop"
		}
		say(title, "%s, %s%s", out.Good(s.ID), s.whose(), beside)
		title = ""
	}
	for _, reason := range o.Reasons[:min(len(o.Reasons), mostProblems)] {
		say("off", "%s: %s", out.Warn("no plugin decides here"), inShort(reason))
	}
	if o.Last == nil {
		say("last", "no decision yet: the first one comes when %s stops in a new session", o.awaited())
	} else {
		say("last", "%s", o.Last.text(out, now))
	}
	t := o.Today
	more := ""
	if t.More {
		more = "more than "
	}
	if t.Continues+t.Stops > 0 {
		say("today", "%s%s and %s in %s", more, layout.Count(t.Continues, "continue"), layout.Count(t.Stops, "stop"), layout.Count(t.Sessions, "session"))
	}
	if t.Questions > 0 {
		say("judge", "%s today, %s", layout.Count(t.Questions, "question"), t.spent)
	}
	for _, note := range o.Notes[:min(len(o.Notes), mostProblems)] {
		say("hold", "%s", note)
	}
	title = "problems"
	for _, f := range o.Problems[:min(len(o.Problems), mostProblems)] {
		state := out.Warn(string(f.State))
		if f.State == check.Failure {
			state = out.Bad(string(f.State))
		}
		say(title, "%s: %s", state, inShort(f.Text()))
		if command := f.Fix; strings.HasPrefix(command, "springfield ") && len(command) < 60 && command != o.Next {
			say("", "→ %s", command)
		}
		title = ""
	}
	if n := len(o.Problems) - mostProblems; n > 0 {
		say("", "and %d more: springfield doctor", n)
	}
	if o.Try != "" {
		out.Say("")
		out.Fold("try it    ", "start %s and say: %s", o.Next, o.Try)
		out.Say("then      springfield why --all")
		return
	}
	out.Say("")
	out.Next("%s", o.Next)
}

// inShort is what two lines hold of a text, cut at a blank.
func inShort(text string) string {
	const most = 120
	lines := layout.Hang("", "", text, most)
	if len(lines) == 1 {
		return layout.Clip(lines[0], most)
	}
	return layout.Clip(lines[0], most) + " …"
}

// text says what was decided, where, when and why.
func (d Decision) text(out layout.Printer, now time.Time) string {
	agent := registry.Agent(d.Host)
	did := out.Strong("let " + agent + " stop")
	if d.Decision == "continue" {
		did = out.Good("kept " + agent + " going")
	}
	why := d.Rule
	if d.Evidence != "" {
		why += ": " + inShort(d.Evidence)
	}
	where := ""
	if d.Project != "" {
		where = " in " + d.Project
	}
	return fmt.Sprintf("%s %s%s, %s (%s)", d.Plugin, did, where, Ago(now, d.At), why)
}
