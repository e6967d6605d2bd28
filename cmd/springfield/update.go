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
	builder string
	dryRun  bool
	json    bool
}

func newUpdate(a *app, runF func(context.Context, *app, updateOptions) error) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update [DIR]",
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
lists the conflicts and exits with 1. springfield undo takes an update back.`,
		Example: `  springfield update --dry-run
  springfield update ~/hooks`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
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
	dir, suite, err := a.suiteIn(o.dir)
	if err != nil {
		return err
	}
	tools := a.toolchain()
	tools.Builder = builder
	files, _, err := tools.Make(ctx, suite.Spec)
	if err != nil {
		return err
	}
	return a.bring(dir, files, o)
}

// bring brings a suite to what was rendered, merged with what its user made of
// it, and says so.
func (a *app) bring(dir string, files []generator.File, o updateOptions) error {
	var plan generator.Plan
	makePlan := func() (c change.Change, err error) {
		plan, err = generator.PlanUpdate(dir, files)
		return plan.Change, err
	}
	var err error
	if o.dryRun {
		_, err = makePlan()
	} else {
		err = a.carryOut(makePlan)
	}
	if err != nil {
		return hintUpdate(err)
	}
	return a.reportUpdate(o, dir, plan)
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

func (a *app) reportUpdate(o updateOptions, dir string, u generator.Plan) error {
	outcome := "updated"
	switch {
	case u.Empty():
		outcome = "unchanged"
	case o.dryRun:
		outcome = "planned"
	}
	if o.json {
		if err := a.encodeUpdate(o, dir, outcome, u); err != nil {
			return err
		}
	} else if err := a.listUpdate(o, dir, outcome, u); err != nil {
		return err
	}
	var open []string
	for _, c := range u.Outcomes {
		if c.State.Conflict() {
			open = append(open, c.Path)
		}
	}
	if len(open) == 0 || o.dryRun {
		return nil
	}
	return &hinted{
		fmt.Errorf("%s in %s: %s", count(len(open), "conflict"), dir, strings.Join(open, ", ")),
		"choose from both texts, then delete the markers, or FILE" + generator.BesideSuffix,
	}
}

// listUpdate tells what was done; of a dry run the diff is the result.
func (a *app) listUpdate(o updateOptions, dir, outcome string, u generator.Plan) error {
	list := a.lines()
	switch {
	case outcome == "unchanged":
		list = a.notes()
		say := a.say
		if o.dryRun {
			say = a.talk // the result is a diff, and it is empty
		}
		say("nothing to do: %s is up to date", dir)
	case o.dryRun:
		a.lines().Diff(u.Diff())
		list = a.notes()
	case len(u.Outcomes) == 0:
		a.say("updated %s: no file changed; springfield has written down what it made", dir)
	default:
		a.say("updated %s", dir)
	}
	var rows [][]string
	for _, c := range u.Outcomes {
		rows = append(rows, []string{filepath.FromSlash(c.Path), says(c.State)})
	}
	list.Table("  ", rows)
	a.noteSameVersion("files", u.SameVersion)
	return nil
}

func (a *app) encodeUpdate(o updateOptions, dir, outcome string, u generator.Plan) error {
	type file struct {
		File   string          `json:"file"`
		State  generator.State `json:"state"`
		Writes string          `json:"writes"` // the file itself, the one beside it, or none
	}
	files := []file{}
	for _, c := range u.Outcomes {
		files = append(files, file{c.Path, c.State, c.Writes})
	}
	diff := ""
	if o.dryRun {
		diff = u.Diff()
	}
	return a.encode(struct {
		Suite       string   `json:"suite"`
		Outcome     string   `json:"outcome"` // updated, unchanged; planned by a dry run
		Files       []file   `json:"files"`
		SameVersion []string `json:"same_version"`
		Diff        string   `json:"diff,omitempty"`
	}{dir, outcome, files, list(names(u.SameVersion)), diff})
}
