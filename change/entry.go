package change

// An entry of the journal, as it is kept.

import (
	"archive/zip"
	"bytes"
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
	Edits []Edited  `json:"edits"`
	// Leaves says what an undo does not take back, since it is no file.
	Leaves []string `json:"leaves,omitempty"`
	Calls  []Call   `json:"calls,omitempty"` // what other programs did beside the files

	open    bool      // not all of its files are known to be written
	written time.Time // its list, or since when it is open again
}

// Edited is an edit of an entry.
type Edited struct {
	In     string  `json:"in,omitempty"`
	Path   string  `json:"path"` // as the user knows it
	At     string  `json:"at"`   // where the bytes are
	Own    bool    `json:"own,omitempty"`
	Tree   string  `json:"tree,omitempty"`
	Before *stored `json:"before"` // nil: there was no file
	After  *stored `json:"after"`

	// Dirs are the directories that went with the file, the outermost first.
	Dirs []dropped `json:"dirs,omitempty"`
}

// dropped is a directory that went with the last file in it.
type dropped struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

// stored is a content by its hash.
type stored struct {
	SHA256 string      `json:"sha256,omitempty"` // "" for a directory
	Mode   fs.FileMode `json:"mode"`
}

// Files lists the files of an entry that are not springfield's own, as the user
// knows them.
func (e Entry) Files() []string {
	files := []string{}
	for _, f := range e.Edits {
		if !f.Own && !f.isDir() && !f.isKept() {
			files = append(files, f.Path)
		}
	}
	return files
}

// edit is the edit without contents.
func (f Edited) edit() Edit {
	e := Edit{In: f.In, Path: f.Path, Own: f.Own, Tree: f.Tree}
	if e.locate() != nil || e.at != f.At {
		return Edit{Path: f.At, at: f.At, Own: f.Own, Tree: f.Tree}
	}
	return e
}

func (f Edited) isDir() bool {
	return f.After != nil && f.After.Mode.IsDir() || f.Before != nil && f.Before.Mode.IsDir()
}

func store(c *Content) *stored {
	switch {
	case c == nil:
		return nil
	case c.isDir():
		return &stored{Mode: c.Mode}
	}
	return &stored{SHA256: hash(c.Data), Mode: c.Mode.Perm()}
}

// is tells whether a file holds what was stored.
func (s *stored) is(c *Content) bool {
	if s == nil || c == nil {
		return s == nil && c == nil
	}
	return !c.isDir() && s.SHA256 == hash(c.Data)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// encode gives the entry's list, and the archive of its contents.
func (e *Entry) encode(edits []Edit) (list, contents []byte, err error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	has := map[string]bool{}
	add := func(c *Content) error {
		if c == nil || c.isDir() || has[hash(c.Data)] {
			return nil
		}
		has[hash(c.Data)] = true
		h := &zip.FileHeader{Name: hash(c.Data), Method: zip.Deflate}
		if len(c.Data) < 4<<10 { // less than what a compressor takes to begin
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(c.Data)
		}
		return err
	}
	for _, edit := range edits {
		if err := add(edit.Before); err != nil {
			return nil, nil, err
		}
		if edit.After != nil && !edit.Own && len(edit.After.Data) <= maxShown && IsText(edit.After.Data) {
			if err := add(edit.After); err != nil {
				return nil, nil, err
			}
		}
		e.Edits = append(e.Edits, Edited{
			In: edit.In, Path: edit.Path, At: edit.at, Own: edit.Own, Tree: edit.Tree,
			Before: store(edit.Before), After: store(edit.After), Dirs: edit.drops(),
		})
	}
	if err := z.Close(); err != nil {
		return nil, nil, err
	}
	list, err = json.Marshal(e)
	return list, b.Bytes(), err
}

// drops are the directories that may go with the edit's file, the outermost first.
func (e Edit) drops() (dirs []dropped) {
	if !e.Drop || e.After != nil || e.Before == nil {
		return nil
	}
	for at, path := filepath.Dir(e.at), filepath.Dir(e.Path); at != e.root; at, path = filepath.Dir(at), filepath.Dir(path) {
		info, err := os.Lstat(at)
		if err != nil || !info.IsDir() {
			break
		}
		dirs = append(dirs, dropped{path, fs.ModeDir | info.Mode().Perm()})
		if e.root == "" {
			dirs[0].Path = at // links to it are followed
			break
		}
	}
	slices.Reverse(dirs)
	return dirs
}

// DamagedError says that a file of springfield's own cannot be read.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// entry reads an entry's list. An entry that another springfield has removed is
// fs.ErrNotExist.
func (j Journal) entry(id int) (Entry, error) {
	f, open, err := j.openList(id)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, err
	}
	data, err := readOwn(f, maxEntry)
	if err != nil {
		return Entry{}, err
	}
	e, err := j.decode(data)
	if err == nil && e.ID != id {
		err = fmt.Errorf("it says it is number %d", e.ID)
	}
	if err != nil {
		return Entry{}, &DamagedError{f.Name(), err}
	}
	e.open, e.written = open, info.ModTime()
	return e, nil
}

// openList opens an entry's list, and tells whether the entry is open. The list is
// renamed when that changes, so a search for both names can miss it once.
func (j Journal) openList(id int) (f *os.File, open bool, err error) {
	const looks = 3
	for range looks {
		for _, end := range []string{closedEnd, openEnd} {
			if f, err = os.Open(j.file(id, end)); !errors.Is(err, fs.ErrNotExist) {
				return f, end == openEnd, err
			}
		}
	}
	return nil, false, err
}

func readOwn(f *os.File, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &DamagedError{f.Name(), fmt.Errorf("larger than %d MiB", limit>>20)}
	}
	return data, err
}

// decode reads a list: every path is absolute, and lies in the directory that its
// edit did not leave.
func (j Journal) decode(data []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return Entry{}, err
	}
	if filepath.Base(e.Token) != e.Token {
		return Entry{}, fmt.Errorf("%q is not a token", e.Token)
	}
	for _, f := range e.Edits {
		if !filepath.IsAbs(f.Path) || !filepath.IsAbs(f.At) || f.In != "" && !filepath.IsAbs(f.In) || f.Tree != "" && !filepath.IsAbs(f.Tree) {
			return Entry{}, fmt.Errorf("%q is not an absolute path", f.Path)
		}
		if name, err := filepath.Rel(f.In, f.Path); f.In != "" && (err != nil || !filepath.IsLocal(name)) {
			return Entry{}, fmt.Errorf("%q is not in %q", f.Path, f.In)
		}
		for _, d := range f.Dirs {
			if !filepath.IsAbs(d.Path) || !d.Mode.IsDir() || !folder.Holds(d.Path, f.Path) && !folder.Holds(d.Path, f.At) {
				return Entry{}, fmt.Errorf("%q is not a directory around %q", d.Path, f.Path)
			}
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

func (j Journal) contents(id int) (contents, error) {
	path := j.file(id, bytesEnd)
	z, err := zip.OpenReader(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, zip.ErrFormat) {
		err = &DamagedError{path, err}
	}
	return contents{z, path}, err
}

// of gives back what was stored, nil if that is no file.
func (c contents) of(s *stored) (*Content, error) {
	if s == nil {
		return nil, nil
	}
	f, err := c.Open(s.SHA256)
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && hash(data) != s.SHA256 {
		err = fmt.Errorf("%s is not what was stored", s.SHA256)
	}
	if err != nil {
		return nil, &DamagedError{c.path, err}
	}
	return &Content{Data: data, Mode: s.Mode.Perm()}, nil
}
