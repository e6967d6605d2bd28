package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
)

type disableOptions struct {
	plugin string
	scope  string
	suite  string
	purge  bool
	dryRun bool
	json   bool
}

func newDisable(a *app, runF func(context.Context, *app, disableOptions) error) *cobra.Command {
	var o disableOptions
	cmd := &cobra.Command{
		Use:   "disable PLUGIN[@MARKETPLACE]",
		Short: "Put settings.json back as it was before enable",
		Long: `Put back what enable has changed. If nobody else has edited the file since, it becomes byte
for byte what it was. Otherwise every member that is still as springfield set it gets its
old value, and what somebody has changed since is left alone and named.

Claude Code keeps knowing the marketplace, and keeps what it has fetched from there; with --purge
the claude command forgets both, unless something else of the marketplace is in use.`,
		Example: `  springfield disable ned-flanders
  springfield disable ned-flanders --scope local    # off for you, in a project that has it on`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin = args[0]
			return runF(cmd.Context(), a, o)
		},
	}
	a.settingsFlags(cmd, &o.scope, &o.suite, &o.dryRun, &o.json)
	cmd.Flags().BoolVar(&o.purge, "purge", false, "have Claude Code forget the plugin and its marketplace too")
	return cmd
}

func runDisable(ctx context.Context, a *app, o disableOptions) error {
	scope, err := parseScope(o.scope)
	if err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	plugin, err := a.findEnabled(places, o, scope)
	var several *severalError
	if errors.As(err, &several) && !o.purge { // whichever is meant: it is off
		if o.dryRun {
			return a.preview(o.json, installer.Plan{})
		}
		return a.reportEdit(o.json, edited{Plugin: o.plugin, Scope: scope, State: "disabled"}, installer.Plan{})
	}
	if err != nil {
		return hintSettings(err)
	}
	client := a.claude(places)
	if o.purge && client.Command == "" {
		return &hinted{errors.New("there is no claude command, and only that can make Claude Code forget a plugin"), "nothing was changed; springfield disable " + plugin.ID() + " puts the settings back"}
	}
	makePlan := func() (installer.Plan, error) { return installer.PlanDisable(places, plugin, scope) }
	if o.dryRun {
		plan, err := makePlan()
		if err != nil {
			return hintSettings(err)
		}
		if err := a.preview(o.json, plan); err != nil {
			return err
		}
		if o.purge {
			why, err := installer.InUse(places, plugin, scope)
			switch {
			case err != nil:
				return err
			case why != "":
				a.talk("and would leave it installed: %s", why)
			default:
				a.talk("and would have the claude command forget %s, away from your settings", plugin.ID())
			}
		}
		return nil
	}
	plan, err := apply(places, makePlan)
	if err != nil {
		return hintSettings(err)
	}
	if o.purge {
		notes, err := client.Purge(ctx, places, plugin)
		if err != nil && ctx.Err() != nil {
			a.talk("%s is disabled in %s settings; Claude Code may still know it", plugin.ID(), scope)
			return ctx.Err()
		}
		if err != nil {
			return &hinted{fmt.Errorf("%s is disabled in %s settings, but: %w", plugin.ID(), scope, err), "call it again, or in Claude Code: /plugin"}
		}
		plan.Notes = append(plan.Notes, notes...)
	}
	return a.reportEdit(o.json, edited{Plugin: plugin.ID(), Scope: scope, State: "disabled"}, plan)
}

// findEnabled turns a name into a plugin. What settings switch on, those of the
// scope first, needs no suite: it may have moved away, or be somebody else's.
func (a *app) findEnabled(places installer.Places, o disableOptions, scope installer.Scope) (installer.Plugin, error) {
	if name, marketplace, ok := strings.Cut(o.plugin, "@"); ok {
		return installer.Plugin{Name: name, Marketplace: marketplace}, nil
	}
	if o.suite != "" {
		return a.findPlugin(places, o.plugin, o.suite)
	}
	for _, s := range append([]installer.Scope{scope}, installer.Scopes()...) {
		on, err := installer.EnabledAs(places, o.plugin, s)
		switch {
		case err != nil && s == scope:
			return installer.Plugin{}, err
		case len(on) == 1:
			return on[0], nil
		case len(on) > 1:
			return installer.Plugin{}, &usageError{
				fmt.Errorf("%s is enabled twice: %s and %s", o.plugin, on[0].ID(), on[1].ID()), "say which: springfield disable " + on[0].ID(),
			}
		}
	}
	for _, r := range installer.SwitchedOnByUs(places) { // its entry has gone by other means
		if name, marketplace, _ := strings.Cut(r.ID, "@"); name == o.plugin {
			return installer.Plugin{Name: name, Marketplace: marketplace}, nil
		}
	}
	return a.findPlugin(places, o.plugin, o.suite)
}
