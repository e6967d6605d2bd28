// Making a plugin live: Claude Code has to know its marketplace and, where that
// is a repository, to have fetched it. The claude command does both, if it is
// there, in a way that leaves the user's settings alone.

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// activation is what has to happen beside the edit.
type activation struct {
	a         *app
	places    installer.Places
	forbidden bool             // --no-activate
	client    installer.Client // without a command: there is none, or it is not to be called

	register string // a directory to register, "" if it is known
	install  string // a plugin to fetch, "" if it is there
	from     string // where the plugin comes from, for people
	added    string // the marketplace that find has added
}

func (a *app) newActivation(places installer.Places, o enableOptions) *activation {
	act := &activation{a: a, places: places, forbidden: o.noActivate}
	if !o.noActivate {
		act.client = a.claude(places)
	}
	return act
}

// claude is the claude command; its Command is "" where there is none.
func (a *app) claude(places installer.Places) installer.Client {
	command, err := exec.LookPath("claude")
	if err != nil || !filepath.IsAbs(command) {
		command = "" // of a relative PATH entry it would be whatever the project has there
	}
	return installer.Client{Command: command, Env: a.env}
}

// find finds the plugin. A marketplace that is named by its source is added
// first: only its catalog says its name.
func (act *activation) find(ctx context.Context, o enableOptions) (installer.Plugin, error) {
	name, source := o.plugin, o.marketplace
	if source == "" {
		return act.a.findPlugin(act.places, name, o.suite)
	}
	bare, _, both := strings.Cut(name, "@")
	if both || o.suite != "" {
		return installer.Plugin{}, &usageError{errors.New("the marketplace is named twice"), "use one of NAME@MARKETPLACE, --marketplace and --suite"}
	}
	if filepath.IsAbs(source) || strings.HasPrefix(source, ".") {
		return act.a.findPlugin(act.places, name, source)
	}
	if !strings.ContainsAny(source, "/:") {
		return act.a.findPlugin(act.places, bare+"@"+source, "")
	}
	if known, err := installer.MarketFrom(act.places, source); err != nil || known != "" {
		if err != nil {
			return installer.Plugin{}, err
		}
		return act.a.findPlugin(act.places, bare+"@"+known, "")
	}
	if act.client.Command == "" {
		return installer.Plugin{}, &hinted{fmt.Errorf("marketplace %s is not known, and %s", source, act.why()), "clone the repository and name it: --suite DIR"}
	}
	if o.dryRun || o.scope == managed {
		return installer.Plugin{}, &hinted{fmt.Errorf("marketplace %s is not known yet, so nobody can tell what would change", source),
			fmt.Sprintf("have it fetched first: springfield enable %s --marketplace %s; springfield disable %s --purge takes it away again", bare, source, bare)}
	}
	act.a.talk("having the claude command fetch marketplace %s", source)
	market, added, err := act.client.AddMarket(ctx, act.places, source)
	if err != nil {
		return installer.Plugin{}, err
	}
	if added {
		act.added = market
	}
	return act.a.findPlugin(act.places, bare+"@"+market, "")
}

// managed is the scope that an administrator writes.
const managed = "managed"

// why says why there is no client to call.
func (act *activation) why() string {
	if act.forbidden {
		return "--no-activate forbids to have the claude command fetch it"
	}
	return "there is no claude command to fetch it"
}

// takeBack has the client forget the marketplace that find has added, because
// something went wrong after it.
func (act *activation) takeBack(ctx context.Context, name string) {
	if act.added == "" {
		return
	}
	notes, err := act.client.Purge(context.WithoutCancel(ctx), act.places, installer.Plugin{Name: name, Marketplace: act.added})
	if err != nil {
		notes = []string{err.Error()}
	}
	for _, note := range notes {
		act.a.talk("%s", note)
	}
}

// isOld tells whether the client is older than a version; of one that does not
// say nobody knows, so it is.
func (act *activation) isOld(ctx context.Context, version string) bool {
	if act.client.Command == "" {
		return true
	}
	is, err := act.client.Version(ctx)
	if err != nil {
		return true
	}
	v, err := semver.StrictNewVersion(is)
	return err != nil || v.LessThan(semver.MustParse(version))
}

// look finds out what is missing, and what kind of plugin it is; one that could
// not run, or is not springfield's, is refused.
func (act *activation) look(wanted *installer.Enabling) error {
	plugin := wanted.Plugin
	dir := ""
	if plugin.Suite != "" {
		registered, err := installer.IsRegistered(act.places, plugin.Marketplace, plugin.Suite)
		if err != nil {
			return hintConflict(err)
		}
		if dir = pluginDir(act.places, plugin); !registered {
			act.register = plugin.Suite
			wanted.Declare = act.client.Command == ""
		}
	} else {
		i := act.places.Installed(plugin.ID())
		act.from = i.Source
		if dir = i.Dir; dir == "" {
			if act.client.Command == "" {
				return &hinted{fmt.Errorf("%s is not installed, and %s", plugin.ID(), act.why()),
					fmt.Sprintf("in Claude Code: /plugin install %s", plugin.ID())}
			}
			act.install = plugin.ID()
			if dir = installer.InClone(act.places, plugin); dir == "" {
				return nil // looked at when it is there
			}
		}
	}
	return act.examine(dir, wanted)
}

// pluginDir is where a plugin of a directory lies.
func pluginDir(places installer.Places, plugin installer.Plugin) string {
	if i := places.Installed(plugin.ID()); i.InPlace && strings.HasPrefix(i.Dir, plugin.Suite+string(filepath.Separator)) {
		return i.Dir
	}
	return filepath.Join(plugin.Suite, plugin.Name)
}

// examine looks at the plugin's own files.
func (act *activation) examine(dir string, wanted *installer.Enabling) error {
	id := wanted.Plugin.ID()
	found := installer.PluginIn(dir)
	err := generator.CheckHook(dir, generator.Host())
	if known, _ := strategy.Named(found.Strategy); err == nil && known.Judges {
		err = generator.CheckJudge(dir, generator.Host())
	}
	if err != nil {
		hint := "have it compiled for " + generator.Host().String() + " by whoever publishes it"
		switch {
		case errors.Is(err, generator.ErrNotExecutable):
			hint = "chmod +x it"
		case isSuite(wanted.Plugin.Suite):
			hint = "springfield init " + wanted.Plugin.Suite + " compiles what is missing"
		}
		return &hinted{fmt.Errorf("%s could not run: %w", id, err), hint}
	}
	switch {
	case found.Problem != "":
		return &hinted{fmt.Errorf("%s could not run: %s", id, found.Problem), "Claude Code would pass it over too"}
	case !found.Ours():
		return &hinted{fmt.Errorf("%s is not a springfield plugin", id), "enable it in Claude Code: /plugin install " + id}
	}
	wanted.Loops, wanted.Beside = isLoop(found.Strategy), !found.Drives()
	settings, err := hook.ReadSettings(dir, filepath.Join(act.places.Config, "springfield"), "")
	if err != nil {
		act.a.talk("springfield: note: %v; the hook knows better, or it lets Claude stop", err)
		return nil
	}
	wanted.Rounds = settings.Rounds()
	return nil
}

// isSuite tells whether a directory is a suite of springfield's.
func isSuite(dir string) bool {
	if dir == "" {
		return false
	}
	_, err := generator.ReadSuite(dir)
	return err == nil
}

// isLoop tells whether a strategy drives a loop through a spec, as others do.
func isLoop(strategy string) bool {
	return strategy == "ralph-specum" || strategy == "ralph-speckit"
}

// todo says what run would do, "" for nothing.
func (act *activation) todo() string {
	switch {
	case act.client.Command == "":
		return ""
	case act.install != "":
		return "claude plugin install " + act.install
	case act.register != "":
		return fmt.Sprintf("claude plugin marketplace add %q", act.register)
	}
	return ""
}

// run calls the client for what is missing. One that cannot register a directory
// is no reason to fail: user settings can declare it.
func (act *activation) run(ctx context.Context, wanted *installer.Enabling) error {
	switch {
	case act.client.Command == "":
	case act.install != "":
		act.a.talk("having the claude command fetch %s", act.install)
		added, err := act.client.Install(ctx, act.places, act.install)
		if err != nil {
			return &hinted{err, "claude plugin marketplace update " + wanted.Plugin.Marketplace + " gets the newest catalog"}
		}
		if err := act.examine(act.places.Installed(act.install).Dir, wanted); err != nil {
			if added {
				_, _ = act.client.Uninstall(ctx, act.places, act.install) // what is wrong with it matters more
			}
			return err
		}
	case act.register != "":
		act.a.talk("telling the claude command about %s", act.register)
		if err := act.client.Register(ctx, act.places, wanted.Plugin.Marketplace, act.register); err != nil && ctx.Err() == nil {
			act.a.talk("springfield: note: %v; declaring the marketplace in user settings instead", err)
			wanted.Declare = true
		}
	}
	return ctx.Err() // Ctrl-C, even if the client was done by then
}

// printManaged prints what an administrator would deploy.
func (a *app) printManaged(ctx context.Context, o enableOptions) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	act := a.newActivation(places, o)
	plugin, err := act.find(ctx, o)
	if err != nil {
		return hintSettings(err)
	}
	wanted := installer.Enabling{Plugin: plugin}
	if err := act.look(&wanted); err != nil {
		return err
	}
	market, err := installer.MarketOf(places, plugin)
	if err != nil {
		return err
	}
	settings, err := installer.ManagedSettings(wanted, market)
	if err != nil {
		return err
	}
	if o.json {
		return a.encode(struct {
			Settings string            `json:"settings"`
			Paths    map[string]string `json:"paths"` // by system
		}{string(settings), installer.ManagedFiles()})
	}
	fmt.Fprint(a.out, string(settings))
	a.talk("an administrator puts this file there; nothing was changed here")
	files := installer.ManagedFiles()
	for _, system := range []string{"Linux and WSL", "macOS", "Windows"} {
		a.talk("  %-14s %s", system, files[system])
	}
	if plugin.Suite != "" {
		a.talk("the suite must lie at %s on every machine; publish it as a repository to do without", plugin.Suite)
	}
	return nil
}
