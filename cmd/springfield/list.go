package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/internal/layout"
)

func newList(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the strategies, how they compare, and which plugins of them are here or switched on",
		Long: `List every strategy that springfield can make a plugin of, and how they compare: what a stop costs,
what skills have to change for it, how good it is, how much there is to understand, and what it needs.
Below, the plugins that are at hand: those of the suite around the current directory, and those that
settings switch on for a session that starts here. Changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runList(a, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func runList(a *app, asJSON bool) error {
	in, err := a.inspect()
	if err != nil {
		return err
	}
	l, err := in.List()
	if err != nil {
		return err
	}
	if asJSON {
		return a.encode(l)
	}
	for _, line := range layout.Table(compared(l.Strategies)) {
		a.say("%s", line)
	}
	a.say(`
  wrong   of the last messages that need a person, or report that all is done: wrongly continued
  caught  of the last messages in the middle of work: continued
  measured on English messages by authors who had not seen the rules, 40 %% of them hard on purpose
`)
	for _, s := range l.Strategies {
		a.item(s.Name+": ", s.Summary)
	}
	if len(l.Plugins) == 0 {
		a.say("\nnone of them is here or switched on; springfield init makes a suite")
		return nil
	}
	a.say("\nplugins")
	for _, p := range l.Plugins {
		a.item(p.ID+": ", p.State())
	}
	return nil
}

// compared is a row for each strategy, below a head. No line of it is wider than
// columns as long as names and words keep within what about.yaml says of them.
func compared(all []inspection.Strategy) [][]string {
	rows := [][]string{{"strategy", "cost", "skill mods", "wrong", "caught", "complexity", "needs"}}
	for _, s := range all {
		wrong, caught := "-", "-"
		if m := s.Measured; m != nil {
			wrong, caught = m.English.RunOver(), fmt.Sprintf("%d %%", m.English.Share())
		}
		rows = append(rows, []string{s.Name, s.Cost, s.SkillMods, wrong, caught, s.Complexity, s.Needs})
	}
	return rows
}
