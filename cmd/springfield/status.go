package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
)

func newStatus(a *app) *cobra.Command {
	return a.setUpShow(&cobra.Command{
		Use:   "status",
		Short: "Show which plugin decides, and every hook",
		Long: `Shows the setup of a session in the current directory: the plugin that decides
when Claude stops, according to the settings of all scopes; every hook on Stop, SubagentStop and
UserPromptSubmit; and their combined effect. For other agents, shows their plugins and hooks.

springfield without a command prints a summary, with the last decision and any problems.`,
	}, a.showStatus)
}

func (a *app) showStatus(in *doctor.Inspection, asJSON bool) error {
	status := in.SumUpStatus()
	switch {
	case asJSON && !in.Claude:
		return a.printJSON(struct {
			Notes []string       `json:"notes"`
			Hosts []doctor.Agent `json:"hosts"`
		}{append(nonNil(in.HoldsAndAwayInWords()), in.OldSuitesInWords()...), in.Others})
	case asJSON:
		return a.printJSON(struct {
			doctor.Status
			Hosts []doctor.Agent `json:"hosts,omitempty"`
		}{status, in.Others})
	}
	if in.Claude {
		status.WriteText(a.resultPrinter())
	}
	for i, agent := range in.Others {
		if i > 0 || in.Claude {
			a.say("")
		}
		agent.WriteText(a.resultPrinter())
	}
	switch {
	case !in.Claude:
		for _, note := range append(in.HoldsAndAwayInWords(), in.OldSuitesInWords()...) {
			a.resultPrinter().PrintItem("note: ", note)
		}
	case status.Next != "":
		a.resultPrinter().PrintNext("%s", status.Next)
	}
	return nil
}
