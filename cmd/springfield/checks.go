// The checks of springfield doctor. Each looks at the diagnosis and says what it
// found; one that finds nothing wrong says so in a line, or nothing where there
// is nothing to say. A repair is safe if undo takes it back, or if it loses
// nothing.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/backend"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func (d *diagnosis) examine() []finding {
	var all []finding
	for _, c := range []struct {
		name string
		look func(*diagnosis) []finding
	}{
		{"client", checkClient},
		{"settings", checkSettings},
		{"hooks", checkSilenced},
		{"plugin", checkPlugins},
		{"marketplace", checkMarkets},
		{"one decides", checkRivals},
		{"ralph-loop", checkRalphFile},
		{"block cap", checkBlockCap},
		{"rules", checkRules},
		{"judge", checkJudge},
		{"todo list", checkTodo},
		{"project", checkProject},
		{"state", checkState},
	} {
		for _, f := range c.look(d) {
			f.Check = c.name
			all = append(all, f)
		}
	}
	return all
}

// floor is a version of Claude Code below which something is missing.
type floor struct {
	version string
	state   verdict
	says    string
}

// floors are the versions that matter to a hook of ours, the worst first.
func floors() []floor {
	return []floor{
		{"2.1.139", failure, "it starts hooks only through a shell, which breaks on blanks in a path"},
		{"2.1.145", warning, "it does not tell a hook what still runs in the background, so Claude is made to go on while it waits"},
		{"2.1.196", warning, "it does not tell a hook which prompt a stop belongs to, so the budget counts for the whole session"},
	}
}

const tested = "2.1.197" // the oldest client that every release is tried with

func checkClient(d *diagnosis) []finding {
	if d.client.Command == "" {
		return []finding{{State: warning, Says: "there is no claude on PATH, so enable can only declare marketplaces, and plugins of repositories cannot be fetched", Fix: "put Claude Code's claude on PATH"}}
	}
	version, err := semver.StrictNewVersion(d.version)
	if err != nil {
		return []finding{{State: warning, Says: fmt.Sprintf("%s does not say its version", d.client.Command), Fix: "claude --version should print it"}}
	}
	for _, f := range floors() {
		if version.LessThan(semver.MustParse(f.version)) {
			return []finding{{State: f.state, Says: fmt.Sprintf("Claude Code %s is older than %s: %s", d.version, f.version, f.says), Fix: "claude update"}}
		}
	}
	if version.LessThan(semver.MustParse("2.1.211")) && d.places.Work != d.places.Root &&
		slices.ContainsFunc(d.ours, func(s installer.Switched) bool { return s.Decides == string(installer.Local) }) {
		return []finding{{State: warning, Says: fmt.Sprintf("Claude Code %s reads local settings only where a session starts, not at the root of the repository around", d.version), Fix: "start it in " + d.places.Root + ", or claude update"}}
	}
	if version.LessThan(semver.MustParse(tested)) {
		return []finding{{State: note, Says: fmt.Sprintf("Claude Code %s: springfield is tried with %s and later", d.version, tested), Fix: "claude update"}}
	}
	return []finding{{State: fine, Says: "Claude Code " + d.version}}
}

func checkSettings(d *diagnosis) []finding {
	var bad []finding
	for _, l := range d.inventory.Settings {
		if l.Problem != "" {
			bad = append(bad, finding{State: failure, Says: fmt.Sprintf("%s: %s, so Claude Code passes the whole file over", l.File, l.Problem),
				Fix: "mend that; it has to be a file of plain JSON"})
		}
	}
	if e, interrupted, err := installer.Interrupted(d.places); err == nil && interrupted {
		bad = append(bad, finding{State: failure, Says: fmt.Sprintf("an edit was cut off in the middle: %s, %s", e.Did, ago(e.At)), Fix: "springfield undo",
			mend: func() error {
				return d.apply(func() (installer.Plan, error) {
					plan, newest, err := installer.PlanUndo(d.places)
					if err == nil && newest.ID != e.ID {
						err = errors.New("another edit has been made since")
					}
					return plan, err
				})
			}})
	}
	if len(bad) == 0 {
		return []finding{{State: fine, Says: "every settings file can be read"}}
	}
	return bad
}

func checkSilenced(d *diagnosis) []finding {
	var bad []finding
	if d.inventory.Silenced != "" {
		bad = append(bad, finding{State: failure, Says: d.inventory.Silenced, Fix: "take that out where it is set"})
	}
	if d.a.off {
		bad = append(bad, finding{State: warning, Says: "SPRINGFIELD=off is set, and lets Claude stop always", Fix: "unset SPRINGFIELD"})
	}
	if value, from, ok := d.inventory.Env("SPRINGFIELD"); ok && value == "off" {
		bad = append(bad, finding{State: warning, Says: from + " settings set SPRINGFIELD=off, which lets Claude stop always", Fix: "take it out of env there"})
	}
	state := filepath.Join(d.places.Config, "springfield")
	if h, held := ledger.Held(state, "", time.Now()); held {
		until := "until you resume"
		if h.Until != 0 {
			until = "until " + time.UnixMilli(h.Until).Format("15:04")
		}
		bad = append(bad, finding{State: note, Says: "a hold lets Claude stop in all sessions, " + until, Fix: "springfield resume"})
	}
	return bad
}

// checkPlugins looks at each plugin of ours that settings name.
func checkPlugins(d *diagnosis) []finding {
	var all []finding
	on := 0
	for _, s := range d.ours {
		switch {
		case !s.On:
		case s.Problem != "":
			on++
			all = append(all, d.notRunning(s))
		default:
			on++
			all = append(all, d.checkRunning(s)...)
		}
	}
	for _, r := range d.byUs {
		if !d.broken(r.Scope) && !d.says(r.Scope, r.ID) {
			all = append(all, finding{State: warning, Says: fmt.Sprintf("%s was enabled in %s settings and is no longer there: %s has been written anew", r.ID, r.Scope, r.File),
				Fix: fmt.Sprintf("springfield enable %s --scope %s, or springfield disable %s --scope %s if you want it off", r.ID, r.Scope, r.ID, r.Scope)})
		}
	}
	if on == 0 {
		all = append(all, finding{State: note, Says: "no springfield plugin is on", Fix: "springfield enable PLUGIN; springfield init makes one"})
	}
	return all
}

// broken tells whether a scope's settings cannot be read.
func (d *diagnosis) broken(scope installer.Scope) bool {
	return slices.ContainsFunc(d.inventory.Settings, func(l installer.Layer) bool { return l.Name == string(scope) && l.Problem != "" })
}

// says tells whether a scope's settings name a plugin. Two scopes that share a
// file have the name of one of them.
func (d *diagnosis) says(scope installer.Scope, id string) bool {
	s, _ := d.inventory.Plugin(id)
	shared := !slices.ContainsFunc(d.inventory.Settings, func(l installer.Layer) bool { return l.Name == string(scope) })
	return slices.ContainsFunc(s.Says, func(said installer.Said) bool { return shared || said.Layer == string(scope) })
}

// enabledByUs tells whether springfield has enabled a plugin.
func (d *diagnosis) enabledByUs(id string) bool {
	return slices.ContainsFunc(d.byUs, func(r installer.Remembered) bool { return r.ID == id })
}

// notRunning says why a plugin that is on does not run, and how it could. Only
// what the user has made or enabled with springfield is repaired: a project that
// was cloned must not bring its own hook to life this way.
func (d *diagnosis) notRunning(s installer.Switched) finding {
	f := finding{State: failure, Says: fmt.Sprintf("%s is on and does not run: %s", s.ID, s.Problem), Fix: howToSwitchOff(s)}
	if s.Decides == string(installer.Project) { // it runs for nobody
		f.Fix = "springfield disable " + s.ID + " --scope project"
	}
	suites := slices.DeleteFunc(slices.Clone(d.made), func(dir string) bool {
		return !slices.Contains(d.suites[s.Marketplace], dir) || generator.CheckHook(filepath.Join(dir, s.Name), generator.Host()) != nil
	})
	market, known := installer.MarketNamed(d.places, s.Marketplace)
	switch {
	case len(suites) == 1 && (!known || market.IsGone()):
		// The suite that init remembers: it has moved, or was never registered.
		f.Fix = fmt.Sprintf("springfield enable %s --suite %s", s.Name, suites[0])
		f.mend = func() error { return d.register(s.Marketplace, suites[0]) }
	case known && market.IsGone():
		f.Fix = fmt.Sprintf("springfield enable %s --suite DIR, where it lies now; or springfield disable %s", s.Name, s.ID)
	case known && market.Suite() == "" && d.client.Command != "" && d.enabledByUs(s.ID):
		f.Fix = "springfield enable " + s.ID
		f.mend = func() error { _, err := d.client.Install(d.ctx, d.places, s.ID); return err }
	}
	return f
}

// register makes a suite known, through the client or by a declaration.
func (d *diagnosis) register(name, dir string) error {
	if d.client.Command != "" {
		return d.client.Register(d.ctx, d.places, name, dir)
	}
	return d.apply(func() (installer.Plan, error) { return installer.PlanDeclare(d.places, name, dir) })
}

func (d *diagnosis) checkRunning(s installer.Switched) []finding {
	var all []finding
	err := generator.CheckHook(s.Dir, generator.Host())
	switch {
	case errors.Is(err, generator.ErrNotExecutable):
		all = append(all, finding{State: failure, Says: s.ID + ": " + err.Error(), Fix: "chmod +x it",
			mend: func() error { return makeExecutable(s.Dir) }})
	case err != nil:
		all = append(all, finding{State: failure, Says: s.ID + ": " + err.Error(), Fix: d.whoCompiles(s, "init")})
	}
	if known, _ := strategy.Named(s.Strategy); known.Judges && len(all) == 0 { // a hook that does not start asks nobody
		all = append(all, d.checkJudgeProgram(s)...)
	}
	if err := generator.CheckRuntime(s.Dir, generator.Host()); err != nil && len(all) == 0 {
		all = append(all, finding{State: warning, Says: s.ID + ": " + err.Error(), Fix: d.whoCompiles(s, "build")})
	}
	if err := generator.CheckRecorded(s.Dir, generator.Host()); err != nil && len(all) == 0 {
		all = append(all, finding{State: warning, Says: s.ID + ": " + err.Error(), Fix: "springfield build " + filepath.Dir(s.Dir)})
	}
	if stale := d.stale(s); stale != "" {
		all = append(all, finding{State: warning, Says: fmt.Sprintf("%s: %s", s.ID, stale), Fix: fmt.Sprintf("claude plugin marketplace update %s, then claude plugin update %s", s.Marketplace, s.ID)})
	}
	if len(all) == 0 {
		all = append(all, finding{State: fine, Says: fmt.Sprintf("%s %s runs from %s", s.ID, s.Version, s.Dir)})
	}
	return all
}

// checkJudgeProgram tells whether the hook of a plugin could start its judge.
func (d *diagnosis) checkJudgeProgram(s installer.Switched) []finding {
	err := generator.CheckJudge(s.Dir, generator.Host())
	if err == nil {
		return nil
	}
	f := finding{State: failure, Says: s.ID + ": " + err.Error() + "; where its rules are not sure, Claude stops", Fix: d.whoCompiles(s, "init")}
	if errors.Is(err, generator.ErrNotExecutable) {
		f.Fix, f.mend = "chmod +x it", func() error { return makeExecutable(s.Dir) }
	}
	return []finding{f}
}

// whoCompiles is how a plugin gets its programs: init takes this machine among the
// targets, build compiles for those that the suite has.
func (d *diagnosis) whoCompiles(s installer.Switched, verb string) string {
	if market, _ := installer.MarketNamed(d.places, s.Marketplace); isSuite(market.Suite()) {
		return "springfield " + verb + " " + market.Suite()
	}
	return "have it compiled for " + generator.Host().String() + " by whoever publishes it"
}

// makeExecutable puts the bit back that a copy has lost.
func makeExecutable(dir string) error {
	in, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	for _, file := range generator.Started(dir) {
		if err := in.Check(file); err != nil {
			return err
		}
		info, err := in.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := in.Chmod(file, info.Mode().Perm()|0o111); err != nil {
			return err
		}
	}
	return nil
}

// stale says why the copy that runs is not what the marketplace has.
func (d *diagnosis) stale(s installer.Switched) string {
	if s.InPlace {
		return ""
	}
	if s.Offered != "" && s.Version != "" && s.Offered != s.Version {
		return fmt.Sprintf("version %s runs, the marketplace has %s", s.Version, s.Offered)
	}
	clone := installer.InClone(d.places, installer.Plugin{Name: s.Name, Marketplace: s.Marketplace})
	if clone == "" {
		return ""
	}
	theirs, err := generator.ProgramSum(clone, generator.Host())
	ours, errOurs := generator.ProgramSum(s.Dir, generator.Host())
	if err == nil && errOurs == nil && theirs != ours {
		return fmt.Sprintf("the marketplace has another hook under the same version %s, and Claude Code fetches only new versions", s.Version)
	}
	return ""
}

func checkMarkets(d *diagnosis) []finding {
	markets, err := installer.Markets(d.places)
	if err != nil {
		return []finding{{State: warning, Says: err.Error(), Fix: "Claude Code writes this file; start it once"}}
	}
	var all []finding
	for _, s := range d.ours {
		m, known := markets[s.Marketplace]
		if !s.On || !known || m.Suite() == "" || m.IsGone() {
			continue // of a repository the suite may well be the author's own copy
		}
		for _, suite := range d.suites[s.Marketplace] {
			if !folder.Same(m.Suite(), suite) {
				all = append(all, finding{State: warning, Says: fmt.Sprintf("%s runs from %s; the suite %s has the same marketplace name and is not it", s.ID, m, suite),
					Fix: "make it anew under another name: springfield init DIR --marketplace NAME"})
			}
		}
	}
	return all
}

// checkRivals looks for others that can make Claude go on.
func checkRivals(d *diagnosis) []finding {
	drivers := d.inventory.Drivers()
	var all []finding
	if len(drivers) > 1 {
		var ids []string
		for _, s := range drivers {
			ids = append(ids, s.ID)
		}
		all = append(all, finding{State: warning, Says: strings.Join(ids, " and ") + " decide at every stop; either can make Claude go on", Fix: "springfield disable the one you do not want"})
	}
	loops := slices.ContainsFunc(drivers, func(s installer.Switched) bool { return isLoop(s.Strategy) })
	for _, s := range d.inventory.Plugins {
		if !s.On || s.Ours() {
			continue
		}
		name, _, _ := strings.Cut(s.ID, "@")
		switch {
		case name == "double-shot-latte" && len(drivers) > 0:
			all = append(all, finding{State: warning, Says: fmt.Sprintf("%s is on too, and asks a model at every stop", s.ID), Fix: howToSwitchOff(s),
				mend: d.switchOff(s)})
		case s.ID == "ralph-specum@smart-ralph" && len(drivers) > 0:
			f := finding{State: warning, Says: s.ID + " is a second driver: when its spec is active, either can make Claude go on", Fix: howToSwitchOff(s)}
			if loops {
				f.State = failure
			}
			all = append(all, f)
		}
	}
	if len(all) == 0 && len(drivers) == 1 {
		return []finding{{State: fine, Says: drivers[0].ID + " decides alone"}}
	}
	return all
}

// howToSwitchOff is the command that says no where it counts.
func howToSwitchOff(s installer.Switched) string {
	scope := s.Decides
	switch scope {
	case "managed":
		return "only an administrator can switch it off"
	case string(installer.Project):
		return fmt.Sprintf("springfield disable %s --scope local switches it off for you alone", s.ID)
	case "":
		scope = string(installer.User) // it loads on its own
	}
	return fmt.Sprintf("springfield disable %s --scope %s", s.ID, scope)
}

// switchOff says false where a plugin is switched on; nil where that is not ours
// to change.
func (d *diagnosis) switchOff(s installer.Switched) func() error {
	scope := installer.Scope(s.Decides)
	switch {
	case scope == installer.Project:
		scope = installer.Local // for this user alone: the project's file is everybody's
	case scope == "":
		scope = installer.User // it loads on its own
	case !slices.Contains(installer.Scopes(), scope):
		return nil // an administrator's
	}
	return func() error {
		return d.apply(func() (installer.Plan, error) { return installer.PlanSwitch(d.places, scope, s.ID, false) })
	}
}

// checkRalphFile looks for a loop that nobody drives: its file makes every hook
// of ours stand aside.
func checkRalphFile(d *diagnosis) []finding {
	path := filepath.Join(d.places.Work, ".claude", "ralph-loop.local.md")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	driven := slices.ContainsFunc(d.inventory.Plugins, func(s installer.Switched) bool {
		name, _, _ := strings.Cut(s.ID, "@")
		return s.Runs() && !s.Ours() && (name == "ralph-loop" || name == "ralph-wiggum")
	})
	everybodys := guard.RalphArmed(d.places.Work, "a session that nobody has")
	switch {
	case driven:
		return []finding{{State: note, Says: path + " is armed: springfield stands aside while that loop runs", Fix: "/cancel-ralph ends it"}}
	case !everybodys:
		return []finding{{State: note, Says: path + " is armed for one session, and springfield stands aside in that one; no plugin drives the loop", Fix: "remove it if that session is over"}}
	}
	return []finding{{State: failure, Says: path + " is armed, springfield stands aside for it, and the plugin that would drive the loop is not on", Fix: "remove it",
		mend: func() error {
			return d.apply(func() (installer.Plan, error) { return installer.PlanRemove(d.places, path) })
		}}}
}

func checkBlockCap(d *diagnosis) []finding {
	var all []finding
	for _, s := range d.inventory.Drivers() {
		settings, err := hook.ReadSettings(s.Dir, filepath.Join(d.places.Config, "springfield"), "")
		if err != nil {
			continue // checkRules says it
		}
		rounds := settings.Rounds()
		honoured := installer.Honoured(d.inventory)
		if rounds <= honoured {
			continue
		}
		f := finding{State: failure, Says: fmt.Sprintf("%s may go on %d times in a row, and Claude Code ends the turn after %d without a word", s.ID, rounds, honoured),
			Fix: fmt.Sprintf("set %s to %d in env of your settings", installer.BlockCap, rounds)}
		scope := installer.User
		if _, from, ok := d.inventory.Env(installer.BlockCap); ok {
			scope = installer.Scope(from)
		}
		if scope == installer.User || scope == installer.Local {
			f.mend = func() error {
				return d.apply(func() (installer.Plan, error) {
					return installer.PlanEnv(d.places, scope, installer.BlockCap, fmt.Sprint(rounds))
				})
			}
		}
		all = append(all, f)
	}
	return all
}

// checkRules names what is wrong with the files that tune a plugin.
func checkRules(d *diagnosis) []finding {
	var all []finding
	for _, s := range d.ours {
		if !s.Runs() {
			continue
		}
		settings, err := hook.ReadSettings(s.Dir, filepath.Join(d.places.Config, "springfield"), d.places.Work)
		if err != nil {
			all = append(all, finding{State: failure, Says: s.ID + ": " + err.Error() + "; it lets Claude stop always", Fix: "mend that file, or get it back from where the plugin comes from"})
			continue
		}
		for _, fault := range settings.Faults {
			all = append(all, finding{State: warning, Says: fault + "; that part is not in force", Fix: "mend that place"})
		}
		for _, err := range strategy.CheckPatterns(settings.Config) {
			all = append(all, finding{State: warning, Says: s.ID + ": " + err.Error() + "; it is not in force", Fix: "mend that rule"})
		}
	}
	return all
}

// checkJudge tells whether the judge of a plugin that has one is there, and how it
// answered last.
func checkJudge(d *diagnosis) []finding {
	state := filepath.Join(d.places.Config, "springfield")
	var all []finding
	asks := false
	for _, s := range d.ours {
		if known, ok := strategy.Named(s.Strategy); !s.Runs() || !ok || !known.Judges {
			continue
		}
		asks = true
		settings, err := hook.ReadSettings(s.Dir, state, d.places.Work)
		if err != nil {
			continue // said by the check of the rules
		}
		if j := settings.Config.Judge; j.Backend == judge.Claude && j.Client == "" && d.client.Command == "" {
			all = append(all, finding{State: warning, Says: s.ID + " asks by Claude Code, which is not on PATH", Fix: failureHint(judge.NoClient)})
		}
	}
	if !asks {
		return nil
	}
	if why := backend.Redirected(d.places.Work, d.places.Home); why != "" {
		all = append(all, finding{State: warning, Says: "no judge is asked here: " + why, Fix: failureHint(judge.Redirected)})
	}
	p, err := ledger.ReadPurse(state, time.Now())
	switch {
	case err != nil:
		return append(all, finding{State: warning, Says: err.Error() + "; until then nobody is asked", Fix: "delete that file"})
	case p.Failures > 0:
		says := fmt.Sprintf("the judge has not answered %s, last %s: %s, %s", times(p.Failures), ago(time.UnixMilli(p.FailedAt)), p.Failure, p.Detail)
		if p.Until > time.Now().UnixMilli() {
			says += fmt.Sprintf("; it is asked again in %s", time.Until(time.UnixMilli(p.Until)).Round(time.Minute))
		}
		return append(all, finding{State: warning, Says: says, Fix: failureHint(judge.Failure(p.Failure))})
	}
	return append(all, finding{State: fine, Says: "today: " + judgeToday(p)})
}

// judgeToday is what judges have done on a day.
func judgeToday(p ledger.Purse) string {
	if p.Questions == 1 {
		return "1 question, " + judge.Dollars(p.Micros)
	}
	return fmt.Sprintf("%d questions, %s", p.Questions, judge.Dollars(p.Micros))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}

// withTodo are the models that have a todo list without being asked, as
// Claude Code 2.1.329 names them.
func withTodo() []string {
	return []string{
		"claude-3-", "opus-4-0", "opus-4-1", "opus-4-5", "opus-4-6", "opus-4-7",
		"sonnet-4-0", "sonnet-4-5", "sonnet-4-6", "haiku-4-5",
	}
}

// checkTodo tells that the newest models have no todo list, which rules about
// open todos miss.
func checkTodo(d *diagnosis) []finding {
	const variable, since = "CLAUDE_CODE_ENABLE_TODO_TOOLS", "2.1.233"
	version, err := semver.StrictNewVersion(d.version)
	reminded := slices.ContainsFunc(d.inventory.Beside(), func(s installer.Switched) bool { return s.Strategy == "todo-continuation" })
	if err != nil || version.LessThan(semver.MustParse(since)) || len(d.inventory.Drivers()) == 0 && !reminded {
		return nil
	}
	if value, _, ok := d.inventory.Env(variable); ok && value == "1" {
		return []finding{{State: fine, Says: variable + " is set: every model has a todo list"}}
	}
	model, where := d.inventory.Model()
	if slices.ContainsFunc(withTodo(), func(name string) bool { return strings.Contains(model, name) }) {
		return []finding{{State: fine, Says: fmt.Sprintf("%s (%s settings) has a todo list", model, where)}}
	}
	f := finding{State: note, Says: "Opus 4.8, Sonnet 5, Fable 5, Mythos 5 and later have no todo list, so rules about open todos say nothing there; the others work"}
	if reminded {
		f.State, f.Says = warning, "Opus 4.8, Sonnet 5, Fable 5, Mythos 5 and later have no todo list, so todo-continuation has nothing to remind of there"
	}
	f.Fix = fmt.Sprintf(`"env": {"%s": "1"} in your settings brings it back`, variable)
	return []finding{f}
}

// checkProject looks at what a project may do to us, and whether it is accepted.
func checkProject(d *diagnosis) []finding {
	var all []finding
	steering, others := steered(d.places, d.inventory)
	for _, v := range steering {
		all = append(all, finding{State: warning, Says: v.says(), Fix: "take it out of env there if you did not put it in"})
	}
	if len(others) > 0 {
		all = append(all, finding{State: note, Says: "project or local settings set variables that every hook sees: " + strings.Join(others, ", "), Fix: "take out of env there what you do not know"})
	}
	if trusted, known := installer.Trusted(d.places); known && !trusted {
		all = append(all, finding{State: note, Says: "this directory is not accepted in Claude Code yet: until then an interactive session runs no hook, and what the project's settings declare is not known to claude -p",
			Fix: "start claude here once and accept it"})
	}
	return all
}

func checkState(d *diagnosis) []finding {
	var all []finding
	for _, err := range installer.Damaged(d.places) {
		all = append(all, finding{State: warning, Says: err.Error(), Fix: "remove that file: disable then only sets its own entry, and undo misses that edit"})
	}
	if len(all) > 0 {
		return all
	}
	if err := installer.CheckState(d.places); err != nil {
		return []finding{{State: failure, Says: err.Error() + ": without it every hook lets Claude stop", Fix: "make that directory yours and writable"}}
	}
	return []finding{{State: fine, Says: filepath.Join(d.places.Config, "springfield") + " is writable"}}
}
