package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

type enableOptions struct {
	switching
	installer.EnableRequest
	forLoop bool // a person is starting a loop
}

func newEnable(a *app) *cobra.Command {
	o := enableOptions{switching: switching{app: a}}
	cmd := &cobra.Command{
		Use: "enable PLUGIN[@MARKETPLACE]", SuggestFor: []string{"install"},
		Short: "Enable a plugin",
		Long: `springfield looks for PLUGIN in --suite, or else in your suites and in Claude
Code's marketplaces. If it is in none of them, springfield makes it in a suite in your data
directory. Your next session has the hook.

One edit of settings.json enables the plugin, and disables double-shot-latte and other springfield
plugins of the same kind. No other byte changes. For a new suite, or without the claude command,
your user settings also declare the suite.

The kinds are daily plugins, which decide at every stop (ned-flanders, lisa-simpson, bart-simpson,
marge-simpson), the goal loop (ralph-wiggum), and spec loops (ralph-specum, ralph-speckit). You can
enable a daily and a loop plugin together: the daily plugin leaves a running loop to its plugin.

Without --host, springfield chooses Claude Code, or else the only agent found. Other agents get one
entry in their own hooks file; Qwen Code and Gemini CLI get a link. Codex asks you once to trust the
hook.`,
		Example: `  springfield enable ned-flanders
  springfield enable ned-flanders --host codex,copilot --dry-run
  springfield enable ned-flanders --marketplace homer/continuation-hooks`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plugin = args[0]
			return runEnable(cmd.Context(), o)
		},
		PreRunE: a.needPlaces,
		PostRun: a.noteHeld,
	}
	f := cmd.Flags()
	settingsFlags(cmd, &o.Scope, &o.Suite, &o.DryRun, &o.json)
	f.StringVar(&o.Marketplace, "marketplace", "", "name, OWNER/REPO, https://HOST/PATH, USER@HOST:PATH or directory")
	f.BoolVar(&o.Keep, "keep", false, "leave other plugins of the same kind enabled")
	f.StringVar((*string)(&o.Conflicts), "conflicts", "", "disable or keep other plugins that drive the same loop: off or keep")
	hostFlag(cmd, &o.hosts)
	f.BoolVar(&o.NoClaude, "no-activate", false, "do not call claude; declare the marketplace in user settings")
	return cmd
}

// noteHeld prints the holds in force, which the plugin obeys.
func (a *app) noteHeld(*cobra.Command, []string) {
	held, _ := doctor.Request{Places: a.places, Now: time.Now()}.HoldsInWords()
	for _, one := range held {
		a.notePrinter().InYellow().PrintFolded("note: ", "%s", one)
	}
}

func settingsFlags(cmd *cobra.Command, scope *client.Scope, suite *string, dryRun, asJSON *bool) {
	f := cmd.Flags()
	f.StringVar((*string)(scope), "scope", string(client.User), "settings file: user, project or local")
	f.StringVar(suite, "suite", "", "suite of the plugin")
	f.BoolVar(dryRun, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(asJSON, "json", false, "print JSON")
}

func runEnable(ctx context.Context, o enableOptions) error {
	if err := checkScope(o.Scope, client.AllScopes()...); err != nil {
		return err
	}
	answers := []string{string(settings.ConflictsOff), string(settings.ConflictsKeep)}
	if typed := string(o.Conflicts); typed != "" && !slices.Contains(answers, typed) {
		return check.Misusef(check.HintAtNames(typed, "--conflicts ", answers, ""), "--conflicts cannot be %q", typed)
	}
	o.Ask = func(conflict *settings.ConflictError) (settings.ConflictAnswer, error) {
		return o.askConflict(ctx, conflict)
	}
	chosen, err := hostsOrDefault(o.means().User, o.hosts)
	if err != nil {
		return err
	}
	o.DefaultSuite = o.defaultSuite(ctx)
	defer o.DefaultSuite.Close()
	enable := func(host hosts.Host) (installer.Done, error) {
		return installer.EnablePlugin(ctx, o.means(), host, o.EnableRequest)
	}
	if err := o.switchHosts("enable", chosen, o.DryRun, enable); err != nil || o.json || o.DryRun {
		return err
	}
	leave := "springfield disable " + o.Plugin
	if len(o.hosts) > 0 {
		leave += " --host " + strings.Join(o.hosts, ",")
	}
	if o.Scope != client.User {
		leave += " --scope " + string(o.Scope)
	}
	var first [][]string
	name, _, _ := strings.Cut(o.Plugin, "@")
	switch known, _ := registry.StrategyNamed(name); {
	case known.Judges:
		first = [][]string{{"asks", "a model where its rules are unsure, and sends it at most 3 KB of the session; springfield set " + name + " shows its limits"}}
	case known.Event == "UserPromptSubmit":
		first = [][]string{{"needs", "a todo list, which Opus 4.8, Sonnet 5 and later lack; run springfield doctor to see how to restore it"}}
	case known.Loop != nil && known.Loop.Spec:
		first = [][]string{{"begin", "type /" + name + ":implement in a project that has a tasks.md"}}
	case known.Loop != nil && !o.forLoop:
		first = [][]string{{"begin", `springfield loop start "Fix the failing tests"`}}
	}
	o.resultPrinter().PrintTable("", append(first, [][]string{
		{"check", "springfield why, springfield status"},
		{"pause", "springfield hold 30m"},
		{"leave", leave + ", or springfield undo"},
	}...))
	return nil
}

// askConflict asks whether to disable other plugins that drive the same loop. It is an error without a terminal.
func (o enableOptions) askConflict(ctx context.Context, conflict *settings.ConflictError) (_ settings.ConflictAnswer, err error) {
	if !o.terminal {
		return "", check.Misuse(conflict, "pass --conflicts off to disable the others (and see the command for any that this edit cannot reach), or --conflicts keep to leave them enabled")
	}
	answer, err := o.newAsker(ctx).One(strings.Join(conflict.IDs, ", ")+" would drive the same loop. What should happen to it?", []interview.Option{
		{Value: string(settings.ConflictsOff), Label: "disable it in this edit (or print the command if another scope decides); disable and undo restore it"},
		{Value: string(settings.ConflictsKeep), Label: "leave it enabled: either plugin can make Claude go on"},
	}, string(settings.ConflictsOff))
	return settings.ConflictAnswer(answer), err
}

// askToEnable asks whether to enable the plugin, and does so on yes. It prints why first, which is "" or ends with a
// blank. If a dry run fails, it returns the error and does not ask. Callers check for a terminal first.
func (o enableOptions) askToEnable(ctx context.Context, why string) (yes bool, err error) {
	plan := o
	plan.Unmade, plan.DefaultSuite = true, o.defaultSuite(ctx)
	chosen, err := hostsOrDefault(o.means().User, o.hosts)
	if err != nil {
		return false, err
	}
	for _, host := range chosen {
		_, err := plan.planOnly(ctx, host)
		if over := (*hosts.PassedOverError)(nil); err != nil && !errors.As(err, &over) {
			return false, o.hintChange(err, "enable")
		}
	}
	titles := check.NamesOf(chosen, func(h hosts.Host) string { return h.Title })
	if yes, err = o.newAsker(ctx).Confirm(why + "Enable " + o.Plugin + " in " + strings.Join(titles, ", ") + "?"); err == nil && yes {
		err = runEnable(ctx, o)
	}
	return yes, err
}

func (o enableOptions) planOnly(ctx context.Context, host hosts.Host) (unshown installer.Done, err error) {
	if o.DryRun = true; o.terminal {
		o.Ask = func(*settings.ConflictError) (settings.ConflictAnswer, error) { return settings.ConflictsKeep, nil }
	}
	return installer.EnablePlugin(ctx, o.means(), host, o.EnableRequest)
}

func checkScope[T ~string](scope T, all ...T) error {
	if slices.Contains(all, scope) {
		return nil
	}
	names := check.NamesOf(all, func(one T) string { return string(one) })
	meant := strings.Replace(string(scope), "global", string(client.User), 1) // as git and npm call it
	return check.Misusef(check.HintAtNames(meant, "--scope ", names, ""), "there is no scope %q", scope)
}

// argsToEnable returns enable's arguments for the plugin in the suite dir.
func argsToEnable(means installer.Means, name, dir string) string {
	all, _ := means.InOKSuites(name, "")
	i := slices.IndexFunc(all, func(p client.Plugin) bool { return rooted.SameFile(p.Suite, dir) })
	switch {
	case i < 0: // the suite is not recorded
		return name + " --suite " + check.QuoteArgument(dir)
	case len(all) > 1:
		return all[i].ID()
	}
	return name
}
