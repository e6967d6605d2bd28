package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type updateOptions struct {
	all    bool
	dryRun bool
	json   bool
}

func newUpdate(a *app) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update [DIR | --all]",
		Short: "Update a suite, keeping your edits",
		Long: `Regenerates the files and hooks of a suite from ` + generator.SuiteFile + `. DIR defaults
to the suite around the current directory.

  files you did not change      are updated
  files you changed             stay; the new version goes to FILE` + generator.BesideSuffix + `
  files you deleted             stay deleted
  files you added               stay unchanged

Copy the lines that you want from FILE` + generator.BesideSuffix + `, then delete it. --all skips and names a suite that
cannot be updated. springfield undo reverts one suite at a time.`,
		Example: `  springfield update --dry-run
  springfield update ~/hooks
  springfield update --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all && len(args) > 0 {
				return check.Misuse(errors.New("--all updates every suite"), "omit DIR, or omit --all")
			}
			return arguments(0, 1, "at most one directory")(cmd, args)
		},
		RunE:    func(cmd *cobra.Command, args []string) error { return runUpdate(cmd.Context(), a, cmp.Or(args...), o) },
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "update every suite made on this machine")
	f.BoolVar(&o.dryRun, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runUpdate(ctx context.Context, a *app, typed string, o updateOptions) error {
	if o.all {
		return a.updateAll(ctx, o)
	}
	dir, suite, err := a.suiteIn(typed)
	if advised := (*check.Advised)(nil); typed == "" && errors.As(err, &advised) {
		err = check.Advise(err, "run springfield update --all to update all your suites; or "+advised.Advice)
	}
	if err != nil {
		return err
	}
	return a.updateOne(ctx, o, dir, suite.Spec)
}

func (a *app) updateOne(ctx context.Context, o updateOptions, dir string, spec generator.Spec) error {
	u := a.updateSuite(ctx, o, dir, spec)
	if u.err != nil {
		return u.err
	}
	if o.json {
		return a.printJSON(u.forJSON())
	}
	a.listUpdate(o, u)
	a.adviseBump(u.published)
	return nil
}

func (a *app) updateAll(ctx context.Context, o updateOptions) error {
	dirs, gone, err := settings.KnownSuites(a.places)
	if err != nil {
		return a.hintChange(err, "update --all")
	}
	var all []updated
	var failed []string
	for _, dir := range dirs {
		if slices.ContainsFunc(all, func(u updated) bool { return rooted.SameFile(u.Suite, dir) }) {
			continue // the same under another name
		}
		suite, err := generator.ReadSuite(dir)
		u := updated{Suite: dir, Outcome: "failed", err: err}
		switch {
		case errors.Is(err, generator.ErrNoSuite):
			u.Outcome = "gone"
		case err == nil:
			if u = a.updateSuite(ctx, o, dir, suite.Spec); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if u.Outcome == "failed" {
			failed = append(failed, dir)
		}
		all = append(all, u)
	}
	for _, dir := range gone {
		all = append(all, updated{Suite: dir, Outcome: "gone"})
	}
	if o.json {
		for i := range all {
			all[i] = all[i].forJSON()
		}
		err = a.printJSON(struct {
			Suites []updated `json:"suites"`
		}{nonNil(all)})
	} else {
		a.listAll(o, all)
	}
	if err == nil && len(failed) > 0 {
		err = check.Advise(fmt.Errorf("%s could not be updated: %s", countOf(len(failed), "suite"), strings.Join(failed, ", ")), "see the reason for each above")
	}
	return err
}

func (a *app) listAll(o updateOptions, all []updated) {
	published := false
	for _, u := range all {
		switch u.Outcome {
		case "gone":
			a.talk("springfield: note: there is no longer a suite in %s", u.Suite)
		case "failed":
			a.printError("springfield: not updated: ", fmt.Errorf("%s: %w", u.Suite, u.err), hintOf(u.err))
		default:
			a.listUpdate(o, u)
			published = published || u.published
		}
	}
	if len(all) == 0 {
		a.say("nothing to do: no suite has been made on this machine")
		a.printNextStep()
	}
	a.adviseBump(published)
}

type updated struct {
	Suite   string              `json:"suite"`
	Outcome string              `json:"outcome"` // updated, unchanged, planned, failed or gone
	Files   []generator.Outcome `json:"files"`
	Diff    string              `json:"diff,omitempty"`
	Error   string              `json:"error,omitempty"`
	Hint    string              `json:"hint,omitempty"`

	plan      generator.Plan
	err       error
	published bool // the files to change might already be installed elsewhere
}

func (u updated) forJSON() updated {
	u.Files = nonNil(u.plan.Outcomes)
	if u.Outcome == "planned" {
		u.Diff = u.plan.Diff()
	}
	if u.err != nil {
		u.Error, u.Hint = u.err.Error(), hintOf(u.err)
	}
	return u
}

// updateSuite updates the suite in dir to spec, or only plans that with o.dryRun. The result's err has any error.
func (a *app) updateSuite(ctx context.Context, o updateOptions, dir string, spec generator.Spec) updated {
	u := updated{Suite: dir, Outcome: "failed"}
	files, _, err := a.toolchain().MakeSuite(ctx, spec)
	if u.err = err; err != nil {
		return u
	}
	makePlan := func() (c journal.Change, err error) {
		u.plan, err = generator.MakePlan(dir, generator.Updating, files)
		return u.plan.Change, err
	}
	if o.dryRun {
		_, err = makePlan()
	} else {
		_, err = settings.Journal(a.places).PlanAndApply(makePlan)
	}
	switch {
	case err != nil:
		u.err = a.hintChange(err, "update")
	case u.plan.IsEmpty():
		u.Outcome = "unchanged"
	case o.dryRun:
		u.Outcome = "planned"
	default:
		u.Outcome = "updated"
	}
	u.published = err == nil && spec.Publish != nil && slices.ContainsFunc(u.plan.Outcomes, func(o generator.Outcome) bool { return o.Writes != "" })
	return u
}

func outcomeInWords(o generator.Outcome) string {
	switch o.State {
	case generator.Followed:
		return "updated"
	case generator.Kept:
		if o.Writes != "" {
			return "your version is kept; the new one is " + filepath.Base(o.Writes)
		}
		return "your version is kept, and so is your " + filepath.Base(o.Path) + generator.BesideSuffix + "; rename that and update again to get the new version"
	case generator.Deleted:
		return "stays deleted, as you left it"
	case generator.Orphaned:
		return "kept with your edits; springfield no longer makes this file"
	}
	return string(o.State)
}

// listUpdate prints an update. u.Outcome must be updated, unchanged or planned.
func (s *streams) listUpdate(o updateOptions, u updated) {
	list := s.notePrinter()
	switch {
	case u.Outcome == "unchanged" && len(u.plan.Paths(generator.Kept)) > 0:
		s.say("nothing to write in %s: your edits are kept, and the new versions are beside them", u.Suite)
	case u.Outcome == "unchanged" && o.dryRun: // the diff is empty
		s.talk("nothing to do: %s is up to date", u.Suite)
	case u.Outcome == "unchanged":
		s.say("nothing to do: %s is up to date", u.Suite)
	case o.dryRun && o.all: // with whole paths
		s.resultPrinter().PrintDiff(u.plan.Change.Diff())
	case o.dryRun:
		s.resultPrinter().PrintDiff(u.plan.Diff())
	default:
		list = s.resultPrinter()
		if len(u.plan.Outcomes) == 0 {
			s.say("updated %s: no file changed, only springfield's record of the suite", u.Suite)
		} else {
			s.say("updated %s", u.Suite)
		}
	}
	var rows [][]string
	for _, c := range u.plan.Outcomes {
		rows = append(rows, []string{filepath.FromSlash(c.Path), outcomeInWords(c)})
	}
	list.PrintTable("  ", rows)
}
