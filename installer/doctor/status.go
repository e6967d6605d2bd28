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
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// Status is the JSON output of status for Claude Code; see docs/files.md.
type Status struct {
	Deciding    []string          `json:"deciding"` // IDs of plugins that decide at Stop
	Reasons     []string          `json:"reasons"`
	Next        string            `json:"next,omitempty"`
	OutsideStop []string          `json:"beside"` // IDs of plugins that only run at other events
	Notes       []string          `json:"notes"`
	Silenced    string            `json:"silenced,omitempty"`
	Settings    []client.Layer    `json:"settings"`
	Plugins     []client.Switched `json:"plugins"`
	Hooks       []client.Hook     `json:"hooks"`
	Idle        []client.Hook     `json:"idle"` // hooks that never run
	Judge       Judge             `json:"judge"`
}

// Judge is today's use of the judge.
type Judge struct {
	Questions int     `json:"questions"`
	Dollars   float64 `json:"dollars"`
	Failures  int     `json:"failures"` // in a row
	spent     string
}

// overriddenInWords returns a suffix like ", over user settings" ("" if all settings agree).
func overriddenInWords(p client.Switched) string {
	others := slices.DeleteFunc(slices.Clone(p.Says), func(said client.Said) bool { return said.On == p.On })
	if len(others) == 0 {
		return ""
	}
	names := check.NamesOf(others, func(said client.Said) string { return said.Layer })
	return ", over " + strings.Join(names, " and ") + " settings"
}

func (in *Inspection) SumUpStatus() Status {
	deciding, outside := in.workingPlugins()
	spend, _ := in.readSpend() // doctor reports the error
	s := Status{
		Deciding: pluginIDs(deciding), Reasons: in.whyIfNoneDecides(deciding), OutsideStop: pluginIDs(outside),
		Silenced: in.Silenced, Settings: in.Settings, Plugins: append([]client.Switched{}, in.Plugins...),
		Hooks: append([]client.Hook{}, in.Hooks...), Idle: append([]client.Hook{}, in.Idle...),
		Judge: Judge{spend.Questions, float64(spend.Micros) / 1e6, spend.Failures, spendText(spend)},
	}
	broken := func(p client.Switched) bool { return p.On && (p.IsOursAtStop() || p.Problem != "") }
	switch {
	case len(s.Deciding) > 0:
	case in.Silenced != "" || slices.ContainsFunc(in.Plugins, broken):
		s.Next = "springfield doctor"
	default:
		s.Next = in.NextIfNoneOn()
	}
	s.Notes = in.notesOf(s.Reasons)
	return s
}

func pluginIDs(plugins []client.Switched) []string {
	return check.NamesOf(plugins, func(p client.Switched) string { return p.ID })
}

// workingPlugins returns the running plugins whose hook can start on this machine: those that decide at Stop, and the
// others.
func (in *Inspection) workingPlugins() (deciding, outsideStop []client.Switched) {
	broken := func(p client.Switched) bool {
		return generator.CheckCanStart(p.Dir, generator.HostTarget(), generator.Hook) != nil
	}
	return slices.DeleteFunc(in.OursAtStop(), broken), slices.DeleteFunc(in.OursNotAtStop(), broken)
}

func (in *Inspection) whyIfNoneDecides(deciding []client.Switched) []string {
	all := []string{}
	if len(deciding) > 0 {
		return all
	}
	if in.Silenced != "" {
		all = append(all, in.Silenced+" keeps hooks from running")
	}
	known := false
	for _, p := range in.Plugins {
		known = known || p.On && p.Problem != ""
		if !p.IsOursAtStop() {
			continue
		}
		known = true
		switch {
		case !p.On:
			all = append(all, fmt.Sprintf("%s is disabled in %s settings%s", p.ID, p.Decides, overriddenInWords(p)))
		case in.Silenced == "":
			all = append(all, p.ID+" is enabled, but "+in.whyNoHook(p))
		}
	}
	switch elsewhere := in.otherAccountsInWords(); {
	case len(elsewhere) > 0, known && len(all) > 0:
		return append(all, elsewhere...)
	case known:
		return append(all, "none that is enabled can run")
	}
	return append(all, "none is enabled")
}

func (in *Inspection) whyNoHook(hookless client.Switched) string {
	for _, h := range in.Idle {
		if h.Source == hookless.ID && h.Event == "Stop" {
			return h.Never
		}
	}
	if err := generator.CheckCanStart(hookless.Dir, generator.HostTarget(), generator.Hook); err != nil {
		return err.Error()
	}
	return "it has no hook that runs"
}

// NextIfNoneOn returns the command to run if no plugin is enabled, which it does not check, or a hint to fix the user's
// settings.
func (in *Inspection) NextIfNoneOn() string {
	for _, a := range in.Accounts {
		if len(a.On) > 0 {
			return a.SpringfieldCommand("status")
		}
	}
	return in.howToSwitchOn(cmp.Or(in.argToEnable(generator.Suite.FirstToEnable), registry.Default()))
}

// howToSwitchOn returns the command that enables a plugin, or a hint to fix unreadable user settings.
func (in *Inspection) howToSwitchOn(plugin string) (commandOrFix string) {
	for _, l := range in.Settings {
		switch syntax := (*document.SyntaxError)(nil); {
		case l.Name != string(client.User) || l.Err == nil:
		case errors.As(l.Err, &syntax):
			return "fix " + l.File + ": " + l.Problem
		default:
			return HowToRead(l.Err)
		}
	}
	for _, p := range in.Plugins { // a project's settings override the user's
		if !p.On && (p.ID == plugin || p.Name == plugin) && (p.Decides == string(client.Project) || p.Decides == string(client.Local)) {
			plugin += " --scope local"
			break
		}
	}
	return "springfield enable " + plugin
}

// HowToEnable returns the command that enables a strategy's plugin, or a hint to fix the user's settings.
func (in *Inspection) HowToEnable(strategy string) string {
	ofStrategy := func(s generator.Suite) generator.Plugin {
		for _, p := range s.Plugins {
			if p.Strategy == strategy {
				return p
			}
		}
		return generator.Plugin{}
	}
	return in.howToSwitchOn(cmp.Or(in.argToEnable(ofStrategy), strategy))
}

// argToEnable returns the argument of enable for ChooseInSuites' plugin, with the marketplace if ambiguous, or "".
func (in *Inspection) argToEnable(choose func(generator.Suite) generator.Plugin) string {
	p, of := in.ChooseInSuites(choose)
	isNamesake := func(made generator.Plugin) bool { return made.Name == p.Name }
	another := func(s Suite) bool {
		return s.Made && s.Dir != of.Dir && slices.ContainsFunc(s.Plugins, isNamesake)
	}
	if p.Name != "" && slices.ContainsFunc(in.Suites, another) {
		return p.Name + "@" + of.Marketplace
	}
	return p.Name
}

// ChooseInSuites calls choose for each readable suite the user made or named. It returns the first result with a Stop
// hook, or a plugin with no name.
func (in *Inspection) ChooseInSuites(choose func(generator.Suite) generator.Plugin) (plugin generator.Plugin, _ Suite) {
	for _, s := range in.Suites {
		if s.Err != nil || !s.Made {
			continue
		}
		p := choose(s.Suite)
		if known, ok := registry.StrategyNamed(p.Strategy); ok && known.Event == "Stop" {
			return p, s
		}
	}
	return generator.Plugin{}, Suite{}
}

func (in *Inspection) notesOf(alreadySaid []string) []string {
	all := check.NamesOf(in.Notes, func(err error) string { return err.Error() + ": run springfield doctor to see the fix" })
	all = append(append(append(all, in.offInSettingsNotes()...), in.HoldsAndAwayInWords()...), in.OldSuitesInWords()...)
	for _, says := range in.otherAccountsInWords() {
		if !slices.Contains(alreadySaid, says) {
			all = append(all, says+": run springfield doctor to see the command for it")
		}
	}
	found := slices.Concat(in.checkSettingsEnv(), in.checkConflicts(), in.checkWrappingMods(), in.checkUndrivenLoop())
	all = append(all, check.NamesOf(found, saysAndFix)...)
	for _, says := range BrokenHooks(in.Plugins) {
		if !slices.Contains(alreadySaid, says) {
			all = append(all, says+": run springfield doctor to see the fix")
		}
	}
	for _, p := range in.Plugins {
		if p.Runs {
			all = append(all, notesOn(p)...)
		}
	}
	return all
}

func (in *Inspection) HoldsAndAwayInWords() (alsoEnded []string) {
	return append(slices.Concat(in.HoldsInWords()), in.AwayHereInWords()...)
}

// AwayHereInWords describes the away orders in force in the working directory. Texts begin with "away: ".
func (in *Inspection) AwayHereInWords() (all []string) {
	dir := ledger.StateDir("", in.Places.Home)
	if dir == "" {
		return nil
	}
	here, _ := filepath.EvalSymlinks(in.Places.Work) // an order names its project without links
	for _, o := range ledger.AwayOrders(dir) {
		if o.IsInForce(in.Now) && o.Covers(here) {
			past, _ := ledger.AwayEvents(dir, o.ID) // unreadable: no events
			used := ledger.Away{Order: o, Past: past}
			all = append(all, away.Describe(o, used.CountContinues(), in.Now.UnixMilli())+"; run springfield back to end it")
		}
	}
	return all
}

// HeldOrOffInWords describes active holds, and SPRINGFIELD=off from Claude Code's settings.
func (in *Inspection) HeldOrOffInWords() []string {
	held, _ := in.HoldsInWords()
	return append(held, in.offInSettingsNotes()...)
}

// HoldsInWords describes active and recently ended holds. It records newly noticed ends. If the state directory cannot
// be read, held is the error text.
func (r Request) HoldsInWords() (held, ended []string) {
	if err := r.stateDirError(); err != nil {
		return []string{err.Error() + ", so every hook lets its agent stop: run springfield doctor to see the fix"}, nil
	}
	set, ended := console.HoldNews(r.stateDirs(), r.Now)
	inForce, _ := ledger.HoldsInForce(r.stateDirs(), r.Now)
	for _, h := range inForce {
		session, until := strings.TrimPrefix(h.Of, "session:"), "until you resume"
		switch {
		case h.Until != 0 && session == "":
			until = "until " + time.UnixMilli(h.Until).Local().Format("2006-01-02 15:04")
		case h.Until != 0:
			until = "for " + timestamp.LengthInWords(h.Until-r.Now.UnixMilli())
		}
		if session != "" {
			held = append(held, "session "+session+" is held "+until+"; run springfield resume --session "+session+" to lift it")
			continue
		}
		if set != "" {
			until += " (it " + set + ")"
		}
		held = append(held, "a hold is in force "+until+", so springfield plugins let every agent stop; run springfield resume to lift it")
	}
	return held, ended
}

func notesOn(running client.Switched) (all []string) {
	all = check.NamesOf(running.Faults, func(fault string) string { return "Claude Code ignores part of " + running.ID + ": " + fault })
	if running.IsOurs() && running.Offered != "" && running.Version != running.Offered {
		all = append(all, fmt.Sprintf("%s runs from a copy of version %s, but its marketplace has %s: run claude plugin update %s to get it", running.ID, cmp.Or(running.Version, "unknown"), running.Offered, running.ID))
	}
	return all
}
