package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
)

type disableOptions struct {
	installer.DisableRequest // without a plugin: all of them
	hosts                    []string
	json                     bool
}

func newDisable(a *app) *cobra.Command {
	var o disableOptions
	var all bool
	cmd := &cobra.Command{
		Use:   "disable {PLUGIN[@MARKETPLACE] | --all}",
		Short: "Switch a plugin off, and put settings.json back",
		Long: `If settings.json has not been edited since enable, it becomes byte for byte what it
was. Otherwise every entry that is still as springfield set it gets its old value,
and what has been changed since stays and is named.

Claude Code still knows the marketplace, and keeps what it has fetched from there.
--purge makes it forget both, unless something else of the marketplace is in use.

--all switches off every plugin of springfield's, in all settings files where it was
enabled; springfield undo takes that back. --all --purge removes every trace:
Claude Code's records, springfield's decisions, holds and journal (so undo does not
take it back), and the suite that enable has made. Suites and rules of your own, also
that suite once you have changed it, stay and are named.`,
		Example: `  springfield disable ned-flanders
  springfield disable ned-flanders --purge
  springfield disable ned-flanders --scope local
  springfield disable --all
  springfield disable --all --purge --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all && len(args) > 0 || all && (cmd.Flag("scope").Changed || cmd.Flag("suite").Changed || cmd.Flag("host").Changed) {
				return check.Misuse(errors.New("--all is for every plugin, in every scope of every agent"), "leave PLUGIN, --scope, --suite and --host out, or leave --all out")
			}
			if all {
				return nil
			}
			return arguments(1, 1, "one plugin, or --all")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Plugin = onlyOne(args)
			return runDisable(cmd.Context(), a, o)
		},
		PreRunE: a.needPlaces,
		PostRun: a.noteHindered,
	}
	a.settingsFlags(cmd, &o.Scope, &o.Suite, &o.DryRun, &o.json)
	hostFlag(cmd, &o.hosts, "for which agents: claude, codex, copilot, qwen, droid, gemini, or all that are found")
	cmd.Flags().BoolVar(&all, "all", false, "switch off every plugin of springfield's, wherever it was enabled")
	cmd.Flags().BoolVar(&o.Purge, "purge", false, "make Claude Code forget the plugin and its marketplace too")
	return cmd
}

func runDisable(ctx context.Context, a *app, o disableOptions) error {
	if err := checkScope(o.Scope, client.AllScopes()...); err != nil {
		return err
	}
	if o.Plugin == "" {
		return a.leaveEverywhere(ctx, o)
	}
	chosen, err := a.toSwitch(o.hosts)
	if err != nil {
		return err
	}
	disable := func(host hosts.Host) (installer.Done, error) {
		return installer.DisablePlugin(ctx, a.activationMeans(), host, o.DisableRequest)
	}
	return a.switchHosts(chosen, switchOptions{"disable", o.hosts, o.DryRun, o.json}, disable)
}

func (a *app) leaveEverywhere(ctx context.Context, o disableOptions) error {
	elsewhere := slices.Concat(a.leftByEdits(), a.leftInProjects())
	done, err := installer.DisableAll(ctx, a.activationMeans(),
		installer.DisableAllRequest{
			Purge: o.Purge, DryRun: o.DryRun, DefaultSuite: a.defaultSuite(ctx).Dir, Now: time.Now(),
		})
	if err != nil {
		return hintSettings(err, "disable --all")
	}
	if o.Purge {
		done.Stays = append(done.Stays, elsewhere...)
		if program, err := os.Executable(); err == nil {
			done.Stays = append(done.Stays, runningProgram(program))
		}
	}
	switch {
	case o.DryRun && o.json:
		return a.printJSON(struct {
			previewShape
			Left []settings.Left `json:"left"`
		}{previewOf(done.Change, ""), nonNil(done.Stays)})
	case o.DryRun:
		if err := a.showPreview(false, done.Change, ""); err != nil {
			return err
		}
		if o.Purge {
			a.talk("--purge would also make the agents forget these plugins, and would remove %s; undo cannot take it back", a.places.StatePath())
			a.printLeft(done.Stays)
		}
		return nil
	}
	return a.reportLeaving(o, done)
}

func (a *app) reportLeaving(o disableOptions, done installer.DisabledAll) error {
	written, removed := done.Files()
	failed := 0
	for _, left := range done.Stays {
		if left.Failed {
			failed++
		}
	}
	var err error
	state := "disabled"
	if failed > 0 {
		state = "failed"
		err = check.Advise(fmt.Errorf("%s of settings could not be edited, so plugins stay on there", countOf(failed, "file")), "what to do is beside each, under left")
	}
	if o.json {
		return cmp.Or(a.printJSON(struct {
			Plugins []string        `json:"plugins"` // that were on
			State   string          `json:"state"`
			Changed []string        `json:"changed"`
			Removed []string        `json:"removed"` // settings that were not there before, and state
			Notes   []string        `json:"notes"`
			Left    []settings.Left `json:"left"`
		}{nonNil(done.IDs), state, nonNil(written), append(nonNil(removed), done.Removed...), nonNil(done.Notes), nonNil(done.Stays)}), err)
	}
	switch {
	case len(done.IDs) > 0 && failed == 0:
		a.say("disabled everywhere: %s", strings.Join(done.IDs, ", "))
	case len(done.IDs) > 0:
		a.say("disabled: %s", strings.Join(done.IDs, ", "))
	case failed == 0:
		a.say("no springfield plugin was on; springfield status shows every hook that is")
	}
	a.tellChange(done.Change)
	if len(done.Removed) > 0 {
		a.say("  removed springfield's own state in %s (decisions, holds, the history of loops, journal), and compiled hooks", a.places.StatePath())
	}
	if o.Purge {
		a.say("sessions that still run keep their hook until they end, and record their decisions: end them first, or run this again")
	} else if len(written)+len(removed) > 0 {
		a.say("springfield undo takes this back; springfield disable --all --purge removes every trace")
	}
	a.printLeft(done.Stays)
	return err
}

func (a *app) printLeft(all []settings.Left) {
	for i, left := range all {
		if i == 0 {
			a.say("\nleft")
		}
		a.resultPrinter().PrintItem("", left.What)
		a.say("    %s", left.Remove) // on a line of its own, to be copied
	}
}
