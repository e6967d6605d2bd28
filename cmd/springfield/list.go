package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
)

func newList(a *app) *cobra.Command {
	return a.setUpShow(&cobra.Command{
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
