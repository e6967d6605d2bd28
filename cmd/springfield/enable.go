package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
)

type enableOptions struct {
	plugin     string
	scope      string
	suite      string
	dryRun     bool
	noActivate bool
	json       bool
}

func newEnable(a *app, runF func(context.Context, *app, enableOptions) error) *cobra.Command {
	var o enableOptions
	cmd := &cobra.Command{
		Use:   "enable PLUGIN[@MARKETPLACE]",
		Short: "Switch a plugin on in settings.json, and double-shot-latte off",
		Long: `Switch a plugin on. PLUGIN is looked up in the suite around the current directory, in
--suite, or in the suites that init has made. Its entry and double-shot-latte's in settings.json
change and not one other byte; springfield disable puts them back.

Where the claude command is installed, it gets to know the suite as a marketplace without
touching your settings, and the next session has the hook. Where it is not, user settings get a
third entry that declares the marketplace.`,
		Example: `  springfield enable ned-flanders
  springfield enable ned-flanders --scope project --dry-run`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin = args[0]
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	a.settingsFlags(cmd, &o.scope, &o.suite, &o.dryRun, &o.json)
	f.BoolVar(&o.noActivate, "no-activate", false, "do not call the claude command; declare the marketplace in user settings instead")
	return cmd
}

// settingsFlags are those that every verb about settings has.
func (a *app) settingsFlags(cmd *cobra.Command, scope, suite *string, dryRun, asJSON *bool) {
	f := cmd.Flags()
	f.StringVar(scope, "scope", string(installer.User), "which settings: user, project or local")
	f.StringVar(suite, "suite", "", "directory of the suite that has the plugin")
	f.BoolVar(dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(asJSON, "json", false, "print the result as JSON")
	_ = cmd.RegisterFlagCompletionFunc("scope", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"user", "project", "local"}, cobra.ShellCompDirectiveNoFileComp
	})
}

func runEnable(ctx context.Context, a *app, o enableOptions) error {
	scope, err := parseScope(o.scope)
	if err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	plugin, err := a.findPlugin(places, o.plugin, o.suite)
	if err != nil {
		return err
	}
	if err := generator.CheckHook(plugin.Suite, plugin.Name, generator.Host()); err != nil {
		return &hinted{err, "springfield init " + plugin.Suite + " compiles what is missing"}
	}
	registered, err := installer.IsRegistered(places, plugin.Marketplace, plugin.Suite)
	if err != nil {
		return hintConflict(err)
	}
	client := ""
	if !registered && !o.noActivate {
		client, _ = exec.LookPath("claude")
	}

	// Worked out before anything happens, so that settings nobody can edit
	// leave the client alone too.
	plan, err := installer.PlanEnable(places, plugin, scope, !registered && client == "")
	if err != nil {
		return hintSettings(err)
	}
	if o.dryRun {
		if err := a.preview(o.json, plan); err != nil {
			return err
		}
		if client != "" {
			a.talk("and would run: claude plugin marketplace add %q --scope local, in a directory thrown away afterwards", plugin.Suite)
		}
		return nil
	}
	if client != "" {
		a.talk("telling the claude command about %s", plugin.Suite)
		err := installer.Client{Command: client, Env: a.clientEnv(places)}.Register(ctx, places, plugin.Marketplace, plugin.Suite)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if registered = err == nil; err != nil {
			a.talk("springfield: note: %v; declaring the marketplace in user settings instead", err)
		}
	}
	plan, err = apply(places, func() (installer.Plan, error) {
		return installer.PlanEnable(places, plugin, scope, !registered)
	})
	if err != nil {
		return hintSettings(err)
	}
	live := "live in your next Claude Code session"
	if !registered {
		live = "live in your next Claude Code session; before Claude Code 2.1.285 in the one after it"
	}
	if scope == installer.Project {
		plan.Notes = append(plan.Notes, "others who work on this project need the marketplace "+plugin.Marketplace+" too, before it is live for them")
	}
	return a.reportEdit(o.json, edited{plugin.ID(), scope, "enabled", plugin.Suite, live}, plan)
}

// apply makes a plan and writes it, anew when another program came first.
func apply(places installer.Places, plan func() (installer.Plan, error)) (installer.Plan, error) {
	const tries = 5
	for try := 1; ; try++ {
		p, err := plan()
		if err != nil || !p.Changes() {
			return p, err
		}
		err = p.Apply(places)
		if err == nil || try == tries || !errors.Is(err, installer.ErrChanged) {
			return p, err
		}
	}
}

// edited is what enable and disable report.
type edited struct {
	Plugin string          `json:"plugin"`
	Scope  installer.Scope `json:"scope"`
	State  string          `json:"state"` // enabled or disabled
	Suite  string          `json:"suite,omitempty"`
	Live   string          `json:"live,omitempty"`
}

func (a *app) reportEdit(asJSON bool, e edited, plan installer.Plan) error {
	written, removed := plan.Files()
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			edited
			Changed []string `json:"changed"` // files that were written
			Removed []string `json:"removed"` // files that were not there before enable
			Notes   []string `json:"notes"`
		}{e, list(written), list(removed), list(plan.Notes)})
	}
	already := ""
	if !plan.Changes() {
		already = " already"
	}
	a.say("%s is %s%s in %s settings", e.Plugin, e.State, already, e.Scope)
	for _, file := range written {
		a.say("  changed %s", file)
	}
	for _, file := range removed {
		a.say("  removed %s, which was not there before", file)
	}
	for _, note := range plan.Notes {
		a.say("  %s", note)
	}
	if e.Live != "" {
		a.say("  from %s; %s", e.Suite, e.Live)
	}
	return nil
}

// list is never null in JSON.
func list(s []string) []string { return append([]string{}, s...) }

func (a *app) preview(asJSON bool, plan installer.Plan) error {
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Diff  string   `json:"diff"` // unified; empty when nothing would change
			Notes []string `json:"notes"`
		}{plan.Diff(), list(plan.Notes)})
	}
	if !plan.Changes() {
		a.talk("nothing would change")
	}
	fmt.Fprint(a.out, plan.Diff())
	for _, note := range plan.Notes {
		a.talk("%s", note)
	}
	return nil
}

func parseScope(name string) (installer.Scope, error) {
	scope := installer.Scope(name)
	if !slices.Contains(installer.Scopes(), scope) {
		return "", &usageError{fmt.Errorf("there is no scope %q", name), "--scope is user, project or local"}
	}
	return scope, nil
}

// places finds the user's settings from the working directory.
func (a *app) places() (installer.Places, error) {
	config := a.config
	switch {
	case config == "" && a.home == "":
		return installer.Places{}, &hinted{errors.New("there is no home directory"), "set HOME, or CLAUDE_CONFIG_DIR as for Claude Code"}
	case config == "":
		config = filepath.Join(a.home, ".claude")
	case !filepath.IsAbs(config):
		config = filepath.Join(a.work, config)
	}
	// Where Claude Code looks for local settings: at the root of the repository,
	// but not in a home that is one, and on Windows where the session starts.
	root := repositoryRoot(a.work)
	if root == "" || root == filepath.Clean(a.home) || runtime.GOOS == "windows" {
		root = a.work
	}
	return installer.Places{
		Config: config, Plugins: firstOf(a.plugins, filepath.Join(config, "plugins")), Home: a.home,
		Managed: installer.ManagedDir(runtime.GOOS), Work: a.work, Root: root,
	}, nil
}

// findPlugin looks a plugin up by NAME or NAME@MARKETPLACE: in the suite that is
// named, else in the one around the working directory and those that init has
// made. Of several, one that lies in the working directory is meant.
func (a *app) findPlugin(places installer.Places, name, suite string) (installer.Plugin, error) {
	if suite != "" {
		if !filepath.IsAbs(suite) {
			suite = filepath.Join(a.work, suite)
		}
		found, err := pluginsIn(filepath.Clean(suite), name)
		if err == nil && len(found) == 0 {
			err = &hinted{fmt.Errorf("suite %s has no plugin %q", suite, name), "its " + generator.SuiteFile + " lists them"}
		}
		if err != nil {
			return installer.Plugin{}, err
		}
		return found[0], nil
	}

	dirs, err := installer.Suites(places)
	if err != nil {
		return installer.Plugin{}, err
	}
	if around, err := generator.FindSuite(a.work); err == nil && !slices.Contains(dirs, around) {
		dirs = append(dirs, around)
	}
	var all, here []installer.Plugin
	for _, dir := range dirs {
		found, err := pluginsIn(dir, name)
		if err != nil && !errors.Is(err, generator.ErrNoSuite) {
			a.talk("springfield: note: passed over: %v", err)
		}
		all = append(all, found...)
		if filepath.Dir(dir) == a.work {
			here = append(here, found...)
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(here) == 1:
		return here[0], nil
	case len(all) > 1:
		return installer.Plugin{}, &usageError{
			fmt.Errorf("%s is in two suites: %s and %s", name, all[0].Suite, all[1].Suite), "say which: --suite DIR",
		}
	}
	return installer.Plugin{}, &hinted{fmt.Errorf("no suite has a plugin %q", name), "make one with springfield init, or name it: --suite DIR"}
}

// pluginsIn looks in one suite; at most one plugin comes back.
func pluginsIn(dir, name string) ([]installer.Plugin, error) {
	bare, marketplace, _ := strings.Cut(name, "@")
	s, err := generator.ReadSuite(dir)
	if err != nil {
		return nil, err
	}
	if marketplace != "" && marketplace != s.Marketplace {
		return nil, nil
	}
	for _, p := range s.Plugins {
		if p.Name == bare {
			return []installer.Plugin{{Name: bare, Marketplace: s.Marketplace, Suite: dir}}, nil
		}
	}
	return nil, nil
}

// clientEnv is the environment that the claude command is started in: ours,
// with the configuration directory as an absolute path.
func (a *app) clientEnv(places installer.Places) []string {
	if a.config == "" {
		return a.env
	}
	return append(slices.Clone(a.env), "CLAUDE_CONFIG_DIR="+places.Config)
}

func hintConflict(err error) error {
	var conflict *installer.ConflictError
	if errors.As(err, &conflict) {
		return &hinted{err, "disable what comes from there first, or make this suite under another name: springfield init DIR --marketplace NAME"}
	}
	return err
}

func hintSettings(err error) error {
	var syntax *installer.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &hinted{err, "your settings are as they were; springfield edits only what Claude Code reads, plain JSON with every key once"}
	case errors.Is(err, installer.ErrChanged):
		return &hinted{err, "your settings were left to the other program; call springfield again"}
	case errors.Is(err, os.ErrPermission):
		return &hinted{err, "your settings are as they were; the file is read-only, or it or its directory belongs to somebody else"}
	}
	return hintConflict(err)
}
