package journal

// Writing the edits of a change.
//
// The rules:
//   - a symbolic link of the user's stays one: what it points to is replaced,
//     existing or not;
//   - in a directory that may be anyone's, a project or a marketplace, a link is
//     refused, wherever it leads, and nothing outside is reached;
//   - all new bytes lie in temporary files before the first file changes, so that a
//     full disk changes nothing;
//   - a file is replaced whole by a rename, so no reader ever sees half of it;
//   - a file is compared with what was read right before that: another program's
//     change is never written over. Between the two remains an instant that no lock
//     closes, since Claude Code takes none;
//   - mode and owner stay; hard links, access lists and extended attributes do not
//     survive a replacement.

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	// newDirMode is for directories made on the way: a project's .claude is shared by
	// everyone who works on it, and so is a suite. Springfield's own state can hold what
	// settings hold, so it is the user's alone.
	newDirMode fs.FileMode = 0o755
	ownDirMode fs.FileMode = 0o700

	// abandoned is when a temporary file has surely lost the process that made it.
	abandoned = time.Hour

	tempMark = ".springfield-"
	tempEnd  = ".tmp"
)

// tempName is the temporary file or directory beside a path, of one change.
func tempName(path, token string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+tempMark+token+tempEnd)
}

// IsTemporary tells the name of a file that is being written, or whose writer was killed.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, tempMark) && strings.HasSuffix(name, tempEnd)
}

// addDirs puts an edit for every missing directory before the first edit that needs it,
// and one for every directory that is dropped behind all of them. It leaves out what
// changes nothing.
func addDirs(edits []Edit) ([]Edit, error) {
	var all, dropped []Edit
	made := map[string]bool{}
	for _, e := range edits {
		if !e.Changes() {
			continue
		}
		if e.At == "" {
			if err := e.locateBytes(); err != nil {
				return nil, nameFailure("write", e.Path, err)
			}
		}
		var missing []Edit
		for dir := filepath.Dir(e.At); e.After != nil && !made[dir] && isMissing(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			made[dir] = true
			d := e.editOfDir(dir)
			d.After = &Content{Mode: fs.ModeDir | newDirMode}
			if e.State && e.In == "" {
				d.After.Mode = fs.ModeDir | ownDirMode
			}
			missing = append(missing, d)
		}
		for dir := filepath.Dir(e.At); e.Drop && e.After == nil && dir != e.root; dir = filepath.Dir(dir) {
			info, err := os.Lstat(dir)
			if err != nil || !info.IsDir() {
				break
			}
			d := e.editOfDir(dir)
			d.Before = &Content{Mode: fs.ModeDir | info.Mode().Perm()}
			dropped = append(dropped, d)
			if e.root == "" {
				break
			}
		}
		slices.Reverse(missing)
		e.Drop = false // its directories are edits now
		all = append(append(all, missing...), e)
		if e.After.isDirectory() {
			made[e.At] = true
		}
	}
	// The inner before the outer, each once.
	slices.SortFunc(dropped, func(a, b Edit) int { return cmp.Or(len(b.At)-len(a.At), strings.Compare(a.At, b.At)) })
	return append(all, slices.CompactFunc(dropped, func(a, b Edit) bool { return a.At == b.At })...), nil
}

// editOfDir is an edit of a directory around the edit's file, without contents.
func (e Edit) editOfDir(dir string) Edit {
	d := Edit{Path: dir, At: dir, State: e.State}
	if e.In != "" && dir != e.root && rooted.HoldsPath(e.root, dir) {
		name, _ := filepath.Rel(e.root, dir)
		d.In, d.root, d.Path = e.In, e.root, filepath.Join(e.In, name)
	}
	return d
}

type writer struct {
	token string // in the names of temporary files
	edits []Edit
	done  []bool          // the edit has an effect
	made  map[string]bool // directories: of what lies in them nothing can be lost
	fault fault
}

// fault is asked before every step of writing, so that a test can let the step fail.
type fault func(step string) error

func (f fault) runStep(name string, do func() error) error {
	if f == nil {
		f = atStep
	}
	if f != nil {
		if err := f(name); err != nil {
			return err
		}
	}
	return do()
}

// writeEdits does all edits, or takes back what it has done. left are the files of which
// that fails, too.
func writeEdits(edits []Edit, token string, f fault) (left []string, err error) {
	if edits, err = addDirs(edits); err != nil {
		return nil, err
	}
	w := writer{token, edits, make([]bool, len(edits)), map[string]bool{}, f}
	if err = w.stageEdits(); err == nil {
		err = w.commitEdits()
	}
	if err == nil {
		// The renames outlast a power cut where the system can; every file is whole either way.
		synced := map[string]bool{}
		for _, e := range edits {
			dir := filepath.Dir(e.At)
			if synced[dir] || w.made[dir] {
				continue
			}
			synced[dir] = true
			if d, err := os.Open(dir); err == nil {
				_ = flush(d)
				_ = d.Close()
			}
		}
		return nil, nil
	}
	for i, e := range edits {
		if !w.done[i] && e.After != nil {
			removeTemp(e, token) // what is staged
		}
	}
	var why error
	for i, e := range slices.Backward(edits) {
		if !w.done[i] {
			continue
		}
		e.Before, e.After = e.After, e.Before
		// A directory, or what is remembered of something that did not happen, does no harm.
		if _, failed := writeEdits([]Edit{e}, token, f); failed != nil && !e.isDirectory() && (!e.State || e.In != "") {
			left = append(left, e.Path)
			why = cmp.Or(why, failed) // one says why, also for the others
		}
	}
	return left, errors.Join(err, why)
}

// stageEdits makes the directories and writes all new contents beside their files.
func (w *writer) stageEdits() error {
	swept := map[string]bool{}
	for i, e := range w.edits {
		if e.After == nil {
			continue
		}
		at := tempName(e.At, w.token)
		if e.After.isDirectory() {
			at, w.made[e.At] = e.At, true
		}
		if err := e.reachDir(at, func(in rooted.Folder, name string) error {
			if dir := filepath.Dir(at); !swept[dir] {
				swept[dir] = true
				sweepTemps(in, filepath.Dir(name))
			}
			if !e.After.isDirectory() {
				return w.stageFile(in, name, e)
			}
			return w.fault.runStep("make directory", func() error { return makeDir(in, name, e.After.Mode.Perm()) })
		}); err != nil {
			return nameFailure("write", e.At, err)
		}
		w.done[i] = at == e.At
	}
	return nil
}

// makeDir makes a directory. Another program may be faster.
func makeDir(in rooted.Folder, name string, mode fs.FileMode) error {
	err := in.Mkdir(name, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = ownAsAround(in, name)
	}
	if err == nil && mode != newDirMode && mode != ownDirMode {
		err = in.Chmod(name, mode) // one that was there before: the umask has no say
	}
	return err
}

// stageFile writes a temporary file that can take the place of the edit's.
func (w *writer) stageFile(in rooted.Folder, name string, e Edit) error {
	var temp *os.File
	defer func() { _ = temp.Close() }() // twice, or without a file, it is harmless
	mode := cmp.Or(e.After.Mode.Perm(), newFileMode)
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"create", func() (err error) {
			temp, err = in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, newFileMode)
			return err
		}},
		{"write", func() error { _, err := temp.Write(e.After.Data); return err }},
		// Before the mode: a change of owner may take bits away.
		{"keep owner", func() error {
			old, err := in.Stat(filepath.Join(filepath.Dir(name), filepath.Base(e.At)))
			if err != nil || e.Before == nil {
				return ownAsAround(in, name)
			}
			return keepOwner(temp, old)
		}},
		{"change mode", func() error { return temp.Chmod(mode) }},
		{"sync", func() error {
			if w.made[filepath.Dir(e.At)] {
				return nil
			}
			return flush(temp)
		}},
		{"close", func() error { return temp.Close() }},
	} {
		if err := w.fault.runStep(s.name, s.do); err != nil {
			return err
		}
	}
	return nil
}

// commitEdits puts what is staged into place.
func (w *writer) commitEdits() error {
	for i, e := range w.edits {
		if w.done[i] {
			continue
		}
		verb, err := "write", error(nil)
		switch {
		case e.Before.isDirectory(): // made for files that are gone; it goes if nothing is in it
			_ = w.fault.runStep("remove directory", func() error { return e.reachDir(e.At, removeDir) })
		case e.After == nil:
			verb, err = "remove", w.replaceFile(e, "remove", rooted.Folder.Remove)
		default:
			err = w.replaceFile(e, "rename", func(in rooted.Folder, name string) error {
				return in.Rename(tempName(name, w.token), name)
			})
		}
		if err != nil {
			return nameFailure(verb, e.At, err)
		}
		w.done[i] = true
	}
	return nil
}

// replaceFile takes the step that replaces or removes a file, if that is still as it was read.
func (w *writer) replaceFile(e Edit, step string, replace func(in rooted.Folder, name string) error) error {
	if err := w.fault.runStep("check", e.checkUnchanged); err != nil {
		return err
	}
	return e.reachDir(e.At, func(in rooted.Folder, name string) error {
		return w.fault.runStep(step, func() error { return persist(func() error { return replace(in, name) }) })
	})
}

func removeDir(in rooted.Folder, name string) error {
	if info, err := in.Lstat(name); err != nil || !info.IsDir() {
		return err
	}
	return in.Remove(name)
}

// removeTemp removes the temporary file or directory beside an edit's path.
func removeTemp(e Edit, token string) { _ = e.reachDir(tempName(e.At, token), rooted.Folder.RemoveAll) }

// sweepTemps removes the temporary files that killed processes have left in a directory.
func sweepTemps(in rooted.Folder, dir string) {
	entries, _ := fs.ReadDir(in.FS(), filepath.ToSlash(dir))
	for _, e := range entries {
		name := e.Name()
		if !IsTemporary(name) || !e.Type().IsRegular() && !e.IsDir() {
			continue
		}
		if info, err := in.Root.Lstat(filepath.Join(dir, name)); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = in.RemoveAll(filepath.Join(dir, name))
		}
	}
}

// WriteUnjournaled writes a change in no journal: for directories of springfield's own, such as
// a stage. It does all edits or none; every error is a *WriteError.
func (c Change) WriteUnjournaled() error {
	if left, err := writeEdits(c.Edits, rand.Text(), nil); err != nil {
		return &WriteError{Kind: c.kindOfChange(), Err: err, Left: left}
	}
	return nil
}

// MakeDirs makes a directory and those above it that are missing, each its
// surroundings' owner's.
func MakeDirs(dir string, mode fs.FileMode) error {
	in, name, err := rooted.OpenAbove(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	at := ""
	for _, part := range strings.Split(name, string(filepath.Separator)) {
		if at = filepath.Join(at, part); at != "." && err == nil {
			err = makeDir(in, at, mode)
		}
	}
	return err
}

// flush makes what was written outlast a power cut; tests have none.
var flush = (*os.File).Sync
