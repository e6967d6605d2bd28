package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer"
)

type disableOptions struct {
	plugin string
	scope  string
	suite  string
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
old value, and what somebody has changed since is left alone and named.`,
		Args: arguments(1, 1, "one plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin = args[0]
			return runF(cmd.Context(), a, o)
		},
	}
	a.settingsFlags(cmd, &o.scope, &o.suite, &o.dryRun, &o.json)
	return cmd
}

func runDisable(_ context.Context, a *app, o disableOptions) error {
	scope, err := parseScope(o.scope)
	if err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	plugin, err := a.findEnabled(places, o, scope)
	if err != nil {
		return hintSettings(err)
	}
	makePlan := func() (installer.Plan, error) { return installer.PlanDisable(places, plugin, scope) }
	if o.dryRun {
		plan, err := makePlan()
		if err != nil {
			return hintSettings(err)
		}
		return a.preview(o.json, plan)
	}
	plan, err := apply(places, makePlan)
	if err != nil {
		return hintSettings(err)
	}
	return a.reportEdit(o.json, edited{Plugin: plugin.ID(), Scope: scope, State: "disabled"}, plan)
}

// findEnabled turns a name into a plugin. What the scope's settings switch on
// needs no suite: it may have moved away, or be somebody else's.
func (a *app) findEnabled(places installer.Places, o disableOptions, scope installer.Scope) (installer.Plugin, error) {
	if name, marketplace, ok := strings.Cut(o.plugin, "@"); ok {
		return installer.Plugin{Name: name, Marketplace: marketplace}, nil
	}
	if o.suite == "" {
		on, err := installer.EnabledAs(places, o.plugin, scope)
		switch {
		case err != nil:
			return installer.Plugin{}, err
		case len(on) == 1:
			return on[0], nil
		case len(on) > 1:
			return installer.Plugin{}, &usageError{
				fmt.Errorf("%s is enabled twice: %s and %s", o.plugin, on[0].ID(), on[1].ID()), "say which: springfield disable " + on[0].ID(),
			}
		}
	}
	return a.findPlugin(places, o.plugin, o.suite)
}
