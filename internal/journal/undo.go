package journal

// Undoing gives back bytes, and only where they are still the ones that the change
// left. After a crash in the middle some files are as before and some as after;
// undoing takes the latter back.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Undo takes back the newest change in the journal.
type Undo struct {
	Change
	Entry Entry
	Gone  []string // files whose directory is not there any more
	Stays []string // trees that are left as they are, since something has happened in them
}

// maxDiffed bounds the texts, in bytes, of which a refused undo shows the difference.
const maxDiffed = 1 << 20

// ErrNothingToUndo says that the journal is empty.
var ErrNothingToUndo = errors.New("there is no edit to undo")

// ChangedSinceError says that a file is no longer as the change left it, so that
// undoing would lose what has been written since.
type ChangedSinceError struct {
	Entry Entry
	File  string
	Diff  string // unified: from what the change left to what is there now
}

func (e *ChangedSinceError) Error() string {
	return fmt.Sprintf("%s was changed after springfield's edit (%s)", e.File, e.Entry.Did)
}

// PlanUndo works out how to take back the newest change in the journal. Without one
// the error wraps ErrNothingToUndo; a file that is neither as the change left it nor
// as it was before gives a *ChangedSinceError. A file whose directory is gone is
// skipped, and so is a tree in which something has happened.
//
// Another springfield may take an entry out of the journal while its files are read.
// Then the plan is made again, for the entry that is the newest now.
func (j Journal) PlanUndo() (u Undo, err error) {
	for range tries {
		e, err := j.readNewest()
		if err != nil {
			return Undo{}, err
		}
		if u, err = j.planUndo(e); err == nil {
			return u, nil
		}
		if now, gone := j.readNewest(); gone == nil && now.Token == e.Token {
			return u, err
		}
	}
	return u, fmt.Errorf("read journal: %w", ErrChanged)
}

func (j Journal) readNewest() (e Entry, err error) {
	for range tries {
		var ids []int
		if ids, err = j.listIDs(); err == nil && len(ids) == 0 {
			return Entry{}, ErrNothingToUndo
		}
		if err == nil {
			e, err = j.readEntry(ids[len(ids)-1])
		}
		if !errors.Is(err, fs.ErrNotExist) { // else it was taken back since
			break
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read journal: %w", err)
	}
	return e, nil
}

func (j Journal) planUndo(e Entry) (Undo, error) {
	kept, err := j.openContents(e.ID)
	if err != nil {
		return Undo{}, fmt.Errorf("read journal: %w", err)
	}
	defer func() { _ = kept.Close() }()
	u := Undo{Entry: e, Change: Change{Did: "undo: " + e.Did, Kind: e.Kind, undoes: e}}
	for _, f := range e.Edits {
		if f.Tree != "" && !slices.Contains(u.Stays, f.Tree) && e.isInUse(f.Tree) {
			u.Stays = append(u.Stays, f.Tree)
		}
	}
	for _, f := range slices.Backward(e.Edits) {
		switch {
		case slices.Contains(u.Stays, f.Tree):
		case f.isDirectory():
			u.addDirectory(f)
		case f.Changes():
			if err := u.addFile(f, kept); err != nil {
				return Undo{Entry: e}, err
			}
		}
	}
	return u, nil
}

// addDirectory plans to take back a directory: one that was made goes if it is empty by then.
func (u *Undo) addDirectory(f Edit) {
	dir := Edit{In: f.In, Path: f.Path, State: f.State}
	if dir.locateBytes() != nil || dir.At != f.At {
		return
	}
	switch {
	case f.Before == nil && rooted.IsDirectory(f.At):
		dir.Before = f.After
	case f.Before != nil && isMissing(f.At) && rooted.IsDirectory(cmp.Or(dir.root, filepath.Dir(f.At))):
		dir.After = f.Before
	default:
		return
	}
	u.Edits = append(u.Edits, dir)
}

func (u *Undo) addFile(f Edit, kept contents) error {
	edit, err := OpenEdit(f.In, f.Path)
	if err == nil && edit.At != f.At && edit.isWhollyGone(f.After) {
		edit, err = OpenEdit("", f.At) // it was a link, and what it led to need not be gone
	}
	if link := (*rooted.LinkError)(nil); errors.As(err, &link) {
		return &ChangedSinceError{u.Entry, f.Path, err.Error() + "\n"}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", u.kindOfChange(), err)
	}
	edit.State, edit.Tree = f.State, f.Tree
	now := edit.Before
	switch {
	case f.Before.hasSameBytes(now) && !f.After.hasSameBytes(now):
		u.Edits = append(u.Edits, edit) // no change; it must still be so when the undo is applied
		return nil
	case edit.isWhollyGone(f.After): // and nothing to give back to
		if !f.State {
			u.Gone = append(u.Gone, f.Path)
		}
		return nil
	case f.State && !f.After.hasSameBytes(now):
		return nil
	case edit.At != f.At || !f.After.hasSameBytes(now):
		diff, err := kept.diffSince(f, now)
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		return &ChangedSinceError{u.Entry, f.Path, diff}
	}
	if edit.After, err = kept.readStored(f.Before); err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	if now != nil && edit.After != nil && f.After != nil && (f.Before.Mode == f.After.Mode || now.Mode != f.After.Mode) {
		edit.After.Mode = now.Mode
	}
	if err := edit.Writable(); err != nil {
		return fmt.Errorf("write %s: %w", u.kindOfChange(), err)
	}
	u.Edits = append(u.Edits, edit)
	return nil
}

// diffSince shows what has become of a file since.
func (c contents) diffSince(f Edit, now *Content) (string, error) {
	from, to := f.Path+" as springfield left it", f.Path+" now"
	after, err := c.readStored(f.After)
	switch {
	case errors.Is(err, fs.ErrNotExist): // no text
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to), nil
	case err != nil:
		return "", err
	}
	if was, is := len(after.Bytes()), len(now.Bytes()); was+is > maxDiffed {
		return fmt.Sprintf("%s has %d bytes, %s has %d\n", from, was, to, is), nil
	}
	return diffContents(from, to, after, now), nil
}

// isWhollyGone tells whether a file is not there, nor the directory it was in: a project
// that has been deleted. Directories that the change itself has left without it can
// be made again, in the one that it did not leave, or one for a file of the user's own.
func (e Edit) isWhollyGone(after *Content) bool {
	dir := filepath.Dir(e.At)
	if e.Before != nil || rooted.IsDirectory(dir) {
		return false
	}
	return !after.hasSameBytes(nil) || !rooted.IsDirectory(cmp.Or(e.root, filepath.Dir(dir)))
}

// isInUse tells whether a tree holds a file that was not made in it, or another
// content. What is missing was never there, or is gone with the rest.
func (e Entry) isInUse(tree string) bool {
	made := map[string]Edit{}
	for _, f := range e.Edits {
		if f.Tree == tree {
			made[f.At] = f
		}
	}
	at, err := Resolve(tree)
	if err != nil {
		return true
	}
	err = filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(name, tempMark+e.Token+tempEnd) {
			return err
		}
		f, ok := made[name]
		if !ok || !d.Type().IsRegular() {
			return ErrChanged
		}
		file, err := OpenEdit(f.In, f.Path)
		if err == nil && !f.After.hasSameBytes(file.Before) {
			err = ErrChanged
		}
		return err
	})
	return err != nil
}

// Interrupted is the newest entry if its change was killed when only some of the
// files were written.
func (j Journal) Interrupted() (e Entry, interrupted bool, err error) {
	e, err = j.readNewest()
	if errors.Is(err, ErrNothingToUndo) {
		return Entry{}, false, nil
	}
	if err != nil || !e.open {
		return e, false, err
	}
	before, after := 0, 0
	for _, f := range e.Edits {
		if f.State || f.isDirectory() {
			continue
		}
		file, err := OpenEdit(f.In, f.Path)
		if err != nil {
			return e, false, nil // not readable: it cannot be told
		}
		switch {
		case !f.Changes(): // it says nothing about the others
		case f.Before.hasSameBytes(file.Before):
			before++
		case f.After.hasSameBytes(file.Before):
			after++
		}
	}
	return e, before > 0 && after > 0, nil
}
