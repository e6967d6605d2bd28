package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/activation"
	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/interview"
)

type enableOptions struct {
	plugin      string
	scope       string
	suite       string
	marketplace string
	conflicts   string
	keep        bool
	dryRun      bool
	noActivate  bool
	json        bool
}

func newEnable(a *app, runF func(context.Context, *app, enableOptions) error) *cobra.Command {
	var o enableOptions
	cmd := &cobra.Command{
		Use:   "enable PLUGIN[@MARKETPLACE]",
		Short: "Switch a plugin on",
		Long: `PLUGIN is looked up in the suite around the current directory, in --suite, in the
suites that init has made, and in the marketplaces that Claude Code knows. One edit
of settings.json switches it on, and switches off double-shot-latte and any other
springfield plugin of the same kind. Not one other byte changes, and springfield
disable puts it all back.

There are three kinds: plugins that decide at every stop (ned-flanders, lisa-simpson,
bart-simpson, marge-simpson), the goal loop (ralph-wiggum), and the spec loops
(ralph-specum, ralph-speckit). While a loop runs, only its plugin decides, so a loop
plugin and a daily one can be on together.

If the claude command is installed, it registers the suite as a marketplace, or
fetches the plugin, without touching your settings. If not, your user settings get a
third entry, which declares the suite. Your next session has the hook.`,
		Example: `  springfield enable ned-flanders
  springfield enable ned-flanders --scope project --dry-run
  springfield enable ned-flanders --marketplace homer/continuation-hooks`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin = args[0]
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	a.settingsFlags(cmd, &o.scope, &o.suite, &o.dryRun, &o.json)
	cmd.Flag("scope").Usage = "which settings: user, project, local; managed prints what an administrator would deploy"
	f.StringVar(&o.marketplace, "marketplace", "", "the marketplace that has the plugin: its name, OWNER/REPO, or the URL of a git repository")
	f.BoolVar(&o.keep, "keep", false, "leave other plugins of the same kind on")
	f.StringVar(&o.conflicts, "conflicts", "", "what to do about other plugins that drive the same loop: off or keep")
	f.BoolVar(&o.noActivate, "no-activate", false, "do not call the claude command; declare the marketplace in user settings instead")
	return cmd
}

// settingsFlags are those that every verb about settings has.
func (a *app) settingsFlags(cmd *cobra.Command, scope, suite *string, dryRun, asJSON *bool) {
	f := cmd.Flags()
	f.StringVar(scope, "scope", string(client.User), "which settings: user, project or local")
	f.StringVar(suite, "suite", "", "directory of the suite that has the plugin")
	f.BoolVar(dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(asJSON, "json", false, "print the result as JSON")
}

func runEnable(ctx context.Context, a *app, o enableOptions) error {
	request, err := a.toBeEnabled(ctx, o)
	if err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	if o.scope == client.Managed {
		settings, plugin, err := activation.Managed(ctx, a.means(places), request)
		if err != nil {
			return hintSettings(err, "enable")
		}
		return a.printManaged(o.json, settings, plugin)
	}
	done, err := activation.Enable(ctx, a.means(places), request)
	if err != nil {
		return hintSettings(err, "enable")
	}
	if o.dryRun {
		if err := a.preview(o.json, done.Change); err != nil {
			return err
		}
		if done.Todo != "" {
			a.talk("and would run: %s, away from your settings", done.Todo)
		}
		return nil
	}
	if err := a.reportEdit(o.json, edited{done.Plugin.ID(), request.Scope, "enabled", done.Plugin.Suite, done.From, done.Live}, done.Change); err != nil || o.json {
		return err
	}
	name, scope := o.plugin, ""
	if request.Scope != client.User {
		scope = " --scope " + o.scope
	}
	a.lines().Table("", [][]string{
		{"check", "springfield why, springfield status"},
		{"pause", "springfield hold 30m"},
		{"leave", "springfield disable " + name + scope + ", or springfield undo"},
	})
	return nil
}

// toBeEnabled is the request that flags come to.
func (a *app) toBeEnabled(ctx context.Context, o enableOptions) (r activation.Enabling, err error) {
	r = activation.Enabling{
		Plugin: o.plugin, Suite: o.suite, Marketplace: o.marketplace, Keep: o.keep,
		Rivals: installer.Rivals(o.conflicts), NoClaude: o.noActivate, DryRun: o.dryRun,
		Ask: func(rivals *installer.RivalsError) (installer.Rivals, error) { return a.askRivals(ctx, rivals) },
	}
	if o.scope != client.Managed {
		if r.Scope, err = parseScope(o.scope); err != nil {
			return r, err
		}
	}
	if o.conflicts != "" && o.conflicts != string(installer.RivalsOff) && o.conflicts != string(installer.RivalsKeep) {
		return r, &usageError{fmt.Errorf("--conflicts cannot be %q", o.conflicts), "--conflicts is off or keep"}
	}
	return r, nil
}

// askRivals asks what is to happen to plugins that would drive the same loop.
func (a *app) askRivals(ctx context.Context, rivals *installer.RivalsError) (installer.Rivals, error) {
	if !a.terminal {
		return "", &usageError{rivals, "--conflicts off switches them off with this edit, --conflicts keep leaves them on"}
	}
	answer, err := a.asker(ctx).One(strings.Join(rivals.IDs, ", ")+" would drive the same loop. What about it?", []interview.Option{
		{Value: string(installer.RivalsOff), Label: "switch it off with this edit; disable and undo bring it back"},
		{Value: string(installer.RivalsKeep), Label: "leave it on: either can make Claude go on"},
	}, string(installer.RivalsOff))
	return installer.Rivals(answer), err
}

// printManaged prints what an administrator would deploy.
func (a *app) printManaged(asJSON bool, settings []byte, plugin client.Plugin) error {
	files := client.ManagedFiles()
	if asJSON {
		return a.encode(struct {
			Settings string            `json:"settings"`
			Paths    map[string]string `json:"paths"` // by system
		}{string(settings), files})
	}
	fmt.Fprint(a.out, string(settings))
	a.talk("an administrator puts this file there; nothing was changed here")
	for _, system := range []string{"Linux and WSL", "macOS", "Windows"} {
		a.talk("  %-14s %s", system, files[system])
	}
	if plugin.Suite != "" {
		said := a.notes()
		said.Home = "" // ~ is another directory there
		said.Say("the suite must be at %s on every machine; publish it as a repository to do without", plugin.Suite)
	}
	return nil
}

// edited is what enable and disable report.
type edited struct {
	Plugin string       `json:"plugin"`
	Scope  client.Scope `json:"scope"`
	State  string       `json:"state"`           // enabled or disabled
	Suite  string       `json:"suite,omitempty"` // its directory, if it is one of this machine
	From   string       `json:"from,omitempty"`  // where the plugin comes from, for people
	Live   string       `json:"live,omitempty"`
}

func (a *app) reportEdit(asJSON bool, e edited, plan change.Change) error {
	written, removed := plan.Files()
	if asJSON {
		return a.encode(struct {
			edited
			Changed []string `json:"changed"` // files that were written
			Removed []string `json:"removed"` // files that were not there before enable
			Notes   []string `json:"notes"`
		}{e, list(written), list(removed), list(plan.Notes)})
	}
	already := ""
	if plan.Empty() {
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
		a.say("  from %s; %s", e.From, e.Live)
	}
	return nil
}

// list is never null in JSON.
func list[T any](s []T) []T { return append([]T{}, s...) }

func parseScope(name string) (client.Scope, error) {
	scope := client.Scope(name)
	if !slices.Contains(client.Scopes(), scope) {
		return "", &usageError{fmt.Errorf("there is no scope %q", name), "--scope is user, project or local; for enable also managed"}
	}
	return scope, nil
}

func hintConflict(err error) error {
	var conflict *client.ConflictError
	if errors.As(err, &conflict) {
		return &hinted{err, fmt.Sprintf("springfield disable PLUGIN@%s --purge makes Claude Code forget that one; or make a suite with another name: springfield init DIR --marketplace NAME", conflict.Name)}
	}
	return err
}
