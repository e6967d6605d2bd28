// Writing a suite: everything or nothing. All files are written into a stage
// first; then they are put in place by renames, which are taken back when one
// of them fails.
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
)

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
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		data, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			need = append(need, f)
		case err != nil:
			return nil, nil, err
		case writingOf(f).is(data):
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
			if f.Data, err = next.over(data); err != nil {
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
// taken out of it.
func place(dir string, files []File, gone []string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write suite: %w", err)
		}
	}()
	_, missing := os.Stat(dir)
	fresh := errors.Is(missing, fs.ErrNotExist)
	home := dir // where the stage lies: on the same file system as dir
	if fresh {
		home = filepath.Dir(dir)
	}
	made, err := makeAll(home)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			removeEmpty(made)
		}
	}()
	stage, err := os.MkdirTemp(home, ".springfield-new-")
	if err != nil {
		return err
	}
	defer func() {
		var lost *LeftError
		if !errors.As(err, &lost) {
			os.RemoveAll(stage)
		}
	}()
	for _, sub := range []string{"new", "old"} {
		if err := os.Mkdir(filepath.Join(stage, sub), 0o755); err != nil {
			return err
		}
	}
	for _, f := range files {
		if err := writeFile(filepath.Join(stage, "new", filepath.FromSlash(f.Path)), f); err != nil {
			return err
		}
	}
	if !fresh {
		return move(stage, dir, files, gone)
	}
	// The umask may have taken bits away.
	if err := os.Chmod(filepath.Join(stage, "new"), 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Join(stage, "new"), dir)
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
func move(stage, dir string, files []File, gone []string) (err error) {
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
			err = &LeftError{stage, errors.Join(err, failed)}
		}
	}()
	aside := func(path string, keep func(old, new string) error) (found bool, err error) {
		old := filepath.Join(stage, "old", strconv.Itoa(len(undo)))
		if err := keep(path, old); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		undo = append(undo, func() error { return os.Rename(old, path) })
		return true, nil
	}
	for _, name := range gone {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if found, err := aside(path, os.Rename); err != nil || !found {
			return fmt.Errorf("remove %s: %w", path, cmp.Or(err, fs.ErrNotExist))
		}
		for up := filepath.Dir(path); up != dir && os.Remove(up) == nil; up = filepath.Dir(up) {
			undo = append(undo, func() error { return os.Mkdir(up, 0o755) })
		}
	}
	for _, f := range files {
		from := filepath.Join(stage, "new", filepath.FromSlash(f.Path))
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		made, err := makeAll(filepath.Dir(to))
		undo = append(undo, func() error { removeEmpty(made); return nil })
		if err != nil {
			return err
		}
		found, err := aside(to, linkOrRename)
		if err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		if !found {
			undo = append(undo, func() error { return os.Remove(to) })
		}
	}
	return nil
}

// linkOrRename gives a file a second name, or, where there are no hard links,
// another one.
func linkOrRename(old, new string) error {
	info, err := os.Lstat(old)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory", old)
	}
	if os.Link(old, new) == nil {
		return nil
	}
	return os.Rename(old, new)
}

// writeFile writes one staged file; the mode is set explicitly because the
// umask would take bits away.
func writeFile(path string, f File) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.Mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(f.Data); err != nil {
		return err
	}
	return file.Chmod(f.Mode)
}

// makeAll is os.MkdirAll that says which directories it made, outermost first.
func makeAll(dir string) (made []string, err error) {
	var absent []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		absent = append([]string{d}, absent...)
	}
	for _, d := range absent {
		if err := os.Mkdir(d, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			removeEmpty(made)
			return nil, err
		}
		made = append(made, d)
	}
	return made, nil
}

func removeEmpty(dirs []string) {
	for i := len(dirs) - 1; i >= 0; i-- {
		os.Remove(dirs[i])
	}
}
