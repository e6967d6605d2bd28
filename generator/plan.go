// Plans for the files of a suite: what init, build and update would make of it.
// All three compare what springfield renders today with what is there, file by file;
// they differ in which files they follow. Nothing is written here.
//
// The rules:
//   - init into a new directory writes everything. Into a suite it adds what is
//     missing and replaces hooks; a text that is there stays;
//   - build replaces hooks, their launcher and the record of them in springfield.yaml,
//     and takes away the hooks of targets that the suite no longer has;
//   - update brings every file up to date, merged with its user's edits (merge.go).
//
// For update, file by file:
//   - as springfield wrote it: it follows; springfield no longer writes it: it goes;
//   - edited: the user's edits and springfield's are merged;
//   - edited at the same place: in README.md and CLAUDE.md, which people read, both
//     texts are marked. Every other file is read by a program that must not meet a
//     marker: it stays as it is, and the new text lies beside it as
//     FILE.springfield-new. So it is with pictures, with links, and with files of
//     which the record does not know what springfield wrote;
//   - as long as that file lies there, or the markers are in the text, the conflict
//     is open and nothing more is merged into the file;
//   - deleted: it stays deleted. Hooks are springfield's own and come back, unless
//     the whole plugin is gone;
//   - springfield.yaml gets the build and new answers; the rest of it is the user's.
//
// A suite that was cloned is not trusted: nothing is read or written through a link
// in it. What springfield does not write is not looked at.

package generator

import (
	"bytes"
	"encoding/json"
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

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/folder"
)

// maxFile bounds what is read of a suite's file, in bytes: several times a hook.
const maxFile = 64 << 20

// BesideSuffix ends the name of a new text that lies beside a user's file.
const BesideSuffix = ".springfield-new"

// State says what a plan does to a file.
type State string

const (
	Added    State = "added"    // new in this suite
	Followed State = "followed" // not edited: the new text
	Merged   State = "merged"   // edited: both changes are in it
	Rebuilt  State = "rebuilt"  // a hook
	Kept     State = "kept"     // it says something else: it stays
	Removed  State = "removed"  // springfield no longer writes it
	Deleted  State = "deleted"  // by the user: it stays so
	Orphaned State = "orphaned" // springfield no longer writes it, but it was edited: it stays
	Marked   State = "marked"   // a conflict: markers in the text
	Offered  State = "offered"  // a conflict: the new text lies beside it
	Open     State = "open"     // a conflict of an earlier update that is not resolved
)

// Conflict says whether the user has to look at the file.
func (s State) Conflict() bool { return s == Marked || s == Offered || s == Open }

// Outcome is what becomes of one file. Files that stay as they are have none, unless
// there is something to say about them.
type Outcome struct {
	Path  string // of the file, with slashes
	State State
	// Writes is the file that is written or removed: Path, or the file beside it, or
	// "" if neither.
	Writes string
}

// Plan is everything that a verb does to the files of a suite.
type Plan struct {
	change.Change
	Outcomes []Outcome
	Suite    Suite // as it will be recorded; nothing for a new one
	Fresh    bool  // there was no suite

	// SameVersion are the plugins of which files change while their version does not.
	// Claude Code copies a plugin that comes from a repository once per version, so
	// such a copy would never get the change.
	SameVersion []Plugin

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

// OccupiedError says that a directory holds something that is not a suite.
type OccupiedError struct{ Dir, Found string }

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("%s is not empty and not a springfield suite (it has %s)", e.Dir, e.Found)
}

// Existing is the suite in dir, nil if dir is absent or empty. A fresh git
// repository counts as empty; anything else is an OccupiedError.
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
				return nil, &OccupiedError{dir, e.Name()}
			}
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &suite, nil
}

// aim is which files a plan follows.
type aim int

const (
	completing  aim = iota // what is missing, and hooks
	building               // hooks
	updating               // everything
	downgrading            // everything, also where a newer springfield has made it
)

// planner works out a plan.
type planner struct {
	Plan
	aim        aim
	in         folder.Folder
	suite      Suite           // as it is recorded
	base, next rendered        // what springfield wrote before, and will have written
	hooked     map[string]bool // plugins that have a hook
	stamps     bool            // that this springfield has been there is a change of its own
}

// PlanInit puts the files of a suite into dir: absent, empty, or a suite already.
func PlanInit(dir string, files []File) (Plan, error) {
	suite, err := Existing(dir)
	if err != nil {
		return Plan{}, err
	}
	if suite != nil {
		return plan(dir, completing, files, nil)
	}
	p := planner{Plan: Plan{Fresh: true, Change: change.Change{Did: "make suite " + dir, Kind: "suite"}, dir: dir}}
	record := rendered{}
	record.add(files)
	for _, f := range files {
		p.write(Outcome{f.Path, Added, f.Path}, found{}, f.Data, f.Mode)
	}
	p.record(record.file(), nil)
	return p.Plan, nil
}

// PlanBuild compares the suite in dir, as it says it should be, with what was built
// for its targets. Binaries without data count as changed.
func PlanBuild(dir string, suite Suite, built Build) (Plan, error) {
	launcher, err := render("shared/launcher/springfield-hook.tmpl", nil)
	if err != nil {
		return Plan{}, err
	}
	in, err := folder.Open(dir)
	if err != nil {
		return Plan{}, err
	}
	defer func() { _ = in.Close() }()
	suite.Build = built
	var files []File
	var places []string // of hooks that the suite could have
	for _, p := range suite.Plugins {
		if err := in.Check(p.Name); err != nil {
			return Plan{}, err
		}
		if info, err := in.Lstat(p.Name); err != nil || !info.IsDir() {
			return Plan{}, fmt.Errorf("plugin %s: %s is missing", p.Name, in.Path(p.Name))
		}
		for _, l := range suite.hookFiles(p, built.Binaries, launcher) {
			l.File.Path = path.Join(p.Name, l.File.Path)
			files = append(files, l.File)
		}
		for _, place := range hookPlaces(Hook, Judge) {
			places = append(places, path.Join(p.Name, place))
		}
	}
	answers, err := suite.encode()
	if err != nil {
		return Plan{}, err
	}
	p, err := plan(dir, building, append(files, File{Path: SuiteFile, Mode: 0o644, Data: answers}), places)
	p.Suite = suite
	return p, err
}

// PlanUpdate compares the suite in dir with the files that Render makes of its
// springfield.yaml today. Errors are a RecordError, files that cannot be read, and
// directories that are links.
func PlanUpdate(dir string, files []File) (Plan, error) {
	return plan(dir, updating, files, nil)
}

// PlanDowngrade is PlanUpdate of a suite that a newer springfield may have made.
func PlanDowngrade(dir string, files []File) (Plan, error) {
	return plan(dir, downgrading, files, nil)
}

// plan compares a suite with what it should be. places are files of springfield's own
// that go when they are not among files; for an update these are all that it wrote.
func plan(dir string, aim aim, files []File, places []string) (Plan, error) {
	p := planner{Plan: Plan{dir: dir}, aim: aim, next: rendered{}, hooked: map[string]bool{}}
	p.Kind, p.Did = "suite", [...]string{"complete", "build", "update", "downgrade"}[aim]+" suite "+dir
	var err error
	if p.suite, err = ReadSuite(dir); err != nil {
		return Plan{}, err
	}
	if aim == downgrading {
		p.aim, aim, p.stamps = updating, updating, true
	} else if err := p.suite.checkOlder(dir, files); err != nil {
		return Plan{}, err
	}
	if p.base, err = readRendered(dir); err != nil {
		return Plan{}, err
	}
	if p.in, err = folder.Open(dir); err != nil {
		return Plan{}, err
	}
	defer func() { _ = p.in.Close() }()
	if p.Suite = p.suite; aim == updating {
		places = slices.Sorted(maps.Keys(p.base))
	} else {
		p.next = maps.Clone(p.base)
	}
	for _, f := range files {
		if f.Path == SuiteFile {
			continue // last: it says which springfield has changed the others
		}
		if err := p.compare(f); err != nil {
			return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(f.Path)), err)
		}
	}
	for _, name := range places {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			if err := p.leave(name); err != nil {
				return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
			}
		}
	}
	if err := p.answers(suiteFile(files)); err != nil {
		return Plan{}, fmt.Errorf("update %s: %w", filepath.Join(dir, SuiteFile), err)
	}
	if before, after := p.base.file(), p.next.file(); !bytes.Equal(before.Data, after.Data) && (aim != building || !p.Empty()) {
		has, err := look(p.in, RecordFile)
		if err != nil {
			return Plan{}, err
		}
		p.record(after, has.content())
	}
	p.SameVersion, err = p.sameVersion()
	return p.Plan, err
}

// say notes what becomes of a file that is not written.
func (p *planner) say(path string, state State) {
	p.Outcomes = append(p.Outcomes, Outcome{Path: path, State: state})
}

// write adds the edit of a file; no data removes it.
func (p *planner) write(o Outcome, has found, data []byte, mode fs.FileMode) {
	e := p.edit(o.Writes, has.content())
	if o.State != Removed {
		e.After = &change.Content{Data: data, Mode: mode}
	}
	p.Outcomes = append(p.Outcomes, o)
	p.Edits = append(p.Edits, e)
}

func (p *planner) record(f File, before *change.Content) {
	e := p.edit(f.Path, before)
	e.Own, e.After = true, &change.Content{Data: f.Data, Mode: f.Mode}
	p.Edits = append(p.Edits, e)
}

func (p *planner) edit(name string, before *change.Content) change.Edit {
	return change.Edit{In: p.dir, Path: filepath.Join(p.dir, filepath.FromSlash(name)), Before: before, Drop: true}
}

// compare decides about one file. next gets what it will have been compared with:
// springfield's text of today, or that of before while it has not followed.
func (p *planner) compare(f File) error {
	has, err := look(p.in, f.Path)
	if err != nil {
		return err
	}
	base, known := p.base[f.Path]
	now := writingOf(f)
	p.next[f.Path] = now
	if plugin, _, _ := strings.Cut(f.Path, "/"); f.Compiled && has.there {
		p.hooked[plugin] = true
	}
	switch {
	case has.regular && now.is(has.data) && (!f.Compiled || runtime.GOOS == "windows" || has.mode&0o111 == f.Mode&0o111):
		return nil
	case f.Compiled && has.there:
		p.write(Outcome{f.Path, Rebuilt, f.Path}, has, f.Data, f.Mode)
		return nil
	case !has.there:
		return p.missing(f, known)
	case p.aim == updating:
		return p.merge(f, has, base, known)
	}
	p.stay(f.Path, base, known)
	p.say(f.Path, Kept)
	return nil
}

// stay keeps what the record says of a file.
func (p *planner) stay(name string, base writing, known bool) {
	delete(p.next, name)
	if known {
		p.next[name] = base
	}
}

// answers puts today's answers and build into springfield.yaml.
func (p *planner) answers(f File) error {
	has, err := look(p.in, SuiteFile)
	if err != nil || f.Data == nil {
		return err
	}
	next, err := decodeSuite(f.Data)
	stamp := p.suite.Build.Springfield != next.Build.Springfield && (p.stamps || !p.Empty())
	if err != nil || p.suite.equal(next) && !stamp {
		return err
	}
	after, err := next.over(p.suite, has.data)
	p.write(Outcome{SuiteFile, Followed, SuiteFile}, has, after, has.mode)
	return err
}

// suiteFile is the file of answers among rendered files.
func suiteFile(files []File) File {
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == SuiteFile })
	if i < 0 {
		return File{}
	}
	return files[i]
}

// checkOlder refuses files of a springfield that is older than the one that has made the
// suite.
func (s Suite) checkOlder(dir string, files []File) error {
	own := madeBy(suiteFile(files).Data)
	if IsOlder(own, s.Build.Springfield) {
		return &NewerError{dir, s.Build.Springfield, own}
	}
	return nil
}

// missing adds a file, unless the user has deleted it.
func (p *planner) missing(f File, known bool) error {
	if known && p.aim == updating {
		pluginGone, err := absentDir(p.in, f.Path)
		if err != nil {
			return err
		}
		if !f.Compiled || pluginGone {
			p.say(f.Path, Deleted)
			return nil
		}
	}
	state := Added
	if f.Compiled {
		state = Rebuilt
	}
	p.write(Outcome{f.Path, state, f.Path}, found{}, f.Data, f.Mode)
	return nil
}

// merge brings a text up to date that says something else.
func (p *planner) merge(f File, has found, base writing, known bool) error {
	now := p.next[f.Path]
	follow := func(state State, text string) {
		data := f.Data
		if now.sum == "" {
			data = withEndsOf(has.data, text)
		}
		p.write(Outcome{f.Path, state, f.Path}, has, data, has.mode)
	}
	if has.regular && known && base.is(has.data) {
		follow(Followed, now.text)
		return nil
	}
	name := f.Path + BesideSuffix
	beside, err := look(p.in, name)
	if err != nil {
		return err
	}
	mine, isText := plain(has.data)
	switch {
	case beside.regular && now.is(beside.data):
		p.say(f.Path, Open)
	case beside.regular && known && base.is(beside.data):
		p.write(Outcome{f.Path, Open, name}, beside, f.Data, f.Mode)
	case beside.there, known && isText && forPeople(f.Path) && isMarked(mine):
		p.say(f.Path, Open)
		p.stay(f.Path, base, known)
	case known && base == now:
		// Only the user has changed it.
	case !known || !has.regular || !isText || base.sum != "" || now.sum != "":
		p.write(Outcome{f.Path, Offered, name}, beside, f.Data, f.Mode)
	default:
		merged, clean := mergeFile(f.Path, base.text, mine, now.text)
		switch {
		case clean && merged == mine:
			// The user has made springfield's change already.
		case clean:
			follow(Merged, merged)
		case forPeople(f.Path):
			follow(Marked, merged)
		default:
			p.write(Outcome{f.Path, Offered, name}, beside, f.Data, f.Mode)
		}
	}
	return nil
}

// leave takes away a file that springfield no longer writes, unless it was edited.
// Hooks are springfield's own.
func (p *planner) leave(name string) error {
	has, err := look(p.in, name)
	if err != nil || !has.there {
		return err
	}
	if p.aim == updating && !(has.regular && p.base[name].is(has.data)) {
		p.say(name, Orphaned)
		return nil
	}
	if p.aim == building {
		plugin, _, _ := strings.Cut(name, "/")
		p.hooked[plugin] = true
		delete(p.next, name)
	}
	p.write(Outcome{name, Removed, name}, has, nil, 0)
	return nil
}

// sameVersion lists the plugins that change under the version that they have.
func (p *planner) sameVersion() ([]Plugin, error) {
	var same []Plugin
	for _, plugin := range p.suite.Plugins {
		changes := slices.ContainsFunc(p.Outcomes, func(o Outcome) bool {
			return strings.HasPrefix(o.Writes, plugin.Name+"/") && o.Writes == o.Path && (o.State != Rebuilt || p.hooked[plugin.Name])
		})
		manifest := plugin.Name + "/.claude-plugin/plugin.json"
		has, err := look(p.in, manifest)
		if err != nil {
			return nil, err
		}
		if !changes || !has.regular {
			continue // without a manifest it is new
		}
		after := has.data
		for _, e := range p.Edits {
			if e.Path == filepath.Join(p.dir, filepath.FromSlash(manifest)) && e.After != nil {
				after = e.After.Data
			}
		}
		if plugin.Version = versionIn(has.data); plugin.Version == versionIn(after) {
			same = append(same, plugin)
		}
	}
	return same, nil
}

func versionIn(manifest []byte) string {
	var m struct{ Version string }
	if json.Unmarshal(manifest, &m) != nil {
		return ""
	}
	return m.Version
}

func mergeFile(name, base, mine, theirs string) (merged string, clean bool) {
	if path.Ext(name) == ".json" {
		return mergeJSON(base, mine, theirs)
	}
	return merge(base, mine, theirs)
}

// forPeople says whether a file is read by people only, who know a conflict marker
// when they see one.
func forPeople(name string) bool {
	return path.Base(name) == "README.md" || path.Base(name) == "CLAUDE.md"
}

// found is what lies at a path; data only of regular files.
type found struct {
	there, regular bool
	data           []byte
	mode           fs.FileMode
}

// content is what an edit changes; of anything but a file nothing.
func (f found) content() *change.Content {
	if !f.regular {
		return nil
	}
	return &change.Content{Data: f.data, Mode: f.mode}
}

// look reads a file without following a link.
func look(in folder.Folder, name string) (found, error) {
	info, err := in.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return found{}, nil
	}
	if err != nil {
		return found{}, err
	}
	f := found{there: true, regular: info.Mode().IsRegular(), mode: info.Mode().Perm()}
	if f.regular {
		f.data, _, err = in.ReadFile(name, maxFile)
	}
	return f, err
}

// absentDir says whether the top directory of a path is gone: a plugin that the user
// has deleted.
func absentDir(in folder.Folder, name string) (bool, error) {
	top, _, below := strings.Cut(name, "/")
	if !below {
		return false, nil
	}
	has, err := look(in, top)
	return !has.there, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
