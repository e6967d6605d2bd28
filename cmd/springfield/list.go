package main

import (
	"github.com/spf13/cobra"
)

func newList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the strategies, how they compare, and which plugins of them are here or switched on",
		Long: `List every strategy that springfield can make a plugin of, and how they compare: what a stop costs,
what skills have to change for it, how good it is, how much there is to understand, and what it needs.
Below, the plugins that are at hand: those of the suite around the current directory, and those that
settings switch on for a session that starts here. Changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runList(a, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func runList(a *app, asJSON bool) error {
	in, err := a.inspect()
	if err != nil {
		return err
	}
	l, err := in.List()
	if err != nil {
		return err
	}
	if asJSON {
		return a.encode(l)
	}
	l.WriteText(a.lines())
	return nil
}
