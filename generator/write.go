// Writing a suite: everything or nothing. All files are written into a stage
// first; then they are put in place by renames, which are taken back when one
// of them fails. A suite that was cloned is not trusted: nothing is read or written
// through a link in it.
//
// An existing suite is only completed: what somebody has edited is never
// overwritten. What springfield compiles is its own and follows. What was
// written is recorded (see rendered.go); what was kept because of an edit keeps
// the base that the record has for it.

package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/cameronsjo/springfield/folder"
)

// maxFile bounds what is read of a suite's file, in bytes: several times a hook.
const maxFile = 64 << 20

// Outcome says what Write did.
type Outcome int

const (
	Unchanged Outcome = iota // everything was there already
	Created                  // a new suite
	Completed                // files were added to a suite, or hooks replaced
)

func (o Outcome) String() string {
	return [...]string{"unchanged", "created", "completed"}[o]
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

// Write puts the files of a suite into dir. dir may be absent, empty, or a
// suite already: then what is missing is added, compiled hooks are replaced, and
// files that somebody has edited are kept and named.
func Write(dir string, files []File) (outcome Outcome, kept []string, err error) {
	suite, err := Existing(dir)
	if err != nil {
		return Unchanged, nil, err
	}
	record := rendered{}
	if suite == nil {
		record.add(files)
		return Created, nil, place(dir, append(slices.Clone(files), record.file()), nil)
	}
	if record, err = readRendered(dir); err != nil {
		return Unchanged, nil, err
	}
	need, kept, err := missing(dir, *suite, files)
	if err != nil {
		return Unchanged, nil, err
	}
	before := record.file()
	record.add(slices.DeleteFunc(slices.Clone(files), func(f File) bool { return slices.Contains(kept, f.Path) }))
	if !bytes.Equal(before.Data, record.file().Data) {
		need = append(need, record.file())
	}
	if len(need) == 0 {
		return Unchanged, kept, nil
	}
	return Completed, kept, place(dir, need, nil)
}

// missing leaves out what is there already and what was edited.
func missing(dir string, suite Suite, files []File) (need []File, kept []string, err error) {
	in, err := folder.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = in.Close() }()
	for _, f := range files {
		has, err := look(in, f.Path)
		switch {
		case err != nil:
			return nil, nil, err
		case !has.there:
			need = append(need, f)
		case has.regular && writingOf(f).is(has.data):
		case f.Compiled:
			need = append(need, f)
		case f.Path == SuiteFile:
			next, err := decodeSuite(f.Data)
			if err != nil {
				return nil, nil, err
			}
			if suite.equal(next) {
				continue
			}
			if f.Data, err = next.over(has.data); err != nil {
				return nil, nil, err
			}
			need = append(need, f)
		default:
			kept = append(kept, f.Path)
		}
	}
	return need, kept, nil
}

// place writes all files into a stage, then moves them into dir: a new suite
// by one rename, an existing directory file by file. Files that are gone are
// taken out of it. A link in dir that one of them would go through, or take the
// place of, is refused before anything is written.
func place(dir string, files []File, gone []string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write suite: %w", err)
		}
	}()
	in, suite, err := folder.OpenAbove(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	home := suite // where the stage lies: on the same file system as dir
	fresh := suite != "."
	if fresh {
		home = filepath.Dir(suite)
	} else if err := in.Check(append(pathsOf(files), gone...)...); err != nil {
		return err
	}
	made, err := in.MakeDirs(home, 0o755)
	defer func() {
		if err != nil {
			removeEmpty(in, made)
		}
	}()
	if err != nil {
		return err
	}
	stage, err := in.MakeTempDir(home, ".springfield-new-")
	if err != nil {
		return err
	}
	defer func() {
		var lost *LeftError
		if !errors.As(err, &lost) {
			_ = in.RemoveAll(stage)
		}
	}()
	for _, sub := range []string{"new", "old"} {
		if err := in.Mkdir(filepath.Join(stage, sub), 0o755); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := writeFile(in, filepath.Join(stage, "new", filepath.FromSlash(f.Path)), f); err != nil {
			return err
		}
	}
	if !fresh {
		return move(in, stage, files, gone)
	}
	// The umask may have taken bits away.
	if err := in.Chmod(filepath.Join(stage, "new"), 0o755); err != nil {
		return err
	}
	return in.Rename(filepath.Join(stage, "new"), suite)
}

func pathsOf(files []File) []string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return paths
}

// LeftError is a failed write that could not be taken back either: files as
// they were before lie in Stage.
type LeftError struct {
	Stage string
	Err   error
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("%v, and not everything could be taken back: files as they were are in %s", e.Err, e.Stage)
}
func (e *LeftError) Unwrap() error { return e.Err }

// move takes away what is gone, moves the staged files into place, and takes
// everything back when one step fails: new files are removed, old ones come
// back. A replaced file is there at every moment: its old bytes get a second
// name in the stage, where the file system can do that.
func move(in folder.Folder, stage string, files []File, gone []string) (err error) {
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		var failed error
		for _, back := range slices.Backward(undo) {
			failed = errors.Join(failed, back())
		}
		if failed != nil {
			err = &LeftError{in.Path(stage), errors.Join(err, failed)}
		}
	}()
	aside := func(name string, keep func(old, new string) error) (found bool, err error) {
		old := filepath.Join(stage, "old", strconv.Itoa(len(undo)))
		if err := keep(name, old); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		undo = append(undo, func() error { return in.Rename(old, name) })
		return true, nil
	}
	for _, name := range gone {
		name = filepath.FromSlash(name)
		if found, err := aside(name, in.Rename); err != nil || !found {
			return fmt.Errorf("remove %s: %w", in.Path(name), cmp.Or(err, fs.ErrNotExist))
		}
		for up := filepath.Dir(name); up != "." && removeEmpty(in, []string{up}); up = filepath.Dir(up) {
			undo = append(undo, func() error { return in.Mkdir(up, 0o755) })
		}
	}
	for _, f := range files {
		from := filepath.Join(stage, "new", filepath.FromSlash(f.Path))
		to := filepath.FromSlash(f.Path)
		made, err := in.MakeDirs(filepath.Dir(to), 0o755)
		undo = append(undo, func() error { removeEmpty(in, made); return nil })
		if err != nil {
			return err
		}
		found, err := aside(to, func(old, new string) error { return linkOrRename(in, old, new) })
		if err != nil {
			return err
		}
		if err := in.Rename(from, to); err != nil {
			return err
		}
		if !found {
			undo = append(undo, func() error { return in.Remove(to) })
		}
	}
	return nil
}

// linkOrRename gives a file a second name, or, where there are no hard links,
// another one.
func linkOrRename(in folder.Folder, old, new string) error {
	info, err := in.Lstat(old)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory", in.Path(old))
	}
	if in.Link(old, new) == nil {
		return nil
	}
	return in.Rename(old, new)
}

// writeFile writes one staged file; the mode is set explicitly because the
// umask would take bits away.
func writeFile(in folder.Folder, name string, f File) (err error) {
	if _, err := in.MakeDirs(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(f.Data); err != nil {
		return err
	}
	return file.Chmod(f.Mode)
}

// removeEmpty removes directories, innermost first, and says whether all are gone.
// The system refuses one that has something in it; a link stays.
func removeEmpty(in folder.Folder, dirs []string) bool {
	all := true
	for _, dir := range slices.Backward(dirs) {
		info, err := in.Lstat(dir)
		all = err == nil && info.IsDir() && in.Remove(dir) == nil && all
	}
	return all
}
