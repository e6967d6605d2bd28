package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/generator"
)

type updateOptions struct {
	dir     string // "": the suite around the working directory
	all     bool   // every suite that init has made
	older   bool   // also one that a newer springfield has made
	builder string
	dryRun  bool
	json    bool
}

func newUpdate(a *app) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update [DIR | --all]",
		Short: "Bring a suite up to date with this springfield, and keep your edits",
		Long: `Makes the files of the suite in DIR, or around the current directory, again and
merges them with your edits. Your changes in ` + generator.SuiteFile + ` (a setting, the owner,
a plugin's version) take effect too, and the hooks are built again.

  you did not edit the file    it is updated
  you edited the file          it gets springfield's changes beside yours
  both changed the same lines  README.md and CLAUDE.md get both texts, marked as
                               a conflict; for others the new text is in
                               FILE` + generator.BesideSuffix + `
  you deleted or added it      it stays deleted, or as it is

Delete the markers, or FILE` + generator.BesideSuffix + `, when you are done. Until then update
lists the conflicts and exits with 1.

--all updates every suite that springfield init has made on this machine, after an
upgrade of springfield for instance. A suite that cannot be updated is named and left
as it is, and the others are updated.

springfield undo takes an update back, also one of all suites. A suite that a newer
springfield has made is not updated, unless you say --downgrade.`,
		Example: `  springfield update --dry-run
  springfield update ~/hooks
  springfield update --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all && (len(args) > 0 || o.older) {
				return &usageError{errors.New("--all is for every suite, and none is downgraded"), "leave DIR and --downgrade out, or leave --all out"}
			}
			return arguments(0, 1, "at most one directory")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runUpdate(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "update every suite that init has made on this machine")
	f.BoolVar(&o.older, "downgrade", false, "also update a suite that a newer springfield has made")
	f.StringVar(&o.builder, "builder", string(generator.Auto), "where hooks come from: auto, go or prebuilt")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change of every file as a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runUpdate(ctx context.Context, a *app, o updateOptions) error {
	builder, err := parseBuilder(o.builder)
	if err != nil {
		return err
	}
	tools := a.toolchain()
	tools.Builder = builder
	if o.all {
		return a.updateAll(ctx, o, tools)
	}
	dir, suite, err := a.suiteIn(o.dir)
	if err != nil {
		return err
	}
	files, _, err := tools.Make(ctx, suite.Spec)
	if err != nil {
		return err
	}
	return a.bring(ctx, dir, files, o)
}

// bring brings a suite to what was rendered, merged with what its user made of
// it, and says so.
func (a *app) bring(ctx context.Context, dir string, files []generator.File, o updateOptions) error {
	var plan generator.Plan
	toPlan := generator.PlanUpdate
	if o.older {
		toPlan = generator.PlanDowngrade
	}
	makePlan := func() (c change.Change, err error) {
		plan, err = toPlan(dir, files)
		return plan.Change, err
	}
	dirty := a.uncommitted(ctx, dir)
	var err error
	if o.dryRun {
		_, err = makePlan()
	} else {
		err = a.carryOut(makePlan)
	}
	if err != nil {
		return hintUpdate(err)
	}
	return a.reportUpdate(o, updated{dir: dir, plan: plan, dirty: dirty})
}

// uncommitted tells whether a suite has changes that git could not give back.
func (a *app) uncommitted(ctx context.Context, dir string) bool {
	repo, err := a.git().Repository(ctx, dir)
	if err != nil || repo == nil || repo.Commit(ctx, "HEAD") == "" {
		return false // git has nothing to compare with, or is not asked
	}
	files, err := repo.Dirty(ctx, dir)
	return err == nil && len(files) > 0
}

// updated is one suite, and what update has made of it.
type updated struct {
	dir   string
	plan  generator.Plan
	err   error // why it was left as it is
	gone  bool
	dirty bool // files were not committed
}

func hintUpdate(err error) error {
	var record *generator.RecordError
	if errors.As(err, &record) {
		return &hinted{err, "restore it from git, or remove it: then every file that you edited gets the new text beside it"}
	}
	return hintChange(err, "update")
}

// says tells what an update did to a file.
func says(s generator.State) string {
	switch s {
	case generator.Followed:
		return "updated"
	case generator.Merged:
		return "merged with your edits"
	case generator.Deleted:
		return "stays deleted, as you left it"
	case generator.Orphaned:
		return "kept with your edits; no longer part of springfield"
	case generator.Marked:
		return "conflict: it has both texts, marked"
	case generator.Offered:
		return "conflict: yours is kept, the new text is in FILE" + generator.BesideSuffix
	case generator.Open:
		return "conflict, still open"
	}
	return string(s)
}

// outcome says in a word what became of it.
func (u updated) outcome(o updateOptions) string {
	switch {
	case u.gone:
		return "gone"
	case u.err != nil:
		return "failed"
	case u.plan.Empty():
		return "unchanged"
	case o.dryRun:
		return "planned"
	}
	return "updated"
}

// open are the files with a conflict.
func (u updated) open() (files []string) {
	for _, c := range u.plan.Outcomes {
		if c.State.Conflict() {
			files = append(files, c.Path)
		}
	}
	return files
}

func (a *app) reportUpdate(o updateOptions, u updated) error {
	then := a.copies(o, []updated{u})
	if o.json {
		if err := a.encode(struct {
			updatedShape
			Then []string `json:"then"`
		}{u.shape(o), list(then)}); err != nil {
			return err
		}
	} else {
		a.listUpdate(o, u)
		a.noteSameVersion("files", u.plan.SameVersion)
		a.sayThen(then)
	}
	open := u.open()
	if len(open) == 0 || o.dryRun {
		return nil
	}
	return &hinted{fmt.Errorf("%s in %s: %s", count(len(open), "conflict"), u.dir, strings.Join(open, ", ")), howToSettle}
}

const howToSettle = "choose from both texts, then delete the markers, or FILE" + generator.BesideSuffix

// listUpdate tells what was done; of a dry run the diff is the result.
func (a *app) listUpdate(o updateOptions, u updated) {
	list := a.lines()
	switch outcome := u.outcome(o); {
	case outcome == "unchanged":
		list = a.notes()
		say := a.say
		if o.dryRun {
			say = a.talk // the result is a diff, and it is empty
		}
		say("nothing to do: %s is up to date", u.dir)
	case o.dryRun && o.all: // several suites have files of one name
		a.lines().Diff(u.plan.Change.Diff())
		list = a.notes()
	case o.dryRun:
		a.lines().Diff(u.plan.Diff())
		list = a.notes()
	case len(u.plan.Outcomes) == 0:
		a.say("updated %s: no file changed; springfield has written down what it made", u.dir)
	default:
		a.say("updated %s", u.dir)
	}
	var rows [][]string
	for _, c := range u.plan.Outcomes {
		rows = append(rows, []string{filepath.FromSlash(c.Path), says(c.State)})
	}
	list.Table("  ", rows)
	if u.dirty && !u.plan.Empty() && !o.dryRun {
		a.talk("springfield: note: %s had changes that are not committed: they are kept, and git diff shows them together with the update", u.dir)
	}
}

// updatedShape is the JSON of one suite.
type updatedShape struct {
	Suite       string        `json:"suite"`
	Outcome     string        `json:"outcome"` // updated, unchanged; planned by a dry run; of --all also failed, gone
	Files       []updatedFile `json:"files"`
	SameVersion []string      `json:"same_version"`
	Uncommitted bool          `json:"uncommitted"` // it had changes that git could not give back
	Diff        string        `json:"diff,omitempty"`
	Error       string        `json:"error,omitempty"`
	Hint        string        `json:"hint,omitempty"`
}

type updatedFile struct {
	File   string          `json:"file"`
	State  generator.State `json:"state"`
	Writes string          `json:"writes"` // the file itself, the one beside it, or none
}

func (u updated) shape(o updateOptions) updatedShape {
	shape := updatedShape{Suite: u.dir, Outcome: u.outcome(o), Files: []updatedFile{}, SameVersion: list(names(u.plan.SameVersion)), Uncommitted: u.dirty}
	for _, c := range u.plan.Outcomes {
		shape.Files = append(shape.Files, updatedFile{c.Path, c.State, c.Writes})
	}
	if o.dryRun {
		shape.Diff = u.plan.Diff()
	}
	if u.err != nil {
		shape.Error, shape.Hint = u.err.Error(), hint(u.err)
	}
	return shape
}

// copies are the commands that give other agents what was updated, where they run a copy.
func (a *app) copies(o updateOptions, all []updated) []string {
	var dirs []string
	for _, u := range all {
		if u.outcome(o) == "updated" {
			dirs = append(dirs, u.dir)
		}
	}
	return a.copiesOf(dirs)
}

// copiesOf are the commands that give other agents the plugins of suites as they are now,
// where they run a copy.
func (a *app) copiesOf(dirs []string) []string {
	if len(dirs) == 0 {
		return nil
	}
	in, err := a.inspect()
	if err != nil {
		return nil // status tells
	}
	return in.Copies(dirs)
}

// sayThen says what is left to do for agents that run a copy.
func (a *app) sayThen(commands []string) {
	for i, command := range commands {
		if i == 0 {
			a.talk("springfield: note: an agent that runs a copy still has the old build; this gives it the new one:")
		}
		a.talk("  %s", command)
	}
}
