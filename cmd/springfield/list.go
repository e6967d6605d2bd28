package main

import (
	"github.com/spf13/cobra"
)

func newList(a *app) *cobra.Command {
	var asJSON bool
	var chosen []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the strategies, and the plugins that you have",
		Long: `Compares every strategy that springfield can make a plugin of: what a stop costs,
whether your skills have to change, how accurate it is, how complex, and what it
needs. Below are your plugins: those of the suite around the current directory and of
the suites that were made, and those that are on, here or in other agents. Changes
nothing.`,
		Example: `  springfield list
  springfield list --json`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runList(a, chosen, asJSON) },
		PreRunE: a.needPlaces,
	}
	hostFlag(cmd, &chosen, "on which other agents: codex, copilot, qwen, droid, gemini, or all that are found")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func runList(a *app, chosen []string, asJSON bool) error {
	in, err := a.inspectHosts(a.inspectionRequest(), chosen)
	if err != nil {
		return err
	}
	l, err := in.ListStrategies()
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(l)
	}
	l.WriteText(a.resultPrinter())
	return nil
}
