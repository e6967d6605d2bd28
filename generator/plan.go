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
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
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
	suite, err := ReadSuite(dir)
	switch {
	case errors.Is(err, ErrNoSuite):
		for _, e := range entries {
			if e.Name() != ".git" {
				return nil, check.Advisef("name another directory: springfield init DIR",
					"%s is not empty and not a springfield suite (it has %s)", dir, e.Name())
			}
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &suite, nil
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
	aim        Aim
	in         *rooted.Folder // nil: there is nothing yet
	suite      Suite          // as springfield.yaml has it
	base, next record         // what springfield wrote before, and will have written
}

// MakePlan compares the suite in dir with the files that RenderSuite makes for it. To complete
// one, dir may be absent or empty. Programs without bytes count as changed. Errors are
// about files that cannot be read, and directories that are links.
func MakePlan(dir string, aim Aim, files []File) (Plan, error) {
	p := planner{Plan: Plan{dir: dir}, aim: aim, next: record{}}
	suite, err := Existing(dir)
	switch {
	case err == nil && suite == nil && aim != Completing:
		err = noSuite(dir)
	case err == nil && suite != nil:
		p.suite = *suite
		p.base, err = readRecord(dir)
	}
	if err != nil {
		return Plan{}, err
	}
	if suite != nil {
		in, err := rooted.OpenFolder(dir)
		if err != nil {
			return Plan{}, err
		}
		defer func() { _ = in.Close() }()
		p.in = &in
	}
	p.Fresh = aim == Completing && len(p.base) == 0
	p.Kind, p.Did = "suite", [...]string{"complete", "build", "update"}[aim]+" suite "+dir
	if p.Fresh {
		p.Did = "make suite " + dir
	}
	var places []string // files of springfield's own that go when they are not among files
	switch aim {
	case Updating:
		places = slices.Sorted(maps.Keys(p.base))
	case Building:
		if places, err = p.hookPlaces(); err != nil {
			return Plan{}, err
		}
		fallthrough
	default:
		maps.Copy(p.next, p.base)
	}
	for _, f := range files {
		if f.Path == SuiteFile || aim == Building && !f.Compiled {
			continue // springfield.yaml is last: its build tells whether anything has changed
		}
		if err := p.planFile(f); err != nil {
			return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(f.Path)), err)
		}
	}
	for _, name := range places {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			if err := p.leaveFile(name); err != nil {
				return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
			}
		}
	}
	if err := p.planSuiteFile(files); err != nil {
		return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, SuiteFile), err)
	}
	if !maps.Equal(p.base, p.next) && (aim != Building || !p.IsEmpty()) {
		has, err := p.lookAt(RecordFile)
		if err != nil {
			return Plan{}, err
		}
		e := p.editFromFound(RecordFile, has)
		e.Own, e.After = true, &journal.Content{Data: p.next.encodeSums(), Mode: 0o644}
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
		if err := p.in.CheckLinks(plugin.Name); err != nil {
			return nil, err
		}
		if info, err := p.in.Lstat(plugin.Name); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("plugin %s: %s is missing", plugin.Name, p.in.PathOf(plugin.Name))
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
func (p *planner) planWrite(o Outcome, has found, data []byte, mode fs.FileMode) {
	e := p.editFromFound(o.Writes, has)
	if o.State != Removed {
		e.After = &journal.Content{Data: data, Mode: mode}
	}
	p.Outcomes = append(p.Outcomes, o)
	p.Edits = append(p.Edits, e)
}

// editFromFound is the edit of a file of the suite, from what was found there. What is no file has no content to change.
func (p *planner) editFromFound(name string, has found) journal.Edit {
	e := journal.Edit{In: p.dir, Path: filepath.Join(p.dir, filepath.FromSlash(name)), Drop: true}
	if has.regular {
		e.Before = &journal.Content{Data: has.data, Mode: has.mode}
	}
	return e
}

// planFile decides about one file.
func (p *planner) planFile(f File) error {
	has, err := p.lookAt(f.Path)
	if err != nil {
		return err
	}
	base, known := p.base[f.Path]
	now := textSum(f.Data)
	p.next[f.Path] = now
	same := has.regular && (bytes.Equal(has.data, f.Data) || textSum(has.data) == now)
	if f.Compiled { // a program is run as it is
		bits := has.mode&0o111 == f.Mode&0o111 || runtime.GOOS == "windows"
		same = same && bytes.Equal(has.data, f.Data) && bits
	}
	switch {
	case same:
	case f.Compiled && has.there:
		p.planWrite(Outcome{f.Path, Rebuilt, f.Path}, has, f.Data, f.Mode)
	case !has.there:
		return p.planMissingFile(f, known)
	case p.aim == Building || p.aim == Completing && (!known || textSum(has.data) != base):
		delete(p.next, f.Path)
		if known { // springfield's text of today waits for an update
			p.next[f.Path] = base
		}
		p.noteOutcome(f.Path, Kept)
	case has.regular && known && textSum(has.data) == base:
		data := f.Data
		if text, isText := plainText(data); isText {
			data = withEndsOf(has.data, text)
		}
		p.planWrite(Outcome{f.Path, Followed, f.Path}, has, data, has.mode)
	case known && base == now:
		// Only the user has changed it.
	default:
		name := f.Path + BesideSuffix
		beside, err := p.lookAt(name)
		if err != nil {
			return err
		}
		if beside.there && !beside.regular {
			p.noteOutcome(f.Path, Kept)
			return nil
		}
		p.planWrite(Outcome{f.Path, Kept, name}, beside, f.Data, f.Mode)
	}
	return nil
}

// planMissingFile adds a file, unless the user has deleted it.
func (p *planner) planMissingFile(f File, known bool) error {
	state := Added
	if f.Compiled {
		state = Rebuilt
	}
	if known && p.aim == Updating {
		top, _, _ := strings.Cut(f.Path, "/")
		plugin, err := p.lookAt(top)
		if err != nil {
			return err
		}
		if !f.Compiled || !plugin.there {
			p.noteOutcome(f.Path, Deleted)
			return nil
		}
	}
	p.planWrite(Outcome{f.Path, state, f.Path}, found{}, f.Data, f.Mode)
	return nil
}

// leaveFile takes away a file that springfield no longer writes, unless it was changed.
// Hooks are springfield's own.
func (p *planner) leaveFile(name string) error {
	has, err := p.lookAt(name)
	if err != nil || !has.there {
		return err
	}
	if p.aim == Updating && !(has.regular && p.base[name] == textSum(has.data)) {
		p.noteOutcome(name, Orphaned)
		return nil
	}
	if p.aim == Building {
		delete(p.next, name)
	}
	p.planWrite(Outcome{name, Removed, name}, has, nil, 0)
	return nil
}

// planSuiteFile puts today's answers and build into springfield.yaml.
func (p *planner) planSuiteFile(files []File) error {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == SuiteFile })
	has, err := p.lookAt(SuiteFile)
	if err != nil || i < 0 {
		return err
	}
	if !has.there {
		p.planWrite(Outcome{SuiteFile, Added, SuiteFile}, has, files[i].Data, files[i].Mode)
		return nil
	}
	next, err := decodeSuite(files[i].Data)
	if err != nil || p.suite.isEqual(next) {
		return err
	}
	after, err := next.OverlayText(has.data)
	p.planWrite(Outcome{SuiteFile, Followed, SuiteFile}, has, after, has.mode)
	return err
}

// found is what lies at a path; data only of regular files.
type found struct {
	there, regular bool
	data           []byte
	mode           fs.FileMode
}

// lookAt reads a file without following a link.
func (p *planner) lookAt(name string) (found, error) {
	if p.in == nil {
		return found{}, nil
	}
	info, err := p.in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	f := found{there: true, regular: info.Mode().IsRegular(), mode: info.Mode().Perm()}
	if f.regular {
		f.data, _, err = p.in.ReadFile(name, maxFile)
	}
	return f, err
}
