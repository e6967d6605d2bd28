package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/runtime/console"
)

func newResume(a *app) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Lift a hold",
		Long: `Lifts a hold, after a question that you answer at your terminal. It is refused where
there is no terminal, or where an agent is among the programs that have started this
command.`,
		Example: `  springfield resume
  springfield resume --session 4c1f`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				d.JSON = asJSON
				return d.LiftHold(session)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.Flags().StringVar(&session, "session", "", "the hold of this session, not the one for all; the beginning of its id is enough")
	requireOneOf(cmd, "session")
	return cmd
}
