package main

import (
	"github.com/spf13/cobra"
)

func newList(a *app) *cobra.Command {
	var asJSON bool
	var chosen []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List strategies and your plugins",
		Long: `Compares the strategies: the cost of a stop, changes to your skills, accuracy,
complexity and requirements. Then lists your plugins: those of the suites that were made here or
contain the current directory, and those enabled in any agent.`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runList(a, chosen, asJSON) },
		PreRunE: a.needPlaces,
	}
	hostFlag(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
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
