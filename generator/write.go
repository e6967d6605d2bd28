// Writing a suite: everything or nothing. All files are written into a stage
// first; then they are put in place by renames, which are taken back when one
// of them fails.
//
// An existing suite is only completed: what somebody has edited is never
// overwritten. What springfield compiles is its own and follows.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	if suite == nil {
		return Created, nil, place(dir, files)
	}
	files, kept, err = missing(dir, *suite, files)
	if err != nil || len(files) == 0 {
		return Unchanged, kept, err
	}
	return Completed, kept, place(dir, files)
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
		case bytes.Equal(data, f.Data):
		case f.Compiled:
			need = append(need, f)
		case f.Path == SuiteFile:
			// Comments in it are the user's: written only when it says something else.
			if next, err := decodeSuite(f.Data); err != nil || !suite.equal(next) {
				need = append(need, f)
			}
		default:
			kept = append(kept, f.Path)
		}
	}
	return need, kept, nil
}

// place writes all files into a stage, then moves them into dir: a new suite
// by one rename, an existing directory file by file.
func place(dir string, files []File) (err error) {
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
	defer os.RemoveAll(stage)
	for _, f := range files {
		if err := writeFile(filepath.Join(stage, filepath.FromSlash(f.Path)), f); err != nil {
			return err
		}
	}
	if !fresh {
		return rename(stage, dir, files)
	}
	if err := os.Chmod(stage, 0o755); err != nil {
		return err
	}
	return os.Rename(stage, dir)
}

// rename moves the staged files into place and takes all moves back when one
// fails: new files are removed, replaced ones come back.
func rename(stage, dir string, files []File) (err error) {
	var undo []func()
	defer func() {
		if err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
		}
	}()
	for i, f := range files {
		from := filepath.Join(stage, filepath.FromSlash(f.Path))
		to := filepath.Join(dir, filepath.FromSlash(f.Path))
		made, err := makeAll(filepath.Dir(to))
		undo = append(undo, func() { removeEmpty(made) })
		if err != nil {
			return err
		}
		old := filepath.Join(stage, fmt.Sprintf("old-%d", i))
		switch err := os.Rename(to, old); {
		case err == nil:
			undo = append(undo, func() { _ = os.Rename(old, to) })
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		undo = append(undo, func() { os.Remove(to) })
	}
	return nil
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
