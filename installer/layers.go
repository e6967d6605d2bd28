package installer

// What the settings of all scopes say together. A value in a higher scope wins:
// user < project < local < managed. So a false in user settings cannot switch
// off what a project's settings switch on, and a plan for one scope has to say
// when another one decides.

import (
	"encoding/json"
	"slices"
)

// layer is one scope's settings, as Claude Code would read them.
type layer struct {
	name string // "user", "project", "local" or "managed"
	file string // where the bytes are
	doc  *Document
}

// layers reads the scopes' settings, the lowest first. Two scopes that share a
// file are one. A file that cannot be read or parsed is not in effect, so it is
// left out.
func (p Places) layers() []layer {
	var all []layer
	for _, scope := range Scopes() {
		path, err := p.Settings(scope)
		if err != nil {
			continue
		}
		file, doc, err := openSettings(path)
		if err != nil || slices.ContainsFunc(all, func(l layer) bool { return l.file == file.Path }) {
			continue
		}
		all = append(all, layer{string(scope), file.Path, doc})
	}
	for _, path := range p.managedFiles() {
		if file, doc, err := openSettings(path); err == nil {
			all = append(all, layer{"managed", file.Path, doc})
		}
	}
	return all
}

// value is a member of a layer; what cannot be followed is not there.
func (l layer) value(path ...string) (json.RawMessage, bool) {
	raw, found, err := l.doc.Get(path...)
	return raw, found && err == nil
}

// switched tells what a layer says of a plugin. Anything but false switches it
// on, as an array of versions does.
func (l layer) switched(id string) (on, says bool) {
	raw, says := l.value("enabledPlugins", id)
	return says && !same(raw, json.RawMessage("false")), says
}

// ids lists the plugins that a layer names.
func (l layer) ids() []string {
	raw, found := l.value("enabledPlugins")
	var all map[string]json.RawMessage
	if !found || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	var ids []string
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// view is the layers seen from one settings file: what lies below it, the file
// itself, what lies above.
type view struct {
	below, above []layer
	own          layer
}

// viewFrom splits the layers around a file, whose own bytes the caller has read.
func (p Places) viewFrom(scope Scope, file *File, doc *Document) view {
	v := view{own: layer{string(scope), file.Path, doc}}
	rank := slices.Index(Scopes(), scope)
	for _, l := range p.layers() {
		switch {
		case l.file == file.Path:
		case slices.Index(Scopes(), Scope(l.name)) < rank && l.name != "managed":
			v.below = append(v.below, l)
		default:
			v.above = append(v.above, l)
		}
	}
	return v
}

// all is every layer, the lowest first.
func (v view) all() []layer { return slices.Concat(v.below, []layer{v.own}, v.above) }

// ids lists every plugin that any layer names.
func (v view) ids() []string {
	var ids []string
	for _, l := range v.all() {
		ids = append(ids, l.ids()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// on tells whether a plugin is on as far as the file and what lies below it go.
func (v view) on(id string) bool {
	if on, says := v.own.switched(id); says {
		return on
	}
	return v.onBelow(id)
}

func (v view) onBelow(id string) bool { return v.scopeBelow(id) != "" }

// scopeBelow is the scope below the file that switches a plugin on, "" if none
// does.
func (v view) scopeBelow(id string) string {
	for _, l := range slices.Backward(v.below) {
		if on, says := l.switched(id); says {
			if !on {
				return ""
			}
			return l.name
		}
	}
	return ""
}

// overruled tells which layer above the file has the last word on a plugin.
func (v view) overruled(id string) (name string, on, says bool) {
	for _, l := range slices.Backward(v.above) {
		if on, says := l.switched(id); says {
			return l.name, on, true
		}
	}
	return "", false, false
}

// env is a variable that settings set, as far as the file and what lies below
// it go.
func (v view) env(name string) (value string, found bool) {
	for _, l := range slices.Backward(append(slices.Clone(v.below), v.own)) {
		raw, ok := l.value("env", name)
		if !ok {
			continue
		}
		if json.Unmarshal(raw, &value) != nil {
			value = string(raw) // a number, as it is written
		}
		return value, true
	}
	return "", false
}
