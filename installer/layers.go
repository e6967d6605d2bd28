package installer

// What the settings of all scopes say together, seen from the one file that a
// plan is about. A value in a higher scope wins: user < project < local <
// managed. So a false in user settings cannot switch off what a project's
// settings switch on, and a plan for one scope has to say when another decides.

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
)

// view is the layers around a settings file, each list with the highest first.
type view struct {
	above []Layer
	own   Layer
	below []Layer
	known []*memory // what is remembered of their files
}

// viewFrom splits the layers around a scope's file.
func (p Places) viewFrom(scope Scope, file *File, doc *document.Document) (view, error) {
	layers, err := p.readLayers()
	if err != nil {
		return view{}, err
	}
	skills, err := p.skills()
	if err != nil {
		return view{}, err
	}
	v := view{own: layerOf(string(scope), file, doc)}
	rank := slices.Index(Scopes(), scope)
	for _, l := range layers {
		switch {
		case l.path == file.Path:
		case l.Name != "managed" && slices.Index(Scopes(), Scope(l.Name)) < rank:
			v.below = append(v.below, l)
		default:
			v.above = append(v.above, l)
		}
	}
	if len(skills) > 0 {
		v.below = append(v.below, skillsLayer(skills))
	}
	for _, l := range v.all() {
		if m, err := p.recall(l.path); err == nil && m != nil {
			v.known = append(v.known, m)
		}
	}
	return v, nil
}

// skillsName is the lowest layer's, which no settings file is: plugins in the
// configuration directory's skills load unless settings say no.
const skillsName = "skills"

func skillsLayer(skills map[string]string) Layer {
	on := map[string]bool{}
	for id, dir := range skills {
		manifest, err := readManifest(dir)
		on[id] = err == nil && !manifest.optional
	}
	raw, _ := json.Marshal(on) // a map of booleans
	l := Layer{Name: skillsName, Exists: true}
	l.take(map[string]json.RawMessage{"enabledPlugins": raw})
	return l
}

// switchesOn says of a layer that it is what switches a plugin on.
func switchesOn(name string) string {
	if name == skillsName {
		return "it lies in your skills directory, where plugins load on their own"
	}
	return name + " settings switch it on"
}

// layerOf is a file's layer with a document in it.
func layerOf(name string, file *File, doc *document.Document) Layer {
	l := Layer{Name: name, File: file.Asked, Exists: true, path: file.Path, doc: doc}
	l.take(doc.Fields())
	return l
}

// take gives a layer its members.
func (l *Layer) take(fields map[string]json.RawMessage) {
	l.fields = fields
	l.plugins, _ = members(fields["enabledPlugins"])
}

// all is every layer, the highest first.
func (v view) all() []Layer { return slices.Concat(v.above, []Layer{v.own}, v.below) }

// ids lists every plugin that any layer names. What cannot be a plugin's ID is
// none: Claude Code passes it over, and nobody should be told to type it.
func (v view) ids() []string {
	var ids []string
	for _, l := range v.all() {
		ids = append(ids, l.ids()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ids lists the plugins that a layer names.
func (l Layer) ids() []string {
	var ids []string
	for id := range l.plugins {
		if isID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// on tells whether a plugin is on as far as the file and what lies below it go.
func (v view) on(id string) bool {
	if on, says := v.own.says(id); says {
		return on
	}
	return v.scopeBelow(id) != ""
}

// scopeBelow is the scope below the file that switches a plugin on, "" if none
// does.
func (v view) scopeBelow(id string) string {
	name, on, _ := lastWord(v.below, id)
	if !on {
		return ""
	}
	return name
}

// overruled tells which layer above the file has the last word on a plugin.
func (v view) overruled(id string) (name string, on, says bool) { return lastWord(v.above, id) }

func lastWord(layers []Layer, id string) (name string, on, says bool) {
	for _, l := range layers {
		if on, says := l.says(id); says {
			return l.Name, on, true
		}
	}
	return "", false, false
}

// envIn is a variable that layers set for Claude Code and for hooks, the highest
// first, and the layer that it comes from.
func envIn(layers []Layer, name string) (value, from string, ok bool) {
	for _, l := range layers {
		variables, _ := members(l.fields["env"])
		if raw, found := variables[name]; found {
			if value = stringIn(raw); value == "" {
				value = strings.Trim(string(raw), `"`) // a number, as it is written
			}
			return value, l.Name, true
		}
	}
	return "", "", false
}
