package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

const nothingLeft = "run springfield status to see which plugins are enabled"

type undoOptions struct {
	list   bool
	forget bool
	dryRun bool
	json   bool
}

func newUndo(a *app) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Revert springfield's last edit",
		Long: `The edit may be by any command: to your settings, a memory file, a suite with its
hooks, or a marketplace. Every file gets its old bytes back. Run undo again to revert the edit before
that.

If a file has changed since, undo changes nothing and shows the difference. --forget skips that
edit; springfield disable can still restore your settings.`,
		Example: `  springfield undo --list
  springfield undo --dry-run`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runUndo(a, o) },
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the edits, latest first")
	f.BoolVar(&o.forget, "forget", false, "remove the last edit from the list without changing files")
	f.BoolVar(&o.dryRun, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runUndo(a *app, o undoOptions) error {
	j := settings.Journal(a.places)
	switch {
	case o.list && (o.forget || o.dryRun), o.forget && o.dryRun:
		return check.Misuse(errors.New("--list, --forget and --dry-run cannot be used together"), "run springfield undo --list to see the edits, or undo --forget to skip the latest")
	case o.list:
		return a.listEdits(j, o.json)
	case o.forget:
		entry, err := j.ForgetNewest()
		if err != nil {
			return a.hintChange(err, "undo")
		}
		did := cmp.Or(entry.Did, "an edit that could not be read")
		if o.json {
			return a.printJSON(struct {
				Forgotten string   `json:"forgotten"`
				At        int64    `json:"at"` // when it was done
				Files     []string `json:"files"`
			}{did, entry.At.UnixMilli(), nonNil(entry.Files())})
		}
		a.say("forgotten: %s; its files were not changed", did)
		return nil
	}
	var undo journal.Undo
	makePlan := func() (c journal.Change, err error) {
		undo, err = j.PlanUndo()
		return undo.Change, err
	}
	if o.dryRun {
		if _, err := makePlan(); err != nil {
			return a.tellUndoError(err)
		}
		if !o.json {
			a.talk("would %s, %s", undoInWords(undo.Entry, "undo", "do"), doctor.AgoInWords(time.Now(), undo.Entry.At))
		}
		return a.showPreview(o.json, undo.Change, "")
	}
	if _, err := j.PlanAndApply(makePlan); err != nil {
		return a.tellUndoError(err)
	}
	return a.reportUndo(o.json, undo)
}

func (a *app) reportUndo(asJSON bool, u journal.Undo) error {
	written, removed := u.Files()
	for _, m := range settings.NewSettings(a.places).GoneMarkets() {
		if slices.ContainsFunc(removed, func(file string) bool { return rooted.HoldsPath(m.Path, file) }) {
			u.Notes = append(u.Notes, "Claude Code still knows marketplace "+m.Name+", which no longer exists: run "+m.HowToForget()+" to make it forget that")
		}
	}
	if asJSON {
		return a.printJSON(struct {
			Undone  string   `json:"undone"`
			At      int64    `json:"at"`      // when it was done
			Changed []string `json:"changed"` // got their old bytes
			Removed []string `json:"removed"` // did not exist before
			Gone    []string `json:"gone"`    // the directory no longer exists
			Leaves  []string `json:"leaves"`  // what is no file, and is as it was left
		}{u.Entry.Did, u.Entry.At.UnixMilli(), nonNil(written), nonNil(removed), nonNil(u.Gone), nonNil(slices.Concat(u.Entry.Leaves, u.Notes))})
	}
	a.say("%s, %s", undoInWords(u.Entry, "undone", "done"), doctor.AgoInWords(time.Now(), u.Entry.At))
	a.sayLines("changed ", shortenFileList(written), "")
	a.sayLines("removed ", shortenFileList(removed), wasAbsent)
	a.sayLines("nothing to revert in ", shortenFileList(u.Gone), ", because the directory no longer exists")
	a.sayLines("", slices.Concat(u.Entry.Leaves, u.Notes), "")
	if len(written)+len(removed)+len(u.Gone) == 0 {
		a.say("  the files were already as they were before the edit")
	}
	return nil
}

const revert = "revert: " // begins what an entry did that reverts another

// undoInWords returns undoVerb with the edit's name, or for a reverting edit redoVerb, "again" and the other's name.
func undoInWords(e journal.Entry, undoVerb, redoVerb string) string {
	if other, reverted := strings.CutPrefix(e.Did, revert); reverted {
		return redoVerb + " again: " + other
	}
	return undoVerb + ": " + e.Did
}

// shortenFileList reduces a long list to up to two files, plus the others' count and directory.
func shortenFileList(files []string) []string {
	const most = 6
	if len(files) <= most {
		return files
	}
	for dir := filepath.Dir(files[len(files)/2]); ; dir = filepath.Dir(dir) {
		beside := slices.DeleteFunc(slices.Clone(files), func(file string) bool { return rooted.HoldsPath(dir, file) })
		if len(beside) < 3 || dir == filepath.Dir(dir) {
			return append(beside, fmt.Sprintf("%d files in %s", len(files)-len(beside), dir))
		}
	}
}

func (a *app) listEdits(j journal.Journal, asJSON bool) error {
	entries, err := j.ReadEntries()
	if err != nil {
		return a.hintChange(err, "undo")
	}
	if asJSON {
		type edit struct {
			ID    int      `json:"id"`
			At    int64    `json:"at"`
			Did   string   `json:"did"`
			Files []string `json:"files"`
		}
		edits := []edit{}
		for _, e := range entries {
			edits = append(edits, edit{e.ID, e.At.UnixMilli(), e.Did, e.Files()})
		}
		return a.printJSON(edits)
	}
	if len(entries) == 0 {
		a.talk("%v; %s", journal.ErrNothingToUndo, nothingLeft)
		return nil
	}
	var rows [][]string
	for _, e := range entries {
		rows = append(rows, []string{e.At.Local().Format("2006-01-02 15:04:05"), e.Did, strings.Join(shortenFileList(e.Files()), ", ")})
	}
	a.resultPrinter().PrintTable("", rows)
	return nil
}

// tellUndoError returns err with a hint. If a file changed since the edit, it also prints up to 40 lines of the diff,
// except for a settings file with invalid JSON.
func (a *app) tellUndoError(err error) error {
	var changed *journal.ChangedSinceError
	if !errors.As(err, &changed) {
		return a.hintChange(err, "undo")
	}
	advice := "nothing was reverted; run springfield undo --forget to skip this edit"
	if changed.Entry.Kind == "" && filepath.Ext(changed.File) == ".json" {
		data, _ := os.ReadFile(changed.File)
		if _, err := document.ParseCommented(data); err != nil {
			return a.hintChange(fmt.Errorf("%s: %w", changed.File, err), "undo")
		}
	}
	if plugin, ok := strings.CutPrefix(strings.TrimSuffix(changed.Entry.Did, " in user settings"), "enable "); ok && !strings.Contains(plugin, " ") {
		advice += ", or springfield disable " + plugin + " to restore the settings that no other program has changed"
	}
	const most = 40 // lines of the diff that are shown
	lines := strings.SplitAfter(changed.Diff, "\n")
	a.notePrinter().PrintDiff(strings.Join(lines[:min(most, len(lines))], ""))
	if more := strings.Count(changed.Diff, "\n") - most; more > 0 {
		a.talk("… %s", countOf(more, "more line"))
	}
	return check.Advise(err, advice)
}
