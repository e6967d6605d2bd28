package installer

// What springfield remembers of a file it has edited, so that it can give it
// back: the bytes before the first edit, the bytes it left, and for every
// member the value it had. While the file still holds the bytes we left, the
// old bytes come back whole. Once somebody else has edited it, member by
// member: what is still as we set it gets its old value, what is not is theirs.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
)

type memory struct {
	File string `json:"file"`
	// Origin is the file before our first edit; nil once somebody else has
	// changed it in between.
	Origin *origin `json:"origin,omitempty"`
	// Left is the SHA-256 of the file as we left it.
	Left    string       `json:"left"`
	Members []remembered `json:"members"`
	Filled  []filled     `json:"filled,omitempty"`
}

type origin struct {
	Existed bool   `json:"existed"`
	Data    []byte `json:"data"`
	NoDir   bool   `json:"noDir,omitempty"` // its directory was not there either, or only for files of ours
}

func originOf(file *File, existed bool, data []byte) origin {
	return origin{existed, data, !isDir(filepath.Dir(file.Path))}
}

// remembered is one member that we set.
type remembered struct {
	Path []string `json:"path"`
	// Before is its text before, "" if it was absent. Not a RawMessage: that
	// would be laid out anew.
	Before string          `json:"before,omitempty"`
	Set    json.RawMessage `json:"set,omitempty"` // nil: it was removed
	// For names the settings files that need it: a marketplace declared in user
	// settings may serve plugins that several projects enable.
	For []string `json:"for"`
}

// isSwitch tells whether it is a plugin's entry.
func (r remembered) isSwitch(id string) bool {
	return len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Path[1] == id
}

// before is the text as a value to give back; nil removes the member.
func (r remembered) before() json.RawMessage {
	if r.Before == "" {
		return nil
	}
	return json.RawMessage(r.Before)
}

// still tells whether the member is as we left it.
func (r remembered) still(raw json.RawMessage, found bool) bool {
	if r.Set == nil {
		return !found
	}
	return found && document.Same(raw, r.Set)
}

// changed tells whether setting it made a difference.
func (r remembered) changed() bool {
	if r.Set == nil || r.Before == "" {
		return r.Set != nil || r.Before != ""
	}
	return !document.Same(r.before(), r.Set)
}

// filled is an object that was empty or absent before we put members in.
type filled struct {
	Path []string `json:"path"`
	Raw  string   `json:"raw,omitempty"` // its text, "" if it was absent
}

func (p Places) memoryFile(path string) string {
	return p.state("edits", named(path)+".json")
}

// recall reads what is remembered of a file; nil if nothing is.
func (p Places) recall(path string) (*memory, error) {
	// Not by Open: what is remembered of a large file is larger than the file.
	data, err := os.ReadFile(p.memoryFile(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m memory
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, &DamagedError{p.memoryFile(path), err}
	}
	return &m, nil
}

// memories lists all that is remembered, of whatever files. What cannot be read
// is left out.
func (p Places) memories() []*memory {
	files, _ := os.ReadDir(p.state("edits"))
	var all []*memory
	for _, f := range files {
		path := p.state("edits", f.Name())
		var m memory
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &m) == nil && p.memoryFile(m.File) == path {
			all = append(all, &m)
		}
	}
	return all
}

// made tells whether a directory is there only for files that we have made in it.
// It goes with the last of them, whichever that is.
func (p Places) made(dir string) bool {
	return slices.ContainsFunc(p.memories(), func(m *memory) bool {
		return filepath.Dir(m.File) == dir && m.Origin != nil && m.Origin.NoDir && exists(m.File)
	})
}

// DamagedError says that a file of springfield's own cannot be read.
type DamagedError struct {
	File string
	Err  error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *DamagedError) Unwrap() error { return e.Err }

// remember writes a memory; without members there is nothing to remember.
func (p Places) remember(m *memory) error {
	path := p.memoryFile(m.File)
	if len(m.Members) == 0 {
		return step("forget memory", func() error {
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		})
	}
	data, err := encodeIndented(m)
	if err != nil {
		return err
	}
	return p.keep(path, data)
}

// restore puts a memory back as it was; nil: there was none.
func (p Places) restore(path string, m *memory) error {
	if m == nil {
		m = &memory{File: path}
	}
	return p.remember(m)
}

// uses counts what is remembered: every member once for each file that needs it.
func (m *memory) uses() (n int) {
	if m != nil {
		for _, r := range m.Members {
			n += len(r.For)
		}
	}
	return n
}

// switchedOn tells whether a plugin is on because springfield enabled it.
func (m *memory) switchedOn(id string) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return r.isSwitch(id) && document.Same(r.Set, json.RawMessage("true"))
	})
}

// shares tells whether the changes are ours already, for another settings file:
// then this one has to be remembered beside it. What the user has written by
// hand is not ours and stays when we go.
func (m *memory) shares(changes []document.Edit, behalf string) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return !slices.Contains(r.For, behalf) && slices.ContainsFunc(changes, func(c document.Edit) bool { return slices.Equal(c.Path, r.Path) })
	})
}

// note takes in an edit of a file: before and what the changes set, on behalf
// of a settings file. It returns the memory after it.
func (m *memory) note(file *File, before *document.Document, changes []document.Edit, behalf string) (*memory, error) {
	next := &memory{File: file.Path}
	switch ours, err := m.isIn(file, before); {
	case err != nil:
		return nil, err
	case !ours: // begin anew: never edited, put back by hand, or killed before the edit
		before := originOf(file, file.Exists, file.Data)
		next.Origin = &before
	default:
		if m.Left == hash(file.Data) {
			next.Origin = m.Origin
		}
		next.Members = slices.Clone(m.Members)
		next.Filled = slices.Clone(m.Filled)
	}
	for _, c := range changes {
		if err := next.noteMember(before, c, behalf); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// isIn tells whether anything that we set is still in the file.
func (m *memory) isIn(file *File, doc *document.Document) (bool, error) {
	if m == nil || m.Origin != nil && m.Origin.Existed == file.Exists && bytes.Equal(m.Origin.Data, file.Data) {
		return false, nil
	}
	for _, r := range m.Members {
		raw, found, err := doc.Get(r.Path...)
		if err != nil {
			return false, err
		}
		if r.still(raw, found) && r.changed() {
			return true, nil
		}
	}
	return false, nil
}

func (m *memory) noteMember(before *document.Document, c document.Edit, behalf string) error {
	raw, found, err := before.Get(c.Path...)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Members, func(r remembered) bool { return slices.Equal(r.Path, c.Path) })
	if i >= 0 {
		r := m.Members[i]
		if !r.still(raw, found) {
			r.Before = string(raw) // changed by its owner since: that counts now
		}
		r.Set = c.Value
		if !slices.Contains(r.For, behalf) {
			r.For = append(slices.Clone(r.For), behalf)
		}
		m.Members[i] = r
		return nil
	}
	m.Members = append(m.Members, remembered{c.Path, string(raw), c.Value, []string{behalf}})
	return m.noteParents(before, c.Path)
}

// noteParents remembers the objects on the way that the change fills.
func (m *memory) noteParents(before *document.Document, path []string) error {
	for n := 1; n < len(path); n++ {
		parent := path[:n]
		raw, found, err := before.Get(parent...)
		if err != nil {
			return err
		}
		known := slices.ContainsFunc(m.Filled, func(f filled) bool { return slices.Equal(f.Path, parent) })
		if !known && (!found || isEmpty(raw)) {
			m.Filled = append(m.Filled, filled{parent, string(raw)})
		}
	}
	return nil
}

// release takes back what was set on behalf of a settings file. It returns the
// bytes to write (nil: the file goes away), the memory after it, and the names
// of members that somebody has changed since. Members that only passes over stay.
// Settings files that are gone, with their projects, need nothing any more.
func (m *memory) release(file *File, behalf string, only func(remembered) bool) (data []byte, next *memory, theirs []string, err error) {
	next = &memory{File: m.File, Origin: m.Origin}
	var released []remembered
	for _, r := range m.Members {
		if slices.Contains(r.For, behalf) && only(r) {
			r.For = slices.DeleteFunc(slices.Clone(r.For), func(f string) bool { return f == behalf || isMissing(f) })
		}
		if len(r.For) > 0 {
			next.Members = append(next.Members, r)
		} else {
			released = append(released, r)
		}
	}
	if !file.Exists {
		return nil, &memory{File: m.File}, nil, nil // gone, and everything in it
	}
	if len(next.Members) == 0 && m.Origin != nil && hash(file.Data) == m.Left {
		if !m.Origin.Existed {
			return nil, next, nil, nil
		}
		return m.Origin.Data, next, nil, nil
	}

	doc, err := document.Parse(file.Data)
	if err != nil {
		return nil, nil, nil, err
	}
	var changes []document.Edit
	for _, r := range released {
		raw, found, err := doc.Get(r.Path...)
		if err != nil {
			return nil, nil, nil, err
		}
		if !r.still(raw, found) {
			if !found && r.Before == "" {
				continue // gone already, as it was
			}
			theirs = append(theirs, nameOf(r.Path))
			continue
		}
		changes = append(changes, document.Edit{Path: r.Path, Value: r.before(), Verbatim: true})
	}
	if data, err = doc.Apply(changes...); err != nil {
		return nil, nil, nil, err
	}
	if data, next.Filled, err = emptied(data, m.Filled); err != nil {
		return nil, nil, nil, err
	}
	if hash(file.Data) != m.Left {
		next.Origin = nil
	}
	next.Left = hash(data)
	return data, next, theirs, nil
}

// isMissing tells whether a file is surely not there.
func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// emptied puts objects back that were empty or absent before us and are empty
// again, innermost first. It returns those that are still in use.
func emptied(data []byte, all []filled) (_ []byte, rest []filled, err error) {
	for i := len(all) - 1; i >= 0; i-- {
		f := all[i]
		doc, err := document.Parse(data)
		if err != nil {
			return nil, nil, err
		}
		raw, found, err := doc.Get(f.Path...)
		if err != nil {
			return nil, nil, err
		}
		if !found {
			continue
		}
		if !isEmpty(raw) {
			rest = append([]filled{f}, rest...)
			continue
		}
		c := document.Edit{Path: f.Path, Verbatim: true}
		if f.Raw != "" {
			c.Value = json.RawMessage(f.Raw)
		}
		if data, err = doc.Apply(c); err != nil {
			return nil, nil, err
		}
	}
	return data, rest, nil
}

// nameOf names a member for people.
func nameOf(path []string) string { return strings.Join(path, " → ") }

func isEmpty(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal(raw, &members) == nil && members != nil && len(members) == 0
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
