package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

func newStatus(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is in effect: which plugin decides, every hook at a stop, how they combine",
		Long: `Show what is in effect for a session that starts in the current directory, from the settings of
all scopes and the plugins that they switch on: which springfield plugin decides when Claude stops,
every hook on Stop, SubagentStop and UserPromptSubmit, and how they combine. Changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := a.inspect()
			if err != nil {
				return err
			}
			if asJSON {
				return a.encode(in.Status())
			}
			a.sayStatus(in.Status())
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

func (a *app) inspection(places installer.Places) inspection.Request {
	return inspection.Request{Places: places, Client: a.claude(places), Off: a.off, Now: time.Now(),
		Apply: func(plan func() (installer.Plan, error)) (installer.Plan, error) { return apply(places, plan) }}
}

// sayStatus prints a status for people.
func (a *app) sayStatus(s inspection.Status) {
	a.sayDecision(s)
	if s.Judge.Questions > 0 {
		a.say("judges, today: %s", s.Judge.Spent)
	}
	for _, n := range s.Notes {
		a.item("note: ", n)
	}

	title := "\nswitched on, but not found to run"
	for _, p := range s.Plugins {
		if p.On && p.Problem != "" {
			a.sayOnce(&title)
			a.item(p.ID+": ", p.Problem)
		}
	}
	title = "\nsettings that Claude Code passes over"
	for _, l := range s.Settings {
		if l.Problem != "" {
			a.sayOnce(&title)
			a.say("  %s", l.File)
			a.item("  ", l.Problem)
		}
	}

	if len(s.Hooks) > 0 {
		a.say("\nhooks in effect")
		a.sayHooks(s.Hooks)
	} else {
		a.say("\nno hook runs at Stop, SubagentStop or UserPromptSubmit")
	}
	if len(s.Idle) > 0 {
		a.say("\nhooks that never run")
		a.sayHooks(s.Idle)
	}
	if title, rules := s.Combination(); title != "" {
		a.say("\n%s", title)
		for _, r := range rules {
			a.item("- ", r)
		}
	}
}

// sayOnce prints a title the first time.
func (a *app) sayOnce(title *string) {
	if *title != "" {
		a.say("%s", *title)
	}
	*title = ""
}

// sayDecision tells which plugin decides, or why none does.
func (a *app) sayDecision(s inspection.Status) {
	switch len(s.Deciding) {
	case 0:
		a.say("no springfield plugin decides when Claude stops")
	case 1:
		a.say("%s decides when Claude stops", s.Deciding[0])
	default:
		a.say("%d springfield plugins decide when Claude stops", len(s.Deciding))
	}
	for _, r := range s.Reasons {
		a.item("", r)
	}
	for _, p := range s.Plugins {
		if slices.Contains(s.Deciding, p.ID) {
			a.sayDriver(p, len(s.Deciding) > 1)
		}
	}
	for _, p := range s.Plugins {
		if slices.Contains(s.Beside, p.ID) {
			a.say("%s runs too, and decides nothing at a stop", p.ID)
			a.sayDriver(p, false)
		}
	}
}

func (a *app) sayDriver(p inspection.Plugin, named bool) {
	indent := "  "
	if named {
		a.say("  %s", p.ID)
		indent = "    "
	}
	place := "runs where it lies"
	if p.Place != "marketplace" {
		place = "a copy from " + p.Source
	}
	by := p.Decides + " settings" + p.Over()
	if p.Decides == "" {
		by = "itself, as every plugin that lies there"
	}
	for _, line := range layout.Table([][]string{
		{"strategy", p.Strategy},
		{"version", firstOf(p.Version, "unknown") + ", " + place},
		{"in", display.Line(p.Dir)},
		{"on by", by},
	}) {
		a.say("%s%s", indent, line)
	}
}

// sayHooks prints two lines or three for each hook, as commands are long.
func (a *app) sayHooks(hooks []inspection.Hook) {
	events := installer.Events()
	hooks = slices.SortedStableFunc(slices.Values(hooks), func(a, b inspection.Hook) int {
		return slices.Index(events, a.Event) - slices.Index(events, b.Event)
	})
	var rows [][]string
	indent := 0
	for _, h := range hooks {
		rows = append(rows, []string{h.Event, h.Source, fmt.Sprintf("timeout %s s", strconv.FormatFloat(h.Timeout, 'g', -1, 64))})
		indent = max(indent, len(h.Event)+4)
	}
	for i, line := range layout.Table(rows) {
		a.say("  %s", line)
		h := hooks[i]
		does := h.Does
		if h.Type != "command" {
			does = h.Type + ": " + does
		}
		below := []string{layout.Clip(does, columns-indent)}
		if h.Matcher != "" {
			below = append(below, "for subagents "+h.Matcher)
		}
		if h.Async {
			below = append(below, "in the background: what it answers is not heard")
		}
		if h.Never != "" {
			below = append(below, h.Never)
		}
		for _, line := range below {
			a.say("%s%s", strings.Repeat(" ", indent), line)
		}
	}
}
