package main

import (
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
	dir    string // "": the suite around the working directory
	all    bool   // every suite that was made
	dryRun bool
	json   bool
}

func newUpdate(a *app) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update [DIR | --all]",
		Short: "Bring a suite up to date with this springfield, and keep your edits",
		Long: `Makes the files of the suite in DIR, or around the current directory, again. Your
changes in ` + generator.SuiteFile + ` (a setting, the owner, a plugin's version) take effect too,
and the hooks are built again.

  you did not change the file  it is updated
  you changed the file         it stays, and where springfield has a new one that
                               is written beside it as FILE` + generator.BesideSuffix + `
  you deleted or added it      it stays deleted, or as it is

Take what you want from FILE` + generator.BesideSuffix + `, then delete it.

--all updates every suite that was made on this machine, after an upgrade for
instance. One that cannot be updated is named and left as it is. springfield undo takes
updates back, one suite after the other.`,
		Example: `  springfield update --dry-run
  springfield update ~/hooks
  springfield update --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all && len(args) > 0 {
				return check.Misuse(errors.New("--all is for every suite"), "leave DIR out, or leave --all out")
			}
			return arguments(0, 1, "at most one directory")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = onlyOne(args)
			return runUpdate(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "update every suite that was made on this machine")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change of every file as a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runUpdate(ctx context.Context, a *app, o updateOptions) error {
	if o.all {
		return a.updateAll(ctx, o)
	}
	dir, suite, err := a.suiteIn(o.dir)
	if advised := (*check.Advised)(nil); o.dir == "" && errors.As(err, &advised) {
		err = check.Advise(err, "springfield update --all brings every suite of yours up to date; or "+advised.Advice)
	}
	if err != nil {
		return err
	}
	return a.updateOne(ctx, o, dir, suite.Spec)
}

// updateOne brings one suite up to date with a spec, and says so.
func (a *app) updateOne(ctx context.Context, o updateOptions, dir string, spec generator.Spec) error {
	u := a.bringSuite(ctx, o, dir, spec)
	if u.err != nil {
		return u.err
	}
	if o.json {
		return a.printJSON(u.shapeForJSON())
	}
	a.listUpdate(o, u)
	a.noteVersion(u.published)
	return nil
}

// updateAll brings all suites up to date that can be.
func (a *app) updateAll(ctx context.Context, o updateOptions) error {
	if err := a.findPlaces(); err != nil {
		return err
	}
	dirs, gone, err := settings.KnownSuites(a.places)
	if err != nil {
		return hintChange(err, "update --all")
	}
	var all []updated
	var failed []string
	for _, dir := range dirs {
		if slices.ContainsFunc(all, func(u updated) bool { return rooted.IsSame(u.dir, dir) }) {
			continue // by another name
		}
		suite, err := generator.ReadSuite(dir)
		u := updated{dir: dir, outcome: "failed", err: err}
		switch {
		case errors.Is(err, generator.ErrNoSuite):
			u.outcome = "gone"
		case err == nil:
			if u = a.bringSuite(ctx, o, dir, suite.Spec); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if u.outcome == "failed" {
			failed = append(failed, dir)
		}
		all = append(all, u)
	}
	for _, dir := range gone {
		all = append(all, updated{dir: dir, outcome: "gone"})
	}
	if o.json {
		shapes := []updatedShape{}
		for _, u := range all {
			shapes = append(shapes, u.shapeForJSON())
		}
		err = a.printJSON(struct {
			Suites []updatedShape `json:"suites"`
		}{shapes})
	} else {
		a.listAll(o, all)
	}
	if err == nil && len(failed) > 0 {
		err = check.Advise(fmt.Errorf("%s could not be updated: %s", countOf(len(failed), "suite"), strings.Join(failed, ", ")), "the reason is beside each")
	}
	return err
}

func (a *app) listAll(o updateOptions, all []updated) {
	published := false
	for _, u := range all {
		switch u.outcome {
		case "gone":
			a.talk("springfield: note: there is no suite in %s any more", u.dir)
		case "failed":
			a.notePrinter().InRed().PrintLead("springfield: not updated: ", "%s: %v", u.dir, u.err)
			if advice := hintOf(u.err); advice != "" {
				a.notePrinter().InBold().PrintLead("springfield: hint: ", "%s", advice)
			}
		default:
			a.listUpdate(o, u)
			published = published || u.published
		}
	}
	if len(all) == 0 {
		a.say("nothing to do: no suite has been made on this machine")
		a.sayNext()
	}
	a.noteVersion(published)
}

// updated is one suite, and what update has made of it.
type updated struct {
	dir     string
	outcome string // updated, unchanged; planned by a dry run; of --all also failed, gone
	plan    generator.Plan
	err     error // why it was left as it is
	// published tells that files change which others may have installed.
	published bool
}

func (a *app) bringSuite(ctx context.Context, o updateOptions, dir string, spec generator.Spec) updated {
	u := updated{dir: dir, outcome: "failed"}
	var files []generator.File
	if files, _, u.err = a.toolchain().MakeSuite(ctx, spec); u.err != nil {
		return u
	}
	makePlan := func() (c journal.Change, err error) {
		u.plan, err = generator.MakePlan(dir, generator.Updating, files)
		return u.plan.Change, err
	}
	if o.dryRun {
		_, u.err = makePlan()
	} else {
		u.err = a.carryOut(makePlan)
	}
	switch {
	case u.err != nil:
		u.err = hintChange(u.err, "update")
	case u.plan.IsEmpty():
		u.outcome = "unchanged"
	case o.dryRun:
		u.outcome = "planned"
	default:
		u.outcome = "updated"
	}
	u.published = u.err == nil && !u.plan.IsEmpty() && spec.Publish != nil
	return u
}

// outcomeInWords tells what an update did to a file.
func outcomeInWords(o generator.Outcome) string {
	switch o.State {
	case generator.Followed:
		return "updated"
	case generator.Kept:
		if o.Writes != "" {
			return "yours is kept; the new one is " + filepath.Base(o.Writes)
		}
	case generator.Deleted:
		return "stays deleted, as you left it"
	case generator.Orphaned:
		return "kept with your edits; no longer part of springfield"
	}
	return string(o.State)
}

// listUpdate tells what was done; of a dry run the diff is the result.
func (a *app) listUpdate(o updateOptions, u updated) {
	list := a.resultPrinter()
	switch {
	case u.outcome == "unchanged":
		list = a.notePrinter()
		say := a.say
		if o.dryRun {
			say = a.talk // the result is a diff, and it is empty
		}
		say("nothing to do: %s is up to date", u.dir)
	case o.dryRun && o.all: // several suites have files of one name
		a.resultPrinter().PrintDiff(u.plan.Change.Diff())
		list = a.notePrinter()
	case o.dryRun:
		a.resultPrinter().PrintDiff(u.plan.Diff())
		list = a.notePrinter()
	case len(u.plan.Outcomes) == 0:
		a.say("updated %s: no file changed; springfield has written down what it made", u.dir)
	default:
		a.say("updated %s", u.dir)
	}
	var rows [][]string
	for _, c := range u.plan.Outcomes {
		rows = append(rows, []string{filepath.FromSlash(c.Path), outcomeInWords(c)})
	}
	list.PrintTable("  ", rows)
}

// updatedShape is the JSON of one suite.
type updatedShape struct {
	Suite   string              `json:"suite"`
	Outcome string              `json:"outcome"`
	Files   []generator.Outcome `json:"files"`
	Diff    string              `json:"diff,omitempty"`
	Error   string              `json:"error,omitempty"`
	Hint    string              `json:"hint,omitempty"`
}

func (u updated) shapeForJSON() updatedShape {
	shape := updatedShape{Suite: u.dir, Outcome: u.outcome, Files: nonNil(u.plan.Outcomes)}
	if u.outcome == "planned" {
		shape.Diff = u.plan.Diff()
	}
	if u.err != nil {
		shape.Error, shape.Hint = u.err.Error(), hintOf(u.err)
	}
	return shape
}
