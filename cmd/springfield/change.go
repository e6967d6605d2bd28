package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

type previewShape struct {
	Diff  string   `json:"diff"` // unified, "" if nothing would change
	Notes []string `json:"notes"`
	Runs  string   `json:"runs,omitempty"` // what other programs would do
}

// previewOf returns the JSON for a dry run, without a leading "run: ". See showPreview for wouldAlso.
func previewOf(plan journal.Change, wouldAlso string) previewShape {
	return previewShape{plan.Diff(), nonNil(plan.Notes), strings.TrimPrefix(wouldAlso, "run: ")}
}

// showPreview prints the result of a dry run. wouldAlso completes "it would also …" with work left to other programs,
// or is "".
func (s *streams) showPreview(asJSON bool, plan journal.Change, wouldAlso string) error {
	if asJSON {
		return s.printJSON(previewOf(plan, wouldAlso))
	}
	if plan.IsEmpty() {
		s.talk("no file would change")
	} else {
		defer s.talk("nothing was changed: these are the changes that would be made")
	}
	s.resultPrinter().PrintDiff(plan.Diff())
	for _, note := range plan.Notes {
		s.talk("%s", note)
	}
	if wouldAlso != "" {
		s.talk("it would also %s", wouldAlso)
	}
	return nil
}

// tellChange lists a change's files, each removed one followed by onRemoved, then the notes.
func (s *streams) tellChange(c journal.Change, onRemoved string) {
	written, removed := c.Files()
	for _, file := range written {
		did := "changed "
		if slices.ContainsFunc(c.Edits, func(e journal.Edit) bool { return e.Path == file && e.Before == nil }) {
			did = "created "
		}
		s.say("  %s%s", did, file)
	}
	s.sayLines("removed ", removed, onRemoved)
	s.sayLines("", c.Notes, "")
}

const wasAbsent = ", which did not exist before"

// sayLines prints each line, indented by two blanks, between prefix and suffix.
func (s *streams) sayLines(prefix string, lines []string, suffix string) {
	for _, file := range lines {
		s.say("  %s%s%s", prefix, file, suffix)
	}
}

// hintChange adds a hint to an error about a change. verb is the failed command.
func (a *app) hintChange(err error, verb string) error {
	var known interface{ Hint() string }
	var damaged *journal.DamagedError
	var failed *journal.WriteError
	var syntax *document.SyntaxError
	var conflict *client.NameTakenError
	var at *fs.PathError
	as, again := "nothing was changed", strings.Join(append([]string{"run springfield"}, check.NamesOf(a.args, check.QuoteArgument)...), " ")+" again"
	if errors.As(err, &failed) && failed.Kind == "settings" || verb == "enable" || verb == "disable" {
		as = "your settings are unchanged"
	}
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &conflict) && filepath.IsAbs(conflict.Wanted):
		return check.Advise(err, client.HowToRenameMarket(conflict.Wanted))
	case conflict != nil:
		return check.Advise(err, fmt.Sprintf("run springfield disable PLUGIN@%s --purge to make Claude Code forget the other one", conflict.Name))
	case errors.As(err, &syntax):
		return check.Advise(err, "your settings are unchanged; correct that line, then "+again)
	case failed != nil && failed.Done:
		return check.Advise(fmt.Errorf("reverted, but the edit is still in the list: %w", err), "fix the cause, then run springfield undo --forget to remove it from the list")
	case failed != nil && len(failed.Left) > 0:
		return check.Advise(fmt.Errorf("%w; part of the change could not be reverted", err),
			"still changed: "+strings.Join(failed.Left, ", ")+"; fix the cause, then run springfield undo to revert that")
	case errors.As(err, &damaged) && filepath.Ext(damaged.File) == ".zip": // old bytes
		return check.Advise(err, "nothing was reverted; run springfield undo --forget to skip this edit")
	case errors.As(err, &damaged):
		return check.Advise(err, doctor.HowToRead(err))
	case errors.Is(err, journal.ErrNothingToUndo):
		return check.Advise(err, nothingLeft)
	case errors.Is(err, journal.ErrChanged):
		return check.Advise(err, as+": another program changed the file in the meantime; "+again)
	case settings.IsFileDenied(err), errors.Is(err, syscall.ENOTDIR):
		return check.Advise(err, as+"; "+doctor.HowToRead(err))
	case failed != nil:
		return check.Advise(err, as+"; fix the cause, then "+again)
	case errors.As(err, &at) && !errors.Is(err, fs.ErrNotExist): // such as a directory in place of a file
		return check.Advise(err, as+"; "+doctor.HowToRead(err))
	}
	return err
}
