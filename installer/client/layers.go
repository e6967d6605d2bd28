package client

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

const Managed = "managed" // deployed by an administrator

// Layer is a settings file.
type Layer struct {
	Name    string `json:"scope"` // Managed or a Scope
	File    string `json:"file"`
	Exists  bool   `json:"exists"`
	Problem string `json:"problem,omitempty"` // why Claude Code ignores it, or ""

	At       string `json:"-"` // File with links resolved
	Err      error  `json:"-"` // of the Problem: an *fs.PathError or a *document.SyntaxError
	fields   object
	switches object
	doc      *document.Document // nil if there is a Problem
}

// AllLayers returns all settings files, even missing ones, highest precedence first. A file that two scopes share
// belongs to the lower one.
func (s *Snapshot) AllLayers() []Layer {
	if s.layers != nil {
		return s.layers
	}
	var all []Layer // lowest first
	add := func(name, path string) {
		l := s.readLayer(name, path)
		if !slices.ContainsFunc(all, func(other Layer) bool { return other.At == l.At }) {
			all = append(all, l)
		}
	}
	for _, scope := range AllScopes() {
		if path := filepath.Join(s.Work, ".claude", "settings.local.json"); scope == Local && rooted.IsTaken(path) {
			add(string(Local), path) // Root's file overrides its members
		}
		add(string(scope), s.Settings(scope))
	}
	if s.Managed != "" {
		if path := filepath.Join(s.Managed, "managed-settings.json"); rooted.TargetExists(path) {
			add(Managed, path)
		}
		dropIns := filepath.Join(s.Managed, "managed-settings.d")
		entries, _ := os.ReadDir(dropIns)
		for _, e := range entries { // sorted by name
			if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
				add(Managed, filepath.Join(dropIns, e.Name()))
			}
		}
	}
	slices.Reverse(all)
	s.layers = all
	return all
}

func (s *Snapshot) readLayer(name, path string) Layer {
	file, err := s.ReadOrEmpty(path)
	if err != nil {
		return Layer{Name: name, File: path, At: path, Exists: true, Problem: check.DropPath(err).Error(), Err: err}
	}
	doc, err := file.SettingsDocument()
	if err != nil {
		return Layer{Name: name, File: path, At: file.At, Exists: file.Before != nil, Problem: err.Error(), Err: err}
	}
	return LayerOf(name, file.Edit, doc)
}

func (s *Snapshot) userLayer() Layer { return s.AllLayers()[len(s.AllLayers())-1] }

// LayerOf returns a settings file's layer, with the content of doc instead.
func LayerOf(name string, file journal.Edit, doc *document.Document) Layer {
	l := Layer{Name: name, File: file.Path, Exists: file.Before != nil, At: file.At, doc: doc, fields: doc.Fields()}
	l.switches = as[object](l.fields["enabledPlugins"])
	return l
}

// SwitchOf returns a plugin's value in the layer, and whether there is one. Any value but false enables the plugin.
func (l Layer) SwitchOf(id string) (on, isSet bool) {
	raw, isSet := l.switches[id]
	return isSet && string(raw) != "false", isSet
}

// IDsOnOrOff returns the valid IDs in enabledPlugins, sorted.
func (l Layer) IDsOnOrOff() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l.switches)), func(id string) bool { return !isID.MatchString(id) })
}

func (l Layer) IDsOn() []string {
	return slices.DeleteFunc(l.IDsOnOrOff(), func(id string) bool { on, _ := l.SwitchOf(id); return !on })
}

// VariableIn returns a variable's value in the highest layer that sets it.
func VariableIn(layers []Layer, name string) (value, layer string, ok bool) {
	raw, layer := rawMember(layers, "env", name)
	return ValueText(raw), layer, layer != ""
}

func AllowRules(layers []Layer) (all []string) {
	for _, l := range layers {
		all = append(all, as[[]string](as[object](l.fields["permissions"])["allow"])...)
	}
	return all
}

// MemberIn returns the value at path in the highest layer with one. Values other than strings are JSON.
func MemberIn(layers []Layer, path ...string) (value, layer string) {
	raw, layer := rawMember(layers, path...)
	return ValueText(raw), layer
}

func rawMember(layers []Layer, path ...string) (raw json.RawMessage, layer string) {
	for _, l := range layers {
		fields := l.fields
		for _, name := range path[:len(path)-1] {
			fields = as[object](fields[name])
		}
		if raw, found := fields[path[len(path)-1]]; found {
			return raw, l.Name
		}
	}
	return nil, ""
}

// Variable is a member of a layer's env. Claude Code passes it to every hook, even from a project in an
// untrusted directory.
type Variable struct {
	document.Member
	Layer
}

// ValueText decodes a JSON string, and returns other values as JSON.
func ValueText(raw json.RawMessage) string {
	if text := as[string](raw); text != "" || string(raw) == `""` {
		return text
	}
	return string(raw)
}

// SettingsEnv returns the variables in all settings, including duplicates, highest layer first.
func (i Inventory) SettingsEnv() (all []Variable) {
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
