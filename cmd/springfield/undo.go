package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/inspection"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/display"
)

type undoOptions struct {
	list   bool
	forget bool
	dryRun bool
	json   bool
}

func newUndo(a *app, runF func(context.Context, *app, undoOptions) error) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back springfield's last edit, byte for byte",
		Long: `Take back the last edit that springfield made to your settings, whichever verb made it. Every
file gets the bytes it had before. Called again, it takes back the edit before that.

If a file has changed since, nothing is taken back and the change is shown; springfield disable
then still puts back what is springfield's, and --forget passes over the edit, so that the one
before it can be taken back.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runF(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the edits, the newest first, which is the one to take back")
	f.BoolVar(&o.forget, "forget", false, "leave the last edit as it is and take it out of the list")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runUndo(_ context.Context, a *app, o undoOptions) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	switch {
	case o.list:
		return a.listEdits(places, o.json)
	case o.forget && o.dryRun:
		return &usageError{errors.New("--forget and --dry-run do not go together"), "undo --list shows what would be forgotten: the first line"}
	case o.forget:
		entry, err := installer.ForgetEdit(places)
		if err != nil {
			return hintSettings(err)
		}
		a.say("forgotten: %s; its files stay as they are", firstOf(entry.Did, "an edit that could not be read"))
		return nil
	}
	var entry installer.Entry
	makePlan := func() (plan installer.Plan, err error) {
		plan, entry, err = installer.PlanUndo(places)
		return plan, err
	}
	if o.dryRun {
		plan, err := makePlan()
		if err != nil {
			return a.hintUndo(err)
		}
		if !o.json {
			a.talk("would undo: %s, %s", entry.Did, ago(entry.At))
		}
		return a.preview(o.json, plan)
	}
	plan, err := apply(places, makePlan)
	if err != nil {
		return a.hintUndo(err)
	}
	written, removed := plan.Files()
	if o.json {
		return a.encode(struct {
			Undone  string    `json:"undone"`
			At      time.Time `json:"at"`      // when it was done
			Changed []string  `json:"changed"` // files that got their old bytes
			Removed []string  `json:"removed"` // files that were not there before
			Gone    []string  `json:"gone"`    // files whose directory is gone
		}{entry.Did, entry.At, list(written), list(removed), list(plan.Gone())})
	}
	a.say("undone: %s, %s", entry.Did, ago(entry.At))
	for _, file := range written {
		a.say("  changed %s", file)
	}
	for _, file := range removed {
		a.say("  removed %s, which was not there before", file)
	}
	for _, file := range plan.Gone() {
		a.say("  nothing to take back in %s, which is gone with its directory", file)
	}
	if len(written)+len(removed)+len(plan.Gone()) == 0 {
		a.say("  the files were already as before it")
	}
	a.noteOtherHooks(written)
	return nil
}

// noteOtherHooks says in which suites hooks are not those that springfield.yaml
// has recorded again: an edit that publishes takes compiled files along, and no
// journal keeps them.
func (a *app) noteOtherHooks(written []string) {
	for _, file := range written {
		if filepath.Base(file) != generator.SuiteFile {
			continue
		}
		dir := filepath.Dir(file)
		v, err := generator.Validate(dir)
		if err == nil && slices.ContainsFunc(v.Found, func(f check.Finding) bool { return f.Check == "binaries" && f.State == check.Failure }) {
			a.talk("the hooks in %s are still those that were published; springfield build %s makes them what %s says", dir, quoted(dir), generator.SuiteFile)
		}
	}
}

func (a *app) listEdits(places installer.Places, asJSON bool) error {
	entries, err := installer.Journal(places)
	if err != nil {
		return hintSettings(err)
	}
	if asJSON {
		type edit struct {
			ID    int       `json:"id"`
			At    time.Time `json:"at"`
			Did   string    `json:"did"`
			Files []string  `json:"files"`
		}
		edits := []edit{}
		for _, e := range entries {
			edits = append(edits, edit{e.ID, e.At, e.Did, filesOf(e)})
		}
		return a.encode(edits)
	}
	if len(entries) == 0 {
		a.talk("there is no edit to undo")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.At.Local().Format("2006-01-02 15:04:05"), display.Line(e.Did), display.Line(strings.Join(filesOf(e), " ")))
	}
	return w.Flush()
}

func filesOf(e installer.Entry) []string {
	files := []string{}
	for _, f := range e.Files {
		files = append(files, f.Asked)
	}
	return files
}

func (a *app) hintUndo(err error) error {
	var changed *installer.ChangedSinceError
	if errors.As(err, &changed) {
		fmt.Fprint(a.err, changed.Diff)
		return &hinted{err, "nothing was taken back; springfield disable PLUGIN puts back what is still springfield's, springfield undo --forget passes over this edit"}
	}
	if failed := (*installer.WriteError)(nil); errors.As(err, &failed) && len(failed.Left) > 0 {
		return hintLeft(failed, "springfield undo takes back the rest")
	}
	return hintSettings(err)
}

// encode prints a result as indented JSON.
func (a *app) encode(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// ago says how long ago something was, for people.
func ago(t time.Time) string { return inspection.Ago(time.Now(), t) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
