package settings

// What springfield remembers of a file it has edited, so that it can give it
// back: the bytes before the first edit, the bytes it left, and for every
// member the value it had. While the file still holds the bytes we left, the
// old bytes come back whole. Once others have edited it, member by member: what is
// still as we set it gets its old value, what is not is theirs.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type memory struct {
	File string `json:"file"`
	Host string `json:"host,omitempty"` // whose settings these are, "" for Claude Code
	// Origin is the file before our first edit; nil once others have
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

// remembered is one member that we set.
type remembered struct {
	Path []string `json:"path"`
	// Before is its text before, "" if it was absent. Not a RawMessage: that
	// would be laid out anew.
	Before string          `json:"before,omitempty"`
	Set    json.RawMessage `json:"set,omitempty"` // nil: it was removed
	// For names the settings files that need it: a marketplace declared in user
	// settings may serve plugins that several projects enable. In the settings of
	// another host it names the plugins.
	For []string `json:"for"`
}

// isSwitch tells whether it is a plugin's entry.
func (r remembered) isSwitch(id string) bool {
	return len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Path[1] == id
}

// valueBefore is the text as a value to give back; nil removes the member.
func (r remembered) valueBefore() json.RawMessage {
	if r.Before == "" {
		return nil
	}
	return json.RawMessage(r.Before)
}

// isStillSet tells whether the member is as we left it.
func (r remembered) isStillSet(raw json.RawMessage, found bool) bool {
	return !found && r.Set == nil || document.MeanSame(raw, r.Set)
}

// hasChanged tells whether setting it made a difference.
func (r remembered) hasChanged() bool {
	return (r.Set != nil || r.Before != "") && !document.MeanSame(r.valueBefore(), r.Set)
}

// filled is an object or an array that was empty or absent before we put members in.
type filled struct {
	Path []string `json:"path"`
	Raw  string   `json:"raw,omitempty"` // its text, "" if it was absent
}

// kept is a memory as it was read; nil: nothing is remembered.
type kept struct {
	journal.Edit
	memory *memory
	err    error
}

func memoryFile(p client.Places, path string) string {
	return p.StatePath("edits", journal.HashBytes([]byte(path))[:32]+".json")
}

// recallFile gives what is remembered of a file; nil if nothing is.
func (s *Settings) recallFile(path string) (*memory, error) {
	k := s.readMemory(memoryFile(s.Places, path))
	return k.memory, k.err
}

// readMemory reads a memory once.
func (s *Settings) readMemory(path string) *kept {
	k, read := s.kept[path]
	if read {
		return k
	}
	k = &kept{}
	s.kept[path] = k
	if k.Edit, k.err = journal.OpenEdit("", path); k.err != nil || k.Before == nil {
		return k
	}
	k.memory = &memory{}
	if err := json.Unmarshal(k.Before.Data, k.memory); err != nil {
		k.memory, k.err = nil, &journal.DamagedError{File: path, Err: err}
	}
	return k
}

// memoriesOf lists what is remembered of one host's files, "" for Claude Code's. The error is
// about the first one that cannot be read.
func (s *Settings) memoriesOf(host string) ([]*memory, error) {
	all, damaged, err := s.allMemories()
	for _, file := range damaged {
		err = cmp.Or(err, file)
	}
	return slices.DeleteFunc(all, func(m *memory) bool { return m.Host != host }), err
}

// allMemories lists what is remembered of whatever files, and what of it cannot be read.
func (s *Settings) allMemories() (all []*memory, damaged []error, err error) {
	files, err := os.ReadDir(s.StatePath("edits"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, f := range files {
		if journal.IsTemporary(f.Name()) {
			continue
		}
		path := s.StatePath("edits", f.Name())
		k := s.readMemory(path)
		if k.memory != nil && memoryFile(s.Places, k.memory.File) == path {
			all = append(all, k.memory)
		}
		if k.err != nil {
			damaged = append(damaged, k.err)
		}
	}
	return all, damaged, nil
}

// hasMadeDir tells whether a directory is there only for files that we have made in it.
// It goes with the last of them.
func (s *Settings) hasMadeDir(dir string) bool {
	all, _, _ := s.allMemories() // what cannot be read has made nothing
	return slices.ContainsFunc(all, func(m *memory) bool {
		return filepath.Dir(m.File) == dir && m.Origin != nil && m.Origin.NoDir && rooted.PathExists(m.File)
	})
}

// remember is the edit that keeps a memory; without members there is nothing to
// remember.
func (s *Settings) remember(m *memory) (journal.Edit, error) {
	k := s.readMemory(memoryFile(s.Places, m.File))
	if k.err != nil {
		return journal.Edit{}, k.err
	}
	e := k.Edit
	e.State, e.After = true, nil
	if m.Host != "" { // a plan for another host goes in steps: the next one knows of this one
		if k.memory = m; len(m.Members) == 0 {
			k.memory = nil
		}
	}
	if len(m.Members) == 0 {
		return e, nil
	}
	data, err := encodeIndented(m)
	e.After = &journal.Content{Data: data, Mode: newFileMode}
	return e, err
}

// pluginsEnabledByUs lists the plugins that are on because springfield enabled them.
func (m *memory) pluginsEnabledByUs() (ids []string) {
	if m == nil {
		return nil
	}
	for _, r := range m.Members {
		if len(r.Path) == 2 && r.isSwitch(r.Path[1]) && document.MeanSame(r.Set, json.RawMessage("true")) {
			ids = append(ids, r.Path[1])
		}
	}
	return ids
}

func (m *memory) switchedOn(id string) bool { return slices.Contains(m.pluginsEnabledByUs(), id) }

// sharesEdits tells whether the edits are ours already, for another settings file:
// then this one has to be remembered beside it. What the user has written by
// hand is not ours and stays when we go.
func (m *memory) sharesEdits(edits []document.Edit, behalf string) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return !slices.Contains(r.For, behalf) && slices.ContainsFunc(edits, func(e document.Edit) bool { return slices.Equal(e.Path, r.Path) })
	})
}

// noteEdits takes in edits of a file as it is, on behalf of a settings file. It returns
// the memory after them.
func (m *memory) noteEdits(f file, edits []document.Edit, behalf string) (*memory, error) {
	next := &memory{File: f.At, Host: f.of.Host}
	switch ours, err := m.isStillIn(f); {
	case err != nil:
		return nil, err
	case !ours: // begin anew: never edited, put back by hand, or killed before the edit
		next.Origin = &origin{f.Before != nil, f.Before.Bytes(), !rooted.IsDirectory(filepath.Dir(f.At))}
	default:
		if m.Left == journal.HashBytes(f.Before.Bytes()) {
			next.Origin = m.Origin
		}
		next.Members = slices.Clone(m.Members)
		next.Filled = slices.Clone(m.Filled)
	}
	for _, e := range edits {
		if err := next.noteMember(f.as, e, behalf); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// isStillIn tells whether anything that we set is still in the file.
func (m *memory) isStillIn(f file) (bool, error) {
	if m == nil || m.Origin != nil && m.Origin.Existed == (f.Before != nil) && bytes.Equal(m.Origin.Data, f.Before.Bytes()) {
		return false, nil
	}
	for _, r := range m.Members {
		raw, found, err := f.as.Get(r.Path...)
		if err != nil {
			return false, err
		}
		if r.isStillSet(raw, found) && r.hasChanged() {
			return true, nil
		}
	}
	return false, nil
}

func (m *memory) noteMember(before Document, e document.Edit, behalf string) error {
	raw, found, err := before.Get(e.Path...)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Members, func(r remembered) bool { return slices.Equal(r.Path, e.Path) })
	if i >= 0 {
		r := m.Members[i]
		if !r.isStillSet(raw, found) {
			r.Before = string(raw) // changed by its owner since: that counts now
		}
		r.Set = e.Value
		if !slices.Contains(r.For, behalf) {
			r.For = append(slices.Clone(r.For), behalf)
		}
		m.Members[i] = r
		return nil
	}
	m.Members = append(m.Members, remembered{e.Path, string(raw), e.Value, []string{behalf}})
	for n := 1; n < len(e.Path); n++ {
		parent := e.Path[:n]
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

// servesFile tells whether anything that only names was set on behalf of a file.
func (m *memory) servesFile(behalf string, only func(remembered) bool) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool { return slices.Contains(r.For, behalf) && only(r) })
}

// released is what taking back comes to.
type released struct {
	data   []byte  // of the file; nil: it goes away
	next   *memory // what is remembered then
	before *memory
	theirs []string // members that have been changed since by others
}

// everyone is on whatever behalf.
const everyone = ""

// allMembers is for a release of all that was set.
func allMembers(remembered) bool { return true }

// releaseSettings takes back what was set on behalf of a settings file, or of everyone. Members that only
// refuses stay. Settings files that are gone, with their projects, need nothing
// any more.
func (m *memory) releaseSettings(f file, behalf string, only func(remembered) bool) (back released, err error) {
	next := &memory{File: m.File, Host: m.Host, Origin: m.Origin}
	back = released{before: m, next: next}
	var members []remembered
	for _, r := range m.Members {
		switch {
		case behalf == everyone && only(r):
			r.For = nil
		case slices.Contains(r.For, behalf) && only(r):
			r.For = slices.DeleteFunc(slices.Clone(r.For), func(f string) bool { return f == behalf || m.Host == "" && rooted.IsMissing(f) })
		}
		if len(r.For) > 0 {
			next.Members = append(next.Members, r)
		} else {
			members = append(members, r)
		}
	}
	asLeft := m.Left == journal.HashBytes(f.Before.Bytes())
	switch {
	case f.Before == nil: // gone, and everything in it
		back.next = &memory{File: m.File, Host: m.Host}
		return back, nil
	case len(next.Members) == 0 && m.Origin != nil && asLeft:
		if m.Origin.Existed {
			back.data = m.Origin.Data
		}
		return back, nil
	}
	edits, err := back.editsBack(f.as, members)
	if err == nil {
		back.data, err = f.as.ApplyEdits(edits...)
	}
	if err == nil {
		back.data, next.Filled, err = f.restoreEmptyObjects(back.data, m.Filled)
	}
	if !asLeft {
		next.Origin = nil
	}
	next.Left = journal.HashBytes(back.data)
	return back, err
}

// editsBack give released members the values back that they had.
func (back *released) editsBack(doc Document, members []remembered) (edits []document.Edit, err error) {
	for _, r := range members {
		raw, found, err := doc.Get(r.Path...)
		switch {
		case err != nil:
			return nil, err
		case r.isStillSet(raw, found):
			edits = append(edits, document.Edit{Path: r.Path, Value: r.valueBefore(), Verbatim: true})
		case found || r.Before != "": // else it is gone already, as it was
			back.theirs = append(back.theirs, memberName(r.Path))
		}
	}
	return edits, nil
}

func (back released) notesOn(f file) (notes []string) {
	for _, name := range back.theirs {
		notes = append(notes, name+" was changed since and is left as it is")
	}
	for _, r := range back.before.Members {
		wasOn := len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Before != "" && !document.MeanSame(r.valueBefore(), json.RawMessage("false"))
		isOff := r.Set == nil || document.MeanSame(r.Set, json.RawMessage("false"))
		stays := slices.Contains(back.theirs, memberName(r.Path)) || slices.ContainsFunc(back.next.Members, func(n remembered) bool { return slices.Equal(n.Path, r.Path) })
		if wasOn && isOff && f.Before != nil && !stays {
			notes = append(notes, r.Path[1]+" is switched on again, as it was before")
		}
	}
	return notes
}

// restoreEmptyObjects puts objects and arrays back that were empty or absent before us and are empty
// again, innermost first. It returns those that are still in use.
func (in file) restoreEmptyObjects(data []byte, all []filled) (_ []byte, rest []filled, err error) {
	for i := len(all) - 1; i >= 0; i-- {
		f := all[i]
		doc, err := in.of.parse(data)
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
		if data, err = doc.ApplyEdits(c); err != nil {
			return nil, nil, err
		}
	}
	return data, rest, nil
}

func memberName(path []string) string { return document.PathName(path, " → ") }

func isEmpty(raw json.RawMessage) bool {
	return document.MeanSame(raw, json.RawMessage("{}")) || document.MeanSame(raw, json.RawMessage("[]"))
}
