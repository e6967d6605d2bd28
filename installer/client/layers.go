package client

// Settings files, in layers. A value in a higher layer wins: user < project < local
// < managed. A file that is not plain JSON is ignored as a whole; of a key given
// twice the last one counts; two scopes that share a file are one layer.

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Managed is the name of the layers that an administrator deploys.
const Managed = "managed"

// Layer is one settings file; status --json prints it.
type Layer struct {
	Name    string `json:"scope"` // Managed or a Scope
	File    string `json:"file"`
	Exists  bool   `json:"exists"`
	Problem string `json:"problem,omitempty"` // why Claude Code ignores it, "" if it does not

	At       string `json:"-"` // File, every symbolic link followed
	Err      error  `json:"-"` // the Problem as it was met: an *fs.PathError, or a *document.SyntaxError
	fields   object
	switches object             // what its enabledPlugins say
	doc      *document.Document // nil if there is a Problem
}

// AllLayers are all settings files, the highest first.
func (s *Snapshot) AllLayers() []Layer {
	if s.layers != nil {
		return s.layers
	}
	var all []Layer // the lowest first, as the lowest scope is the one that has a shared file
	add := func(name, path string) {
		l := s.readLayer(name, path)
		if !slices.ContainsFunc(all, func(other Layer) bool { return other.At == l.At }) {
			all = append(all, l)
		}
	}
	for _, scope := range AllScopes() {
		add(string(scope), s.Settings(scope))
	}
	for _, path := range s.managedFiles() {
		add(Managed, path)
	}
	slices.Reverse(all)
	s.layers = all
	return all
}

func (s *Snapshot) readLayer(name, path string) Layer {
	file, err := s.OpenFile(path)
	if err != nil {
		return Layer{Name: name, File: path, At: path, Exists: true, Problem: check.CauseOf(err).Error(), Err: err}
	}
	doc, err := file.Document()
	if err != nil {
		return Layer{Name: name, File: path, At: file.At, Exists: file.Before != nil, Problem: err.Error(), Err: err}
	}
	return LayerOf(name, file.Edit, doc)
}

// userLayer is the layer of the user's own settings, the lowest.
func (s *Snapshot) userLayer() Layer { return s.AllLayers()[len(s.AllLayers())-1] }

// managedFiles lists the managed settings files, the lowest first. Settings that
// a server or a device profile delivers are not among them.
func (p Places) managedFiles() []string {
	if p.Managed == "" {
		return nil
	}
	var files []string
	if path := filepath.Join(p.Managed, "managed-settings.json"); rooted.PathExists(path) {
		files = append(files, path)
	}
	entries, _ := os.ReadDir(filepath.Join(p.Managed, "managed-settings.d"))
	for _, e := range entries { // sorted by name
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(p.Managed, "managed-settings.d", e.Name()))
		}
	}
	return files
}

// Duplicates lists the keys that the file, which can be read, has twice; of each Claude Code
// takes the last one.
func (l Layer) Duplicates() []document.Member { return l.doc.Duplicates() }

// LayerOf is the layer of a file with a document in it.
func LayerOf(name string, file journal.Edit, doc *document.Document) Layer {
	l := Layer{Name: name, File: file.Path, Exists: file.Before != nil, At: file.At, doc: doc, fields: doc.Fields()}
	l.switches = as[object](l.fields["enabledPlugins"])
	return l
}

// SaysOf is what a layer says of a plugin. Anything but false switches it on, as
// an array of versions does.
func (l Layer) SaysOf(id string) (on, says bool) {
	raw, says := l.switches[id]
	return says && string(raw) != "false", says
}

// PluginIDs lists the plugins that a layer names. What cannot be a plugin's ID is none:
// Claude Code ignores it, and it is of no use in a command.
func (l Layer) PluginIDs() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l.switches)), func(id string) bool { return !isID.MatchString(id) })
}

// IDsOn lists those that it switches on.
func (l Layer) IDsOn() []string {
	return slices.DeleteFunc(l.PluginIDs(), func(id string) bool { on, _ := l.SaysOf(id); return !on })
}

func (l Layer) sourceInWords() string { return l.Name + " settings" }

// VariableIn is a variable that layers set for Claude Code and for hooks, the highest
// first, and the layer that it comes from.
func VariableIn(layers []Layer, name string) (value, from string, ok bool) {
	for _, l := range layers {
		variables := as[object](l.fields["env"])
		if raw, found := variables[name]; found {
			return ValueText(raw), l.Name, true
		}
	}
	return "", "", false
}

// AllowRules are the rules of permissions.allow, of all layers.
func AllowRules(layers []Layer) (all []string) {
	for _, l := range layers {
		all = append(all, as[[]string](as[object](l.fields["permissions"])["allow"])...)
	}
	return all
}

// Variable is a member of a layer's env. Claude Code hands it to every hook that it starts, a
// project's too, and in a directory that its user has not accepted yet.
type Variable struct {
	document.Member
	Layer
}

// ValueText is a value of a variable; one that is no string is its JSON text.
func ValueText(raw json.RawMessage) string {
	if text := as[string](raw); text != "" || string(raw) == `""` {
		return text
	}
	return string(raw)
}

// Variables are all that the settings of all layers set, the highest layer
// first, in the order of the file. A name that is set twice is there twice.
func (i Inventory) Variables() []Variable {
	var all []Variable
	for _, l := range i.Settings {
		if l.doc == nil {
			continue
		}
		for _, m := range l.doc.Members("env") {
			all = append(all, Variable{m, l})
		}
	}
	return all
}
