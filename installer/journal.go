package installer

// The journal: what every edit has done to the user's files, so that it can be
// undone.
//
// The rules:
//   - an entry is on the disk, with the old bytes, before any file changes;
//   - its name says that it is open until the last file is written, so that an
//     edit that was killed can be told from one that somebody has changed since;
//   - entries are a stack: only the newest can be undone, and is gone then;
//   - undoing gives back bytes, and only where they are still the ones that the
//     edit left. After a crash in mid-edit some files are as before and some as
//     after; undoing takes the latter back;
//   - an entry knows also what was remembered before the edit, so that disable
//     after undo is as if the edit had never been.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
)

// The journal keeps this many edits, and of large files as many as fit.
const (
	journalKeeps = 50
	journalSize  = 64 << 20
)

// Entry is one edit in the journal.
type Entry struct {
	ID    int       `json:"id"` // grows with every edit
	At    time.Time `json:"at"`
	Did   string    `json:"did"` // "enable ned-flanders@hooks in user settings"
	Files []Edited  `json:"files"`

	open bool // not all of its files are known to be written
}

// Edited is a file that an edit changed, or about which it only remembered
// something.
type Edited struct {
	Path   string      `json:"path"`  // where the bytes are
	Asked  string      `json:"asked"` // as the user knows it
	Mode   fs.FileMode `json:"mode"`
	Before origin      `json:"before"`
	After  origin      `json:"after"`
	Memory *memory     `json:"memory,omitempty"` // before the edit; nil if there was none
}

// ErrNothingToUndo says that the journal is empty.
var ErrNothingToUndo = errors.New("there is no edit to undo")

// ChangedSinceError says that a file is no longer as the edit left it, so that
// undoing would lose what somebody else has written.
type ChangedSinceError struct {
	Entry Entry
	File  string
	Diff  string // unified: from what the edit left to what is there now
}

func (e *ChangedSinceError) Error() string {
	return fmt.Sprintf("%s was changed after springfield's edit (%s)", e.File, e.Entry.Did)
}

func (o origin) is(file *File) bool {
	return o.Existed == file.Exists && bytes.Equal(o.Data, file.Data)
}

// Journal lists the edits that can be undone, the newest first.
func Journal(p Places) ([]Entry, error) {
	ids, err := p.journalled()
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	slices.Reverse(ids)
	var entries []Entry
	for _, id := range ids {
		e, err := p.entry(id)
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// PlanUndo works out how to take back the newest edit in the journal. Without
// one the error wraps ErrNothingToUndo; a file that is neither as the edit left
// it nor as it was before gives a *ChangedSinceError. A file whose directory is
// gone is passed over.
func PlanUndo(p Places) (Plan, Entry, error) {
	ids, err := p.journalled()
	if err != nil {
		return Plan{}, Entry{}, fmt.Errorf("read journal: %w", err)
	}
	if len(ids) == 0 {
		return Plan{}, Entry{}, ErrNothingToUndo
	}
	e, err := p.entry(ids[len(ids)-1])
	if err != nil {
		return Plan{}, Entry{}, fmt.Errorf("read journal: %w", err)
	}
	plan := Plan{undoes: e.ID}
	for _, f := range slices.Backward(e.Files) {
		file, err := Open(f.Asked)
		if err == nil && file.Path != f.Path && isGone(file, f.After) {
			file, err = Open(f.Path) // it was a link, and what it led to need not be gone
		}
		if err != nil {
			return Plan{}, e, fmt.Errorf("read settings: %w", err)
		}
		now, err := p.recall(f.Path)
		if err != nil {
			return Plan{}, e, err
		}
		edit := newEdit(file, f.Before.Data, now)
		// What comes back into the file by undoing disable is set, not taken back.
		edit.memory, edit.release = f.Memory, f.Memory.uses() <= now.uses()
		if edit.memory == nil {
			edit.memory = &memory{File: f.Path}
		}
		switch {
		case isGone(file, f.After):
			edit.after, edit.remove = nil, true // and nothing to give back to
			if !f.Before.is(file) {
				plan.gone = append(plan.gone, f.Asked)
			}
		case file.Path != f.Path || !f.After.is(file) && !f.Before.is(file):
			return Plan{}, e, &ChangedSinceError{e, f.Asked, udiff.Unified(f.Asked+" as springfield left it", f.Asked+" now", string(f.After.Data), string(file.Data))}
		case f.Before.is(file):
			edit.after = file.Data
			edit.remove = !file.Exists
		default:
			if edit.remove = !f.Before.Existed; edit.remove {
				edit.after, edit.dropDir = nil, f.Before.NoDir
			}
			if !file.Exists {
				file.Mode = f.Mode
			}
			if err := writable(file); err != nil {
				return Plan{}, e, err
			}
		}
		plan.edits = append(plan.edits, edit)
	}
	return plan, e, nil
}

// isGone tells whether a file is not there, nor the directory it was in: a
// project that has been deleted. A directory that the edit itself has left
// without it can be made again.
func isGone(file *File, after origin) bool {
	dir := filepath.Dir(file.Path)
	return !file.Exists && !isDir(dir) && (!after.is(file) || !isDir(filepath.Dir(dir)))
}

// ForgetEdit takes the newest edit out of the journal and leaves its files as
// they are, so that the one before it can be undone.
func ForgetEdit(p Places) (Entry, error) {
	if err := p.makeState(""); err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	unlock, err := Lock(p.state("settings.lock"))
	if err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	defer unlock()
	id, err := p.newest()
	if err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	if id == 0 {
		return Entry{}, ErrNothingToUndo
	}
	e, err := p.entry(id)
	var damaged *DamagedError
	if err != nil && !errors.As(err, &damaged) {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	if err := p.forget(id); err != nil {
		return Entry{}, fmt.Errorf("forget edit: %w", err)
	}
	return e, nil
}

// journal writes the entry of a plan that is about to be applied.
func (p Places) journal(plan Plan) (id int, err error) {
	ids, err := p.journalled()
	if err != nil {
		return 0, err
	}
	e := Entry{ID: 1, At: time.Now().UTC(), Did: plan.Did}
	if len(ids) > 0 {
		e.ID = ids[len(ids)-1] + 1
	}
	for _, edit := range plan.edits {
		e.Files = append(e.Files, Edited{
			Path: edit.file.Path, Asked: edit.file.Asked, Mode: edit.file.Mode, Memory: edit.old,
			Before: originOf(edit.file, edit.existed, edit.before), After: origin{Existed: !edit.remove, Data: edit.after},
		})
	}
	data, err := json.Marshal(e)
	if err != nil {
		return 0, err
	}
	if err := p.keep(p.openFile(e.ID), data); err != nil {
		return 0, err
	}
	p.prune(ids, len(data))
	return e.ID, nil
}

// prune forgets the oldest entries beside the newest one, of a size in bytes.
func (p Places) prune(ids []int, size int) {
	kept := 1
	for _, id := range slices.Backward(ids) {
		if info, err := os.Stat(p.entryFile(id)); err == nil {
			size += int(info.Size())
		}
		if kept++; kept > journalKeeps || size > journalSize {
			_ = os.Remove(p.entryFile(id)) // one too many does no harm
			_ = os.Remove(p.openFile(id))
		}
	}
}

// newest is the number of the newest entry, 0 if there is none.
func (p Places) newest() (int, error) {
	ids, err := p.journalled()
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[len(ids)-1], nil
}

// forget takes an entry out of the journal.
func (p Places) forget(id int) error {
	err := step("forget entry", func() error {
		err := os.Remove(p.openFile(id))
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(p.entryFile(id))
		}
		return err
	})
	if err != nil {
		return failed("remove", p.openFile(id), err)
	}
	return nil
}

// reopen says of an entry that its files are being written again.
func (p Places) reopen(id int) error {
	err := step("reopen entry", func() error { return os.Rename(p.entryFile(id), p.openFile(id)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is open
		return failed("write", p.entryFile(id), err)
	}
	return nil
}

// finish says of an entry that all of its files are written.
func (p Places) finish(id int) error {
	return step("finish entry", func() error { return os.Rename(p.openFile(id), p.entryFile(id)) })
}

func (p Places) entryFile(id int) string { return p.state("journal", fmt.Sprintf("%08d.json", id)) }
func (p Places) openFile(id int) string  { return p.state("journal", fmt.Sprintf("%08d.open", id)) }

// journalled lists the entries' numbers, the oldest first.
func (p Places) journalled() ([]int, error) {
	files, err := os.ReadDir(p.state("journal"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, f := range files {
		name := strings.TrimSuffix(strings.TrimSuffix(f.Name(), ".json"), ".open")
		id, err := strconv.Atoi(name)
		if err == nil && id > 0 && (filepath.Base(p.entryFile(id)) == f.Name() || filepath.Base(p.openFile(id)) == f.Name()) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

func (p Places) entry(id int) (Entry, error) {
	path := p.entryFile(id)
	data, err := os.ReadFile(path)
	open := errors.Is(err, fs.ErrNotExist)
	if open {
		path = p.openFile(id)
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return Entry{}, &DamagedError{path, err}
	}
	if e.ID != id {
		return Entry{}, &DamagedError{path, fmt.Errorf("it says it is number %d", e.ID)}
	}
	e.open = open
	return e, nil
}

// keep writes a file of our own state, whole or not at all.
func (p Places) keep(path string, data []byte) error {
	if err := p.makeState(filepath.Base(filepath.Dir(path))); err != nil {
		return err
	}
	f := &File{Path: path, Mode: 0o600}
	if err := f.writeWhole(data, func() error { return nil }); err != nil {
		return failed("write", path, err)
	}
	return nil
}
