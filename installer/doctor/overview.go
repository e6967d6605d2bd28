package doctor

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// Overview is the one-screen summary that springfield prints without a command.
type Overview struct {
	On       []Switch        `json:"on"`
	Reasons  []string        `json:"reasons"`
	Last     *Decision       `json:"last"`     // at a stop, in any project; null: none yet
	Loops    []string        `json:"loops"`    // active and with a file, in any project
	Notes    []string        `json:"notes"`    // holds, and their recent ends
	Away     []string        `json:"away"`     // orders in force
	Problems []check.Finding `json:"problems"` // failures and warnings of doctor
	Next     string          `json:"next"`
	Begun    bool            `json:"-"` // a plugin is on or has decided, or a hold or an order is in force
}

// Switch is a plugin that runs in Claude Code, or is on in another agent.
type Switch struct {
	ID       string `json:"id"`
	Strategy string `json:"strategy"`
	Scope    string `json:"scope"`
	Dir      string `json:"dir,omitempty"`
	Decides  bool   `json:"decides"`        // at a stop
	Host     string `json:"host,omitempty"` // "" for Claude Code
	title    string
}

type Decision struct {
	ID       string `json:"id"`
	At       int64  `json:"at"`
	Plugin   string `json:"plugin"`
	Decision string `json:"decision"`
	Rule     string `json:"rule"`
	Evidence string `json:"evidence,omitempty"`
	Project  string `json:"project,omitempty"`
	Host     string `json:"host,omitempty"`    // "" for Claude Code
	Failed   string `json:"failed,omitempty"`  // the API's error that ended the session afterwards
	Dropped  bool   `json:"dropped,omitempty"` // the continue did not reach the agent
}

// Overview summarizes Claude Code and all agents found, even those that in omits. It starts no programs.
func (in *Inspection) Overview() Overview {
	deciding, outside := in.workingPlugins()
	o := Overview{
		On: []Switch{}, Reasons: in.whyIfNoneDecides(deciding), Last: in.lastDecision(), Loops: []string{},
		Notes: append([]string{}, slices.Concat(in.HoldsInWords())...),
		Away:  append([]string{}, in.AwayHereInWords()...), Problems: []check.Finding{},
	}
	for i, p := range slices.Concat(deciding, outside) {
		o.On = append(o.On, Switch{
			ID: p.ID, Strategy: p.Strategy, Scope: p.Decides, Dir: p.Dir, Decides: i < len(deciding),
		})
	}
	// No program is started, because that is slow.
	checks := slices.DeleteFunc(ClaudeChecks(), func(c check.Check[*Inspection]) bool { return c.Name == "client" })
	for _, agent := range in.inspectOthers(hosts.HostsFound(in.User)) {
		checks = append(checks, check.Check[*Inspection]{Name: agent.Host,
			Look: check.WithoutError(func(*Inspection) []check.Finding { return agent.checkPlugins(false) })})
		for _, p := range agent.pluginsOn() {
			o.On = append(o.On, Switch{p.ID, p.Strategy, string(p.Scope), p.Dir, p.Decides, agent.Host, agent.Title})
		}
	}
	found, _ := check.RunAll(context.Background(), in, checks...)
	o.Problems = append(o.Problems, slices.DeleteFunc(found,
		func(f check.Finding) bool { return f.State != check.Failure && f.State != check.Warning })...)
	o.Begun = o.Last != nil || len(o.On)+len(o.Notes)+len(o.Away) > 0 || len(in.otherAccountsInWords()) > 0 || slices.ContainsFunc(in.ours, func(p client.Switched) bool { return p.On })
	if o.decides() {
		o.Reasons = []string{} // they are Claude Code's alone
	}
	events, _ := ledger.LoopEvents(in.Places.StatePath()) // a problem reports the error
	for i, e := range events {
		later := slices.ContainsFunc(events[i+1:], func(l activity.LoopEvent) bool { return l.Loop == e.Loop })
		if later || e.StopsLoop() {
			continue
		}
		text, _ := rooted.ReadFile(e.Dir, filepath.FromSlash(wiggum.File), workspace.MaxFile)
		if goal, _ := wiggum.ReadLoop(text); goal.Active && goal.ID == e.Loop {
			o.Loops = append(o.Loops, fmt.Sprintf("%s in %s, iteration %d of %d", e.Loop, e.Dir, e.Count, e.Max))
		}
	}
	slices.SortStableFunc(o.Problems, func(a, b check.Finding) int { return cmp.Compare(a.State, b.State) }) // failures first
	_, held := ledger.LongestExact(in.stateDirs(), "", in.Now)
	switch {
	case check.CountState(o.Problems, check.Failure) > 0:
		o.Next = "springfield doctor"
	case !o.decides():
		o.Next = in.NextIfNoneOn()
	case held:
		o.Next = "springfield resume"
	case o.Last != nil:
		o.Next = "springfield why " + o.Last.ID
	default:
		o.Next = "springfield status"
	}
	return o
}

func (o Overview) decides() bool {
	return slices.ContainsFunc(o.On, func(s Switch) bool { return s.Decides })
}

// WhyNoneDecides returns why no plugin decides at a stop, and the next command (both "" if one decides).
func (o Overview) WhyNoneDecides() (why, next string) {
	if o.decides() {
		return "", ""
	}
	if check.CountState(o.Problems, check.Failure) > 0 {
		return o.Problems[0].Text(), o.Next // failures are first
	}
	return strings.Join(o.Reasons, "; "), o.Next
}

func (in *Inspection) lastDecision() *Decision {
	all, _ := ledger.Newest(in.stateDirs(), ledger.Scope{}, 1, false, func(r ledger.Record) bool {
		return r.Decision == "continue" || r.Decision == "stop"
	})
	if len(all) == 0 {
		return nil
	}
	r := all[0]
	d := console.Console{Dir: in.Places.StatePath(), Also: ledger.StateDir("", in.Places.Home), Home: in.Places.Home, Getenv: in.User.Getenv}
	after := d.FindAftermath(r)
	return &Decision{r.ID, r.At, r.Plugin, r.Decision, r.Rule, r.Evidence, r.Cwd, r.Host, after.Failure, after.Dropped}
}

func (s Switch) scopeInWords() string {
	if s.title != "" {
		return "for you in " + s.title
	}
	return cmp.Or(map[string]string{
		string(client.User): "for you in every project", string(client.Project): "for everyone in this project",
		string(client.Local): "for you in this project", client.Managed: "by your administrator",
	}[s.Scope], "in "+s.Scope+" settings")
}

func (d Decision) inWords(now time.Time) string {
	did := "let " + registry.AgentName(d.Host) + " stop"
	if d.Decision == "continue" {
		did = "kept " + registry.AgentName(d.Host) + " going"
	}
	if d.Project != "" {
		did += " in " + d.Project
	}
	return fmt.Sprintf("%s %s, %s (%s): %s", d.Plugin, did, AgoInWords(now, time.UnixMilli(d.At)), d.Rule, d.Evidence)
}

const maxOfEach = 2

func (o Overview) WriteText(out layout.Printer, now time.Time) {
	say := func(out layout.Printer, title, text string) {
		out.PrintFolded(layout.PadText(title, 10), "%s", text)
	}
	title := "on"
	for _, s := range o.On {
		text := s.ID
		if !s.Decides {
			text += " (decides at no stop)"
		} else if drivesLoop(s.Strategy) {
			text += " (decides while its loop runs)"
		}
		text += ", " + s.scopeInWords()
		if s.Dir != "" {
			text += ", from " + s.Dir
		}
		say(out.InGreen(), title, text)
		title = ""
	}
	for _, reason := range o.Reasons[:min(len(o.Reasons), maxOfEach)] {
		say(out.InYellow(), "off", "no plugin decides here: "+reason)
	}
	if d := o.Last; d != nil {
		say(out, "last", layout.ClipText(out.ShortPath(d.inWords(now)), 240)) // with a question; why shows a longer quotation
		if outcome := (console.Aftermath{Failure: d.Failed, Dropped: d.Dropped}).FailureIfAny(registry.AgentName(d.Host)); outcome != "" {
			say(out.InRed(), "then", outcome)
		}
	} else {
		say(out, "last", "no decision yet: the first will come when an agent stops in a new session")
	}
	for _, loop := range o.Loops[:min(len(o.Loops), maxOfEach)] {
		say(out, "loop", loop)
	}
	for _, note := range o.Notes[:min(len(o.Notes), maxOfEach)] {
		out.InYellow().PrintFolded(layout.PadText("hold", 10), "%s", note)
	}
	for _, order := range o.Away[:min(len(o.Away), maxOfEach)] {
		out.InYellow().PrintFolded(layout.PadText("away", 10), "%s", strings.TrimPrefix(order, "away: "))
	}
	for n, f := range o.Problems {
		if n == maxOfEach {
			say(out, "", fmt.Sprintf("and %d more: run springfield doctor", len(o.Problems)-n))
			break
		}
		styled := out.InYellow()
		if f.State == check.Failure {
			styled = out.InRed()
		}
		say(styled, string(f.State), f.Text())
		if f.Fix != "" && f.Fix != o.Next {
			out.PrintUnbroken(layout.PadText("", 10) + "→ " + f.Fix)
		}
	}
	out.PrintText("")
	out.PrintNext("%s", o.Next)
}
