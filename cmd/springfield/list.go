// What there is to choose from: every strategy with how it compares, and the
// plugins of them that are at hand, in the suite around the working directory
// or switched on in settings.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

type listOptions struct{ json bool }

func newList(a *app, runF func(context.Context, *app, listOptions) error) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the strategies, how they compare, and which plugins of them are here or switched on",
		Long: `List every strategy that springfield can make a plugin of, and how they compare: what a stop costs,
what skills have to change for it, how good it is, how much there is to understand, and what it needs.
Below, the plugins that are at hand: those of the suite around the current directory, and those that
settings switch on for a session that starts here. Changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runF(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runList(_ context.Context, a *app, o listOptions) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	inventory, err := places.Inventory()
	if err != nil {
		return err
	}
	var rows []row
	for _, name := range strategy.Names() {
		about, err := generator.ReadAbout(name)
		if err != nil {
			return err
		}
		rows = append(rows, row{name, about})
	}
	dir, suite, err := a.suiteHere()
	if err != nil {
		return err
	}
	plugins := atHand(dir, suite, inventory)
	if o.json {
		return a.encode(listOf(rows, dir, plugins))
	}
	for _, line := range table(rows) {
		a.say("%s", line)
	}
	a.say(`
  wrong   of the last messages that need a person, or report that all is done: wrongly continued
  caught  of the last messages in the middle of work: continued
  measured on English messages by authors who had not seen the rules, 40 %% of them hard on purpose
`)
	for _, r := range rows {
		a.item(r.name+": ", r.about.Summary)
	}
	if len(plugins) == 0 {
		a.say("\nnone of them is here or switched on; springfield init makes a suite")
		return nil
	}
	a.say("\nplugins")
	for _, p := range plugins {
		a.item(p.ID+": ", p.state())
	}
	return nil
}

// suiteHere is the suite around the working directory; the directory is "" if
// there is none.
func (a *app) suiteHere() (string, generator.Suite, error) {
	dir, err := generator.FindSuite(a.work)
	if errors.Is(err, generator.ErrNoSuite) {
		return "", generator.Suite{}, nil
	}
	if err != nil {
		return "", generator.Suite{}, err
	}
	suite, err := generator.ReadSuite(dir)
	return dir, suite, err
}

// row is a strategy in the table.
type row struct {
	name  string
	about generator.About
}

// table lays the comparison out; no line is wider than columns as long as names
// and words keep within what about.yaml says of them.
func table(rows []row) []string {
	cells := [][]string{{"strategy", "cost", "skill mods", "wrong", "caught", "complexity", "needs"}}
	for _, r := range rows {
		wrong, caught := "-", "-"
		if m := r.about.Measured; m != nil {
			wrong, caught = m.English.RunOver(), fmt.Sprintf("%d %%", m.English.Share())
		}
		cells = append(cells, []string{r.name, r.about.Cost, r.about.Changes, wrong, caught, r.about.Complexity, r.about.Needs})
	}
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for n, cell := range line {
			widths[n] = max(widths[n], utf8.RuneCountInString(cell))
		}
	}
	var lines []string
	for _, line := range cells {
		var b strings.Builder
		for n, cell := range line {
			fmt.Fprintf(&b, "%-*s  ", widths[n], cell)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// plugin is one that is at hand.
type plugin struct {
	ID, Strategy string

	Version string // in the suite, "" if it is not of this suite
	Known   bool   // some settings name it
	On      bool
	By      string // the settings that have the last word, "" if it loads on its own
	Decides bool   // its Stop hook runs
	Beside  bool   // its hook runs and decides nothing at Stop
	Loads   string // the version that Claude Code loads, "" if none
	Problem string // why it is on and does not run
}

// atHand lists the plugins of a suite, and our own that are switched on, in
// order of their IDs.
func atHand(dir string, suite generator.Suite, inventory installer.Inventory) []plugin {
	var all []plugin
	if dir != "" {
		for _, p := range suite.Plugins {
			all = append(all, plugin{ID: p.Name + "@" + suite.Marketplace, Strategy: p.Strategy, Version: p.Version})
		}
	}
	for _, s := range inventory.Plugins {
		n := slices.IndexFunc(all, func(p plugin) bool { return p.ID == s.ID })
		if n >= 0 && s.InPlace && !folder.Same(s.Dir, filepath.Join(dir, s.Name)) {
			n = -1 // that marketplace name means another directory
		}
		if n < 0 {
			if !s.On || !s.Ours() {
				continue
			}
			all, n = append(all, plugin{ID: s.ID, Strategy: s.Strategy}), len(all)
		}
		p := &all[n]
		p.Known, p.On, p.By, p.Loads = len(s.Says) > 0, s.On, s.Decides, s.Version
		same := func(d installer.Switched) bool { return d.ID == s.ID }
		p.Decides, p.Beside = slices.ContainsFunc(inventory.Drivers(), same), slices.ContainsFunc(inventory.Beside(), same)
		if s.On && !p.Decides && !p.Beside {
			p.Problem = s.Problem
			if s.Problem == "" {
				p.Problem = "its hook does not run"
			}
		}
	}
	slices.SortStableFunc(all, func(a, b plugin) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// state says in words how it is with a plugin.
func (p plugin) state() string {
	var says []string
	if name, _, _ := strings.Cut(p.ID, "@"); name != p.Strategy {
		says = append(says, "strategy "+p.Strategy)
	}
	if p.Version != "" {
		says = append(says, "version "+p.Version+" in this suite")
	}
	by := ""
	if p.By != "" {
		by = " in " + p.By + " settings"
	}
	switch {
	case p.On:
		says = append(says, "switched on"+by)
	case p.Known:
		says = append(says, "switched off"+by)
	default:
		says = append(says, "not switched on")
	}
	if p.On && p.Loads != "" && p.Loads != p.Version {
		says = append(says, "Claude Code loads version "+p.Loads)
	}
	switch {
	case p.Decides:
		says = append(says, "decides when Claude stops")
	case p.Beside:
		says = append(says, "runs beside what decides when Claude stops")
	case p.On:
		says = append(says, "but "+p.Problem)
	}
	return strings.Join(says, ", ")
}

// The JSON shape; docs/files.md describes it.

type (
	listShape struct {
		Strategies []strategyShape `json:"strategies"`
		Suite      string          `json:"suite,omitempty"` // directory
		Plugins    []atHandShape   `json:"plugins"`
	}
	strategyShape struct {
		Name       string              `json:"name"`
		Title      string              `json:"title"`
		Summary    string              `json:"summary"`
		Reads      string              `json:"reads"`
		When       string              `json:"when"`
		Cost       string              `json:"cost"`
		SkillMods  string              `json:"skillMods"`
		Accuracy   string              `json:"accuracy"`
		Measured   *generator.Measured `json:"measured,omitempty"`
		Complexity string              `json:"complexity"`
		Needs      string              `json:"needs"`
		Plugins    []string            `json:"plugins"` // IDs of those at hand
	}
	atHandShape struct {
		ID       string `json:"id"`
		Strategy string `json:"strategy"`
		Here     bool   `json:"here"` // of this suite
		Version  string `json:"version,omitempty"`
		On       bool   `json:"on"`
		By       string `json:"by,omitempty"` // the scope that has the last word
		Decides  bool   `json:"decides"`
		Beside   bool   `json:"beside"` // runs and decides nothing at Stop
		Loads    string `json:"loads,omitempty"`
		Problem  string `json:"problem,omitempty"`
	}
)

func listOf(rows []row, dir string, plugins []plugin) listShape {
	shape := listShape{Strategies: []strategyShape{}, Suite: dir, Plugins: []atHandShape{}}
	for _, p := range plugins {
		shape.Plugins = append(shape.Plugins, atHandShape{p.ID, p.Strategy, p.Version != "", p.Version, p.On, p.By, p.Decides, p.Beside, p.Loads, p.Problem})
	}
	for _, r := range rows {
		ids := []string{}
		for _, p := range plugins {
			if p.Strategy == r.name {
				ids = append(ids, p.ID)
			}
		}
		b := r.about
		shape.Strategies = append(shape.Strategies, strategyShape{
			r.name, b.Title, b.Summary, b.Reads, b.When, b.Cost, b.Changes, b.Accuracy(), b.Measured, b.Complexity, b.Needs, ids,
		})
	}
	return shape
}
