package change

// Writing the edits of a change.
//
// The rules:
//   - a symbolic link of the user's stays one: what it points to is replaced,
//     existing or not;
//   - in a directory that may be anyone's, a project or a marketplace, a link is
//     refused, wherever it leads, and nothing outside is reached;
//   - all new bytes lie in temporary files before the first file changes, so that a
//     full disk changes nothing;
//   - a file is replaced whole by a rename, so no reader ever sees half of it, and a
//     directory that did not exist appears whole by one rename;
//   - a file is compared with what was read right before that: another program's
//     change is never written over. Between the two remains an instant that no lock
//     closes, since Claude Code takes none;
//   - mode and owner stay; hard links, access lists and extended attributes do not
//     survive a replacement.

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/folder"
)

const (
	// newDirMode is for directories made on the way: what mkdir gives, as a project's
	// .claude is shared by everyone who works on it, and so is a suite with the record
	// in it. Springfield's own state can hold what settings hold, so it is the user's
	// alone.
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

// withDirs puts an edit for every missing directory before the first edit that needs
// it, and leaves out what changes nothing.
func withDirs(edits []Edit) ([]Edit, error) {
	var all []Edit
	made := map[string]bool{}
	for _, e := range edits {
		if !e.Changes() {
			continue
		}
		if e.at == "" {
			if err := e.locate(); err != nil {
				return nil, failed("write", e.Path, err)
			}
		}
		var missing []Edit
		for dir := filepath.Dir(e.at); e.After != nil && !made[dir]; dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
				break
			}
			made[dir] = true
			d := Edit{Path: dir, at: dir, Own: e.Own, After: &Content{Mode: fs.ModeDir | newDirMode}}
			if e.Own && e.In == "" {
				d.After.Mode = fs.ModeDir | ownDirMode
			}
			if name, err := filepath.Rel(e.root, dir); e.In != "" && err == nil && filepath.IsLocal(name) && name != "." {
				d.In, d.root, d.Path = e.In, e.root, filepath.Join(e.In, name)
			}
			missing = append(missing, d)
		}
		slices.Reverse(missing)
		all = append(append(all, missing...), e)
		if e.After.isDir() {
			made[e.at] = true
		}
	}
	return all, nil
}

// writer writes the edits of one change.
type writer struct {
	token string // in the names of temporary files
	edits []Edit
	done  []bool          // the edit has an effect
	fresh map[string]bool // directories that come into being with all that is in them
	swept map[string]bool // directories without abandoned temporary files
	fault fault
}

// fault is asked before every step of writing, so that a test can let the step fail;
// nil lets none.
type fault func(step string) error

func (f fault) step(name string, do func() error) error {
	if f != nil {
		if err := f(name); err != nil {
			return err
		}
	}
	return do()
}

func newWriter(edits []Edit, token string, f fault) *writer {
	w := &writer{fault: f, token: token, edits: edits, done: make([]bool, len(edits)), fresh: map[string]bool{}, swept: map[string]bool{}}
	for _, e := range edits {
		if e.root != "" && !w.fresh[e.root] {
			w.fresh[e.root] = slices.ContainsFunc(edits, func(d Edit) bool { return d.at == e.root && d.After.isDir() })
		}
	}
	return w
}

// stagedAt is where an edit's new content lies until its file is replaced.
func (w *writer) stagedAt(e Edit) string {
	switch {
	case w.fresh[e.at]:
		return tempName(e.at, w.token)
	case w.fresh[e.root]:
		name, _ := filepath.Rel(e.root, e.at)
		return filepath.Join(tempName(e.root, w.token), name)
	case e.After.isDir():
		return e.at
	}
	return tempName(e.at, w.token)
}

// stage makes the directories and writes all new contents beside their files.
func (w *writer) stage() error {
	for i, e := range w.edits {
		if e.After == nil {
			continue
		}
		if err := w.stageOne(e); err != nil {
			return failed("write", e.at, err)
		}
		w.done[i] = e.After.isDir() && w.stagedAt(e) == e.at
	}
	return nil
}

func (w *writer) stageOne(e Edit) error {
	at := w.stagedAt(e)
	in, name, err := e.reachAt(at)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if dir := filepath.Dir(at); !w.swept[dir] {
		w.swept[dir] = true
		sweep(in, filepath.Dir(name))
	}
	if !e.After.isDir() {
		return w.stageFile(in, name, e)
	}
	return w.fault.step("make directory", func() error {
		err := in.Mkdir(name, e.After.Mode.Perm())
		if errors.Is(err, fs.ErrExist) && at == e.at {
			return nil // another program was faster
		}
		if err == nil {
			err = ownAsAround(in, name)
		}
		if mode := e.After.Mode.Perm(); err == nil && mode != newDirMode && mode != ownDirMode {
			err = in.Chmod(name, mode) // one that was there before: the umask has no say
		}
		return err
	})
}

// reachAt is reach for another path beside the edit's own.
func (e Edit) reachAt(path string) (folder.Folder, string, error) {
	if e.root != "" {
		if name, err := filepath.Rel(e.root, path); err != nil || !filepath.IsLocal(name) {
			e.In, e.root = "", "" // in the directory that will take the place of root
		}
	}
	e.at = path
	return e.reach()
}

// stageFile writes a temporary file that can take the place of the edit's.
func (w *writer) stageFile(in folder.Folder, name string, e Edit) error {
	var temp *os.File
	dir := filepath.Dir(name)
	if err := w.fault.step("create", func() (err error) {
		temp, err = in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, newFileMode)
		return err
	}); err != nil {
		return err
	}
	defer func() { _ = temp.Close() }() // twice is harmless
	var old fs.FileInfo
	if e.Before != nil {
		old, _ = in.Stat(filepath.Join(dir, filepath.Base(e.at)))
	}
	mode := e.After.Mode.Perm()
	if mode == 0 {
		mode = newFileMode
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"write", func() error { _, err := temp.Write(e.After.Data); return err }},
		// Before the mode: a change of owner may take bits away.
		{"keep owner", func() error { return keepOwner(temp, old, in, dir) }},
		{"change mode", func() error { return temp.Chmod(mode) }},
		{"sync", func() error {
			if w.fresh[e.root] {
				return nil // of a directory that comes into being nothing can be lost but itself
			}
			return flush(temp)
		}},
		{"close", temp.Close},
	}
	for _, s := range steps {
		if err := w.fault.step(s.name, s.do); err != nil {
			return err
		}
	}
	return nil
}

// commit puts what is staged into place.
func (w *writer) commit() error {
	for i, e := range w.edits {
		if w.done[i] {
			continue
		}
		verb := "write"
		if e.After == nil {
			verb = "remove"
		}
		if err := w.commitOne(e); err != nil {
			return failed(verb, e.at, err)
		}
		w.done[i] = true
		for j, inside := range w.edits {
			w.done[j] = w.done[j] || w.fresh[e.at] && inside.root == e.at
		}
	}
	w.sync()
	return nil
}

func (w *writer) commitOne(e Edit) error {
	if e.Before.isDir() {
		w.removeDir(e)
		return nil
	}
	if err := w.fault.step("check", e.unchanged); err != nil {
		return err
	}
	in, name, err := e.reachAt(e.at)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if e.After == nil {
		err := w.fault.step("remove", func() error { return persist(func() error { return in.Remove(name) }) })
		if err == nil && e.Drop {
			w.dropDirs(e)
		}
		return err
	}
	staged := filepath.Join(filepath.Dir(name), filepath.Base(tempName(name, w.token)))
	if w.fresh[e.at] {
		// The umask may have taken bits away.
		if err := in.Chmod(staged, e.After.Mode.Perm()); err != nil {
			return err
		}
	}
	return w.fault.step("rename", func() error { return persist(func() error { return in.Rename(staged, name) }) })
}

// sync makes the renames outlast a power cut where the system can; every file is
// whole either way.
func (w *writer) sync() {
	synced := map[string]bool{}
	for _, e := range w.edits {
		dir := filepath.Dir(e.at)
		if synced[dir] || w.fresh[e.root] {
			continue
		}
		synced[dir] = true
		if d, err := os.Open(dir); err == nil {
			_ = flush(d)
			_ = d.Close()
		}
	}
}

// removeTemp removes the temporary file or directory beside an edit's path.
func removeTemp(e Edit, token string) {
	if in, name, err := e.reachAt(tempName(e.at, token)); err == nil {
		_ = in.RemoveAll(name)
		_ = in.Close()
	}
}

// takeBack undoes what was done. It names the files of which that fails too.
func (w *writer) takeBack() (left []string, err error) {
	for i, e := range slices.Backward(w.edits) {
		if !w.done[i] {
			continue
		}
		edits, failed := withDirs([]Edit{e.reversed()})
		if failed == nil {
			failed = newWriter(edits, w.token, w.fault).write()
		}
		switch {
		case failed == nil:
			w.done[i] = false
		case e.After.isDir(), e.Before.isDir(), e.Own && e.In == "":
			// A directory, or what is remembered of something that did not happen, does no harm.
		default:
			left = append(left, e.Path)
			err = cmp.Or(err, failed) // one says why, also for the others
		}
	}
	return left, err
}

// write does all of it, or leaves what it could not do.
func (w *writer) write() error {
	err := w.stage()
	if err == nil {
		err = w.commit()
	}
	for i, e := range w.edits {
		if err != nil && !w.done[i] && e.After != nil && !w.fresh[e.root] {
			removeTemp(e, w.token) // what is staged
		}
	}
	return err
}

// writeAll does all of it, or takes it back.
func (w *writer) writeAll(failure *WriteError) error {
	err := w.write()
	if err == nil {
		return nil
	}
	left, more := w.takeBack()
	failure.Left = left
	return errors.Join(err, more)
}

// removeDir removes a directory that was made for files that are gone, if nothing
// is in it.
func (w *writer) removeDir(e Edit) {
	_ = w.fault.step("remove directory", func() error {
		in, name, err := e.reachAt(e.at)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		info, err := in.Lstat(name)
		if err != nil || !info.IsDir() {
			return err
		}
		return in.Remove(name)
	})
}

// dropDirs removes the directories that a removed file has left empty.
func (w *writer) dropDirs(e Edit) {
	for dir := filepath.Dir(e.at); dir != e.root; dir = filepath.Dir(dir) {
		d := e
		d.at = dir
		w.removeDir(d)
		if _, err := os.Lstat(dir); e.root == "" || !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}

// sweep removes the temporary files that killed processes have left in a directory.
func sweep(in folder.Folder, dir string) {
	at, err := in.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = at.Close() }()
	entries, _ := at.ReadDir(-1)
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

// Write writes one edit at once, in no journal: for springfield's own state. Every
// error is an *fs.PathError.
func (e Edit) Write() error { return e.write(atStep) }

func (e Edit) write(f fault) error {
	edits, err := withDirs([]Edit{e})
	if err != nil {
		return err
	}
	w := newWriter(edits, newToken(), f)
	if err = w.write(); err != nil {
		_, _ = w.takeBack()
	}
	return err
}

// Write writes a change in no journal: for directories of springfield's own, such as
// a stage. It does all edits or none; every error is a *WriteError.
func (c Change) Write() error {
	failure := &WriteError{Kind: kindOr(c.Kind)}
	edits, err := withDirs(c.Edits)
	if err == nil {
		err = newWriter(edits, newToken(), nil).writeAll(failure)
	}
	if failure.Err = err; err != nil {
		return failure
	}
	return nil
}

// MakeDirs makes a directory and those above it that are missing, each its
// surroundings' owner's.
func MakeDirs(dir string, mode fs.FileMode) error {
	in, name, err := folder.OpenAbove(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	made, err := in.MakeDirs(name, mode)
	for _, dir := range made {
		if err := ownAsAround(in, dir); err != nil {
			return err
		}
	}
	return err
}

// flush makes what was written outlast a power cut; tests have none.
var flush = (*os.File).Sync
