package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/console"
)

func newLog(a *app) *cobra.Command {
	var asked console.Asked
	var n int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List past decisions",
		Long: `Lists the decisions of the current project or, inside an agent's session, of
that session, the latest last: every stop, and the prompts to which a plugin added text. If one
plugin is listed for a stop, others that had nothing to decide are listed only with --json, so IDs
skip numbers.`,
		Example: `  springfield log -n 50
  springfield log --all`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n < 1 {
				return check.Misuse(errors.New("-n must be at least 1"), "omit it for the latest 20")
			}
			return a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				return d.ListDecisions(n, asked)
			})
		},
	}
	f := cmd.Flags()
	viewFlags(cmd, &asked)
	f.BoolVar(&asked.Prompts, "prompts", false, "list only prompts, including those without added text")
	f.IntVarP(&n, "number", "n", 20, "number of recent decisions to show")
	f.BoolVar(&asked.JSON, "json", false, "print one JSON object per line")
	return cmd
}
