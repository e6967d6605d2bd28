package change

// The journal: what every change has done to the user's files, so that it can be undone.
// An entry is on the disk, with the old bytes, before any file changes. Entries are a
// stack: only the newest can be undone, and is gone then.
//
// An entry is a list of edits, NUMBER.open until the last file is written and NUMBER.json
// then, and beside it NUMBER.zip with the bytes: each content once, by its SHA-256. Of
// what a change wrote only text is kept, so that an edit made since can be shown.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/cameronsjo/springfield/folder"
)

// The journal keeps this many entries, and of large ones as many as fit: a suite
// with hooks for every system is some 30 MB of compressed bytes before each build.
const (
	journalKeeps = 50
	journalSize  = 256 << 20

	lockPatience = 2 * time.Second
	lockRetry    = 50 * time.Millisecond

	tries = 5 // where another springfield comes first

	closedEnd = ".json"
	openEnd   = ".open" // not all of its files are known to be written
	bytesEnd  = ".zip"
)

// Journal is the journal of one user.
type Journal struct {
	Dir string // springfield's state directory, which holds the journal and its lock

	atStep fault // of a test
}

// Apply writes a change, or the undo of one: under the lock, into the journal first, all
// edits or none. Every error is a *WriteError; one that wraps ErrChanged asks for a new plan.
func (j Journal) Apply(c Change) error {
	if c.Empty() {
		return nil
	}
	failure := &WriteError{Kind: kindOr(c.Kind)}
	if failure.Err = j.applyLocked(c, failure); failure.Err == nil {
		return nil
	}
	if ran := (*RunError)(nil); errors.As(failure.Err, &ran) && len(failure.Left) == 0 {
		return failure.Err
	}
	return failure
}

// Do makes a plan and applies it, anew when another program came first.
func (j Journal) Do(plan func() (Change, error)) (c Change, err error) {
	for range tries {
		if c, err = plan(); err != nil {
			return c, err
		}
		if err = j.Apply(c); !errors.Is(err, ErrChanged) {
			break
		}
	}
	return c, err
}

// applyLocked notes in failure what an error leaves behind.
func (j Journal) applyLocked(c Change, failure *WriteError) error {
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	edits, err := addDirs(c.Edits)
	if err != nil {
		return err
	}
	for _, e := range slices.Concat(edits, c.Keep) {
		if e.isDir() {
			continue
		}
		if err := e.checkUnchanged(); err != nil {
			if link := (*folder.LinkError)(nil); errors.As(err, &link) {
				return link
			}
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	entry, undoing := c.undoes, c.undoes.ID != 0
	if undoing {
		err = j.reopenEntry(entry) // here, where nothing has changed yet, it may fail
	} else {
		entry, err = j.writeEntry(c, edits)
	}
	if err != nil {
		return err
	}
	if failure.Left, err = c.runOther(); err == nil {
		for _, e := range c.undoes.Edits { // of a change, or of its undo, that was killed
			if at := e.At; e.locate() == nil && e.At == at {
				removeTemp(e, entry.Token)
			}
		}
		failure.Left, err = writeEdits(edits, entry.Token, j.atStep)
	}
	switch {
	case err != nil && len(failure.Left) > 0: // the journal has the bytes, to be undone
	case err != nil && undoing:
		_ = j.closeEntry(entry.ID)
	case err != nil:
		_ = j.removeEntry(entry.ID)
	case undoing:
		err = j.removeEntry(entry.ID)
		failure.Done = err != nil
	default:
		_ = j.closeEntry(entry.ID) // all is written; an open entry only has undo look more closely
	}
	return err
}

// ReadEntries lists the changes that can be undone, the newest first.
func (j Journal) ReadEntries() ([]Entry, error) {
	ids, err := j.listIDs()
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	var entries []Entry
	for _, id := range slices.Backward(ids) {
		e, err := j.readEntry(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back since
		}
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Forget takes the newest entry out of the journal and leaves its files as they are,
// so that the one before it can be undone. It does so also with an entry that cannot
// be read, which it then gives without content.
func (j Journal) Forget() (Entry, error) {
	unlock, err := j.lock()
	if err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	defer unlock()
	var e Entry
	ids, err := j.listIDs()
	if err == nil && len(ids) == 0 {
		return Entry{}, ErrNothingToUndo
	}
	if err == nil {
		id := ids[len(ids)-1]
		e, err = j.readEntry(id)
		if damaged := (*DamagedError)(nil); err == nil || errors.As(err, &damaged) {
			err = j.removeEntry(id)
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	return e, nil
}

// Damaged lists the entries that cannot be read.
func (j Journal) Damaged() []error {
	var all []error
	ids, _ := j.listIDs()
	for _, id := range ids {
		if _, err := j.readEntry(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return all
}

// ErrLocked says that another springfield holds the lock.
var ErrLocked = errors.New("another springfield is at work")

// Lock waits up to two seconds for the lock file at path, which it creates and
// which stays, empty, after unlock. A directory for it is the user's alone. It holds between springfields only, until
// unlock or the end of the process. Without success the error wraps ErrLocked.
func Lock(path string) (unlock func(), err error) {
	if err := MakeDirs(filepath.Dir(path), ownDirMode); err != nil {
		return nil, failed("lock", path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	lock := flock.New(path)
	_, err = lock.TryLockContext(ctx, lockRetry)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLocked
	}
	if err == nil {
		err = Edit{}.reach(path, ownAsAround) // or only root could ever take it
	}
	if err != nil {
		_ = lock.Unlock()
		return nil, failed("lock", path, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// LockDir is a Lock for a directory, by any path that leads there. The lock file lies
// in springfield's own state.
func (j Journal) LockDir(dir string) (unlock func(), err error) {
	at, err := Resolve(dir)
	if err != nil {
		return nil, failed("lock", dir, err)
	}
	return Lock(filepath.Join(j.Dir, "locks", hash([]byte(at))[:32]+".lock"))
}

// newToken tells the temporary files of one change from those of all others.
func newToken() string { return rand.Text() }

func (j Journal) lock() (unlock func(), err error) {
	return Lock(filepath.Join(j.Dir, "settings.lock"))
}

func (j Journal) file(id int, end string) string {
	return filepath.Join(j.Dir, "journal", fmt.Sprintf("%08d%s", id, end))
}

// pruneEntries forgets the oldest entries beside the newest one, of a size in bytes.
func (j Journal) pruneEntries(ids []int, size int64) {
	kept := 1
	for _, id := range slices.Backward(ids) {
		for _, end := range []string{closedEnd, openEnd, bytesEnd} {
			if info, err := os.Stat(j.file(id, end)); err == nil {
				size += info.Size()
			}
		}
		if kept++; kept > journalKeeps || size > journalSize {
			for _, end := range []string{closedEnd, openEnd, bytesEnd} {
				_ = os.Remove(j.file(id, end)) // one too many does no harm
			}
		}
	}
}

// removeEntry takes an entry out of the journal.
func (j Journal) removeEntry(id int) error {
	err := j.atStep.step("forget entry", func() error {
		err := os.Remove(j.file(id, openEnd))
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(j.file(id, closedEnd))
		}
		return err
	})
	if err != nil {
		return failed("remove", j.file(id, openEnd), err)
	}
	_ = os.Remove(j.file(id, bytesEnd)) // without its list it is never read
	return nil
}

// reopenEntry says of the newest entry that its files are being written again.
func (j Journal) reopenEntry(e Entry) error {
	now, err := j.readNewest()
	if err != nil && !errors.Is(err, ErrNothingToUndo) {
		return err
	}
	if now.Token != e.Token {
		return fmt.Errorf("the journal: %w", ErrChanged)
	}
	open, closed := j.file(e.ID, openEnd), j.file(e.ID, closedEnd)
	err = j.atStep.step("reopen entry", func() error { return os.Rename(closed, open) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is open
		return failed("write", closed, err)
	}
	at := time.Now()
	_ = os.Chtimes(open, at, at) // else an undo refuses more than it has to
	return nil
}

// closeEntry says of an entry that all of its files are written.
func (j Journal) closeEntry(id int) error {
	return j.atStep.step("finish entry", func() error { return os.Rename(j.file(id, openEnd), j.file(id, closedEnd)) })
}

// listIDs lists the entries' numbers, the oldest first.
func (j Journal) listIDs() ([]int, error) {
	files, err := os.ReadDir(filepath.Join(j.Dir, "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, f := range files {
		end := filepath.Ext(f.Name())
		id, err := strconv.Atoi(strings.TrimSuffix(f.Name(), end))
		if err == nil && id > 0 && (end == closedEnd || end == openEnd) && filepath.Base(j.file(id, end)) == f.Name() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
