package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
		Use:   "enable PLUGIN",
		Short: "Switch a plugin on in settings.json, and double-shot-latte off",
		Long: `Switch a plugin on. PLUGIN is looked up in the suite around the current directory, in
--suite, or in the suites that init has made. Two members of settings.json change and not one
other byte; springfield disable puts them back.

Where the claude command is installed, it gets to know the suite as a marketplace without
touching your settings, and the next session has the hook.`,
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
	cmd.RegisterFlagCompletionFunc("scope", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
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
	if plugin.Suite == "" {
		return &hinted{fmt.Errorf("no suite has %s", o.plugin), "make one with springfield init, or name it: --suite DIR"}
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
		a.preview(plan)
		if client != "" {
			a.talk("and would run: claude plugin marketplace add %s --scope local, in a directory thrown away afterwards", plugin.Suite)
		}
		return nil
	}
	if client != "" {
		err := installer.Client{Command: client}.Register(ctx, places, plugin.Marketplace, plugin.Suite)
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
	return a.reportEdit(o.json, edited{plugin.ID(), scope, "enabled", live}, plan)
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
	if !plan.Changes() {
		a.say("%s is %s already in %s settings", e.Plugin, e.State, e.Scope)
		return nil
	}
	a.say("%s is %s in %s settings", e.Plugin, e.State, e.Scope)
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
		a.say("  %s", e.Live)
	}
	return nil
}

// list is never null in JSON.
func list(s []string) []string { return append([]string{}, s...) }

func (a *app) preview(plan installer.Plan) {
	if !plan.Changes() {
		a.talk("nothing would change")
		return
	}
	fmt.Fprint(a.out, plan.Diff())
	for _, note := range plan.Notes {
		a.talk("%s", note)
	}
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
	root := repositoryRoot(a.work)
	if root == "" {
		root = a.work
	}
	return installer.Places{Config: config, Plugins: firstOf(a.plugins, filepath.Join(config, "plugins")), Work: a.work, Root: root}, nil
}

// findPlugin turns a name into a plugin: NAME@MARKETPLACE stands for itself,
// else the name is looked up in one suite, or in all that init has made.
func (a *app) findPlugin(places installer.Places, name, suite string) (installer.Plugin, error) {
	bare, marketplace, _ := strings.Cut(name, "@")
	var dirs []string
	if suite != "" {
		if !filepath.IsAbs(suite) {
			suite = filepath.Join(a.work, suite)
		}
		dirs = []string{filepath.Clean(suite)}
	} else if around, err := generator.FindSuite(a.work); err == nil {
		dirs = []string{around}
	} else if dirs, err = installer.Suites(places); err != nil {
		return installer.Plugin{}, err
	}

	var found []installer.Plugin
	for _, dir := range dirs {
		s, err := generator.ReadSuite(dir)
		if err != nil {
			if suite == "" && errors.Is(err, generator.ErrNoSuite) {
				continue // it was one when init made it
			}
			return installer.Plugin{}, err
		}
		for _, p := range s.Plugins {
			if p.Name == bare && (marketplace == "" || marketplace == s.Marketplace) {
				found = append(found, installer.Plugin{Name: bare, Marketplace: s.Marketplace, Suite: dir})
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return installer.Plugin{}, &usageError{
			fmt.Errorf("%s is in two suites: %s and %s", name, found[0].Suite, found[1].Suite), "say which: --suite DIR",
		}
	case marketplace != "":
		return installer.Plugin{Name: bare, Marketplace: marketplace}, nil
	case len(dirs) == 1:
		return installer.Plugin{}, &hinted{fmt.Errorf("suite %s has no plugin %q", dirs[0], name), "its " + generator.SuiteFile + " lists them"}
	}
	return installer.Plugin{}, &hinted{fmt.Errorf("no suite has a plugin %q", name), "make one with springfield init, or name it: --suite DIR"}
}

func hintConflict(err error) error {
	var conflict *installer.ConflictError
	if errors.As(err, &conflict) {
		return &hinted{err, "claude plugin marketplace remove " + conflict.Name + " forgets the other one; or make the suite with another --marketplace"}
	}
	return err
}

func hintSettings(err error) error {
	var syntax *installer.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &hinted{err, "nothing was written; Claude Code reads plain JSON only, so mend it there first"}
	case errors.Is(err, installer.ErrChanged):
		return &hinted{err, "nothing was written; call springfield again"}
	case errors.Is(err, os.ErrPermission):
		return &hinted{err, "nothing was written; the file or its directory is not yours to write"}
	}
	return hintConflict(err)
}
