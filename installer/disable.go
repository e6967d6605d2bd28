package installer

// Switching a plugin off: what enabling has changed is put back. Where nothing
// is remembered, the plugin's own entry says false and nothing else changes.

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"

	"github.com/cameronsjo/springfield/folder"
)

// PlanDisable puts back what enabling a plugin in a scope has changed. While
// another plugin that springfield enabled there stays on, what both need stays:
// all but the plugin's own entry beside one that decides at Stop, the marketplace
// beside one that does not.
func PlanDisable(p Places, plugin Plugin, scope Scope) (Plan, error) {
	id := plugin.ID()
	file, doc, err := p.openScope(scope)
	var link *folder.LinkError
	if errors.As(err, &link) {
		file, doc, err = p.openBehind(scope, id, err)
	}
	if err != nil {
		return Plan{}, err
	}
	if _, _, err := doc.Get("enabledPlugins", id); err != nil {
		return Plan{}, refused(file, err)
	}
	m, err := p.recall(file.Path)
	if err != nil {
		return Plan{}, err
	}
	v, err := p.viewFrom(scope, file, doc)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Did: fmt.Sprintf("disable %s in %s settings", id, scope)}
	on, says := v.own.says(id)
	switch {
	case m.switchedOn(id):
		if err := plan.giveBack(p, v, file, m, id); err != nil {
			return Plan{}, err
		}
	case on:
		only := "springfield did not enable it here, so it is only switched off"
		if !strings.HasPrefix(id, latte) {
			only += "; double-shot-latte stays as it is"
		}
		plan.Notes = append(plan.Notes, only)
		err = plan.set(p, file, doc, []document.Edit{switchTo(id, "false")}, "")
	case !says && v.scopeBelow(id) != "":
		plan.Notes = append(plan.Notes, switchesOn(v.scopeBelow(id))+"; "+string(scope)+" settings now say no, and they win")
		err = plan.set(p, file, doc, []document.Edit{switchTo(id, "false")}, "")
	}
	if err == nil && m == nil { // an edit that was killed between two files can have left something
		err = plan.giveBackDeclared(p, file)
	}
	if err != nil {
		return Plan{}, err
	}
	if !slices.Contains(v.ids(), id) && !plan.Changes() {
		plan.Notes = append(plan.Notes, "no settings here name it")
	}
	plan.noteWhatIsLeft(v, file, id, scope)
	return plan, nil
}

// openBehind opens a project's settings behind a link if springfield has switched the
// plugin on in them, else it gives the refusal. The user's own settings have a scope.
func (p Places) openBehind(scope Scope, id string, refusal error) (*File, *document.Document, error) {
	path, err := p.Settings(scope)
	if err != nil {
		return nil, nil, err
	}
	target, err := resolve(path)
	own, errOwn := resolve(filepath.Join(p.Config, "settings.json"))
	if err != nil || errOwn != nil || target == own {
		return nil, nil, refusal
	}
	if m, err := p.recall(target); err != nil || !m.switchedOn(id) {
		return nil, nil, refusal
	}
	return openSettings(path)
}

// giveBack releases what was set in the file, and in user settings on its
// behalf.
func (p *Plan) giveBack(places Places, v view, file *File, m *memory, id string) error {
	others := slices.DeleteFunc(v.own.ids(), func(other string) bool {
		on, _ := v.own.says(other)
		return !on || other == id || !m.switchedOn(other)
	})
	read := stocks{}
	decides := func(other string) bool { return places.drives(v, other, read) }
	only := func(remembered) bool { return true }
	switch {
	case slices.ContainsFunc(others, decides):
		only = func(r remembered) bool { return r.isSwitch(id) }
	case len(others) > 0:
		only = func(r remembered) bool {
			return r.Path[0] != "extraKnownMarketplaces" && !slices.ContainsFunc(others, r.isSwitch)
		}
	}
	if err := p.release(file, m, file.Path, only); err != nil || len(others) > 0 {
		return err
	}
	return p.giveBackDeclared(places, file)
}

// giveBackDeclared releases what was set in user settings on behalf of another
// file.
func (p *Plan) giveBackDeclared(places Places, file *File) error {
	user, err := places.Settings(User)
	if err != nil {
		return err
	}
	target, err := resolve(user)
	if err != nil || target == file.Path {
		return err
	}
	m, err := places.recall(target)
	if err != nil || m == nil {
		return err
	}
	userFile, err := Open(user)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	return p.release(userFile, m, file.Path, func(remembered) bool { return true })
}

// release adds an edit that takes back what was set on behalf of a file.
func (p *Plan) release(file *File, m *memory, behalf string, only func(remembered) bool) error {
	if !slices.ContainsFunc(m.Members, func(r remembered) bool { return slices.Contains(r.For, behalf) && only(r) }) {
		return nil
	}
	data, next, theirs, err := m.release(file, behalf, only)
	if err != nil {
		return refused(file, err)
	}
	for _, name := range theirs {
		p.Notes = append(p.Notes, name+" was changed since and is left as it is")
	}
	for _, r := range m.Members {
		wasOn := len(r.Path) == 2 && r.Path[0] == "enabledPlugins" && r.Before != "" && !document.Same(r.before(), json.RawMessage("false"))
		isOff := document.Same(r.Set, json.RawMessage("false")) || r.Set == nil
		stays := slices.Contains(theirs, nameOf(r.Path)) || slices.ContainsFunc(next.Members, func(n remembered) bool { return slices.Equal(n.Path, r.Path) })
		if wasOn && isOff && file.Exists && !stays {
			p.Notes = append(p.Notes, r.Path[1]+" is switched on again, as it was before")
		}
	}
	if err := writable(file); err != nil {
		return err
	}
	e := newEdit(file, data, m)
	e.remove, e.release, e.memory = data == nil, true, next
	e.dropDir = m.Origin != nil && m.Origin.NoDir
	p.edits = append(p.edits, e)
	return nil
}

// noteWhatIsLeft says where the plugin stays on: in the file itself, because it
// was on before springfield came, and in other scopes.
func (p *Plan) noteWhatIsLeft(v view, file *File, id string, scope Scope) {
	for _, e := range p.edits {
		if e.file.Path != file.Path {
			continue
		}
		v.own = Layer{}
		if after, err := document.Parse(e.after); err == nil { // no bytes are an empty document
			v.own = layerOf(string(scope), file, after)
		}
	}
	on, says := v.own.says(id)
	switch {
	case on:
		p.Notes = append(p.Notes, "it was on before springfield enabled it, and is again; disable it once more to switch it off")
	case !says && v.scopeBelow(id) != "":
		p.Notes = append(p.Notes, "it stays on: "+switchesOn(v.scopeBelow(id))+"; disable it once more to say no in "+string(scope)+" settings, which win")
	}
	p.noteOverruled(v, id, scope, false)
}

// EnabledAs lists the plugins of a name that a scope's settings switch on, so
// that disabling needs no suite.
func EnabledAs(p Places, name string, scope Scope) ([]Plugin, error) {
	settings, err := p.Settings(scope)
	if err != nil {
		return nil, err
	}
	file, doc, err := openSettings(settings)
	if err != nil {
		return nil, err
	}
	if _, _, err := doc.Get("enabledPlugins"); err != nil {
		return nil, refused(file, err)
	}
	own := layerOf(string(scope), file, doc)
	var found []Plugin
	for _, id := range own.ids() {
		bare, marketplace, _ := strings.Cut(id, "@")
		if on, _ := own.says(id); on && bare == name {
			found = append(found, Plugin{Name: bare, Marketplace: marketplace})
		}
	}
	return found, nil
}
