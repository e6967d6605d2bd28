// Updating a suite: what springfield renders today goes into a suite that it
// rendered earlier and its user has edited since.
//
// The rules, file by file:
//   - as springfield wrote it: it follows; springfield no longer writes it: it
//     goes;
//   - edited: the user's edits and springfield's are merged (see merge.go);
//   - edited at the same place: in README.md and CLAUDE.md, which people read,
//     both texts are marked. Every other file is read by a program that must not
//     meet a marker: it stays as it is, and the new text lies beside it as
//     FILE.springfield-new. So it is with pictures, with links, and with files of
//     which the record does not know what springfield wrote;
//   - as long as that file lies there, or the markers are in the text, the
//     conflict is open and nothing more is merged into the file;
//   - deleted: it stays deleted. Hooks are springfield's own and come back,
//     unless the whole plugin is gone;
//   - springfield.yaml gets the build and new answers; the rest of it is the
//     user's.
//
// What springfield does not write is not looked at.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cameronsjo/springfield/folder"
)

// BesideSuffix ends the name of a new text that lies beside a user's file.
const BesideSuffix = ".springfield-new"

// State says what an update does to a file.
type State string

const (
	Added    State = "added"    // new in this springfield
	Followed State = "followed" // not edited: the new text
	Merged   State = "merged"   // edited: both changes are in it
	Rebuilt  State = "rebuilt"  // a hook
	Removed  State = "removed"  // springfield no longer writes it
	Deleted  State = "deleted"  // by the user: it stays so
	Orphaned State = "orphaned" // springfield no longer writes it, but it was edited: it stays
	Marked   State = "marked"   // a conflict: markers in the text
	Offered  State = "offered"  // a conflict: the new text lies beside it
	Open     State = "open"     // a conflict of an earlier update that is not resolved
)

// Conflict says whether somebody has to look at the file.
func (s State) Conflict() bool { return s == Marked || s == Offered || s == Open }

// Change is what an update does to one file. Files that stay as they are have
// none, unless there is something to say about them.
type Change struct {
	Path  string // of the file, with slashes
	State State
	// Writes is the file that is written or removed: Path, or the file beside
	// it, or "" if neither.
	Writes string

	before, after []byte // of Writes; nil: there is no such file
	mode          fs.FileMode
}

// Update is everything that an update of a suite does.
type Update struct {
	Changes []Change

	dir    string
	suite  Suite
	record *File // nil: it says so already
}

// PlanUpdate compares the suite in dir with the files that Render makes of its
// springfield.yaml today. Nothing is written. Errors are a RecordError, files that
// cannot be read, and directories that are links.
func PlanUpdate(dir string, files []File) (Update, error) {
	suite, err := ReadSuite(dir)
	if err != nil {
		return Update{}, err
	}
	old, err := readRendered(dir)
	if err != nil {
		return Update{}, err
	}
	in, err := folder.Open(dir)
	if err != nil {
		return Update{}, err
	}
	defer func() { _ = in.Close() }()
	u := Update{dir: dir, suite: suite}
	next := rendered{}
	for _, f := range files {
		if f.Path == SuiteFile {
			err = u.answers(in, suite, f)
		} else {
			err = u.compare(in, f, old, next)
		}
		if err != nil {
			return Update{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(f.Path)), err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
			continue
		}
		has, err := look(in, name)
		switch {
		case err != nil:
			return Update{}, fmt.Errorf("update %s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
		case !has.there:
		case has.regular && old[name].is(has.data):
			u.add(Change{Path: name, State: Removed, Writes: name, before: has.data})
		default:
			u.add(Change{Path: name, State: Orphaned})
		}
	}
	if before, after := old.file(), next.file(); !bytes.Equal(before.Data, after.Data) {
		u.record = &after
	}
	return u, nil
}

// answers puts today's answers and build into springfield.yaml.
func (u *Update) answers(in folder.Folder, suite Suite, f File) error {
	next, err := decodeSuite(f.Data)
	if err != nil || suite.equal(next) {
		return err
	}
	has, err := look(in, SuiteFile)
	if err != nil {
		return err
	}
	after, err := next.over(has.data)
	u.add(Change{Path: SuiteFile, State: Followed, Writes: SuiteFile, before: has.data, after: after, mode: has.mode})
	return err
}

// compare decides about one file. next gets what it will have been compared
// with: springfield's text of today, or that of before while a conflict about it
// is open.
func (u *Update) compare(in folder.Folder, f File, old, next rendered) error {
	has, err := look(in, f.Path)
	if err != nil {
		return err
	}
	base, known := old[f.Path]
	now := writingOf(f)
	next[f.Path] = now
	write := func(state State, text []byte) {
		u.add(Change{Path: f.Path, State: state, Writes: f.Path, before: has.data, after: there(text), mode: has.mode})
	}
	if !has.there {
		if known {
			pluginGone, err := absentDir(in, f.Path)
			if err != nil {
				return err
			}
			if !f.Compiled || pluginGone {
				u.add(Change{Path: f.Path, State: Deleted})
				return nil
			}
		}
		has.mode = f.Mode
		if f.Compiled {
			write(Rebuilt, f.Data)
		} else {
			write(Added, f.Data)
		}
		return nil
	}
	mine, isText := plain(has.data)
	if f.Compiled {
		if !has.regular || !now.is(has.data) || has.mode&0o100 == 0 {
			has.mode = f.Mode
			write(Rebuilt, f.Data)
		}
		return nil
	}
	if has.regular && now.is(has.data) {
		return nil
	}
	if has.regular && known && base.is(has.data) {
		if now.sum == "" {
			write(Followed, withEndsOf(has.data, now.text))
		} else {
			write(Followed, f.Data)
		}
		return nil
	}

	beside, err := look(in, f.Path+BesideSuffix)
	if err != nil {
		return err
	}
	offer := func(state State) {
		u.add(Change{Path: f.Path, State: state, Writes: f.Path + BesideSuffix, before: beside.data, after: there(f.Data), mode: f.Mode})
	}
	switch {
	case beside.there && beside.regular && now.is(beside.data):
		u.add(Change{Path: f.Path, State: Open})
	case beside.there && beside.regular && known && base.is(beside.data):
		offer(Open)
	case beside.there, known && isText && forPeople(f.Path) && isMarked(mine):
		u.add(Change{Path: f.Path, State: Open})
		delete(next, f.Path)
		if known {
			next[f.Path] = base
		}
	case known && base == now:
		// Only the user has changed it.
	case !known || !has.regular || !isText || base.sum != "" || now.sum != "":
		offer(Offered)
	default:
		merged, clean := mergeFile(f.Path, base.text, mine, now.text)
		switch {
		case clean && merged == mine:
			// The user has made springfield's change already.
		case clean:
			write(Merged, withEndsOf(has.data, merged))
		case forPeople(f.Path):
			write(Marked, withEndsOf(has.data, merged))
		default:
			offer(Offered)
		}
	}
	return nil
}

func mergeFile(name, base, mine, theirs string) (merged string, clean bool) {
	if path.Ext(name) == ".json" {
		return mergeJSON(base, mine, theirs)
	}
	return merge(base, mine, theirs)
}

// forPeople says whether a file is read by people only, who know a conflict
// marker when they see one.
func forPeople(name string) bool {
	return path.Base(name) == "README.md" || path.Base(name) == "CLAUDE.md"
}

func (u *Update) add(c Change) { u.Changes = append(u.Changes, c) }

// found is what lies at a path; data only of regular files.
type found struct {
	there, regular bool
	data           []byte
	mode           fs.FileMode
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
		f.data = there(f.data)
	}
	return f, err
}

// there makes an empty file differ from none.
func there(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// absentDir says whether the top directory of a path is gone: a plugin that
// somebody has deleted.
func absentDir(in folder.Folder, name string) (bool, error) {
	top, _, below := strings.Cut(name, "/")
	if !below {
		return false, nil
	}
	has, err := look(in, top)
	return !has.there, err
}

// Unchanged says whether there is nothing to write.
func (u Update) Unchanged() bool {
	return u.record == nil && !slices.ContainsFunc(u.Changes, func(c Change) bool { return c.Writes != "" })
}

// SameVersion lists the plugins of which files change while their version does
// not. Claude Code copies a plugin that comes from a repository once per version,
// so who has such a copy would never see the change.
func (u Update) SameVersion() []Plugin {
	in, err := folder.Open(u.dir)
	if err != nil {
		return nil
	}
	defer func() { _ = in.Close() }()
	var same []Plugin
	for _, p := range u.suite.Plugins {
		changes := slices.ContainsFunc(u.Changes, func(c Change) bool {
			return strings.HasPrefix(c.Writes, p.Name+"/") && c.Writes == c.Path
		})
		manifest := p.Name + "/.claude-plugin/plugin.json"
		before, _, err := in.ReadFile(manifest, maxText)
		if err != nil || !changes {
			continue // without a manifest it is new
		}
		after := before
		if i := slices.IndexFunc(u.Changes, func(c Change) bool { return c.Writes == manifest }); i >= 0 {
			before, after = u.Changes[i].before, u.Changes[i].after // also when it is written by now
			if before == nil {
				continue
			}
		}
		if p.Version = versionIn(before); p.Version == versionIn(after) {
			same = append(same, p)
		}
	}
	return same
}

func versionIn(manifest []byte) string {
	var m struct{ Version string }
	if json.Unmarshal(manifest, &m) != nil {
		return ""
	}
	return m.Version
}

// Diff shows what Write would do to each file, as a unified diff. Of files that
// are no text it says that they differ; the record is left out.
func (u Update) Diff() string {
	var b strings.Builder
	for _, c := range u.Changes {
		if c.Writes == "" {
			continue
		}
		from, to := "a/"+c.Writes, "b/"+c.Writes
		if c.before == nil {
			from = "/dev/null"
		}
		if c.after == nil {
			to = "/dev/null"
		}
		before, okBefore := plain(c.before)
		after, okAfter := plain(c.after)
		if c.State == Rebuilt || !okBefore || !okAfter {
			fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
			continue
		}
		b.WriteString(udiff.Unified(from, to, before, after))
	}
	return b.String()
}

// ErrChangedMeanwhile says that a file is no longer what PlanUpdate has read.
var ErrChangedMeanwhile = errors.New("it has changed in the meantime")

// Write does it: all of it, or nothing.
func (u Update) Write() error {
	if u.Unchanged() {
		return nil
	}
	in, err := folder.Open(u.dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var files []File
	var gone []string
	for _, c := range u.Changes {
		if c.Writes == "" {
			continue
		}
		has, err := look(in, c.Writes)
		if err == nil && ((has.data == nil) != (c.before == nil) || !bytes.Equal(has.data, c.before)) {
			err = ErrChangedMeanwhile
		}
		if err != nil {
			return fmt.Errorf("update %s: %w", filepath.Join(u.dir, filepath.FromSlash(c.Writes)), err)
		}
		if c.after == nil {
			gone = append(gone, c.Writes)
		} else {
			files = append(files, File{Path: c.Writes, Mode: c.mode, Data: c.after})
		}
	}
	if u.record != nil {
		files = append(files, *u.record)
	}
	return place(u.dir, files, gone)
}
