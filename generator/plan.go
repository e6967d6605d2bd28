// Plans for the files of a suite: what init, build and update would make of it.
// All compare what springfield renders today with what is there, file by file;
// they differ in which files they follow. Nothing is written here.
//
// The rules:
//   - completing writes what is missing, in a new directory everything, and replaces
//     hooks; a text that is there stays;
//   - building replaces hooks, their launcher and the record of them in springfield.yaml,
//     and takes away the hooks of targets that the suite no longer has;
//   - updating brings every file up to date that its user has not changed.
//
// For an update, file by file:
//   - as springfield wrote it: it follows; springfield no longer writes it: it goes;
//   - changed by the user, a link, or not in the record: it stays, and if springfield's
//     text is another one than before, that lies beside it as FILE.new;
//   - deleted: it stays deleted. Hooks are springfield's own and come back, unless
//     the whole plugin is gone;
//   - springfield.yaml gets the build and new answers; the rest of it is the user's.
//
// A suite that was cloned is not trusted: nothing is read or written through a link
// in it. What springfield does not write is not looked at.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// maxFile bounds what is read of a suite's file, in bytes: several times a hook.
const maxFile = 64 << 20

// BesideSuffix ends the name of a new text that lies beside a user's file.
const BesideSuffix = ".new"

// State says what a plan does to a file.
type State string

const (
	Added    State = "added"    // new in this suite
	Followed State = "followed" // not changed by the user: the new text
	Rebuilt  State = "rebuilt"  // a hook
	Kept     State = "kept"     // it says something else: it stays
	Removed  State = "removed"  // springfield no longer writes it
	Deleted  State = "deleted"  // by the user: it stays so
	Orphaned State = "orphaned" // springfield no longer writes it, but the user changed it: it stays
)

// Outcome is what becomes of one file; update --json prints it. Files that stay as they are have none, unless
// there is something to say about them.
type Outcome struct {
	Path  string `json:"file"` // with slashes
	State State  `json:"state"`
	// Writes is the file that is written or removed: Path, or the file beside it, or
	// "" if neither.
	Writes string `json:"writes"`
}

// Plan is everything that a verb does to the files of a suite.
type Plan struct {
	journal.Change
	Outcomes []Outcome
	Fresh    bool // springfield has written nothing there yet

	dir string
}

// Diff shows the plan with names as git gives them, relative to the suite.
func (p Plan) Diff() string { return p.DiffIn(p.dir) }

// Paths lists the files of some states.
func (p Plan) Paths(states ...State) []string {
	var paths []string
	for _, o := range p.Outcomes {
		if slices.Contains(states, o.State) {
			paths = append(paths, o.Path)
		}
	}
	return paths
}

// Existing is the suite in dir, nil if dir is absent or empty. A fresh git
// repository counts as empty; anything else is an error.
func Existing(dir string) (*Suite, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if suite, err := ReadSuite(dir); !errors.Is(err, ErrNoSuite) {
		return &suite, err
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return nil, check.Advisef("name another directory: springfield init DIR",
				"%s is not empty and not a springfield suite (it has %s)", dir, e.Name())
		}
	}
	return nil, nil
}

// Aim is which files a plan follows.
type Aim int

const (
	Completing Aim = iota // what is missing, and hooks
	Building              // hooks
	Updating              // everything
)

// planner works out a plan.
type planner struct {
	Plan
	folder // of the suite, with its record
	aim    Aim
	suite  Suite  // as springfield.yaml has it
	next   record // what springfield will have written
}

// MakePlan compares the suite in dir with the files that RenderSuite makes for it. To complete
// one, dir may be absent or empty. Programs without bytes count as changed. Errors are
// about files that cannot be read, and directories that are links.
func MakePlan(dir string, aim Aim, files []File) (Plan, error) {
	p := planner{Plan: Plan{dir: dir}, folder: folder{limit: maxFile}, aim: aim, next: record{}}
	suite, err := Existing(dir)
	switch {
	case err == nil && suite == nil && aim != Completing:
		err = noSuite(dir)
	case err == nil && suite != nil:
		p.suite = *suite
		if p.record, err = readRecord(dir); err == nil {
			p.Folder, err = rooted.OpenFolder(dir)
		}
	}
	if err != nil {
		return Plan{}, err
	}
	if suite != nil {
		defer func() { _ = p.Close() }()
	}
	p.Fresh = aim == Completing && len(p.record) == 0
	p.Kind, p.Did = "suite", [...]string{"complete", "build", "update"}[aim]+" suite "+dir
	if p.Fresh {
		p.Did = "make suite " + dir
	}
	var places []string // files of springfield's own that go when they are not among files
	switch aim {
	case Updating:
		places = slices.Sorted(maps.Keys(p.record))
	case Building:
		if places, err = p.hookPlaces(); err != nil {
			return Plan{}, err
		}
		fallthrough
	default:
		maps.Copy(p.next, p.record)
	}
	var compared, last []File
	for _, f := range files {
		switch {
		case f.Path == SuiteFile:
			last = append(last, f) // whether it has changed is known after the build
		case aim != Building || f.Compiled:
			compared = append(compared, f)
		}
	}
	for _, name := range places {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			compared = append(compared, File{Path: name})
		}
	}
	for _, f := range append(compared, last...) {
		d, err := p.lookAt(f)
		if err == nil {
			err = p.planFile(d)
		}
		if err != nil {
			return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(f.Path)), err)
		}
	}
	if !maps.Equal(p.record, p.next) && (aim != Building || !p.IsEmpty()) {
		has, err := p.lookAt(File{Path: RecordFile})
		if err != nil {
			return Plan{}, err
		}
		e := p.editOf(RecordFile, has)
		e.State, e.After = true, &journal.Content{Data: p.next.encodeSums(), Mode: 0o644}
		p.Edits = append(p.Edits, e)
	}
	return p.Plan, nil
}

// IsUntouched tells whether a suite has only what springfield has written there.
func IsUntouched(dir string) bool {
	p, err := MakePlan(dir, Updating, nil)
	files := 0
	walked := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	return err == nil && walked == nil && files == len(p.Paths(Removed))+2 // the record, springfield.yaml
}

// hookPlaces are the files of hooks that the suite could have. Every plugin must be there.
func (p *planner) hookPlaces() (places []string, err error) {
	for _, plugin := range p.suite.Plugins {
		switch d := p.compareFile(File{Path: plugin.Name}); {
		case d.Kind == Link:
			return nil, d.err
		case !d.mode.IsDir():
			return nil, fmt.Errorf("plugin %s: %s is missing", plugin.Name, p.PathOf(plugin.Name))
		}
		for _, place := range hookPlaces(Hook, Judge) {
			places = append(places, path.Join(plugin.Name, place))
		}
	}
	return places, nil
}

// noteOutcome notes what becomes of a file that is not written.
func (p *planner) noteOutcome(path string, state State) {
	p.Outcomes = append(p.Outcomes, Outcome{Path: path, State: state})
}

// planWrite adds the edit of a file; the state Removed removes it.
func (p *planner) planWrite(o Outcome, has Difference, data []byte, mode fs.FileMode) {
	e := p.editOf(o.Writes, has)
	if o.State != Removed {
		e.After = &journal.Content{Data: data, Mode: mode}
	}
	p.Outcomes = append(p.Outcomes, o)
	p.Edits = append(p.Edits, e)
}

// editOf is the edit of a file of the suite, from what was found there. A link or a directory has no content to change.
func (p *planner) editOf(name string, has Difference) journal.Edit {
	e := journal.Edit{In: p.dir, Path: filepath.Join(p.dir, filepath.FromSlash(name)), Drop: true}
	if has.isRead() {
		e.Before = &journal.Content{Data: has.data, Mode: has.mode.Perm()}
	}
	return e
}

// lookAt compares one file. A link or a directory in its place is not an error.
func (p *planner) lookAt(f File) (Difference, error) {
	d := p.compareFile(f)
	if d.there && !d.mode.IsRegular() {
		return d, nil
	}
	return d, d.err
}

// planFile decides about one file.
func (p *planner) planFile(d Difference) error {
	f := d.File
	switch {
	case f.Path == SuiteFile:
		return p.planSuiteFile(d)
	case !f.isMade():
		p.leaveFile(d)
		return nil
	}
	base, known := p.record[f.Path]
	now := textSum(f.Data)
	p.next[f.Path] = now
	switch {
	case d.Kind == Same:
	case d.Kind == Missing:
		return p.planMissingFile(d, known)
	case f.Compiled:
		p.planWrite(Outcome{f.Path, Rebuilt, f.Path}, d, f.Data, f.Mode)
	case d.Kind == Outdated:
		data := f.Data
		if text, isText := plainText(data); isText {
			data = withEndsOf(d.data, text)
		}
		p.planWrite(Outcome{f.Path, Followed, f.Path}, d, data, d.mode.Perm())
	case p.aim == Completing:
		delete(p.next, f.Path)
		if known { // springfield's text of today waits for an update
			p.next[f.Path] = base
		}
		p.noteOutcome(f.Path, Kept)
	case known && base == now:
		// Only the user has changed it.
	default:
		name := f.Path + BesideSuffix
		beside, err := p.lookAt(File{Path: name})
		if err != nil {
			return err
		}
		if beside.there && !beside.isRead() {
			p.noteOutcome(f.Path, Kept)
			return nil
		}
		p.planWrite(Outcome{f.Path, Kept, name}, beside, f.Data, f.Mode)
	}
	return nil
}

// planMissingFile adds a file, unless the user has deleted it.
func (p *planner) planMissingFile(d Difference, known bool) error {
	state := Added
	if d.Compiled {
		state = Rebuilt
	}
	if known && p.aim == Updating {
		top, _, _ := strings.Cut(d.Path, "/")
		plugin, err := p.lookAt(File{Path: top})
		if err != nil {
			return err
		}
		if !d.Compiled || !plugin.there {
			p.noteOutcome(d.Path, Deleted)
			return nil
		}
	}
	p.planWrite(Outcome{d.Path, state, d.Path}, d, d.Data, d.Mode)
	return nil
}

// leaveFile takes away a file that springfield no longer writes, unless it was changed.
// Hooks are springfield's own.
func (p *planner) leaveFile(d Difference) {
	switch {
	case !d.there:
	case p.aim == Updating && !(d.isRead() && p.record[d.Path] == textSum(d.data)):
		p.noteOutcome(d.Path, Orphaned)
	default:
		if p.aim == Building {
			delete(p.next, d.Path)
		}
		p.planWrite(Outcome{d.Path, Removed, d.Path}, d, nil, 0)
	}
}

// planSuiteFile puts today's answers and build into springfield.yaml.
func (p *planner) planSuiteFile(d Difference) error {
	if !d.there {
		p.planWrite(Outcome{SuiteFile, Added, SuiteFile}, d, d.Data, d.Mode)
		return nil
	}
	next, err := decodeSuite(d.Data)
	if err != nil || p.suite.isEqual(next) {
		return err
	}
	after, err := next.OverlayText(d.data)
	p.planWrite(Outcome{SuiteFile, Followed, SuiteFile}, d, after, d.mode.Perm())
	return err
}
