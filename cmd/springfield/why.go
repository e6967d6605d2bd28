package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/runtime/console"
)

func newWhy(a *app) *cobra.Command {
	var asked console.Asked
	cmd := &cobra.Command{
		Use:   "why [ID|last]",
		Short: "Explain why the agent continued or stopped",
		Long: `Explains one decision with its rule, evidence and limits. springfield log
lists the IDs. The default is the last decision of the current project or, inside an agent's
session, of that session.`,
		Example: `  springfield why
  springfield why last --prompts
  springfield why --all`,
		Args: arguments(0, 1, "at most one decision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				return d.ExplainOrSayNone(cmp.Or(args...), asked)
			})
			if err != nil || asked.JSON {
				return err
			}
			// A hook that cannot decide cannot report itself.
			for _, says := range doctor.BrokenHooks(client.NewSnapshot(a.places).SwitchedPlugins()) {
				a.talk("springfield: note: %s; run springfield doctor to see the fix", says)
			}
			return nil
		},
	}
	f := cmd.Flags()
	viewFlags(cmd, &asked)
	f.BoolVar(&asked.Prompts, "prompts", false, "explain the text that a plugin added to the last prompt, or why none was added")
	f.BoolVar(&asked.JSON, "json", false, "print JSON")
	return cmd
}
