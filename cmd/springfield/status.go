package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/installer/client"
)

func newStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is in effect: which plugin decides, and every hook",
		Long: `Shows what a session that starts in the current directory will have: which springfield
plugin decides when Claude stops, by the settings of all scopes; every hook on Stop,
SubagentStop and UserPromptSubmit; and how they combine. Changes nothing.

springfield without a command shows the last decision and problems too, in short.`,
		Example: `  springfield status
  springfield status --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := a.inspect()
			if err != nil {
				return err
			}
			if asJSON {
				return a.encode(in.Status())
			}
			in.Status().WriteText(a.lines())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// inspect looks at what is in effect in the working directory.
func (a *app) inspect() (*inspection.Inspection, error) {
	places, err := a.places()
	if err != nil {
		return nil, err
	}
	return inspection.Inspect(a.inspection(places))
}

func (a *app) inspection(places client.Places) inspection.Request {
	return inspection.Request{Places: places, Client: a.claude(), Off: a.off, Now: time.Now()}
}
