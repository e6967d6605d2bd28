package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/console"
)

func newHold(a *app) *cobra.Command {
	var session string
	var asJSON, listed bool
	cmd := &cobra.Command{
		Use: "hold [DURATION]", SuggestFor: []string{"stop", "pause"},
		Short: "Let every agent stop, even if work remains",
		Long: `A hold lasts for a time such as 30m, 1h30m or "2 hours", or until you run
springfield resume. No rule, limit or model overrides it. Anyone, even an agent, can set one; only
you can lift it, at your own terminal. A hold set elsewhere without a duration ends after 12 hours,
or with an away order that ends later.`,
		Example: `  springfield hold 30m
  springfield hold --list`,
		Args: arguments(0, 4, "at most one duration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			duration, err := console.ParseHoldDuration(strings.Join(args, " "))
			switch {
			case err != nil:
				return check.Misuse(err, console.AdviceOn(err))
			case listed && len(args) > 0:
				return check.Misuse(errors.New("--list takes no duration"),
					"run springfield hold --list to see the holds in force")
			}
			return a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				d.JSON = asJSON
				if listed {
					return d.ListHolds()
				}
				return d.HoldSessions(session, duration)
			})
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "only this session; the start of its ID is enough")
	cmd.Flags().BoolVar(&listed, "list", false, "list the holds in force")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	allowOneOf(cmd, "session", "list")
	return cmd
}
