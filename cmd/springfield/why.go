package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/runtime/console"
)

func newWhy(a *app) *cobra.Command {
	var asked console.Asked
	cmd := &cobra.Command{
		Use:   "why [ID|last]",
		Short: "Tell why the agent went on or stopped",
		Long: `Explains one decision, with the rule, the evidence and the budget: the one with this
ID, which springfield log shows, or the last one of the project in the current
directory. In a session of an agent it is the last one of that session. With --prompts
it is what a plugin like todo-continuation said before a prompt, or why it said nothing.`,
		Example: `  springfield why
  springfield why last --prompts
  springfield why --all`,
		Args: arguments(0, 1, "at most one decision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := a.askState(cmd.Context(), a.work, func(d console.Console) error { return d.ExplainDecision(onlyOne(args), asked) })
			if err == nil && !asked.JSON {
				a.noteHooks()
			}
			return err
		},
	}
	f := cmd.Flags()
	viewFlags(cmd, &asked)
	f.BoolVar(&asked.Prompts, "prompts", false, "the last prompt, not the last stop")
	f.BoolVar(&asked.JSON, "json", false, "print the decision as JSON")
	return cmd
}

// noteHooks reports enabled hooks that cannot decide, since these cannot report themselves.
func (a *app) noteHooks() {
	if a.findPlaces() != nil {
		return // status reports it
	}
	for _, says := range doctor.BrokenHooks(client.NewSnapshot(a.places).AllPlugins()) {
		a.talk("springfield: note: %s; springfield doctor tells what to do", says)
	}
}
