package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

func newResume(a *app) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Lift a hold",
		Long: `resume asks at your terminal. It refuses without one, or if an agent started it, even
indirectly.`,
		Example: `  springfield resume --session 4c1f`,
		Args:    arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				d.JSON = asJSON
				if err := d.AskToLift(session); err != nil || asJSON || session != "" {
					return err
				}
				if rest, err := ledger.HoldsInForce(slices.Compact([]string{d.Dir, d.Also}), d.Now()); err != nil || len(rest) == 0 {
					return err
				}
				return d.ListHolds()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&session, "session", "", "lift only the hold of this session; the start of its ID is enough")
	allowOneOf(cmd, "session")
	return cmd
}
