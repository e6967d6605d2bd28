// Plans for the files of a suite. A plan compares today's files of springfield with the suite and writes nothing:
//   - Completing adds missing files and replaces hooks.
//   - Building replaces hooks, their launcher and their record, and removes the hooks of former targets.
//   - Updating replaces every file that the user has not changed, and accepts deletions. Releasing does not accept them.
//
// An update, file by file:
//   - As springfield wrote it: replaced, or removed if springfield no longer writes it.
//   - Changed by the user, a link, or not in the record: kept. A new text of springfield is written as FILE.new.
//   - Deleted: remains deleted until init adds it again. Hooks come back, unless the whole plugin is deleted.
//   - springfield.yaml gets the build and new answers; the rest belongs to the user.
//
// A cloned suite is not trusted: nothing is read or written through a link.

package generator

import (
	"bytes"
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

// maxFile limits a file of a suite, in bytes.
const maxFile = 64 << 20

// BesideSuffix ends the name of springfield's new text beside a file that the user has changed.
const BesideSuffix = ".new"

// State is the effect of a plan on a file.
type State string

const (
	Added    State = "added"
	Followed State = "followed" // replaced, as the user has not changed it
	Rebuilt  State = "rebuilt"  // a hook
	Kept     State = "kept"     // it differs
	Removed  State = "removed"  // no longer written
	Deleted  State = "deleted"  // by the user
	Orphaned State = "orphaned" // no longer written, but changed by the user
)

// Outcome is the effect on one file, as in update --json. Most unchanged files have none.
type Outcome struct {
	Path  string `json:"file"`
	State State  `json:"state"`
	// Writes is the file written or removed: Path, its FILE.new, or "".
	Writes string `json:"writes"`
}

type Plan struct {
	journal.Change
	Outcomes []Outcome
	Fresh    bool // springfield has not written there before

	dir string
}

// Diff returns the plan as a diff with paths relative to the suite.
func (p Plan) Diff() string { return p.DiffIn(p.dir) }

// Paths returns the files with these states, slash-separated and relative to the suite.
func (p Plan) Paths(states ...State) (paths []string) {
	for _, o := range p.Outcomes {
		if slices.Contains(states, o.State) {
			paths = append(paths, o.Path)
		}
	}
	return paths
}

// ReadSuiteIfAny reads a suite (nil if missing, empty or a fresh git repository). Other directories are an error.
func ReadSuiteIfAny(suiteOrFreeDir string) (suite *Suite, err error) {
	entries, err := os.ReadDir(suiteOrFreeDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if suite, err := ReadSuite(suiteOrFreeDir); !errors.Is(err, ErrNoSuite) {
		return &suite, err
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return nil, check.Advisef("choose another directory: springfield init DIR",
				"%s is neither empty nor a springfield suite (it contains %s)", suiteOrFreeDir, e.Name())
		}
	}
	return nil, nil
}

// Aim selects the files of a plan.
type Aim int

const (
	Completing Aim = iota // missing files, and hooks
	Building
	Updating
	Releasing
)

type planner struct {
	Plan
	folder // of the suite
	aim    Aim
	suite  Suite    // as in springfield.yaml
	next   fileSums // record after the plan
}

// MakePlan compares the suite in dir (absolute) with files, and plans the changes for aim. For Completing, dir can be
// missing or empty. Programs without data count as different. Unreadable files and symlinked directories are errors.
func MakePlan(dir string, aim Aim, files []File) (Plan, error) {
	p := planner{Plan: Plan{dir: dir}, folder: folder{limit: maxFile}, aim: aim, next: fileSums{}}
	suite, err := new(Suite), error(nil)
	if aim == Completing {
		suite, err = ReadSuiteIfAny(dir)
	} else {
		*suite, err = ReadSuite(dir)
	}
	if err == nil && suite != nil {
		p.suite = *suite
		if p.checksums, err = readRecordIfAny(dir); err == nil {
			p.Folder, err = rooted.OpenFolder(dir)
		}
	}
	if err != nil {
		return Plan{}, err
	}
	if suite != nil {
		defer func() { _ = p.Close() }()
	}
	p.Fresh = aim == Completing && len(p.checksums) == 0
	p.Kind, p.Did = "suite", [...]string{"complete", "build", "update", "update"}[aim]+" suite "+dir
	if p.Fresh {
		p.Did = "make suite " + dir
	}
	var places []string // to remove unless they are in files
	if aim >= Updating {
		places = slices.Sorted(maps.Keys(p.checksums))
	} else {
		maps.Copy(p.next, p.checksums)
	}
	if aim == Building {
		if places, err = p.programPlaces(); err != nil {
			return Plan{}, err
		}
	}
	var compared, last []File
	for _, f := range files {
		switch {
		case f.Path == SuiteFile:
			last = append(last, f) // depends on the build
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
	if !maps.Equal(p.checksums, p.next) && (aim != Building || !p.IsEmpty()) {
		has, err := p.lookAt(File{Path: RecordFile})
		if err != nil {
			return Plan{}, err
		}
		e := p.removalOf(RecordFile, has)
		e.State, e.After = true, &journal.Content{Data: p.next.encodeSums(), Mode: 0o644}
		p.Edits = append(p.Edits, e)
	}
	return p.Plan, nil
}

// IsAsRecorded reports whether suiteDir contains only unchanged springfield files. It ignores missing files and changed
// values in springfield.yaml.
func IsAsRecorded(suiteDir string) bool {
	p, err := MakePlan(suiteDir, Updating, nil)
	suite, _ := ReadSuite(suiteDir)
	made, _ := suite.encodeYAML()
	text, _ := rooted.ReadFile(suiteDir, SuiteFile, maxSuiteFile)
	files := 0
	walked := filepath.WalkDir(suiteDir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files++
		}
		return err
	})
	return err == nil && walked == nil && bytes.Equal(text, made) && len(p.Paths(Removed)) > 0 && files == len(p.Paths(Removed))+2 // the record, springfield.yaml
}

func (p *planner) programPlaces() (possible []string, err error) {
	for _, plugin := range p.suite.Plugins {
		switch d := p.compareFile(File{Path: plugin.Name}); {
		case d.Kind == Link:
			return nil, d.err
		case !d.mode.IsDir():
			return nil, fmt.Errorf("plugin %s: %s is missing", plugin.Name, p.PathOf(plugin.Name))
		}
		for _, place := range ProgramPaths(Hook, Judge) {
			possible = append(possible, path.Join(plugin.Name, place))
		}
	}
	return possible, nil
}

// planOutcome adds an outcome, and the edit that writes data to o.Writes or, if o.State is Removed, removes it. before
// is the state of o.Writes.
func (p *planner) planOutcome(o Outcome, before Difference, data []byte, mode fs.FileMode) {
	e := p.removalOf(o.Writes, before)
	if o.State != Removed {
		e.After = &journal.Content{Data: data, Mode: mode}
	}
	p.Outcomes = append(p.Outcomes, o)
	p.Edits = append(p.Edits, e)
}

func (p *planner) removalOf(name string, before Difference) journal.Edit {
	e := journal.Edit{In: p.dir, Path: filepath.Join(p.dir, filepath.FromSlash(name)), Drop: true}
	if before.data != nil {
		e.Before = &journal.Content{Data: before.data, Mode: before.mode.Perm()}
	}
	return e
}

// lookAt compares f with the suite's file. A symlink or directory is no error.
func (p *planner) lookAt(f File) (Difference, error) {
	d := p.compareFile(f)
	if d.there && !d.mode.IsRegular() {
		return d, nil
	}
	return d, d.err
}

// planFile adds a file's change, if any. If d.Mode is 0, springfield no longer makes the file.
func (p *planner) planFile(d Difference) error {
	f := d.File
	switch {
	case f.Path == SuiteFile:
		return p.planSuiteYAML(d)
	case f.Mode == 0:
		p.planDropOrKeep(d)
		return nil
	}
	base, known := p.checksums[f.Path]
	now := textSum(f.Data)
	p.next[f.Path] = now
	switch {
	case d.Kind == Same:
	case d.Kind == Missing:
		return p.addOrSkipMissing(d, known)
	case f.Compiled:
		p.planOutcome(Outcome{f.Path, Rebuilt, f.Path}, d, f.Data, f.Mode)
	case d.Kind == Outdated:
		data := f.Data
		if text, isText := textWithLF(data); isText {
			data = withLineEndsOf(d.data, text)
		}
		p.planOutcome(Outcome{f.Path, Followed, f.Path}, d, data, d.mode.Perm())
	case p.aim == Completing:
		delete(p.next, f.Path)
		if known { // an update offers today's text
			p.next[f.Path] = base
		}
		p.Outcomes = append(p.Outcomes, Outcome{Path: f.Path, State: Kept})
	case known && (base == now || base == acceptedSum):
		// Changed only by the user.
	default:
		name := f.Path + BesideSuffix
		beside, err := p.lookAt(File{Path: name})
		if err != nil {
			return err
		}
		if has := textSum(beside.data); beside.there && (beside.data == nil || has != base && has != now) {
			if p.next[f.Path] = base; !known { // a later update offers the text again
				delete(p.next, f.Path)
			}
			p.Outcomes = append(p.Outcomes, Outcome{Path: f.Path, State: Kept})
			return nil
		}
		p.planOutcome(Outcome{f.Path, Kept, name}, beside, f.Data, f.Mode)
	}
	return nil
}

func (p *planner) addOrSkipMissing(d Difference, recorded bool) error {
	state := Added
	if d.Compiled {
		state = Rebuilt
	}
	if recorded && p.aim >= Updating {
		top, _, _ := strings.Cut(d.Path, "/")
		plugin, err := p.lookAt(File{Path: top})
		if err != nil {
			return err
		}
		if !d.Compiled || !plugin.there {
			if p.next[d.Path] = p.checksums[d.Path]; p.aim == Updating {
				p.next[d.Path] = acceptedSum
			}
			p.Outcomes = append(p.Outcomes, Outcome{Path: d.Path, State: Deleted})
			return nil
		}
	}
	p.planOutcome(Outcome{d.Path, state, d.Path}, d, d.Data, d.Mode)
	return nil
}

func (p *planner) planDropOrKeep(d Difference) {
	switch {
	case !d.there:
	case p.aim >= Updating && !(d.data != nil && p.checksums[d.Path] == textSum(d.data)):
		p.Outcomes = append(p.Outcomes, Outcome{Path: d.Path, State: Orphaned})
	default:
		if p.aim == Building {
			delete(p.next, d.Path)
		}
		p.planOutcome(Outcome{d.Path, Removed, d.Path}, d, nil, 0)
	}
}

func (p *planner) planSuiteYAML(d Difference) error {
	if !d.there {
		p.planOutcome(Outcome{SuiteFile, Added, SuiteFile}, d, d.Data, d.Mode)
		return nil
	}
	next, err := decodeSuite(d.Data)
	if err != nil {
		return err
	}
	after, err := next.UpdatedYAML(d.data)
	if err == nil && !bytes.Equal(after, d.data) {
		p.planOutcome(Outcome{SuiteFile, Followed, SuiteFile}, d, after, d.mode.Perm())
	}
	return err
}
