package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Undo is a change that reverts the last entry of the journal.
type Undo struct {
	Change
	Entry Entry
	Gone  []string // the directory no longer exists
}

const maxDiffed = 1 << 20 // bytes in both files to show a diff for, if undo is refused

var ErrNothingToUndo = errors.New("there is no edit to undo")

// ChangedSinceError is returned if undo would overwrite later changes to a file.
type ChangedSinceError struct {
	Entry Entry
	File  string
	Diff  string // of the later changes
}

func (e *ChangedSinceError) Error() string {
	return fmt.Sprintf("%s has changed since springfield's edit (%s)", e.File, e.Entry.Did)
}

// PlanUndo plans to undo the latest entry. It skips files with a missing directory or still as before. Other files not
// as the change left them are a *ChangedSinceError, and an empty journal is ErrNothingToUndo.
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

// PlanRevert plans to restore an entry's files. It skips files as PlanUndo, and fails if another file changed or none
// is left.
func (j Journal) PlanRevert(e Entry, did string) (Change, error) {
	u, err := j.planUndo(e)
	c := Change{Did: did, Kind: e.Kind, Edits: u.Edits}
	if written, removed := c.Files(); err == nil && len(written)+len(removed) == 0 {
		err = ErrChanged
	}
	return c, err
}

func (j Journal) planUndo(e Entry) (Undo, error) {
	kept, err := j.openContents(e.ID)
	if err != nil {
		return Undo{}, fmt.Errorf("read journal: %w", err)
	}
	defer func() { _ = kept.Close() }()
	u := Undo{Entry: e, Change: Change{Did: "undo: " + e.Did, Kind: e.Kind, undoes: e}}
	for _, f := range slices.Backward(e.Edits) {
		switch {
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

func (u *Undo) addDirectory(f Edit) {
	dir := Edit{In: f.In, Path: f.Path, State: f.State}
	if dir.setAtAndRoot() != nil || dir.At != f.At {
		return
	}
	switch {
	case f.Before == nil && rooted.TargetIsDir(f.At):
		dir.Before = f.After
	case f.Before != nil && isAbsent(f.At) && rooted.TargetIsDir(cmp.Or(dir.root, filepath.Dir(f.At))):
		dir.After = f.Before
	default:
		return
	}
	u.Edits = append(u.Edits, dir)
}

func (u *Undo) addFile(f Edit, kept contents) error {
	edit, err := OpenEdit(f.In, f.Path)
	if err == nil && edit.At != f.At && edit.isDirGoneToo(f.After) {
		edit, err = OpenEdit("", f.At) // this might be a link that was removed, but not the target
	}
	if link := (*rooted.LinkError)(nil); errors.As(err, &link) {
		return &ChangedSinceError{u.Entry, f.Path, err.Error() + "\n"}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", u.kindOfFiles(), err)
	}
	edit.State = f.State
	now := edit.Before
	switch {
	case f.Before.hasSameBytes(now) && !f.After.hasSameBytes(now):
		u.Edits = append(u.Edits, edit) // no change, but checked again when the undo is applied
		return nil
	case edit.isDirGoneToo(f.After):
		if !f.State {
			u.Gone = append(u.Gone, f.Path)
		}
		return nil
	case f.State && !f.After.hasSameBytes(now):
		return nil
	case edit.At != f.At || !f.After.hasSameBytes(now):
		diff, err := kept.diffSinceEdit(f, now)
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
	if err := edit.CheckAccess(); err != nil {
		return fmt.Errorf("write %s: %w", u.kindOfFiles(), err)
	}
	u.Edits = append(u.Edits, edit)
	return nil
}

func (c contents) diffSinceEdit(f Edit, now *Content) (string, error) {
	from, to := f.Path+" as springfield left it", f.Path+" now"
	after, err := c.readStored(f.After)
	switch {
	case errors.Is(err, fs.ErrNotExist): // not stored: not text
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to), nil
	case err != nil:
		return "", err
	}
	if was, is := len(after.Bytes()), len(now.Bytes()); was+is > maxDiffed {
		return fmt.Sprintf("%s has %d bytes, %s has %d\n", from, was, to, is), nil
	}
	return diffContents(from, to, after, now), nil
}

// isDirGoneToo reports whether the file and its directory are missing, except directories removed by the change. e is
// the current file, after what the change wrote.
func (e Edit) isDirGoneToo(after *Content) bool {
	dir := filepath.Dir(e.At)
	return e.Before == nil && !rooted.TargetIsDir(dir) &&
		(!after.hasSameBytes(nil) || !rooted.TargetIsDir(cmp.Or(e.root, filepath.Dir(dir))))
}
