package settings

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

// memory records springfield's edits of a file. If the file is unchanged since, undo restores all bytes of
// the origin. Otherwise it restores each member that is unchanged.
type memory struct {
	File    string       `json:"file"`
	Host    string       `json:"host,omitempty"`   // "" for Claude Code
	Origin  *origin      `json:"origin,omitempty"` // before springfield's first edit; nil if others edited it since
	Left    string       `json:"left"`             // SHA-256 of the file after springfield's last edit
	Members []remembered `json:"members"`
	Filled  []filled     `json:"filled,omitempty"`
}

type origin struct {
	Existed bool   `json:"existed"`
	Data    []byte `json:"data"`
	NoDir   bool   `json:"noDir,omitempty"` // its directory did not exist, or has only files that springfield created
}

type remembered struct {
	Path []string `json:"path"`
	// Before is the member's text before, "" if absent. A RawMessage would be formatted again.
	Before string          `json:"before,omitempty"`
	Set    json.RawMessage `json:"set,omitempty"` // nil: removed
	// For lists the settings files that need the member, because several projects can need a marketplace in
	// user settings. For other agents it lists plugins.
	For []string `json:"for"`
	By  string   `json:"by,omitempty"` // the last member of the same edit: enable's own plugin
}

func (r remembered) isSwitch(id string) bool {
	return len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Path[1] == id
}

func (r remembered) valueBefore() json.RawMessage {
	if r.Before == "" {
		return nil
	}
	return json.RawMessage(r.Before)
}

func (r remembered) isStillSet(raw json.RawMessage, found bool) bool {
	return !found && r.Set == nil || document.MeanSame(raw, r.Set)
}

// filled is an object or array that was empty or absent before springfield added members.
type filled struct {
	Path []string `json:"path"`
	Raw  string   `json:"raw,omitempty"` // "" if absent
}

// kept is a cached memory. memory is nil if none exists.
type kept struct {
	journal.Edit
	memory *memory
	err    error
}

func memoryFile(p client.Places, resolvedSettingsFile string) string {
	return p.StatePath("edits", journal.HashBytes([]byte(resolvedSettingsFile))[:32]+".json")
}

// recallFile returns the memory of a settings file, or nil. path has links resolved.
func (s *Settings) recallFile(path string) (*memory, error) {
	k := s.readMemory(memoryFile(s.Places, path))
	return k.memory, k.err
}

// readMemory reads a memory file once. A missing file has no memory and no err.
func (s *Settings) readMemory(memoryPath string) *kept {
	k, read := s.kept[memoryPath]
	if read {
		return k
	}
	k = &kept{}
	s.kept[memoryPath] = k
	if k.Edit, k.err = journal.OpenEdit("", memoryPath); k.err != nil || k.Before == nil {
		return k
	}
	k.memory = &memory{}
	if err := json.Unmarshal(k.Before.Data, k.memory); err != nil {
		k.memory, k.err = nil, &journal.DamagedError{File: memoryPath, Err: err}
	}
	return k
}

// memoriesOf returns an agent's memories, and the first error. host is "" for Claude Code.
func (s *Settings) memoriesOf(host string) ([]*memory, error) {
	all, damaged, err := s.allMemories()
	for _, file := range damaged {
		err = cmp.Or(err, file)
	}
	return slices.DeleteFunc(all, func(m *memory) bool { return m.Host != host }), err
}

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

// hasMadeDir reports whether springfield created dir for a file that still exists.
func (s *Settings) hasMadeDir(dir string) bool {
	all, _, _ := s.allMemories() // unreadable: none
	return slices.ContainsFunc(all, func(m *memory) bool {
		return filepath.Dir(m.File) == dir && m.Origin != nil && m.Origin.NoDir && rooted.TargetExists(m.File)
	})
}

// editAndCache returns the edit to write a memory, or to remove one without members. For agents other than Claude Code,
// it replaces the cached memory.
func (s *Settings) editAndCache(m *memory) (journal.Edit, error) {
	k := s.readMemory(memoryFile(s.Places, m.File))
	if k.err != nil {
		return journal.Edit{}, k.err
	}
	e := k.Edit
	e.State, e.After = true, nil
	if m.Host != "" { // the plan has more steps, which build on this one
		if k.memory = m; len(m.Members) == 0 {
			k.memory = nil
		}
	}
	if len(m.Members) == 0 {
		return e, nil
	}
	data, err := json.MarshalIndent(m, "", "  ")
	e.After = &journal.Content{Data: data, Mode: newFileMode}
	return e, err
}

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

func (m *memory) sharesEdits(edits []document.Edit, neededBy string) bool {
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return !slices.Contains(r.For, neededBy) && slices.ContainsFunc(edits, func(e document.Edit) bool { return slices.Equal(e.Path, r.Path) })
	})
}

// noteEdits returns a copy of the memory with edits of f added. If f contains no earlier edits any more, the copy omits
// them. For neededBy see setMembers. m can be nil. edits is not empty. The caller sets Left in the copy.
func (m *memory) noteEdits(f file, edits []document.Edit, neededBy string) (*memory, error) {
	next := &memory{File: f.At, Host: f.host}
	switch ours, err := m.anyStillIn(f); {
	case err != nil:
		return nil, err
	case !ours: // never edited, restored by hand, or killed before the edit
		next.Origin = &origin{f.Before != nil, f.Before.Bytes(), !rooted.TargetIsDir(filepath.Dir(f.At))}
	default:
		if m.Left == journal.HashBytes(f.Before.Bytes()) {
			next.Origin = m.Origin
		}
		next.Members = slices.Clone(m.Members)
		next.Filled = slices.Clone(m.Filled)
	}
	by := edits[len(edits)-1].Path
	for _, e := range edits {
		if err := next.noteMember(f.doc, e, neededBy, by[len(by)-1]); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (m *memory) anyStillIn(f file) (bool, error) {
	if m == nil || m.Origin != nil && m.Origin.Existed == (f.Before != nil) && bytes.Equal(m.Origin.Data, f.Before.Bytes()) {
		return false, nil
	}
	for _, r := range m.Members {
		raw, found, err := f.doc.Get(r.Path...)
		if err != nil {
			return false, err
		}
		if (r.Set != nil || r.Before != "") && !document.MeanSame(r.valueBefore(), r.Set) && r.isStillSet(raw, found) {
			return true, nil
		}
	}
	return false, nil
}

func (m *memory) noteMember(before *document.Document, e document.Edit, neededBy, causedBy string) error {
	raw, found, err := before.Get(e.Path...)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Members, func(r remembered) bool { return slices.Equal(r.Path, e.Path) })
	if i >= 0 {
		r := &m.Members[i]
		if !r.isStillSet(raw, found) {
			r.Before = string(raw) // changed by the user since
		}
		r.Set, r.By = e.Value, causedBy
		if !slices.Contains(r.For, neededBy) {
			r.For = append(slices.Clone(r.For), neededBy)
		}
		return nil
	}
	m.Members = append(m.Members, remembered{e.Path, string(raw), e.Value, []string{neededBy}, causedBy})
	for n := 1; n < len(e.Path); n++ {
		parent := e.Path[:n]
		raw, found, err := before.Get(parent...)
		if err != nil {
			return err
		}
		known := slices.ContainsFunc(m.Filled, func(f filled) bool { return slices.Equal(f.Path, parent) })
		if !known && (!found || isMemberless(raw)) {
			m.Filled = append(m.Filled, filled{parent, string(raw)})
		}
	}
	return nil
}

type released struct {
	data   []byte // of the file; nil: removed
	next   *memory
	before *memory
	theirs []string // members that others have changed since
}

// everyone as freed means all files.
const everyone = ""

func allMembers(remembered) bool { return true }

// planReleased returns f's data and memory without the edits for selected members. It keeps edits others need, and
// values changed since. freed is the file or plugin that no longer needs the edits, or everyone. m is set.
func (m *memory) planReleased(f file, freed string, only func(remembered) bool) (back released, err error) {
	next := &memory{File: m.File, Host: m.Host, Origin: m.Origin}
	back = released{before: m, next: next}
	var members []remembered
	for _, r := range m.Members {
		switch {
		case freed == everyone && only(r):
			r.For = nil
		case slices.Contains(r.For, freed) && only(r):
			r.For = slices.DeleteFunc(slices.Clone(r.For), func(f string) bool { return f == freed || m.Host == "" && rooted.IsSurelyMissing(f) })
		}
		if len(r.For) > 0 {
			next.Members = append(next.Members, r)
		} else {
			members = append(members, r)
		}
	}
	asLeft := m.Left == journal.HashBytes(f.Before.Bytes())
	switch {
	case f.Before == nil:
		back.next = &memory{File: m.File, Host: m.Host}
		return back, nil
	case len(next.Members) == 0 && m.Origin != nil && asLeft:
		if m.Origin.Existed {
			back.data = m.Origin.Data
		}
		return back, nil
	}
	edits, err := back.editsOrNote(f.doc, members)
	if err == nil {
		back.data, err = f.doc.ApplyEdits(edits...)
	}
	if err == nil {
		back.data, next.Filled, err = restoreEmptyObjects(back.data, m.Filled)
	}
	if !asLeft {
		next.Origin = nil
	}
	next.Left = journal.HashBytes(back.data)
	return back, err
}

func (back *released) editsOrNote(doc *document.Document, members []remembered) (edits []document.Edit, err error) {
	for _, r := range members {
		raw, found, err := doc.Get(r.Path...)
		switch {
		case err != nil:
			return nil, err
		case r.isStillSet(raw, found):
			edits = append(edits, document.Edit{Path: r.Path, Value: r.valueBefore(), Verbatim: true})
		case found || r.Before != "": // else absent, as before
			back.theirs = append(back.theirs, memberName(r.Path))
		}
	}
	return edits, nil
}

func (back released) notesOn(f file) (notes []string) {
	for _, name := range back.theirs {
		notes = append(notes, name+" was changed since, so it is left unchanged")
	}
	for _, r := range back.before.Members {
		wasOn := len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Before != "" && !document.MeanSame(r.valueBefore(), json.RawMessage("false"))
		isOff := r.Set == nil || document.MeanSame(r.Set, json.RawMessage("false"))
		stays := slices.Contains(back.theirs, memberName(r.Path)) || slices.ContainsFunc(back.next.Members, func(n remembered) bool { return slices.Equal(n.Path, r.Path) })
		if wasOn && isOff && f.Before != nil && !stays {
			notes = append(notes, r.Path[1]+" is enabled again, as it was before")
		}
	}
	return notes
}

// restoreEmptyObjects restores emptied objects and arrays, or removes those previously absent, and returns the new
// text. all lists outer entries first. rest lists entries still in use.
func restoreEmptyObjects(data []byte, all []filled) (_ []byte, rest []filled, err error) {
	for _, f := range slices.Backward(all) {
		doc, err := document.ParseCommented(data)
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
		if !isMemberless(raw) {
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

func isMemberless(raw json.RawMessage) bool {
	return document.MeanSame(raw, json.RawMessage("{}")) || document.MeanSame(raw, json.RawMessage("[]"))
}

type EnabledPlugin struct {
	ID    string
	Scope client.Scope
	File  string // the scope's settings
}

// EnabledByUs returns the plugins springfield enabled in Claude Code's scopes, widest first. A shared file belongs to
// the widest.
func (s *Settings) EnabledByUs() (inClaude []EnabledPlugin) {
	for _, l := range slices.Backward(s.AllLayers()) {
		m, _ := s.recallFile(l.At) // unreadable: nothing
		for _, id := range m.pluginsEnabledByUs() {
			inClaude = append(inClaude, EnabledPlugin{id, client.Scope(l.Name), l.File})
		}
	}
	return inClaude
}

// IsOurVariable reports whether springfield set the variable's current value.
func (s *Settings) IsOurVariable(v client.Variable) bool {
	m, _ := s.recallFile(v.At) // unreadable: not set by springfield
	return m != nil && slices.ContainsFunc(m.Members, func(r remembered) bool {
		return slices.Equal(r.Path, []string{"env", v.Key}) && r.Set != nil && r.isStillSet(v.Value, true)
	})
}

// DamagedOwn returns an error for each unreadable memory of edits and journal entry.
func (s *Settings) DamagedOwn() []error {
	_, all, _ := s.allMemories()
	for i, err := range all {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			all[i] = &journal.DamagedError{File: at.Path, Err: err}
		}
	}
	return append(all, Journal(s.Places).Damaged()...)
}
