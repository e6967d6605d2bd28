package change

// An entry of the journal, as it is kept.

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/folder"
)

const (
	// maxEntry bounds an entry's list.
	maxEntry = 64 << 20

	// maxShown bounds the text that is kept of what was written.
	maxShown = 1 << 20
)

// Entry is a change in the journal.
type Entry struct {
	ID    int       `json:"id"` // grows with every change
	At    time.Time `json:"at"`
	Did   string    `json:"did"` // "enable ned-flanders@hooks in user settings"
	Kind  string    `json:"kind,omitempty"`
	Token string    `json:"token"` // in the names of its temporary files
	Edits []Edit    `json:"edits"`
	// Leaves says what an undo does not take back, since it is no file.
	Leaves []string `json:"leaves,omitempty"`
	Calls  []Call   `json:"calls,omitempty"` // what other programs did beside the files

	open    bool      // not all of its files are known to be written
	written time.Time // its list, or since when it is open again
}

// Files lists the files of an entry that are not springfield's own, as the user
// knows them.
func (e Entry) Files() []string {
	files := []string{}
	for _, f := range e.Edits {
		if !f.Own && !f.isDir() && f.Changes() {
			files = append(files, f.Path)
		}
	}
	return files
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DamagedError says that a file of springfield's own cannot be read.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// writeEntry writes the entry of a change that is about to be applied, and of the files
// that it keeps.
func (j Journal) writeEntry(c Change, edits []Edit) (Entry, error) {
	e := Entry{ID: 1, At: time.Now().UTC(), Did: c.Did, Kind: c.Kind, Token: newToken(), Leaves: c.Leaves, Calls: c.Calls}
	ids, err := j.listIDs()
	if err != nil {
		return e, err
	}
	if len(ids) > 0 {
		e.ID = ids[len(ids)-1] + 1
	}
	for _, k := range c.Keep {
		if k.Before != nil && !slices.ContainsFunc(edits, func(e Edit) bool { return e.At == k.At }) {
			k.After = k.Before
			edits = append(edits, k)
		}
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	has := map[string]bool{}
	store := func(c *Content, whole bool) (*Content, error) {
		if c == nil || c.isDir() {
			return c, nil
		}
		stored := &Content{SHA256: c.hash(), Mode: c.Mode.Perm()}
		if !whole || has[stored.SHA256] {
			return stored, nil
		}
		has[stored.SHA256] = true
		h := &zip.FileHeader{Name: stored.SHA256, Method: zip.Deflate}
		if len(c.Data) < 4<<10 { // less than what a compressor takes to begin
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(c.Data)
		}
		return stored, err
	}
	for _, f := range edits {
		shown := f.After != nil && !f.Own && len(f.After.Data) <= maxShown && IsText(f.After.Data)
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
	if err := MakeDirs(filepath.Join(j.Dir, "journal"), ownDirMode); err != nil {
		return e, err
	}
	_ = os.Remove(j.file(e.ID, bytesEnd)) // of an entry that was killed before it had its list
	// The list comes last: with it the entry is there.
	for _, f := range []struct {
		end  string
		data []byte
	}{{bytesEnd, archive.Bytes()}, {openEnd, list}} {
		own := Edit{Path: j.file(e.ID, f.end), Own: true, After: &Content{Data: f.data}}
		if _, err := writeEdits([]Edit{own}, e.Token, j.atStep); err != nil {
			_ = os.Remove(j.file(e.ID, bytesEnd))
			return e, err
		}
	}
	j.pruneEntries(ids, int64(len(list)+archive.Len()))
	return e, nil
}

// readEntry reads an entry's list. An entry that another springfield has removed is
// fs.ErrNotExist. The list is renamed when the entry is opened and closed, so a search
// for both names can miss it once.
func (j Journal) readEntry(id int) (Entry, error) {
	const looks = 6
	var file string
	var data []byte
	var info fs.FileInfo
	err := fs.ErrNotExist
	for look := 0; look < looks && errors.Is(err, fs.ErrNotExist); look++ {
		file = j.file(id, [...]string{closedEnd, openEnd}[look%2])
		data, info, err = folder.ReadPath(file, maxEntry)
	}
	if system := syscall.Errno(0); errors.As(err, &system) {
		return Entry{}, err
	}
	var e Entry
	if err == nil {
		e, err = decodeEntry(data)
	}
	if err == nil && e.ID != id {
		err = fmt.Errorf("it says it is number %d", e.ID)
	}
	if err != nil {
		return Entry{}, &DamagedError{file, err}
	}
	e.open, e.written = filepath.Ext(file) == openEnd, info.ModTime()
	return e, nil
}

// decodeEntry reads a list: every path is absolute, and lies in the directory that its
// edit did not leave.
func decodeEntry(data []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return Entry{}, err
	}
	if filepath.Base(e.Token) != e.Token {
		return Entry{}, fmt.Errorf("%q is not a token", e.Token)
	}
	for _, f := range e.Edits {
		for _, path := range []string{f.Path, f.At, cmp.Or(f.In, f.Path), cmp.Or(f.Tree, f.Path)} {
			if !filepath.IsAbs(path) {
				return Entry{}, fmt.Errorf("%q is not an absolute path", path)
			}
		}
		if f.In != "" && !folder.Holds(f.In, f.Path) {
			return Entry{}, fmt.Errorf("%q is not in %q", f.Path, f.In)
		}
		if f.Before == nil && f.After == nil {
			return Entry{}, fmt.Errorf("%q has no content", f.Path)
		}
	}
	return e, nil
}

// contents are the bytes of an entry.
type contents struct {
	*zip.ReadCloser
	path string
}

func (j Journal) openContents(id int) (contents, error) {
	path := j.file(id, bytesEnd)
	z, err := zip.OpenReader(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, zip.ErrFormat) {
		err = &DamagedError{path, err}
	}
	return contents{z, path}, err
}

// read gives back what was stored, nil if that is no file.
func (c contents) read(stored *Content) (*Content, error) {
	if stored == nil {
		return nil, nil
	}
	f, err := c.Open(stored.SHA256)
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && hash(data) != stored.SHA256 {
		err = fmt.Errorf("%s is not what was stored", stored.SHA256)
	}
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	return &Content{Data: data, Mode: stored.Mode.Perm()}, nil
}
