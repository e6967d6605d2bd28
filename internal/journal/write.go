package journal

// How we write files:
//   - A user's symlink is kept: its target is replaced, or created. In an untrusted directory, every link is refused.
//   - All temporary files are written before the first file changes, so that a full disk changes nothing.
//   - A rename replaces each file atomically, if it still has the bytes that were read. A race with Claude Code, which
//     takes no lock, remains.
//   - A file that is a mount point cannot be renamed over. It is overwritten, which a power cut can interrupt.
//   - Mode and owner are kept; hard links, access lists and extended attributes are lost.

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	newDirMode fs.FileMode = 0o755 // a project's .claude and a suite are shared
	ownDirMode fs.FileMode = 0o700 // springfield's state may hold secrets from settings

	tempMark = ".springfield-"
	tempEnd  = ".tmp"
)

func tempName(path, token string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+tempMark+token+tempEnd)
}

func IsTemporary(baseName string) bool {
	return strings.HasPrefix(baseName, ".") && strings.Contains(baseName, tempMark) && strings.HasSuffix(baseName, tempEnd)
}

// addDirs adds directory edits: missing directories before their first edit, dropped ones to the end. It omits edits
// that change nothing.
func addDirs(edits []Edit) ([]Edit, error) {
	var all, dropped []Edit
	made := map[string]bool{}
	for _, e := range edits {
		if !e.Changes() {
			continue
		}
		if e.At == "" {
			if err := e.setAtAndRoot(); err != nil {
				return nil, nameFailure("write", e.Path, err)
			}
		}
		var missing []Edit
		for dir := filepath.Dir(e.At); e.After != nil && !made[dir] && isAbsent(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			made[dir] = true
			d := e.newDirEdit(dir)
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
			d := e.newDirEdit(dir)
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
	// Inner directories first.
	slices.SortFunc(dropped, func(a, b Edit) int { return cmp.Or(len(b.At)-len(a.At), strings.Compare(a.At, b.At)) })
	return append(all, slices.CompactFunc(dropped, func(a, b Edit) bool { return a.At == b.At })...), nil
}

// newDirEdit returns an edit for dir, a resolved path. Callers set Before or After.
func (e Edit) newDirEdit(dir string) Edit {
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
	done  []bool          // by edit: it has changed the disk
	made  map[string]bool // new directories: their files need no sync, as nothing can be lost
	fault fault
}

// fault is called before every step of writing, so that a test can make it fail.
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

// writeEdits performs all edits of addDirs, or reverts them on an error. unreverted lists files not reverted.
func writeEdits(edits []Edit, token string, f fault) (unreverted []string, err error) {
	w := writer{token, edits, make([]bool, len(edits)), map[string]bool{}, f}
	if err = w.stageOrMkdir(); err == nil {
		err = w.commitEdits()
	}
	if err == nil {
		// Sync the renames. A failure can lose one in a power cut, but no file is half written.
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
			removeTemp(e, token)
		}
	}
	var why error
	for i, e := range slices.Backward(edits) {
		if !w.done[i] {
			continue
		}
		e.Before, e.After = e.After, e.Before
		// A directory, or state about a change that did not happen, does no harm.
		if _, failed := writeEdits([]Edit{e}, token, f); failed != nil && !e.isDirectory() && (!e.State || e.In != "") {
			unreverted = append(unreverted, e.Path)
			why = cmp.Or(why, failed)
		}
	}
	return unreverted, errors.Join(err, why)
}

func (w *writer) stageOrMkdir() error {
	for i, e := range w.edits {
		if e.After == nil {
			continue
		}
		at := tempName(e.At, w.token)
		if e.After.isDirectory() {
			at, w.made[e.At] = e.At, true
		}
		if err := e.reachAbove(at, func(in rooted.Folder, name string) error {
			if !e.After.isDirectory() {
				return w.stageFile(in, name, e)
			}
			return w.fault.runStep("make directory", func() error { return ensureOneDir(in, name, e.After.Mode.Perm()) })
		}); err != nil {
			return nameFailure("write", e.At, err)
		}
		w.done[i] = at == e.At
	}
	return nil
}

func ensureOneDir(in rooted.Folder, name string, mode fs.FileMode) error {
	err := in.Mkdir(name, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = ownAsAround(in, name)
	}
	if err == nil && mode != newDirMode && mode != ownDirMode {
		err = in.Chmod(name, mode) // despite the umask: undo restores the mode
	}
	return err
}

func (w *writer) stageFile(in rooted.Folder, asTemp string, e Edit) error {
	// A process forked meanwhile would keep the file open until its exec, and a program that is open cannot be started.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var temp *os.File
	defer func() { _ = temp.Close() }() // harmless if nil or closed
	mode := cmp.Or(e.After.Mode.Perm(), newFileMode)
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"create", func() (err error) {
			temp, err = in.OpenFile(asTemp, os.O_RDWR|os.O_CREATE|os.O_EXCL, newFileMode)
			return err
		}},
		{"write", func() error { _, err := temp.Write(e.After.Data); return err }},
		// This must be before the mode, since chown might clear bits.
		{"keep owner", func() error {
			old, err := in.Stat(filepath.Join(filepath.Dir(asTemp), filepath.Base(e.At)))
			if err != nil || e.Before == nil {
				return ownAsAround(in, asTemp)
			}
			mode |= old.Mode() & (fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
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

func (w *writer) commitEdits() error {
	for i, e := range w.edits {
		if w.done[i] {
			continue
		}
		verb, err := "write", error(nil)
		switch {
		case e.Before.isDirectory(): // only if it is empty
			_ = w.fault.runStep("remove directory", func() error { return e.reachAbove(e.At, removeIfDir) })
		case e.After == nil:
			verb, err = "remove", w.ifUnchanged(e, "remove", rooted.Folder.Remove)
		default:
			err = w.ifUnchanged(e, "rename", func(in rooted.Folder, name string) error {
				return in.Rename(tempName(name, w.token), name)
			})
			if errors.Is(err, syscall.EBUSY) && e.Before != nil { // a mount point, as of docker run -v FILE:FILE
				err = w.ifUnchanged(e, "overwrite", func(in rooted.Folder, name string) error {
					return overwriteFile(in, name, e.Before.Data, e.After.Data)
				})
				removeTemp(e, w.token)
			}
		}
		if err != nil {
			return nameFailure(verb, e.At, err)
		}
		w.done[i] = true
	}
	return nil
}

// ifUnchanged calls replace, or returns an error if the file changed after it was read.
func (w *writer) ifUnchanged(e Edit, step string, replace func(in rooted.Folder, name string) error) error {
	if err := w.fault.runStep("check", e.checkUnchanged); err != nil {
		return err
	}
	return e.reachAbove(e.At, func(in rooted.Folder, name string) error {
		return w.fault.runStep(step, func() error { return retryWhileBusy(func() error { return replace(in, name) }) })
	})
}

// overwriteFile replaces an existing file's data, or restores it on an error.
func overwriteFile(in rooted.Folder, name string, backup, data []byte) error {
	f, err := in.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	write := func(data []byte) error {
		_, err := f.WriteAt(data, 0)
		if err == nil {
			err = f.Truncate(int64(len(data)))
		}
		return cmp.Or(err, flush(f))
	}
	if err = write(data); err != nil {
		err = errors.Join(err, write(backup))
	}
	return err
}

// removeIfDir removes an empty directory and keeps other files. Missing files are errors.
func removeIfDir(in rooted.Folder, name string) error {
	if info, err := in.Lstat(name); err != nil || !info.IsDir() {
		return err
	}
	return in.Remove(name)
}

func removeTemp(e Edit, token string) {
	_ = e.reachAbove(tempName(e.At, token), rooted.Folder.RemoveAll)
}

// WriteUnjournaled writes all edits or none, without journal or lock. Errors are *WriteError.
func (c Change) WriteUnjournaled() error {
	edits, err := addDirs(c.Edits)
	var left []string
	if err == nil {
		left, err = writeEdits(edits, rand.Text(), nil)
	}
	if err != nil {
		return &WriteError{Kind: c.kindOfFiles(), Err: err, Left: left}
	}
	return nil
}

// MakeDirs creates dir and missing parents with mode 0700. With sudo they get their parent's owner.
func MakeDirs(dir string) error {
	in, name, err := rooted.OpenNearest(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	at := ""
	for _, part := range strings.Split(name, string(filepath.Separator)) {
		if at = filepath.Join(at, part); at != "." && err == nil {
			err = ensureOneDir(in, at, ownDirMode)
		}
	}
	return err
}

// flush is a no-op in tests, which need not survive a power cut.
var flush = (*os.File).Sync
