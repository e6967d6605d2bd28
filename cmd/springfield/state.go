package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/runtime/command"
)

// The workflow state. The hook binary answers the same word, so all that is
// done lies in runtime/command.

func newState(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Show or set the workflow state, which marge-simpson reads",
		Long: `The workflow state is .claude/workflow-state.json: how many tasks there are, how many
are done, whether Claude waits for you. marge-simpson makes Claude go on while tasks
remain. The file is in the current directory, or above it up to the top of the
repository.`,
		Example: `  springfield state show
  springfield state set tasks_total=5`,
		Args: arguments(0, 0, "show or set"),
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newStateShow(a), newStateSet(a))
	return cmd
}

func newStateShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the workflow state, and what marge-simpson would decide",
		Example: `  springfield state show
  springfield state show --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(d command.Console) error { return d.StateShow(asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func newStateSet(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "set KEY=VALUE...",
		Short: "Set fields of the workflow state",
		Long: `The fields are skill, phase, tasks_total, tasks_completed, waiting_for_user and next.
Other members of the file stay, and updated_at is set automatically. Set by Claude,
the state is about Claude's session; set by you, about any.`,
		Example: `  springfield state set skill=executing-plans tasks_total=5
  springfield state set tasks_completed=2 next="write the docs"`,
		Args: arguments(1, 6, "at least one field, like tasks_completed=2"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ask(cmd.Context(), func(d command.Console) error { return d.StateSet(args, asJSON) })
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, field := range command.StateFields() {
				all = append(all, field+"=")
			}
			return all, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the new state as JSON")
	return cmd
}
