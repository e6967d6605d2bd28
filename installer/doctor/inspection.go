// Package doctor inspects agents and their settings, plugins and suites for sessions that start in a
// directory. It serves status, doctor, list, why and loop.
package doctor

import (
	"fmt"
	"slices"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

type Request struct {
	Places  client.Places
	User    hosts.User
	Client  client.Command
	Version string // of Claude Code, "" if unknown
	Off     bool   // SPRINGFIELD=off is set
	Now     time.Time
}

// Inspection has the facts that the checks examine.
type Inspection struct {
	Request
	client.Inventory
	Suites   []Suite // the one around the working directory first, then the user's others
	Claude   bool
	Others   []Agent // the other agents that InspectHosts covers
	asked    bool    // the user named the agents
	Accounts []settings.ClaudeAccount
	Notes    []error // failed reads that concern no plugin
	ours     []client.Switched
	byUs     []settings.EnabledPlugin
	settings *settings.Settings
}

// hookSettings returns the settings that the hook in dir reads in a project, or outside of projects if project is "".
func (in *Inspection) hookSettings(dir, project string) (hook.Settings, error) {
	return hook.ReadSettings(dir, in.Places.StatePath(), project)
}

type Suite struct {
	generator.Suite
	Dir    string
	Around bool
	Made   bool // the user made or named it; only then is enable proposed
	Err    error
}

// Inspect reads settings, suites and Claude Code's records, but no other agents' files. InspectHosts sets Claude and
// Others.
func Inspect(r Request) (claudeOnly *Inspection) {
	in := &Inspection{Request: r, settings: settings.NewSettings(r.Places)}
	in.Inventory, in.byUs = in.settings.Inventory(), in.settings.EnabledByUs()
	in.Accounts = settings.OtherAccounts(r.Places)
	in.readSuites()
	in.ours = slices.DeleteFunc(slices.Clone(in.Plugins), func(s client.Switched) bool {
		return !s.IsOurs() && !in.enabledByUs(s.ID) && len(in.suitesOf(s.Marketplace)) == 0
	})
	return in
}

func (in *Inspection) readSuites() {
	made, _, err := settings.KnownSuites(in.Places)
	if err != nil {
		in.Notes = append(in.Notes, err)
	}
	dirs := made
	if around := generator.FindSuite(in.Places.Work); around != "" {
		dirs = slices.DeleteFunc(slices.Clone(made), func(dir string) bool { return rooted.SameFile(dir, around) })
		in.Suites = append(in.Suites, Suite{Dir: around, Around: true, Made: len(dirs) < len(made)})
	}
	for _, dir := range dirs {
		in.Suites = append(in.Suites, Suite{Dir: dir, Made: true})
	}
	for i := range in.Suites {
		s := &in.Suites[i]
		s.Suite, s.Err = generator.ReadSuite(s.Dir)
	}
}

func (in *Inspection) suitesOf(marketplace string) []Suite {
	return slices.DeleteFunc(slices.Clone(in.Suites), func(s Suite) bool { return s.Err != nil || s.Marketplace != marketplace })
}

func (in *Inspection) enabledByUs(id string) bool {
	return slices.ContainsFunc(in.byUs, func(r settings.EnabledPlugin) bool { return r.ID == id })
}

func (r Request) stateDirs() (claudeAndOther []string) {
	dirs := []string{r.Places.StatePath(), ledger.StateDir("", r.Places.Home)}
	return slices.DeleteFunc(slices.Compact(dirs), func(dir string) bool { return dir == "" })
}

// ClaudeChecks returns the checks for users of Claude Code.
func ClaudeChecks() (withShared []check.Check[*Inspection]) {
	shared := AnyHostChecks() // the first two come before those of plugins
	return slices.Concat([]check.Check[*Inspection]{
		{Name: "client", Look: check.WithoutError((*Inspection).checkClient)},
		{Name: "settings", Look: check.WithoutError((*Inspection).checkSettings)},
		{Name: "hooks", Look: check.WithoutError((*Inspection).checkSilenced)},
	}, shared[:2], []check.Check[*Inspection]{
		{Name: "plugin", Look: check.WithoutError((*Inspection).checkPlugins)},
		{Name: "marketplace", Look: check.WithoutError((*Inspection).checkMarkets)},
		{Name: "one decides", Look: check.WithoutError((*Inspection).checkConflicts), Fine: (*Inspection).sayWhoDecides},
		{Name: "mods", Look: check.WithoutError((*Inspection).checkWrappingMods)},
		{Name: "ralph-loop", Look: check.WithoutError((*Inspection).checkRalphFile)},
		{Name: "goal loop", Look: check.WithoutError((*Inspection).checkUndrivenLoop)},
		{Name: "block cap", Look: check.WithoutError((*Inspection).checkBlockCap)},
		{Name: "rules", Look: check.WithoutError((*Inspection).checkPluginSettings)},
		{Name: "judge", Look: check.WithoutError((*Inspection).checkJudge)},
		{Name: "accounts", Look: check.WithoutError((*Inspection).listOtherAccounts)},
		{Name: "todo list", Look: check.WithoutError((*Inspection).checkTodoTool)},
		{Name: "project", Look: check.WithoutError((*Inspection).checkSettingsEnv)},
	}, shared[2:])
}

// AnyHostChecks returns the checks for users of any agent.
func AnyHostChecks() []check.Check[*Inspection] {
	return []check.Check[*Inspection]{
		{Name: "edits", Look: check.WithoutError((*Inspection).checkBrokenEdit)},
		{Name: "hooks", Look: check.WithoutError((*Inspection).checkOffAndHeld)},
		{Name: "suites", Look: check.WithoutError((*Inspection).checkOldBuilds), Fine: (*Inspection).noOldBuildsNote},
		{Name: "state", Look: check.WithoutError((*Inspection).checkState),
			Fine: func(in *Inspection) string { return in.Places.StatePath() + " is writable" }},
	}
}

// BrokenHooks describes running springfield plugins whose hook cannot start.
func BrokenHooks(plugins []client.Switched) (says []string) {
	for _, p := range plugins {
		if !p.Runs || !p.IsOurs() {
			continue
		}
		if err := generator.CheckCanStart(p.Dir, generator.HostTarget(), generator.Hook); err != nil {
			says = append(says, fmt.Sprintf("%s is enabled, but %v", p.ID, err))
		}
	}
	return says
}

// AgoInWords describes the time since then, or returns the date and time after a day or for a future time.
func AgoInWords(now, then time.Time) (agoOrDate string) {
	d := now.Sub(then)
	if d < 0 || d >= 24*time.Hour {
		return "on " + then.Local().Format("2006-01-02 15:04")
	}
	return timestamp.AgoInWords(d.Milliseconds())
}

// GoalDriver returns the plugin that drives goal loops in in.Places.Work, in any agent, with its settings for project,
// or why there is none.
func (in *Inspection) GoalDriver(project string) (pluginOrWhyNot console.LoopDriver) {
	problem, next := "no plugin that drives goal loops is enabled", in.HowToEnable("ralph-wiggum")
	for _, p := range in.Plugins {
		settings, err := in.hookSettings(p.Dir, project)
		switch {
		case !console.DrivesGoalLoops(p.Strategy):
		case !p.On:
			problem, next = p.ID+" is disabled", in.howToSwitchOn(p.ID)
		case p.Problem != "":
			problem, next = p.ID+" is enabled but does not run: "+p.Problem, "springfield doctor"
		case err != nil:
			problem, next = p.ID+": "+err.Error(), "correct that file, or install the plugin again"
		case in.Silenced != "":
			problem = in.Silenced + " keeps hooks from running"
			return console.LoopDriver{Settings: settings, Problem: problem, Next: "remove that setting where it is set"}
		default:
			return console.LoopDriver{Settings: settings}
		}
	}
	for _, agent := range in.inspectOthers(hosts.HostsFound(in.User)) {
		for _, p := range agent.Plugins {
			if settings, err := in.hookSettings(p.Dir, project); p.Decides && console.DrivesGoalLoops(p.Strategy) && err == nil {
				return console.LoopDriver{Settings: settings}
			}
		}
	}
	return console.NoDriver(in.Places.StatePath(), project, problem, next)
}

// RunningPlugins returns the springfield plugins run by InspectHosts' agents (none after only Inspect).
func (in *Inspection) RunningPlugins() (all []generator.Running) {
	add := func(r generator.Running) {
		if !rooted.IsSurelyMissing(r.Dir) && !slices.ContainsFunc(all, func(has generator.Running) bool { return rooted.SameFile(has.Dir, r.Dir) }) {
			all = append(all, r)
		}
	}
	for _, s := range in.Plugins { // includes plugins whose hooks the user replaced
		if in.Claude && s.Runs && (s.Strategy != "" || in.enabledByUs(s.ID)) {
			market, _ := in.settings.FindMarket(s.Marketplace)
			catalog, file := market.CatalogPath()
			add(generator.Running{ID: s.ID, Dir: s.Dir, Catalog: catalog, CatalogFile: file})
		}
	}
	for _, agent := range in.Others {
		for _, p := range agent.pluginsOn() {
			add(generator.Running{ID: p.ID, Dir: p.Dir, Catalog: p.Suite})
		}
	}
	return all
}
