package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/secret"
)

type backOptions struct{ all, json, clean, dryRun bool }

func newBack(a *app) *cobra.Command {
	var o backOptions
	cmd := &cobra.Command{
		Use:   "back",
		Short: "End an away order and print its report",
		Long: `Ends the away orders of the current project and prints a report on each; if
none is in force, prints the report on the latest. Everything that needs you comes first; then, for
each session, the decisions made for you, refusals, failures, the check, the state and the last
words; then how to restore your files.

--clean shows and removes the rule, the setting and the snapshot that springfield away added.`,
		Example: `  springfield back
  springfield back --clean --dry-run`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.clean && o.json:
				return check.Misuse(errors.New("--clean and --json cannot be used together"), "run springfield back --json, then springfield back --clean")
			case o.dryRun && !o.clean:
				return check.Misuse(errors.New("--dry-run needs --clean"), "springfield back --clean --dry-run")
			}
			return a.useAndSweep(cmd.Context(), a.work, func(d console.Console) error {
				p, err := a.absencePlaces(&d)
				if err != nil {
					return err
				}
				return a.runBack(cmd.Context(), p, o)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "all projects")
	f.BoolVar(&o.clean, "clean", false, "remove everything that springfield away added")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --clean: show the changes, make none")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (a *app) runBack(ctx context.Context, p absence.Places, o backOptions) error {
	var ended []ledger.AwayOrder
	var failed error
	if !o.dryRun {
		ended, failed = p.EndOrders(a.projectHere(), o.all)
	}
	if failed != nil {
		failed = check.Advise(fmt.Errorf("end away order: it is still in force: %w", failed), "run springfield hold to let every agent stop")
	}
	if order, found := p.NewestOrder(a.projectHere(), o.all); found && len(ended) == 0 {
		ended = append(ended, order)
	}
	switch newest := len(ended) - 1; {
	case newest < 0 && o.json:
		return cmp.Or(failed, a.printJSON(nil))
	case newest < 0:
		a.say("no away order is recorded for %s; run springfield away 8h to set one", a.projectHere())
	case o.json:
		for _, one := range ended[:newest] {
			a.talk("springfield: note: also ended: %s", p.MaskOrder(one).Describe(p.Now.UnixMilli()))
		}
		a.markLooked(p, ended[newest])
		return cmp.Or(failed, a.printJSON(a.reportOf(ctx, p, ended[newest])))
	}
	reports := map[string]absence.Report{}
	for _, one := range ended {
		if !o.dryRun {
			reports[one.ID] = a.reportOf(ctx, p, one)
		}
	}
	needs := func(o ledger.AwayOrder) int { return min(1, len(reports[o.ID].Questions)+len(reports[o.ID].Waiting)) }
	slices.SortStableFunc(ended, func(x, y ledger.AwayOrder) int { return needs(y) - needs(x) }) // those that need the user come first
	for n, one := range ended {
		if !o.dryRun && (!o.clean || one.Looked == 0) {
			if n > 0 {
				a.say("")
			}
			reports[one.ID].WriteText(a.resultPrinter())
			a.markLooked(p, one)
		}
	}
	if o.clean && failed == nil && len(ended) > 0 {
		return a.cleanAfterAway(ctx, p.RecordedOrders(a.projectHere(), o.all), o.dryRun)
	}
	return failed
}

// markLooked marks the order's report as seen, unless an agent runs this.
func (a *app) markLooked(p absence.Places, order ledger.AwayOrder) {
	if a.caller == nil && order.Looked == 0 {
		if err := p.MarkLooked(order.ID); err != nil {
			a.talk("springfield: note: this report will be shown again: %v", err)
		}
	}
}

func (a *app) reportOf(ctx context.Context, p absence.Places, order ledger.AwayOrder) absence.Report {
	changed, note := a.changesSince(ctx, &order)
	places := a.placesFrom(cmp.Or(order.Project, a.work))
	var stays []string
	for _, m := range a.newestEditsLike(order, places) {
		c, unchanged, err := m.planRemoval(places)
		if err != nil || c.IsEmpty() || m.made.At.UnixMilli() < order.At {
			continue
		}
		stays = append(stays, m.stays+", as you agreed when you left: run springfield back --clean to remove it")
		if unchanged && m.Scope == client.Local {
			changed = slices.DeleteFunc(changed, func(c git.Changed) bool { return c.Path == ".claude/settings.local.json" })
		}
	}
	r := p.Report(order, changed)
	r.Notes = append(r.Notes, stays...)
	if note != "" {
		r.Notes = append(r.Notes, secret.Mask(note))
	}
	return r
}
