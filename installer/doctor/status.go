package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Status is what is in effect, as status prints it; docs/files.md describes it.
type Status struct {
	Deciding    []string          `json:"deciding"`       // IDs of springfield plugins that decide at Stop
	Reasons     []string          `json:"reasons"`        // why none does
	Next        string            `json:"next,omitempty"` // the command to call where none does
	OutsideStop []string          `json:"beside"`         // IDs of those that run and decide nothing at Stop
	Notes       []string          `json:"notes"`
	Silenced    string            `json:"silenced,omitempty"`
	Settings    []client.Layer    `json:"settings"`
	Plugins     []client.Switched `json:"plugins"`
	Hooks       []client.Hook     `json:"hooks"` // that run
	Idle        []client.Hook     `json:"idle"`  // that do not
	Judge       Judge             `json:"judge"` // what judges have done today
}

// Judge is what judges have done today.
type Judge struct {
	Questions int     `json:"questions"`
	Dollars   float64 `json:"dollars"`
	Failures  int     `json:"failures"` // in a row, up to now
	Spent     string  `json:"-"`        // in a few words
}

// otherScopes names the scopes that say something else than the one that decides.
func otherScopes(p client.Switched) string {
	var names []string
	for _, said := range p.Says {
		if said.On != p.On {
			names = append(names, said.Layer)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", over " + strings.Join(names, " and ") + " settings"
}

func (in *Inspection) SumUpStatus() Status {
	w := in.whatWorks()
	s := Status{Deciding: pluginIDs(w.deciding), OutsideStop: pluginIDs(w.beside), Silenced: in.Silenced, Settings: in.Settings, Hooks: append([]client.Hook{}, in.Hooks...), Idle: append([]client.Hook{}, in.Idle...)}
	s.Plugins = append([]client.Switched{}, in.Plugins...)
	spend, _ := ledger.ReadSpend(cmp.Or(ledger.StateDir("", in.Places.Home), in.Places.StatePath()), in.Now) // one that cannot be read is for doctor to tell
	s.Judge = Judge{spend.Questions, float64(spend.Micros) / 1e6, spend.Failures, spentOn(spend)}
	s.Reasons = in.whyNoneDecides(w)
	broken := func(p client.Switched) bool { return p.On && (p.DrivesStop() || p.Problem != "") }
	switch {
	case len(s.Deciding) > 0:
	case in.Silenced != "" || slices.ContainsFunc(in.Plugins, broken):
		s.Next = "springfield doctor"
	default:
		s.Next = in.HowToBegin()
	}
	s.Notes = in.notesOf(s.Reasons)
	return s
}

func pluginIDs(plugins []client.Switched) []string {
	return check.NamesOf(plugins, func(p client.Switched) string { return p.ID })
}

// working are the plugins that run, by whether their hook would start here.
type working struct {
	deciding, beside []client.Switched
	cannot           map[string]string // ID to why its hook would not start
}

func (in *Inspection) whatWorks() working {
	w := working{cannot: map[string]string{}}
	able := func(plugins []client.Switched) (all []client.Switched) {
		for _, p := range plugins {
			if err := generator.CheckPrograms(p.Dir, generator.HostTarget(), generator.Hook); err != nil {
				w.cannot[p.ID] = err.Error()
			} else {
				all = append(all, p)
			}
		}
		return all
	}
	w.deciding, w.beside = able(in.Drivers()), able(in.Inventory.BesideStop())
	return w
}

func (in *Inspection) whyNoneDecides(w working) []string {
	all := []string{}
	if len(w.deciding) > 0 {
		return all
	}
	if in.Silenced != "" {
		all = append(all, in.Silenced+" keeps hooks from running")
	}
	known := false
	for _, p := range in.Plugins {
		known = known || p.On && p.Problem != ""
		if !p.DrivesStop() {
			continue
		}
		known = true
		switch {
		case !p.On:
			all = append(all, fmt.Sprintf("%s is off: %s settings say so%s", p.ID, p.Decides, otherScopes(p)))
		case in.Silenced == "":
			all = append(all, p.ID+" is on, but "+in.faultOf(p, w))
		}
	}
	if known {
		return all
	}
	return append(all, "none is switched on")
}

// faultOf is why a plugin that is on does not decide: one of its own hooks cannot
// run.
func (in *Inspection) faultOf(p client.Switched, w working) string {
	if why := w.cannot[p.ID]; why != "" {
		return why
	}
	for _, h := range in.Idle {
		if h.Source == p.ID && h.Event == "Stop" {
			return h.Never
		}
	}
	return "nothing of it runs"
}

// HowToBegin is what to do where no plugin is on.
func (in *Inspection) HowToBegin() string {
	return in.howToSwitchOn(cmp.Or(in.toEnable(generator.Suite.Suggested), registry.Default()))
}

// howToSwitchOn is the command that switches a plugin on, or what has to be done before: settings that
// are not JSON are not edited.
func (in *Inspection) howToSwitchOn(plugin string) string {
	for _, l := range in.Settings {
		if syntax := (*document.SyntaxError)(nil); l.Name == string(client.User) && errors.As(l.Err, &syntax) {
			return "fix " + l.File + ": " + l.Problem
		}
	}
	for _, p := range in.Plugins { // one that a project's settings switch off is not switched on by the user's
		if !p.On && (p.ID == plugin || p.Name == plugin) && (p.Decides == string(client.Project) || p.Decides == string(client.Local)) {
			plugin += " --scope local"
			break
		}
	}
	return "springfield enable " + plugin
}

// HowToEnable is what to call to switch a plugin of a strategy on, whether there is one
// at hand or not.
func (in *Inspection) HowToEnable(strategy string) string {
	of := func(s generator.Suite) generator.Plugin {
		i := slices.IndexFunc(s.Plugins, func(p generator.Plugin) bool { return p.Strategy == strategy })
		if i < 0 {
			return generator.Plugin{}
		}
		return s.Plugins[i]
	}
	return in.howToSwitchOn(cmp.Or(in.toEnable(of), strategy))
}

// toEnable is a plugin of a suite of the user's that Claude Code asks at a stop, as enable takes it: its
// name, where that means no other; "" if there is none. choose gives one of a suite, without a name
// for none.
func (in *Inspection) toEnable(choose func(generator.Suite) generator.Plugin) string {
	p, of := in.ChoosePlugin(choose)
	isNamesake := func(made generator.Plugin) bool { return made.Name == p.Name }
	another := func(s Suite) bool {
		return s.Made && s.Dir != of.Dir && slices.ContainsFunc(s.Plugins, isNamesake)
	}
	if p.Name != "" && slices.ContainsFunc(in.Suites, another) {
		return p.Name + "@" + of.Marketplace
	}
	return p.Name
}

// ChoosePlugin is that plugin, and its suite; without a name if there is none.
func (in *Inspection) ChoosePlugin(choose func(generator.Suite) generator.Plugin) (generator.Plugin, Suite) {
	for _, s := range in.Suites {
		if s.Err != nil || !s.Made {
			continue
		}
		p := choose(s.Suite)
		if known, ok := registry.StrategyNamed(p.Strategy); ok && known.EventName() == "Stop" {
			return p, s
		}
	}
	return generator.Plugin{}, Suite{}
}

// notesOf are what the user may want to do something about, and what is no reason that none decides.
func (in *Inspection) notesOf(reasons []string) []string {
	all := check.NamesOf(in.Notes, func(err error) string { return err.Error() + ": springfield doctor says what to do" })
	all = append(append(append(all, in.offInWords()...), in.OrdersInWords()...), in.Outdated()...)
	found := slices.Concat(in.checkProject(), in.checkConflicts(), in.checkLoopFile())
	all = append(all, check.NamesOf(found, saysAndFix)...)
	for _, says := range Broken(in.Plugins) {
		if !slices.Contains(reasons, says) {
			all = append(all, says+": springfield doctor says what to do")
		}
	}
	for _, p := range in.Plugins {
		if p.Runs {
			all = append(all, notesOn(p)...)
		}
	}
	return all
}

// OrdersInWords are the holds and the away orders in force, and how holds have ended lately.
func (in *Inspection) OrdersInWords() []string {
	return append(slices.Concat(in.HoldsInWords()), in.AwayInWords()...)
}

// AwayInWords are the away orders in force here, and how many there are for other projects.
func (in *Inspection) AwayInWords() (all []string) {
	dir := ledger.StateDir("", in.Places.Home)
	if dir == "" {
		return nil
	}
	here, _ := filepath.EvalSymlinks(in.Places.Work) // an order names its project without links
	elsewhere := 0
	for _, o := range ledger.AwayOrders(dir) {
		switch {
		case !o.IsInForce(in.Now):
		case !o.Covers(here):
			elsewhere++
		default:
			past, _ := ledger.AwayEvents(dir, o.ID) // what cannot be read has brought nothing
			used := ledger.Away{Order: o, Past: past}
			all = append(all, away.Describe(o, used.CountContinues(), in.Now.UnixMilli())+"; springfield back ends it")
		}
	}
	if elsewhere > 0 {
		all = append(all, "away: "+layout.CountOf(elsewhere, "order")+" for other projects; springfield away lists all")
	}
	return all
}

// PausedInWords is what lets agents stop whatever is left: holds in force, and settings.
func (in *Inspection) PausedInWords() []string {
	held, _ := in.HoldsInWords()
	return append(held, in.offInWords()...)
}

// HoldsInWords are the holds in force, and how holds have ended lately.
func (in *Inspection) HoldsInWords() (all, ended []string) {
	if err := in.stateUnread(); err != nil {
		return []string{err.Error() + ", so every hook lets its agent stop: springfield doctor says what to do"}, nil
	}
	set, ended := console.HoldNews(in.stateDirs(), in.Now)
	if hold, held := ledger.LongestHold(in.stateDirs(), "", in.Now); held {
		until := "until you resume"
		if hold.Until != 0 {
			until = "until " + time.UnixMilli(hold.Until).Local().Format("2006-01-02 15:04")
		}
		if set != "" {
			until += " (it " + set + ")"
		}
		all = append(all, "a hold is in force "+until+": springfield plugins let every agent stop; springfield resume lifts it")
	}
	inForce, _ := ledger.HoldsInForce(in.stateDirs(), in.Now)
	for _, h := range inForce {
		until := "until you resume"
		if h.Until != 0 {
			until = "for " + timestamp.LengthInWords(h.Until-in.Now.UnixMilli())
		}
		if session := strings.TrimPrefix(h.Of, "session:"); session != "" {
			all = append(all, "session "+session+" is held "+until+"; springfield resume --session "+session+" lifts it")
		}
	}
	return all, ended
}

func notesOn(p client.Switched) (all []string) {
	all = check.NamesOf(p.Faults, func(fault string) string { return "Claude Code ignores a part of " + p.ID + ": " + fault })
	if p.IsOurs() && p.Offered != "" && p.Version != p.Offered {
		all = append(all, fmt.Sprintf("%s runs from a copy of version %s, and its marketplace has %s: claude plugin update %s gets it", p.ID, cmp.Or(p.Version, "unknown"), p.Offered, p.ID))
	}
	return all
}
