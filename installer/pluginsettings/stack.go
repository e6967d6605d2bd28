// Package pluginsettings shows and changes the settings of a plugin. They lie in three
// files, each over the one before: the plugin's own strategy.json, the user's file and
// the project's. The hook decides what of them is in force; this package asks it.
package pluginsettings

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Scope is one of the three files.
type Scope string

// The scopes, each over the one before.
const (
	Suite   Scope = "suite"   // strategy.json of the plugin, for all who use it
	User    Scope = "user"    // every session of the user
	Project Scope = "project" // sessions in this project, of all its users
)

// AllScopes lists them, lowest first.
func AllScopes() []Scope { return []Scope{Suite, User, Project} }

// File is a file of settings.
type File struct {
	Scope Scope  `json:"scope"`
	Path  string `json:"path"`
	There bool   `json:"exists"`
	// Fault is why nothing of the file is in force, "" if it can be read.
	Fault string `json:"fault,omitempty"`
	err   error  // the Fault
	edit  journal.Edit
	doc   *document.Document
	data  []byte // what the hook reads
	by    strategy.Writer
	below hook.Settings // in force below the file
	// unread is why the hook takes nothing of a file that can be read otherwise.
	unread string
}

// Stack is a plugin's settings, with the files that they come from.
type Stack struct {
	Plugin hook.Plugin
	Keys   []Key
	Files  []File // lowest first
}

// ReadStack reads a plugin's files, as they are for a session that starts in places.Work.
func ReadStack(places client.Places, p hook.Plugin) (Stack, error) {
	keys, err := KeysOf(p.Strategy)
	if err != nil {
		return Stack{}, err
	}
	settings := hook.Plugin{Name: p.Name, Strategy: p.Strategy}.ReadSettings("", "")
	s := Stack{Plugin: p, Keys: keys}
	for _, layer := range p.Layers(places.StatePath(), places.Work) {
		f, in := File{Scope: User, Path: layer.Path, by: layer.By}, ""
		switch layer.By {
		case strategy.Author:
			f.Scope, in = Suite, filepath.Dir(p.Root)
		case strategy.Project:
			f.Scope, in = Project, places.Work
		}
		if f.edit, f.err = journal.OpenEdit(in, f.Path); f.err == nil {
			if f.There = f.edit.Before != nil; f.There {
				f.data = f.edit.Before.Data
			}
			f.doc, f.err = document.ParseDocument(f.data)
		}
		if !f.There {
			f.data = []byte("{}")
		}
		f.below = settings
		var faults []string
		if named := (*fs.PathError)(nil); errors.As(f.err, &named) {
			f.Fault = named.Err.Error() // the path stands beside it
		} else if f.err != nil {
			f.Fault = f.err.Error()
		} else {
			settings, faults = settings.Overlay(f.data, f.by)
		}
		if len(faults) > 0 && strings.HasPrefix(faults[0], "line ") {
			f.unread = "the file cannot be read: " + faults[0]
		}
		s.Files = append(s.Files, f)
	}
	return s, nil
}

// Value is a setting as it is in force.
type Value struct {
	Key
	Value json.RawMessage `json:"value"`
	// From is the file that has the last word on it; "default" for none.
	From string `json:"from"`
	Said []Said `json:"files"` // what each file says, lowest first
}

// Said is what a file says of a setting.
type Said struct {
	Scope   Scope           `json:"scope"`
	Value   json.RawMessage `json:"value"`
	InForce bool            `json:"in_force"`
	Why     string          `json:"why,omitempty"` // it is not in force
}

// AllValues are all settings.
func (s Stack) AllValues() []Value {
	var all []Value
	for _, k := range s.Keys {
		all = append(all, s.ValueOf(k))
	}
	return all
}

// ValueOf is one setting.
func (s Stack) ValueOf(k Key) Value {
	v := Value{Key: k, Value: k.Default, From: "default", Said: []Said{}}
	for _, f := range s.Files {
		if f.doc == nil {
			continue
		}
		raw, ok, err := f.doc.Get(k.pathInFile()...)
		said := Said{Scope: f.Scope, Value: raw, Why: f.unread}
		switch {
		case err != nil: // a key on the way is there twice
			said.Value, said.Why = json.RawMessage("null"), err.Error()
		case !ok:
			continue
		case said.Why == "":
			said.Why = f.refusal(k, v.Value)
		}
		if said.InForce = said.Why == ""; said.InForce {
			v.Value, v.From = k.valueOver(v.Value, raw), string(f.Scope)
		}
		v.Said = append(v.Said, said)
	}
	return v
}

// valueOver is what is in force of a value over another one: of lists of rules both are.
func (k Key) valueOver(below, raw json.RawMessage) json.RawMessage {
	var under, list []json.RawMessage
	if k.Name != "add" && k.Name != "off" || json.Unmarshal(below, &under) != nil || json.Unmarshal(raw, &list) != nil {
		return raw
	}
	for _, value := range under {
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return document.MeanSame(value, other) }) {
			list = append(list, value)
		}
	}
	both, err := document.EncodeValue(list)
	if err != nil {
		return raw
	}
	return both
}

// refusal is why the hook does not take a value, given to it alone, from the file; "" if
// it does. Nothing else that is wrong with the file matters.
func (f File) refusal(k Key, inForce json.RawMessage) string {
	path := k.pathInFile()
	if k.whole {
		path = path[:1]
	}
	raw, _, err := f.doc.Get(path...)
	if err != nil {
		return err.Error()
	}
	alone := string(raw)
	for _, name := range slices.Backward(path) {
		alone = "{" + document.QuoteKey(name) + ":" + alone + "}"
	}
	above, faults := f.below.Overlay([]byte(alone), f.by)
	if len(faults) > 0 {
		return strings.TrimPrefix(faults[0], k.Name+": ")
	}
	same := above.Protocol == f.below.Protocol && above.Limits == f.below.Limits &&
		reflect.DeepEqual(above.Options, f.below.Options)
	switch {
	case document.MeanSame(raw, inForce) || f.Scope != Project || !same: // of a project's programs none is named
		return ""
	case k.Type == "integer" || k.Type == "number":
		return "a project's file can only lower it"
	}
	return "a project's file cannot set it"
}

// FindKey finds a setting by its name.
func (s Stack) FindKey(name string) (Key, error) {
	if i := slices.IndexFunc(s.Keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return s.Keys[i], nil
	}
	names := check.NamesOf(s.Keys, func(k Key) string { return k.Name })
	return Key{}, check.Misusef(check.HintAtNames(name, "", names, "it has "+strings.Join(names, ", ")), "%s has no setting %q", s.Plugin.Name, name)
}
