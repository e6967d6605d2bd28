package installer

// Plans: what enable and disable would change, worked out completely before
// anything is written. A plan can be shown, and then applied.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"

	"github.com/aymanbagabas/go-udiff"
)

// Plan is a set of edits that belong together.
type Plan struct {
	// Did names what the plan is, for the journal: "enable X in user settings".
	Did string

	// First, if there is one, writes what belongs to the plan and is in no journal:
	// under the lock, once it is sure that the plan still fits, before its edits.
	// Where these fail, what it gives takes it back.
	First func() (takeBack func() error, err error)

	edits  []edit
	kind   string   // what its files are, for errors: "settings" if empty
	undoes int      // the journal's entry that it takes back, 0 for a plan of its own
	gone   []string // files of an edit to undo whose directory is not there any more
	// Notes say what the edits mean to the person, a sentence each.
	Notes []string
}

type edit struct {
	file    *File
	before  []byte
	existed bool
	after   []byte
	remove  bool    // the file goes away
	dropDir bool    // and its directory, which was made for it
	release bool    // takes back what was set before
	memory  *memory // after the edit; nil: it is not remembered
	old     *memory // before it
	written bool    // the file has changed
}

func newEdit(file *File, after []byte, old *memory) edit {
	return edit{file: file, before: file.Data, existed: file.Exists, after: after, old: old}
}

// writes tells whether the file's bytes change, not only what is remembered.
func (e edit) writes() bool {
	if e.remove {
		return e.existed
	}
	return !bytes.Equal(e.before, e.after) || !e.existed
}

// Changes tells whether the plan would write anything.
func (p Plan) Changes() bool { return len(p.edits) > 0 }

// Files lists what would be written or taken away.
func (p Plan) Files() (written, removed []string) {
	for _, e := range p.edits {
		switch {
		case e.remove && e.existed:
			removed = append(removed, e.file.Asked)
		case e.writes():
			written = append(written, e.file.Asked)
		}
	}
	return written, removed
}

// Gone lists files of an edit to undo whose directory is not there any more.
func (p Plan) Gone() []string { return p.gone }

// Diff shows the edits as a unified diff.
func (p Plan) Diff() string {
	var b strings.Builder
	for _, e := range p.edits {
		from, to := e.file.Asked, e.file.Asked
		if !e.existed {
			from = os.DevNull
		}
		if e.remove {
			to = os.DevNull
		}
		b.WriteString(udiff.Unified(from, to, string(e.before), string(e.after)))
	}
	return b.String()
}

// set adds an edit that makes changes. An empty behalf remembers nothing.
func (p *Plan) set(places Places, file *File, doc *document.Document, changes []document.Edit, behalf string) error {
	after, err := doc.Apply(changes...)
	if err != nil {
		return refused(file, err)
	}
	m, err := places.recall(file.Path)
	if err != nil {
		return err
	}
	if bytes.Equal(after, file.Data) && (behalf == "" || !m.shares(changes, behalf)) {
		return nil
	}
	if err := writable(file); err != nil {
		return err
	}
	e := newEdit(file, after, m)
	if behalf != "" {
		if e.memory, err = m.note(file, doc, changes, behalf); err != nil {
			return refused(file, err)
		}
		e.memory.Left = hash(after)
		if first := e.memory.Origin; first != nil && !file.Exists && places.made(filepath.Dir(file.Path)) {
			e.memory.Origin = &origin{Existed: first.Existed, Data: first.Data, NoDir: true}
		}
	}
	p.edits = append(p.edits, e)
	return nil
}

func openSettings(path string) (*File, *document.Document, error) {
	return openSettingsIn("", path)
}

func openSettingsIn(dir, path string) (*File, *document.Document, error) {
	file, err := OpenIn(dir, path)
	if err != nil {
		return nil, nil, fmt.Errorf("read settings: %w", err)
	}
	doc, err := document.Parse(file.Data)
	if err != nil {
		return nil, nil, refused(file, err)
	}
	return file, doc, nil
}

// openScope opens a scope's settings for an edit. Those of the user's own may be
// links, as in a dotfiles repository. A project must not choose by one which other
// settings are edited.
func (p Places) openScope(scope Scope) (*File, *document.Document, error) {
	path, err := p.Settings(scope)
	if err != nil {
		return nil, nil, err
	}
	dir := ""
	switch {
	case scope == User || filepath.Dir(path) == filepath.Clean(p.Config): // also of a session in the home
	case scope == Project:
		dir = p.Work
	default:
		dir = p.Root
	}
	return openSettingsIn(dir, path)
}

// writable refuses a file that its owner has marked read-only: a rename would
// replace it all the same.
func writable(file *File) error {
	if file.Exists && file.Mode&0o222 == 0 {
		return fmt.Errorf("write settings: %w", &fs.PathError{Op: "write", Path: file.Path, Err: fs.ErrPermission})
	}
	return nil
}

func refused(file *File, err error) error {
	return fmt.Errorf("read settings: %s: %w", file.Asked, err)
}

// WriteError says why a plan was not applied, and what is on the disk now: all as
// before, unless it says otherwise.
type WriteError struct {
	Kind string // what the files are: "settings" for one
	Err  error
	// Done tells that every file is written, and that only the journal lags behind.
	Done bool
	// Left names what holds the edit all the same, because it could not be taken
	// back. It is still in the journal.
	Left []string
}

func (e *WriteError) Error() string { return fmt.Sprintf("write %s: %v", e.Kind, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// Apply writes the plan: under the lock, into the journal first, all edits or
// none. Every error is a *WriteError; one that wraps ErrChanged asks for a new
// plan.
func (p Plan) Apply(places Places) error {
	if !p.Changes() && p.First == nil {
		return nil
	}
	failed := &WriteError{Kind: "settings"}
	if p.kind != "" {
		failed.Kind = p.kind
	}
	if failed.Err = p.apply(places, failed); failed.Err != nil {
		return failed
	}
	return nil
}

// apply notes in failed what an error leaves behind.
func (p Plan) apply(places Places, failed *WriteError) error {
	if err := places.makeState(""); err != nil {
		return err
	}
	unlock, err := Lock(places.state("settings.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if err := p.stillFits(places); err != nil {
		return err
	}
	if p.First == nil {
		return p.write(places, failed)
	}
	takeBack, err := p.First()
	if err != nil || !p.Changes() {
		return err
	}
	err = p.write(places, failed)
	if err == nil || failed.Done {
		return err
	}
	if left := takeBack(); left != nil {
		failed.Left = append(failed.Left, left.Error())
		err = errors.Join(err, left)
	}
	return err
}

// write journals and applies the edits.
func (p Plan) write(places Places, failed *WriteError) (err error) {
	id := p.undoes
	if id == 0 {
		id, err = places.journal(p)
	} else {
		err = places.reopen(id) // here, where nothing has changed yet, it may fail
	}
	if err != nil {
		return err
	}
	for i := range p.edits {
		if err = p.edits[i].apply(places); err != nil {
			for j := i; j >= 0; j-- {
				if left := p.edits[j].takeBack(places); left != nil {
					failed.Left = append(failed.Left, p.edits[j].file.Asked)
					err = errors.Join(err, left)
				}
			}
			break
		}
	}
	switch {
	case err == nil && p.undoes == 0:
		_ = places.finish(id) // all is written; an open entry only looks more closely
	case err == nil:
		err = places.forget(id)
		failed.Done = err != nil
	case len(failed.Left) > 0: // what could not be taken back is still to be undone
	case p.undoes == 0:
		_ = places.forget(id) // else undo finds nothing left to do
	default:
		_ = places.finish(id)
	}
	return err
}

// stillFits refuses a plan whose files, memories or journal have changed since
// it was made.
func (p Plan) stillFits(places Places) error {
	for _, e := range p.edits {
		if err := e.file.unchanged(); err != nil {
			return fmt.Errorf("%s: %w", e.file.Asked, err)
		}
		// Another springfield may have changed only what is remembered.
		switch now, err := places.recall(e.file.Path); {
		case err != nil:
			return err
		case !reflect.DeepEqual(now, e.old):
			return fmt.Errorf("%s: %w", e.file.Asked, ErrChanged)
		}
	}
	if p.undoes == 0 {
		return nil
	}
	switch newest, err := places.newest(); {
	case err != nil:
		return err
	case newest != p.undoes:
		return fmt.Errorf("the journal: %w", ErrChanged)
	}
	return nil
}

// apply writes one edit, or a part of it. What is set is remembered before the file
// changes, and what is taken back is forgotten after it: a crash in between leaves a
// memory of something that did not happen, never a change that nobody remembers.
func (e *edit) apply(places Places) error {
	if e.memory != nil && !e.release {
		if err := places.remember(e.memory); err != nil {
			return err
		}
	}
	if e.writes() {
		if err := e.write(); err != nil {
			return err
		}
		e.written = true
	}
	if e.release {
		return places.remember(e.memory)
	}
	return nil
}

func (e *edit) write() error {
	if !e.remove {
		return e.file.Replace(e.after)
	}
	err := e.file.Remove()
	if err == nil && e.dropDir {
		e.file.dropDir()
	}
	return err
}

// takeBack undoes an edit that was applied, or begun, because it or something after
// it failed. Where that fails too, the edit stays remembered.
func (e *edit) takeBack(places Places) error {
	if e.written {
		var err error
		if e.existed {
			err = e.file.Replace(e.before)
		} else {
			err = e.file.Remove()
		}
		if err != nil {
			return err
		}
		e.written = false
	}
	if e.memory != nil {
		_ = places.restore(e.file.Path, e.old) // of something that did not happen: no harm
	}
	return nil
}
