package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
)

func newList(a *app) *cobra.Command {
	return a.showing(&cobra.Command{
		Use:   "list",
		Short: "List strategies and your plugins",
		Long: `Compares the strategies: the cost of a stop, accuracy and requirements. Then lists
your plugins: those in suites that were made on this machine or contain the current directory, and
those enabled in any agent.`,
	}, func(in *doctor.Inspection, asJSON bool) error {
		l, err := in.ListStrategies()
		if err != nil {
			return err
		}
		if asJSON {
			return a.printJSON(l)
		}
		l.WriteText(a.resultPrinter())
		return nil
	})
}

// showing adds --host and --json to cmd. cmd calls show with an inspection of the chosen hosts.
func (a *app) showing(cmd *cobra.Command, show func(in *doctor.Inspection, asJSON bool) error) *cobra.Command {
	var asJSON bool
	var chosen []string
	cmd.Args, cmd.PreRunE = arguments(0, 0, "no arguments"), a.needPlaces
	cmd.RunE = func(*cobra.Command, []string) error {
		named, err := hostsNamed(a.hostOwner(), chosen)
		if err != nil {
			return err
		}
		return show(doctor.InspectHosts(a.inspectionRequest(), named), asJSON)
	}
	hostFlag(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
