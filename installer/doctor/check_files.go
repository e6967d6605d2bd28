package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

func (in *Inspection) checkSettings() (all []check.Finding) {
	for _, l := range in.Settings {
		all = append(all, in.checkLayer(l)...)
	}
	for _, err := range in.Notes {
		all = append(all, check.Failed(err.Error(), HowToRead(err)))
	}
	if check.CountState(all, check.Failure)+check.CountState(all, check.Warning) == 0 {
		return append([]check.Finding{check.Passed("every settings file can be read")}, all...)
	}
	return all
}

func (in *Inspection) checkBrokenEdit() []check.Finding {
	e, interrupted, err := settings.Journal(in.Places).Interrupted()
	if err != nil || !interrupted {
		return nil // checkState reports the error
	}
	return []check.Finding{check.Failed(fmt.Sprintf("an edit was interrupted: %s, %s", e.Did, AgoInWords(in.Now, e.At)), "springfield undo")}
}

func (in *Inspection) checkLayer(l client.Layer) (bad []check.Finding) {
	if l.Problem != "" {
		says := fmt.Sprintf("%s: %s", l.File, l.Problem)
		if syntax := (*document.SyntaxError)(nil); errors.As(l.Err, &syntax) {
			return []check.Finding{check.Failed(says+", so Claude Code ignores the whole file", "correct that line; the file must be plain JSON without comments")}
		}
		return []check.Finding{check.Failed(says+", so Claude Code ignores it", HowToRead(l.Err))}
	}
	if e, err := journal.OpenEdit("", l.File); err == nil && e.Before != nil && l.Name != client.Managed {
		if err := e.CheckAccess(); err != nil {
			bad = append(bad, check.Warned(err.Error()+", so nothing can be enabled, disabled or undone there", HowToRead(err)))
		}
	}
	return bad
}

func HowToRead(err error) string {
	var at *fs.PathError
	var damaged *journal.DamagedError
	var number syscall.Errno
	switch {
	case errors.As(err, &damaged):
		without := map[string]string{
			"journal":     "undo then forgets that edit",
			"springfield": "springfield then finds your suites only from inside them, or with --suite",
		}[filepath.Base(filepath.Dir(damaged.File))]
		return "rm " + check.QuoteArgument(damaged.File) + ": " + cmp.Or(without, "springfield then forgets its edits there, and disable changes only the plugin's own entry")
	case !errors.As(err, &at):
		return "fix that file, or remove it"
	case settings.IsFileDenied(err):
		return settings.HowToAccess(err)
	case errors.As(err, &number) && number != syscall.ENOTDIR && number != syscall.EISDIR && !errors.Is(err, fs.ErrNotExist):
		return "fix the cause, then run springfield doctor" // as of a full disk; a link that dangles is not there
	}
	return "move " + check.QuoteArgument(rooted.FindUpward(at.Path, rooted.IsTaken)) + " away, or fix it"
}

func (in *Inspection) checkState() (all []check.Finding) {
	if closed := in.checkStateAccess(); closed != nil {
		return closed
	}
	for _, err := range in.settings.DamagedOwn() {
		all = append(all, check.Warned(err.Error(), HowToRead(err)))
	}
	if _, err := ledger.ReadKeepDays(in.Places.StatePath()); err != nil {
		all = append(all, check.Warned(err.Error()+"; until then decisions are kept forever", `write {"keep_days": 90} to it, or remove that file`))
	}
	others := ""
	for _, dir := range []string{"", "edits", "journal", "sessions", "loops", "locks"} {
		entries, err := os.ReadDir(in.Places.StatePath(dir))
		for _, e := range entries {
			if path := in.Places.StatePath(dir, e.Name()); others == "" && isOfOtherUser(path) {
				others = path
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && others == "" {
			all = append(all, check.Failed("read "+in.Places.StatePath(dir)+": "+check.DropPath(err).Error(),
				HowToRead(&fs.PathError{Op: "open", Path: in.Places.StatePath(dir, "x"), Err: check.DropPath(err)})))
		}
	}
	if others != "" {
		all = append(all, check.Failed(others+" belongs to another user, so hooks may not record decisions", in.stateChownCommand()))
	}
	return all
}

func isOfOtherUser(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !journal.MayChmod(info)
}

// stateChownCommand returns the command that gives the user the state directory left by root, without the settings.
func (in *Inspection) stateChownCommand() (command string) {
	return `sudo chown -R "$(id -u)" ` + check.QuoteArgument(in.Places.StatePath())
}

// checkStateAccess returns a failure if the state directory cannot be read or written, or nil. It creates and removes a
// temporary file.
func (in *Inspection) checkStateAccess() []check.Finding {
	const without = "; without it, every hook lets its agent stop"
	err := in.stateDirError()
	if err == nil {
		err = settings.ProbeStateDir(in.Places)
	}
	if err == nil {
		return nil
	}
	fix := HowToRead(&fs.PathError{Op: "open", Path: filepath.Join(in.Places.StatePath(), "x"), Err: check.DropPath(err)})
	if isOfOtherUser(in.Places.StatePath()) {
		fix = in.stateChownCommand()
	}
	return []check.Finding{check.Failed("open "+in.Places.StatePath()+": "+check.DropPath(err).Error()+without, fix)}
}

// stateDirError returns why the state directory cannot be read (nil if missing).
func (r Request) stateDirError() error {
	if _, err := os.ReadDir(r.Places.StatePath()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (in *Inspection) checkOldBuilds() (all []check.Finding) {
	hash, err := generator.SourceHash()
	if err != nil {
		return []check.Finding{check.Failed(err.Error(), "install springfield again: "+generator.Page)}
	}
	const others = "hooks were built from a different version of springfield: in "
	var mine []string
	for _, s := range in.Suites {
		switch {
		case s.Err != nil: // springfield validate reports it
		case s.Build.Source == hash:
		case s.Made:
			mine = append(mine, s.Dir)
		default:
			all = append(all, check.Warned(others+s.Dir, "springfield update "+check.QuoteArgument(s.Dir)))
		}
	}
	if len(mine) > 0 {
		all = append(all, check.Warned(others+strings.Join(mine, " and "), "springfield update --all"))
	}
	return all
}

// noOldBuildsNote is called when checkOldBuilds returns nothing. It returns "" if no suite can be read.
func (in *Inspection) noOldBuildsNote() string {
	if !slices.ContainsFunc(in.Suites, func(s Suite) bool { return s.Err == nil }) {
		return ""
	}
	return "all suites have hooks of this version of springfield"
}

// OldSuitesInWords describes suites with a different springfield version's hooks, and the commands to update them.
func (in *Inspection) OldSuitesInWords() []string {
	return check.NamesOf(in.checkOldBuilds(), saysAndFix)
}

func saysAndFix(f check.Finding) string { return strings.TrimSuffix(f.Says+": "+f.Fix, ": ") }
