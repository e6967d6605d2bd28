package change

// The journal: what every change has done to the user's files, so that it can be
// undone.
//
// The rules:
//   - an entry is on the disk, with the old bytes, before any file changes;
//   - its name says that it is open until the last file is written, so that a change
//     that was killed can be told from files that have been edited since;
//   - entries are a stack: only the newest can be undone, and is gone then;
//   - an entry is a short list, NUMBER.json, and beside it NUMBER.zip with the bytes:
//     each content once, by its SHA-256, compressed. Of what a change wrote only text
//     is kept, so that an edit made since can be shown; the rest is known by its hash.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/folder"
)

// The journal keeps this many entries, and of large ones as many as fit: a suite
// with hooks for every system is some 30 MB of compressed bytes before each build.
const (
	journalKeeps = 50
	journalSize  = 256 << 20
)

// Journal is the journal of one user.
type Journal struct {
	Dir string // springfield's state directory, which holds the journal and its lock

	atStep fault // of a test
}

func (j Journal) fault() fault {
	if j.atStep != nil {
		return j.atStep
	}
	return atStep
}

// Apply writes a change: under the lock, into the journal first, all edits or none.
// Every error is a *WriteError; one that wraps ErrChanged asks for a new plan.
func (j Journal) Apply(c Change) error {
	if c.Empty() {
		return nil
	}
	failed := &WriteError{Kind: kindOr(c.Kind)}
	if failed.Err = j.apply(c, failed); failed.Err != nil {
		if ran := (*RunError)(nil); errors.As(failed.Err, &ran) && len(failed.Left) == 0 {
			return failed.Err
		}
		return failed
	}
	return nil
}

// Do makes a plan and applies it, anew when another program came first.
func (j Journal) Do(plan func() (Change, error)) (Change, error) {
	const tries = 5
	for try := 1; ; try++ {
		c, err := plan()
		if err != nil {
			return c, err
		}
		if err = j.Apply(c); err == nil || try == tries || !errors.Is(err, ErrChanged) {
			return c, err
		}
	}
}

// apply notes in failure what an error leaves behind.
func (j Journal) apply(c Change, failure *WriteError) error {
	if err := MakeDirs(j.Dir, ownDirMode); err != nil {
		return err
	}
	unlock, err := j.lock()
	if err != nil {
		return err
	}
	defer unlock()
	edits, err := withDirs(c.Edits)
	if err != nil {
		return err
	}
	for _, e := range slices.Concat(edits, c.Keep) {
		if e.Before.isDir() || e.After.isDir() {
			continue
		}
		if err := e.unchanged(); err != nil {
			if link := (*folder.LinkError)(nil); errors.As(err, &link) {
				return link
			}
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	entry, undoing := c.undoes, c.undoes.ID != 0
	abandon, complete := j.finish, j.remove
	if undoing {
		if now, err := j.newest(); err != nil && !errors.Is(err, ErrNothingToUndo) {
			return err
		} else if err != nil || !now.same(entry) {
			return fmt.Errorf("the journal: %w", ErrChanged)
		}
		err = j.reopen(entry.ID) // here, where nothing has changed yet, it may fail
	} else {
		abandon, complete = j.remove, j.finish
		entry = Entry{At: time.Now().UTC(), Did: c.Did, Kind: c.Kind, Token: newToken(), Leaves: c.Leaves, Calls: c.Calls}
		err = j.add(&entry, withKept(edits, c.Keep))
	}
	if err != nil {
		return err
	}
	if err = c.run(failure); err == nil {
		if undoing {
			for _, f := range entry.Edits { // of a change, or of its undo, that was killed
				removeTemp(f.edit(), entry.Token)
			}
		}
		err = newWriter(edits, entry.Token, j.fault()).writeAll(failure)
	}
	if err != nil {
		if len(failure.Left) == 0 { // else the journal has the bytes, to be undone
			_ = abandon(entry.ID)
		}
		return err
	}
	if err = complete(entry.ID); undoing {
		failure.Done = err != nil
		return err
	}
	return nil // all is written; an open entry only has undo look more closely
}

// Entries lists the changes that can be undone, the newest first.
func (j Journal) Entries() ([]Entry, error) {
	ids, err := j.ids()
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	slices.Reverse(ids)
	var entries []Entry
	for _, id := range ids {
		e, err := j.entry(id)
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
func (j Journal) Forget() (e Entry, err error) {
	defer func() {
		if err != nil && !errors.Is(err, ErrNothingToUndo) {
			err = fmt.Errorf("forget edit: %w", err)
		}
	}()
	if err := MakeDirs(j.Dir, ownDirMode); err != nil {
		return Entry{}, err
	}
	unlock, err := j.lock()
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	ids, err := j.ids()
	if err != nil {
		return Entry{}, err
	}
	if len(ids) == 0 {
		return Entry{}, ErrNothingToUndo
	}
	id := ids[len(ids)-1]
	e, err = j.entry(id)
	if damaged := (*DamagedError)(nil); err != nil && !errors.As(err, &damaged) {
		return Entry{}, err
	}
	return e, j.remove(id)
}

// Damaged lists the entries that cannot be read.
func (j Journal) Damaged() []error {
	var all []error
	ids, _ := j.ids()
	for _, id := range ids {
		if _, err := j.entry(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return all
}

func (j Journal) lock() (unlock func(), err error) {
	return Lock(filepath.Join(j.Dir, "settings.lock"))
}

func (j Journal) file(id int, end string) string {
	return filepath.Join(j.Dir, "journal", fmt.Sprintf("%08d%s", id, end))
}

// The ends of the names of an entry's files.
const (
	closedEnd = ".json"
	openEnd   = ".open" // not all of its files are known to be written
	bytesEnd  = ".zip"
)

// add writes the entry of a change that is about to be applied, and numbers it.
func (j Journal) add(entry *Entry, edits []Edit) error {
	ids, err := j.ids()
	if err != nil {
		return err
	}
	entry.ID = 1
	if len(ids) > 0 {
		entry.ID = ids[len(ids)-1] + 1
	}
	list, contents, err := entry.encode(edits)
	if err != nil {
		return err
	}
	_ = os.Remove(j.file(entry.ID, bytesEnd)) // of an entry that was killed before it had its list
	// The list comes last: with it the entry is there.
	if err := j.keep(j.file(entry.ID, bytesEnd), contents); err != nil {
		return err
	}
	if err := j.keep(j.file(entry.ID, openEnd), list); err != nil {
		_ = os.Remove(j.file(entry.ID, bytesEnd))
		return err
	}
	j.prune(ids, int64(len(list)+len(contents)))
	return nil
}

// keep writes a file of the journal, whole or not at all.
func (j Journal) keep(path string, data []byte) error {
	if err := MakeDirs(filepath.Dir(path), ownDirMode); err != nil {
		return err
	}
	e, err := Open("", path)
	if err != nil {
		return err
	}
	e.After = &Content{data, newFileMode}
	return e.write(j.fault())
}

// prune forgets the oldest entries beside the newest one, of a size in bytes.
func (j Journal) prune(ids []int, size int64) {
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

// remove takes an entry out of the journal.
func (j Journal) remove(id int) error {
	err := j.fault().step("forget entry", func() error {
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

// reopen says of an entry that its files are being written again.
func (j Journal) reopen(id int) error {
	err := j.fault().step("reopen entry", func() error { return os.Rename(j.file(id, closedEnd), j.file(id, openEnd)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is open
		return failed("write", j.file(id, closedEnd), err)
	}
	now := time.Now()
	_ = os.Chtimes(j.file(id, openEnd), now, now) // else an undo refuses more than it has to
	return nil
}

// finish says of an entry that all of its files are written.
func (j Journal) finish(id int) error {
	return j.fault().step("finish entry", func() error { return os.Rename(j.file(id, openEnd), j.file(id, closedEnd)) })
}

// ids lists the entries' numbers, the oldest first.
func (j Journal) ids() ([]int, error) {
	files, err := os.ReadDir(filepath.Join(j.Dir, "journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, f := range files {
		for _, end := range []string{closedEnd, openEnd} {
			id, err := strconv.Atoi(strings.TrimSuffix(f.Name(), end))
			if err == nil && id > 0 && filepath.Base(j.file(id, end)) == f.Name() {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
