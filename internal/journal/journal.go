package journal

// Entries are a stack: only the last one can be undone. An entry, with the old bytes, is on disk before any file changes:
// a list of edits, NUMBER.open, renamed to NUMBER.json once every file is written, and NUMBER.zip with each content,
// named by SHA-256. Of the new contents only text is kept, to show later edits.

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const (
	// A suite with hooks for every system takes about 30 MB for each build.
	journalKeeps = 50 // entries
	journalSize  = 256 << 20

	lockPatience = 2 * time.Second
	lockRetry    = 50 * time.Millisecond

	tries = 5 // if we race with a different process

	closedEnd = ".json"
	openEnd   = ".open" // some files may not be written yet
	bytesEnd  = ".zip"

	maxEntry = 64 << 20 // bytes of an entry's list
	maxShown = 1 << 20  // bytes of new text to keep
)

// Entry is a Change in the journal.
type Entry struct {
	ID     int       `json:"id"`
	At     time.Time `json:"at"`
	Did    string    `json:"did"`
	Kind   string    `json:"kind,omitempty"`
	Token  string    `json:"token"` // used to name temporary files
	Edits  []Edit    `json:"edits"`
	Leaves []string  `json:"leaves,omitempty"`

	open bool // some files may not be written yet
}

func (e Entry) Files() []string {
	written, removed := Change{Edits: e.Edits}.Files()
	return append(append([]string{}, written...), removed...)
}

type Journal struct {
	Dir string // springfield's state directory

	atStep fault // set by tests
}

// ApplyChange records a change in the journal and writes all edits or none. Errors are *WriteError. If one wraps
// ErrChanged, plan anew.
func (j Journal) ApplyChange(c Change) error {
	if c.IsEmpty() {
		return nil
	}
	failure := &WriteError{}
	if failure.Err = j.lockAndApply(c, failure); failure.Err == nil {
		return nil
	}
	failure.Kind = c.kindOfFiles()
	return failure
}

// PlanAndApply plans and applies a change, again if a program changes a file in between.
func (j Journal) PlanAndApply(plan func() (Change, error)) (c Change, err error) {
	for range tries {
		if c, err = plan(); err != nil {
			return c, err
		}
		if err = j.ApplyChange(c); !errors.Is(err, ErrChanged) {
			break
		}
	}
	return c, err
}

// lockAndApply takes the lock, records the change in the journal (an undo removes the entry), and writes all edits or
// none. On error, it sets failure's Done and Left.
func (j Journal) lockAndApply(c Change, failure *WriteError) error {
	unlock, err := TakeLock(filepath.Join(j.Dir, "settings.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	edits, err := addDirs(c.Edits)
	if err != nil {
		return err
	}
	entry, undoing := c.undoes, c.undoes.ID != 0
	read := edits
	if undoing { // also unchanged files: a change in progress may write them now
		read = c.Edits
	}
	for _, e := range read {
		if e.isDirectory() {
			continue
		}
		if err := e.checkUnchanged(); err != nil {
			if link := (*rooted.LinkError)(nil); errors.As(err, &link) {
				return link
			}
			return fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	if undoing {
		err = j.reopenEntry(entry)
	} else {
		entry, err = j.addAndPrune(c, edits)
	}
	if err != nil {
		return err
	}
	for _, e := range c.undoes.Edits { // temporary files might be left if the process was killed
		if at := e.At; e.setAtAndRoot() == nil && e.At == at {
			removeTemp(e, entry.Token)
		}
	}
	failure.Left, err = writeEdits(edits, entry.Token, j.atStep)
	switch {
	case err != nil && len(failure.Left) > 0: // keep the entry for undo
	case err != nil && undoing:
		_ = j.closeEntry(entry.ID)
	case err != nil:
		_ = j.removeEntry(entry.ID)
	case undoing:
		err = j.removeEntry(entry.ID)
		failure.Done = err != nil
	default:
		_ = j.closeEntry(entry.ID) // an open entry can be undone too
	}
	return err
}

// ReadEntries returns all entries. Only the first can be undone. Contents have no Data. A damaged entry is an error.
func (j Journal) ReadEntries() (newestFirst []Entry, err error) {
	ids, err := j.listIDs()
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	for _, id := range slices.Backward(ids) {
		e, err := j.readEntry(id)
		if errors.Is(err, fs.ErrNotExist) {
			continue // undone since
		}
		if err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		newestFirst = append(newestFirst, e)
	}
	return newestFirst, nil
}

// ForgetNewest locks the journal and removes the latest entry without undoing it. A damaged entry is removed, too, and
// returned empty. Without entries it returns ErrNothingToUndo.
func (j Journal) ForgetNewest() (Entry, error) {
	unlock, err := TakeLock(filepath.Join(j.Dir, "settings.lock"))
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

// MergeNewest locks the journal and merges the latest entries into one. names lists each entry's Did, oldest first, and
// is not empty. If the entries have other names or one is open, it returns ErrChanged. The undo can fail if two entries
// change the same file.
func (j Journal) MergeNewest(names []string) error {
	unlock, err := TakeLock(filepath.Join(j.Dir, "settings.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	ids, err := j.listIDs()
	if err != nil {
		return err
	}
	ids = ids[max(0, len(ids)-len(names)):]
	all := Change{Did: strings.Join(names, ", ")}
	for n, id := range ids {
		e, err := j.readEntry(id)
		if err == nil && (len(ids) < len(names) || e.Did != names[n] || e.open) {
			err = ErrChanged
		}
		if err == nil {
			err = j.loadContents(&e)
		}
		if err != nil {
			return err
		}
		all.Edits, all.Leaves = append(all.Edits, e.Edits...), append(all.Leaves, e.Leaves...)
	}
	joined, err := j.addAndPrune(all, all.Edits)
	if err == nil {
		err = j.closeEntry(joined.ID)
	}
	for _, id := range slices.Backward(ids) {
		if err == nil {
			err = j.removeEntry(id)
		}
	}
	return err
}

// loadContents replaces hashes in e's edits with stored contents. If After is not stored, it keeps the hash.
func (j Journal) loadContents(e *Entry) error {
	kept, err := j.openContents(e.ID)
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	for i := range e.Edits {
		f := &e.Edits[i]
		if f.isDirectory() {
			continue
		}
		if f.Before, err = kept.readStored(f.Before); err != nil {
			return err
		}
		if after, err := kept.readStored(f.After); err == nil { // else only its hash is stored
			f.After = after
		}
	}
	return nil
}

// Damaged returns an error for each entry that cannot be read.
func (j Journal) Damaged() (all []error) {
	ids, _ := j.listIDs()
	for _, id := range ids {
		if _, err := j.readEntry(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return all
}

func (j Journal) fileOf(id int, end string) string {
	return filepath.Join(j.Dir, "journal", fmt.Sprintf("%08d%s", id, end))
}

// pruneEntries removes the oldest entries to keep up to journalKeeps entries and journalSize bytes, including addedSize
// bytes. earlier is ascending.
func (j Journal) pruneEntries(earlier []int, addedSize int64) {
	kept := 1
	for _, id := range slices.Backward(earlier) {
		for _, end := range []string{closedEnd, openEnd, bytesEnd} {
			if info, err := os.Stat(j.fileOf(id, end)); err == nil {
				addedSize += info.Size()
			}
		}
		if kept++; kept > journalKeeps || addedSize > journalSize {
			for _, end := range []string{closedEnd, openEnd, bytesEnd} {
				_ = os.Remove(j.fileOf(id, end))
			}
		}
	}
}

// removeEntry removes an entry's files without undoing its edits. The caller holds the lock.
func (j Journal) removeEntry(id int) error {
	err := j.atStep.runStep("forget entry", func() error {
		err := os.Remove(j.fileOf(id, openEnd))
		if errors.Is(err, fs.ErrNotExist) {
			err = os.Remove(j.fileOf(id, closedEnd))
		}
		return err
	})
	if err != nil {
		return nameFailure("remove", j.fileOf(id, openEnd), err)
	}
	_ = os.Remove(j.fileOf(id, bytesEnd)) // it is never read if there is no list
	return nil
}

// reopenEntry marks an entry as open, for an undo. If it is not the latest, the error wraps ErrChanged. The caller
// holds the lock.
func (j Journal) reopenEntry(e Entry) error {
	now, err := j.readNewest()
	if err != nil && !errors.Is(err, ErrNothingToUndo) {
		return err
	}
	if now.Token != e.Token {
		return fmt.Errorf("the journal: %w", ErrChanged)
	}
	open, closed := j.fileOf(e.ID, openEnd), j.fileOf(e.ID, closedEnd)
	err = j.atStep.runStep("reopen entry", func() error { return os.Rename(closed, open) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it is open
		return nameFailure("write", closed, err)
	}
	return nil
}

func (j Journal) closeEntry(id int) error {
	return j.atStep.runStep("finish entry", func() error { return os.Rename(j.fileOf(id, openEnd), j.fileOf(id, closedEnd)) })
}

// listIDs returns all entries' IDs, also open ones, ascending.
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
		if err == nil && id > 0 && (end == closedEnd || end == openEnd) && filepath.Base(j.fileOf(id, end)) == f.Name() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// DamagedError means that a file of the journal cannot be read.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// addAndPrune stores a new open entry for c with edits, and calls pruneEntries. The caller holds the lock, and calls
// closeEntry or removeEntry afterwards.
func (j Journal) addAndPrune(c Change, edits []Edit) (Entry, error) {
	e := Entry{ID: 1, At: time.Now().UTC(), Did: c.Did, Kind: c.Kind, Token: rand.Text(), Leaves: c.Leaves}
	ids, err := j.listIDs()
	if err != nil {
		return e, err
	}
	if len(ids) > 0 {
		e.ID = ids[len(ids)-1] + 1
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	has := map[string]bool{}
	store := func(c *Content, whole bool) (*Content, error) {
		if c == nil || c.isDirectory() {
			return c, nil
		}
		stored := &Content{SHA256: cmp.Or(c.SHA256, HashBytes(c.Data)), Mode: c.Mode.Perm()}
		if !whole || has[stored.SHA256] {
			return stored, nil
		}
		has[stored.SHA256] = true
		h := &zip.FileHeader{Name: stored.SHA256, Method: zip.Deflate}
		if len(c.Data) < 4<<10 { // not worth the compressor's setup
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(c.Data)
		}
		return stored, err
	}
	for _, f := range edits {
		shown := f.After != nil && f.After.SHA256 == "" && !f.State && len(f.After.Data) <= maxShown && IsText(f.After.Data)
		if f.Before, err = store(f.Before, true); err == nil {
			f.After, err = store(f.After, shown)
		}
		if err != nil {
			return e, err
		}
		e.Edits = append(e.Edits, f)
	}
	if err := z.Close(); err != nil {
		return e, err
	}
	list, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	if err := MakeDirs(filepath.Join(j.Dir, "journal")); err != nil {
		return e, err
	}
	_ = os.Remove(j.fileOf(e.ID, bytesEnd)) // left by a killed process
	// The list comes last: it makes the entry valid.
	for _, f := range []struct {
		end  string
		data []byte
	}{{bytesEnd, archive.Bytes()}, {openEnd, list}} {
		own := Edit{Path: j.fileOf(e.ID, f.end), State: true, After: &Content{Data: f.data}}
		if err = own.setAtAndRoot(); err == nil {
			_, err = writeEdits([]Edit{own}, e.Token, j.atStep)
		}
		if err != nil {
			_ = os.Remove(j.fileOf(e.ID, bytesEnd))
			return e, err
		}
	}
	j.pruneEntries(ids, int64(len(list)+archive.Len()))
	return e, nil
}

// readEntry reads an entry's list. If the entry was removed, it returns fs.ErrNotExist.
func (j Journal) readEntry(id int) (Entry, error) {
	const looks = 6
	var file string
	var data []byte
	err := fs.ErrNotExist
	for look := 0; look < looks && errors.Is(err, fs.ErrNotExist); look++ {
		file = j.fileOf(id, [...]string{closedEnd, openEnd}[look%2])
		data, _, err = rooted.ReadFollowing(file, maxEntry)
	}
	if system := syscall.Errno(0); errors.As(err, &system) {
		return Entry{}, err
	}
	var e Entry
	if err == nil {
		e, err = decodeEntry(data)
	}
	if err == nil && e.ID != id {
		err = fmt.Errorf("it contains entry number %d", e.ID)
	}
	if err != nil {
		return Entry{}, &DamagedError{file, err}
	}
	e.open = filepath.Ext(file) == openEnd
	return e, nil
}

// decodeEntry parses an entry's list. It rejects relative paths and paths outside an edit's In.
func decodeEntry(data []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return Entry{}, err
	}
	if filepath.Base(e.Token) != e.Token {
		return Entry{}, fmt.Errorf("%q is not a token", e.Token)
	}
	for _, f := range e.Edits {
		for _, path := range []string{f.Path, f.At, cmp.Or(f.In, f.Path)} {
			if !filepath.IsAbs(path) {
				return Entry{}, fmt.Errorf("%q is not an absolute path", path)
			}
		}
		if f.In != "" && !rooted.HoldsPath(f.In, f.Path) {
			return Entry{}, fmt.Errorf("%q is not in %q", f.Path, f.In)
		}
		if f.Before == nil && f.After == nil {
			return Entry{}, fmt.Errorf("%q has no content", f.Path)
		}
	}
	return e, nil
}

type contents struct {
	*zip.ReadCloser
	path string
}

// openContents opens an entry's stored contents. Callers close them. A missing or invalid archive is a *DamagedError.
func (j Journal) openContents(id int) (contents, error) {
	path := j.fileOf(id, bytesEnd)
	z, err := zip.OpenReader(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, zip.ErrFormat) {
		err = &DamagedError{path, err}
	}
	return contents{z, path}, err
}

// readStored reads the content with the hash stored.SHA256 and stored's mode (nil for nil). If it is not stored, the
// error is a *DamagedError and wraps fs.ErrNotExist.
func (c contents) readStored(stored *Content) (*Content, error) {
	if stored == nil {
		return nil, nil
	}
	f, err := c.Open(stored.SHA256)
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && HashBytes(data) != stored.SHA256 {
		err = fmt.Errorf("the content stored for %s has changed", stored.SHA256)
	}
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	return &Content{Data: data, Mode: stored.Mode.Perm()}, nil
}

// readNewest returns the latest entry. Without entries the error is ErrNothingToUndo.
func (j Journal) readNewest() (e Entry, err error) {
	for range tries {
		var ids []int
		if ids, err = j.listIDs(); err == nil && len(ids) == 0 {
			return Entry{}, ErrNothingToUndo
		}
		if err == nil {
			e, err = j.readEntry(ids[len(ids)-1])
		}
		if !errors.Is(err, fs.ErrNotExist) { // else it was undone since
			break
		}
	}
	if err != nil {
		return Entry{}, fmt.Errorf("read journal: %w", err)
	}
	return e, nil
}

// Interrupted returns the latest entry (empty if none). lastIsOpen is set unless the change ended as planned.
func (j Journal) Interrupted() (e Entry, lastIsOpen bool, err error) {
	if e, err = j.readNewest(); errors.Is(err, ErrNothingToUndo) {
		err = nil
	}
	return e, e.open, err
}
