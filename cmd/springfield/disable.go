package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/activation"
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
		Short: "Switch a plugin off, and put settings.json back",
		Long: `If settings.json has not been edited since enable, it becomes byte for byte what it
was. Otherwise every entry that is still as springfield set it gets its old value,
and what has been changed since stays and is named.

Claude Code still knows the marketplace, and keeps what it has fetched from there.
--purge makes it forget both, unless something else of the marketplace is in use.`,
		Example: `  springfield disable ned-flanders
  springfield disable ned-flanders --purge
  springfield disable ned-flanders --scope local`,
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
	done, err := activation.Disable(ctx, a.means(places), activation.Disabling{
		Plugin: o.plugin, Suite: o.suite, Scope: scope, Purge: o.purge, DryRun: o.dryRun,
	})
	if err != nil {
		return hintSettings(err, "disable")
	}
	if o.dryRun {
		if err := a.preview(o.json, done.Change); err != nil {
			return err
		}
		if done.Todo != "" {
			a.talk("and would %s", done.Todo)
		}
		return nil
	}
	return a.reportEdit(o.json, edited{Plugin: done.ID, Scope: scope, State: "disabled"}, done.Change)
}
