package installer

// Plans: what enable and disable would change, worked out completely before
// anything is written. A plan can be shown, and then applied.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Plugin is a plugin of a suite on this machine.
type Plugin struct {
	Name        string
	Marketplace string
	Suite       string // the suite's directory, absolute; "" if not known
}

// ID is the plugin's key in enabledPlugins.
func (p Plugin) ID() string { return p.Name + "@" + p.Marketplace }

// latte is the plugin that springfield replaces.
const (
	latte       = "double-shot-latte@"
	latteOrigin = latte + "superpowers-marketplace"
)

// Plan is a set of edits that belong together.
type Plan struct {
	// Did names what the plan is, for the journal: "enable X in user settings".
	Did string

	edits  []edit
	undoes int // the journal's entry that it takes back, 0 for a plan of its own
	// Notes say what the edits mean to the person, a sentence each.
	Notes []string
}

type edit struct {
	file    *File
	before  []byte
	existed bool
	after   []byte
	remove  bool    // the file goes away
	release bool    // takes back what was set before
	memory  *memory // after the edit; nil: it is not remembered
	old     *memory // before it
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

// PlanEnable switches a plugin on in a scope and double-shot-latte off. With
// declare, user settings also declare the suite's directory as a marketplace,
// for when there is no client to register it.
func PlanEnable(p Places, plugin Plugin, scope Scope, declare bool) (Plan, error) {
	settings, err := p.Settings(scope)
	if err != nil {
		return Plan{}, err
	}
	user, _ := p.Settings(User)
	if err := checkDeclared(user, plugin); err != nil {
		return Plan{}, err
	}

	var plan Plan
	file, doc, err := openSettings(settings)
	if err != nil {
		return Plan{}, err
	}
	changes, err := plan.switches(p, file, doc, plugin)
	if err != nil {
		return Plan{}, err
	}
	if declare {
		value, err := Encode(map[string]source{"source": {Source: "directory", Path: plugin.Suite}})
		if err != nil {
			return Plan{}, err
		}
		change := Change{Path: []string{"extraKnownMarketplaces", plugin.Marketplace}, Value: value}
		userFile, userDoc, err := openSettings(user)
		if err != nil {
			return Plan{}, err
		}
		if userFile.Path == file.Path { // user scope, or a project whose settings are the user's
			changes = append([]Change{change}, changes...)
		} else if err := plan.set(p, userFile, userDoc, []Change{change}, file.Path); err != nil {
			// An absolute path is nobody else's business: never in a project's file.
			return Plan{}, err
		}
	}
	if err := plan.set(p, file, doc, changes, file.Path); err != nil {
		return Plan{}, err
	}
	if !plan.Changes() {
		plan.Notes = nil
	}
	return plan, nil
}

// switches are the members of enabledPlugins to set: double-shot-latte off, a
// springfield plugin that was enabled here before off, this one on.
func (p *Plan) switches(places Places, file *File, doc *Document, plugin Plugin) ([]Change, error) {
	on, err := enabledPlugins(doc)
	if err != nil {
		return nil, refused(file, err)
	}
	m, err := places.recall(file.Path)
	if err != nil {
		return nil, err
	}
	off := []string{latteOrigin}
	for _, id := range on {
		if id == plugin.ID() {
			continue
		}
		if isLatte := strings.HasPrefix(id, latte); !isLatte && !m.switchedOn(id) {
			continue
		}
		p.Notes = append(p.Notes, id+" is switched off")
		if id != latteOrigin {
			off = append(off, id)
		}
	}
	var changes []Change
	for _, id := range off {
		changes = append(changes, Change{Path: []string{"enabledPlugins", id}, Value: json.RawMessage("false")})
	}
	return append(changes, Change{Path: []string{"enabledPlugins", plugin.ID()}, Value: json.RawMessage("true")}), nil
}

// PlanDisable puts back what enabling a plugin in a scope has changed. Where
// nothing is remembered it sets the plugin's own member false and leaves all
// else.
func PlanDisable(p Places, plugin Plugin, scope Scope) (Plan, error) {
	settings, err := p.Settings(scope)
	if err != nil {
		return Plan{}, err
	}
	user, _ := p.Settings(User)
	file, doc, err := openSettings(settings)
	if err != nil {
		return Plan{}, err
	}
	key := []string{"enabledPlugins", plugin.ID()}
	m, err := p.recall(file.Path)
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	raw, found, err := doc.Get(key...)
	if err != nil {
		return Plan{}, refused(file, err)
	}
	on := found && same(raw, json.RawMessage("true"))
	if !m.switchedOn(plugin.ID()) {
		if on {
			plan.Notes = append(plan.Notes, "springfield did not enable it here, so it is only switched off; double-shot-latte stays as it is")
			if err := plan.set(p, file, doc, []Change{{Path: key, Value: json.RawMessage("false")}}, ""); err != nil {
				return Plan{}, err
			}
		}
		return plan, plan.noteElsewhere(p, plugin, file)
	}

	if err := plan.release(p, file, m, file.Path); err != nil {
		return Plan{}, err
	}
	userFile, err := Open(user)
	if err != nil {
		return Plan{}, fmt.Errorf("read settings: %w", err)
	}
	if userFile.Path != file.Path {
		m, err := p.recall(userFile.Path)
		if err != nil {
			return Plan{}, err
		}
		if m != nil {
			if err := plan.release(p, userFile, m, file.Path); err != nil {
				return Plan{}, err
			}
		}
	}
	return plan, plan.noteElsewhere(p, plugin, file)
}

// noteElsewhere says where the plugin stays on: in the file itself, because it
// was on before springfield came, and in other scopes.
func (p *Plan) noteElsewhere(places Places, plugin Plugin, file *File) error {
	for _, e := range p.edits {
		if e.file.Path != file.Path || e.remove {
			continue
		}
		doc, err := Parse(e.after)
		if err != nil {
			return err
		}
		if on, _ := enabledPlugins(doc); slices.Contains(on, plugin.ID()) {
			p.Notes = append(p.Notes, "it was on before springfield enabled it, and is again; disable it once more to switch it off")
		}
	}
	for _, scope := range Scopes() {
		path, err := places.Settings(scope)
		if err != nil {
			return err
		}
		other, doc, err := openSettings(path)
		if err != nil || other.Path == file.Path {
			continue // what cannot be read is not in effect either
		}
		if on, _ := enabledPlugins(doc); slices.Contains(on, plugin.ID()) {
			p.Notes = append(p.Notes, "it stays on in "+string(scope)+" settings")
		}
	}
	return nil
}

// EnabledAs lists the plugins of a name that a scope's settings switch on, so
// that disabling needs no suite.
func EnabledAs(p Places, name string, scope Scope) ([]Plugin, error) {
	settings, err := p.Settings(scope)
	if err != nil {
		return nil, err
	}
	_, doc, err := openSettings(settings)
	if err != nil {
		return nil, err
	}
	on, err := enabledPlugins(doc)
	if err != nil {
		return nil, err
	}
	var found []Plugin
	for _, id := range on {
		if bare, marketplace, _ := strings.Cut(id, "@"); bare == name {
			found = append(found, Plugin{Name: bare, Marketplace: marketplace})
		}
	}
	return found, nil
}

// checkDeclared refuses a marketplace name that user settings declare as
// something else.
func checkDeclared(user string, plugin Plugin) error {
	file, doc, err := openSettings(user)
	if err != nil {
		return err
	}
	raw, found, err := doc.Get("extraKnownMarketplaces", plugin.Marketplace)
	if err != nil {
		return refused(file, err)
	}
	var declared struct {
		Source source `json:"source"`
	}
	if !found || json.Unmarshal(raw, &declared) == nil && (declared.Source.isDirectory(plugin.Suite) || declared.Source.isGone()) {
		return nil
	}
	return &ConflictError{plugin.Marketplace, declared.Source.String(), plugin.Suite}
}

// enabledPlugins lists what a document switches on.
func enabledPlugins(doc *Document) ([]string, error) {
	raw, found, err := doc.Get("enabledPlugins")
	if err != nil || !found {
		return nil, err
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil, nil // of another type: Apply says so, with its place
	}
	var on []string
	for id, value := range all {
		if !same(value, json.RawMessage("false")) {
			on = append(on, id)
		}
	}
	slices.Sort(on)
	return on, nil
}

// set adds an edit that makes changes. An empty behalf remembers nothing.
func (p *Plan) set(places Places, file *File, doc *Document, changes []Change, behalf string) error {
	after, err := doc.Apply(changes...)
	if err != nil {
		return refused(file, err)
	}
	m, err := places.recall(file.Path)
	if err != nil {
		return err
	}
	if bytes.Equal(after, file.Data) && !m.shares(changes, behalf) {
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
	}
	p.edits = append(p.edits, e)
	return nil
}

// release adds an edit that takes back what was set on behalf of a file.
func (p *Plan) release(places Places, file *File, m *memory, behalf string) error {
	if !slices.ContainsFunc(m.Members, func(r remembered) bool { return slices.Contains(r.For, behalf) }) {
		return nil
	}
	data, next, theirs, err := m.release(file, behalf)
	if err != nil {
		return refused(file, err)
	}
	for _, name := range theirs {
		p.Notes = append(p.Notes, name+" was changed since and is left as it is")
	}
	for _, r := range m.Members {
		id := r.Path[len(r.Path)-1]
		wasOn := strings.HasPrefix(id, latte) && r.Before != "" && same(r.before(), json.RawMessage("true"))
		if wasOn && !slices.Contains(theirs, nameOf(r.Path)) {
			p.Notes = append(p.Notes, id+" is switched on again, as it was before")
		}
	}
	if err := writable(file); err != nil {
		return err
	}
	e := newEdit(file, data, m)
	e.remove, e.release, e.memory = data == nil, true, next
	p.edits = append(p.edits, e)
	return nil
}

func openSettings(path string) (*File, *Document, error) {
	file, err := Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read settings: %w", err)
	}
	doc, err := Parse(file.Data)
	if err != nil {
		return nil, nil, refused(file, err)
	}
	return file, doc, nil
}

// writable refuses a file that its owner has marked read-only: a rename would
// replace it all the same.
func writable(file *File) error {
	if file.Exists && file.Mode&0o222 == 0 {
		return fmt.Errorf("write settings: %w", &fs.PathError{Op: "write", Path: file.Asked, Err: fs.ErrPermission})
	}
	return nil
}

func refused(file *File, err error) error {
	return fmt.Errorf("read settings: %s: %w", file.Asked, err)
}

// Apply writes the plan: under the lock, into the journal first, all edits or
// none. An error that wraps ErrChanged asks for a new plan.
func (p Plan) Apply(places Places) error {
	if err := p.apply(places); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

func (p Plan) apply(places Places) error {
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
	id := p.undoes
	if id == 0 {
		if id, err = places.journal(p); err != nil {
			return err
		}
	}
	for i := range p.edits {
		if err := p.edits[i].apply(places); err != nil {
			for j := i - 1; j >= 0; j-- {
				p.edits[j].takeBack(places)
			}
			if p.undoes == 0 {
				_ = places.forget(id) // it would be found to be taken back already
			}
			return err
		}
	}
	if p.undoes != 0 {
		return places.forget(id)
	}
	return nil
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

// apply writes one edit. What is set is remembered before the file changes, and
// what is taken back is forgotten after it: a crash in between leaves a memory
// of something that did not happen, never a change that nobody remembers.
func (e *edit) apply(places Places) (err error) {
	if e.memory != nil && !e.release {
		if err := places.remember(e.memory); err != nil {
			return err
		}
	}
	switch {
	case e.remove && e.existed:
		err = e.file.Remove()
	case e.remove:
	case e.writes():
		err = e.file.Replace(e.after)
	}
	if err == nil && e.release {
		err = places.remember(e.memory)
	}
	if err != nil && e.memory != nil {
		err = errors.Join(err, places.restore(e.file.Path, e.old))
	}
	return err
}

// takeBack undoes an applied edit because a later one failed. The error that
// is on its way matters more than one from here.
func (e *edit) takeBack(places Places) {
	switch {
	case !e.writes():
	case e.existed:
		_ = e.file.Replace(e.before)
	default:
		_ = e.file.Remove()
	}
	if e.memory != nil {
		_ = places.restore(e.file.Path, e.old)
	}
}
