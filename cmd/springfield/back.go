package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/secret"
)

func newBack(a *app) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "back",
		Short: "End an away order and print its report",
		Long: `Ends the away orders of the current project, and prints a report on each, or
else on the latest order. Everything that needs you comes first; then, for each session, the
decisions made for you, refusals, failures, the check, the state and last words; then how to restore
your files.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.askState(cmd.Context(), a.work, func(d console.Console) error {
				p, err := a.absencePlaces(&d)
				if err != nil {
					return err
				}
				ended, failed := p.EndOrders(a.awayProject(), all)
				if failed != nil {
					failed = check.Advise(fmt.Errorf("write away order: it is in force still: %w", failed), "springfield hold lets every agent stop")
				}
				if order, found := p.NewestOrder(a.awayProject(), all); found && len(ended) == 0 {
					ended = append(ended, order)
				}
				switch newest := len(ended) - 1; {
				case newest < 0 && asJSON:
					return cmp.Or(failed, a.printJSON(nil))
				case newest < 0:
					a.say("no away order is on file for %s; springfield away 8h sets one", a.awayProject())
				case asJSON:
					for _, one := range ended[:newest] {
						a.talk("springfield: note: ended, too: %s", p.Summary(one).Describe(p.Now.UnixMilli()))
					}
					a.markLooked(p, ended[newest])
					return cmp.Or(failed, a.printJSON(a.reportOf(cmd.Context(), p, ended[newest])))
				}
				for _, one := range ended {
					a.showReport(cmd.Context(), p, one)
				}
				return failed
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all projects")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) showReport(ctx context.Context, p absence.Places, order ledger.AwayOrder) {
	a.reportOf(ctx, p, order).WriteText(a.resultPrinter())
	a.markLooked(p, order)
}

// markLooked marks a report as seen, unless an agent called.
func (a *app) markLooked(p absence.Places, order ledger.AwayOrder) {
	if a.caller == nil && order.Looked == 0 {
		if err := p.MarkLooked(order.ID); err != nil {
			a.talk("springfield: note: springfield will show this again: %v", err)
		}
	}
}

func (a *app) reportOf(ctx context.Context, p absence.Places, order ledger.AwayOrder) absence.Report {
	changed, note := a.changesSince(ctx, &order)
	stays := a.ownRule(order)
	if stays != "" {
		changed = slices.DeleteFunc(changed, func(c git.Changed) bool { return c.Path == ".claude/settings.local.json" })
	}
	r := p.Report(order, changed)
	if stays != "" {
		r.Notes = append(r.Notes, secret.Mask(stays)+" stays allowed in .claude/settings.local.json, as you agreed to for away: take it out there")
	}
	if note != "" {
		r.Notes = append(r.Notes, secret.Mask(note))
	}
	return r
}

// ownRule returns the rule for an order's check that the user allowed, if the settings have not changed since.
func (e *environment) ownRule(order ledger.AwayOrder) string {
	rule := away.RuleFor(order.Check)
	if rule == "" || order.Project == "" {
		return ""
	}
	places := e.placesFrom(order.Project)
	file, _ := filepath.EvalSymlinks(places.Settings(client.Local))
	now, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	entries, _ := settings.Journal(places).ReadEntries()
	for _, e := range entries {
		isLeft := func(edit journal.Edit) bool {
			return edit.At == file && edit.After != nil && edit.After.SHA256 == journal.HashBytes(now)
		}
		if e.Did == didAllow(rule) && e.At.UnixMilli() >= order.At && slices.ContainsFunc(e.Edits, isLeft) {
			return rule
		}
	}
	return ""
}

// changesSince compares the files with the order's snapshot. It clears order.Kept if the snapshot cannot be used.
func (a *app) changesSince(ctx context.Context, order *ledger.AwayOrder) (changed []git.Changed, note string) {
	if order.Kept == "" {
		return nil, "no snapshot of the files was kept"
	}
	defer a.showWorking("comparing the files with those of then")()
	kept, ref := order.Kept, git.Snapshots+order.ID
	order.Kept = ""
	if !activity.IsPlainID(order.ID) {
		return nil, "the order's name is none of springfield's"
	}
	repository, err := a.gitOfProcess().Repository(ctx, order.Project)
	switch {
	case err != nil:
		return nil, "the files cannot be compared: " + err.Error()
	case repository == nil:
		return nil, order.Project + " is in no git repository any more"
	case repository.CommitOf(ctx, ref) != kept:
		return nil, "the snapshot of the files is gone, or is another one: " + ref
	}
	if changed, err = repository.ChangesSince(ctx, kept); err != nil {
		return nil, "the files cannot be compared: " + err.Error()
	}
	order.Kept = kept
	head := repository.CommitOf(ctx, "HEAD")
	if then := repository.CommitOf(ctx, order.Head); then != "" && then != head {
		note = "HEAD was " + then[:12] + " when you left; git log -p " + then[:12] + ".. shows what was committed since"
	}
	return changed, note
}
