package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

func (in *Inspection) checkPlugins() (all []check.Finding) {
	for _, s := range in.ours {
		switch {
		case !s.On:
		case s.Problem != "":
			all = append(all, in.notRunning(s))
		default:
			all = append(all, in.checkPrograms(s)...)
		}
	}
	for _, r := range in.byUs {
		unread := func(l client.Layer) bool { return l.Name == string(r.Scope) && l.Problem != "" }
		if !slices.ContainsFunc(in.Settings, unread) && !in.scopeSets(r.Scope, r.ID) {
			all = append(all, check.Warned(fmt.Sprintf("%s was enabled in %s settings, but its entry is gone: %s was rewritten", r.ID, r.Scope, r.File),
				fmt.Sprintf("springfield enable %s --scope %s, or springfield disable %s --scope %s to leave it disabled", r.ID, r.Scope, r.ID, r.Scope)))
		}
	}
	if !slices.ContainsFunc(in.ours, func(s client.Switched) bool { return s.On }) {
		all = append(all, check.Noted("no springfield plugin is enabled in Claude Code", in.NextIfNoneOn()))
	}
	for _, s := range in.Plugins {
		if s.On && s.Problem != "" && !slices.ContainsFunc(in.ours, func(o client.Switched) bool { return o.ID == s.ID }) {
			all = append(all, check.Noted(fmt.Sprintf("%s is enabled but does not run: %s", s.ID, s.Problem), in.howToSwitchOff(s)))
		}
	}
	return all
}

// scopeSets reports whether the scope's settings enable or disable the plugin.
func (in *Inspection) scopeSets(scope client.Scope, id string) bool {
	says := func(said client.Said) bool { return said.Layer == string(scope) }
	return slices.ContainsFunc(in.Plugins, func(s client.Switched) bool { return s.ID == id && slices.ContainsFunc(s.Says, says) })
}

// notRunning returns the finding for an enabled plugin not running. Unless the marketplace's directory is missing, it
// only proposes to enable plugins made or enabled by the user.
func (in *Inspection) notRunning(s client.Switched) check.Finding {
	f := check.Failed(fmt.Sprintf("%s is enabled but does not run: %s", s.ID, s.Problem), in.howToSwitchOff(s))
	if s.Decides == string(client.Project) { // broken for everyone in the project
		f.Fix = "springfield disable " + s.ID + " --scope project"
	}
	suites := slices.DeleteFunc(in.suitesOf(s.Marketplace), func(suite Suite) bool {
		return !suite.Made || generator.CheckCanStart(filepath.Join(suite.Dir, s.Name), generator.HostTarget(), generator.Hook) != nil
	})
	market, err := in.settings.FindMarket(s.Marketplace)
	switch {
	case len(suites) == 1 && (err != nil || market.IsMissing()):
		// The suite has moved, or was never registered.
		f.Fix = "springfield enable " + s.Name + " --suite " + check.QuoteArgument(suites[0].Dir)
	case market.IsMissing():
		f.Fix = fmt.Sprintf("springfield enable %s --suite DIR, with its new directory; or %s", s.Name, f.Fix)
	case err == nil && market.SuiteDir() == "" && in.Client.Path != "" && in.enabledByUs(s.ID):
		f.Fix = "springfield enable " + s.ID
	}
	return f
}

func (in *Inspection) checkPrograms(running client.Switched) []check.Finding {
	suite := ""
	if market, _ := in.settings.FindMarket(running.Marketplace); market.SuiteDir() != "" {
		if _, err := generator.ReadSuite(market.SuiteDir()); err == nil {
			suite = market.SuiteDir()
		}
	}
	known, _ := registry.StrategyNamed(running.Strategy)
	all := generator.InspectPrograms(running.ID, running.Dir, suite, known.Judges)
	if !running.InPlace && running.Offered != "" && running.Version != "" && running.Offered != running.Version {
		all = append(all, check.Warned(
			fmt.Sprintf("%s: version %s runs, but the marketplace has %s", running.ID, running.Version, running.Offered),
			fmt.Sprintf("claude plugin marketplace update %s, then claude plugin update %s", running.Marketplace, running.ID)))
	}
	if len(all) == 0 {
		return []check.Finding{check.Passed(fmt.Sprintf("%s %s runs from %s", running.ID, running.Version, running.Dir))}
	}
	return all
}

func (in *Inspection) checkMarkets() (all []check.Finding) {
	if _, err := in.settings.Markets(); err != nil {
		return []check.Finding{check.Warned(err.Error(), HowToRead(err))}
	}
	for _, m := range in.settings.GoneMarkets() {
		if !slices.ContainsFunc(in.Plugins, func(s client.Switched) bool { return s.On && s.Marketplace == m.Name }) {
			all = append(all, check.Noted(fmt.Sprintf("Claude Code has marketplace %s registered at %s, which no longer exists", m.Name, m.Path), m.HowToForget()))
		}
	}
	return all
}

// checkWrappingMods reports running plugins' mods. One that wraps a stop can drop the hook's answer.
func (in *Inspection) checkWrappingMods() (all []check.Finding) {
	for _, s := range in.Plugins {
		var others []string
		for _, m := range s.Mods {
			switch {
			case len(m.Wraps) == 0:
				others = append(others, m.File)
			case s.Runs:
				all = append(all, check.Warned("mod of "+s.ID+": "+m.File+" wraps "+strings.Join(m.Wraps, " and ")+", so it can make Claude go on or prevent a hook from doing so", in.howToSwitchOff(s)))
			}
		}
		if s.Runs && len(others) > 0 {
			all = append(all, check.Noted("mod of "+s.ID+": "+strings.Join(others, ", "), ""))
		}
	}
	return all
}

func (in *Inspection) checkConflicts() (all []check.Finding) {
	drivers := in.OursAtStop()
	if twice := findSameKind(drivers); len(twice) > 0 {
		off := check.NamesOf(twice, in.howToSwitchOff)
		all = append(all, check.Warned(strings.Join(pluginIDs(twice), " and ")+" decide at every stop, so either can make Claude go on", strings.Join(off, " or ")))
	}
	loops := slices.ContainsFunc(drivers, func(s client.Switched) bool { return kindOrOutsideStop(s.Strategy) == strategy.SpecLoop })
	for _, s := range in.Plugins {
		if !s.On || s.IsOurs() || len(drivers) == 0 {
			continue
		}
		switch {
		case client.NameOf(s.ID) == "double-shot-latte":
			all = append(all, check.Warned(s.ID+" is also enabled, and asks a model at every stop", in.howToSwitchOff(s)))
		case s.ID == "ralph-specum@smart-ralph":
			f := check.Warned(s.ID+" also drives a loop: when its spec is active, either plugin can make Claude go on",
				in.howToSwitchOff(s))
			if loops {
				f.State = check.Failure
			}
			all = append(all, f)
		}
	}
	return all
}

// sayWhoDecides is called when checkConflicts returns nothing. It returns "" if no plugin decides.
func (in *Inspection) sayWhoDecides() string {
	deciding := in.OursAtStop()
	switch len(deciding) {
	case 0:
		return ""
	case 1:
		if check.CountState(in.checkWrappingMods(), check.Warning) > 0 {
			return deciding[0].ID + " is the only springfield plugin that decides; mods run before it"
		}
		return deciding[0].ID + " decides alone"
	}
	return whoDecides(deciding)
}

func (in *Inspection) checkUndrivenLoop() []check.Finding {
	if _, marked := workspace.Nearest(in.Places.Work, "", wiggum.Strategy.Marks, in.Places.Home); !marked {
		return nil
	}
	here := console.Console{Dir: in.Places.StatePath(), Work: in.Places.Work, Home: in.Places.Home, Driver: in.GoalDriver}
	path, driver := here.ActiveLoop()
	if path == "" || driver.Problem == "" {
		return nil
	}
	return []check.Finding{check.Warned(path+" is a loop that no plugin drives: "+driver.Problem, driver.Next)}
}

// checkRalphFile reports ralph-loop's state file, which can make springfield's hooks let Claude stop.
func (in *Inspection) checkRalphFile() []check.Finding {
	path := filepath.Join(in.Places.Work, ".claude", "ralph-loop.local.md")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	driven := slices.ContainsFunc(in.Plugins, func(s client.Switched) bool {
		return s.Runs && !s.IsOurs() && slices.Contains([]string{"ralph-loop", "ralph-wiggum"}, client.NameOf(s.ID))
	})
	forAll := guard.RalphArmed(in.Places.Work, "the ID of no session")
	switch {
	case driven:
		return []check.Finding{check.Noted(path+" is active: springfield leaves decisions to that loop while it runs", "type /cancel-ralph to end it")}
	case !forAll:
		return []check.Finding{check.Noted(path+" is active for one session, where springfield does not decide, but no plugin drives the loop", "remove the file if that session is over")}
	}
	return []check.Finding{check.Failed(path+" is active, so springfield does not decide, but no plugin that drives this loop is enabled", "rm "+check.QuoteArgument(path))}
}

func findSameKind(all []client.Switched) []client.Switched {
	kinds := map[strategy.Kind]int{}
	for _, p := range all {
		kinds[kindOrOutsideStop(p.Strategy)]++
	}
	return slices.DeleteFunc(slices.Clone(all), func(p client.Switched) bool { return kinds[kindOrOutsideStop(p.Strategy)] < 2 })
}

// whoDecides describes which plugin decides when Claude stops. all is not empty, and each plugin has a different kind.
func whoDecides(all []client.Switched) string {
	var daily, loops []string
	for _, p := range all {
		if drivesLoop(p.Strategy) {
			loops = append(loops, p.ID)
		} else {
			daily = append(daily, p.ID)
		}
	}
	switch {
	case len(loops) == 0:
		return strings.Join(daily, ", ") + " decides when Claude stops"
	case len(daily) == 0:
		return strings.Join(loops, " or ") + " decides when Claude stops, while its loop runs"
	}
	return fmt.Sprintf("%s decides when Claude stops; while a loop runs, %s does",
		strings.Join(daily, ", "), strings.Join(loops, " or "))
}

func kindOrOutsideStop(strategyName string) strategy.Kind {
	known, _ := registry.StrategyNamed(strategyName) // unknown: outside the stop
	return known.KindOf()
}

func drivesLoop(strategyName string) bool {
	return slices.Contains([]strategy.Kind{strategy.GoalLoop, strategy.SpecLoop}, kindOrOutsideStop(strategyName))
}

// howToSwitchOff returns advice to disable a plugin, not always a command. s.Decides is a scope or client.Managed.
func (in *Inspection) howToSwitchOff(s client.Switched) string {
	switch s.Decides {
	case client.Managed:
		return "ask an administrator to disable it"
	case string(client.Project):
		return fmt.Sprintf("springfield disable %s --scope local, which disables it only for you", s.ID)
	}
	return fmt.Sprintf("springfield disable %s --scope %s", s.ID, s.Decides)
}
