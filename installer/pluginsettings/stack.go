// Package pluginsettings shows and changes the settings of a plugin. They lie in three
// files, each over the one before: the plugin's own strategy.json, the user's file and
// the project's. The hook decides what of them is in force; this package asks it.
package pluginsettings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
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
	// Fault is why nothing of the file is in force, "" if something is.
	Fault string `json:"fault,omitempty"`
	// Faults are what is wrong with parts of it, which are not in force.
	Faults []string `json:"faults,omitempty"`
	err    error    // why it cannot be edited, which is a Fault too
	edit   journal.Edit
	doc    *document.Document
	data   []byte // what the hook reads
	by     strategy.Writer
	below  hook.Settings // in force below the file
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
		err := f.err
		if f.There || err == nil { // of what keeps it from being edited the hook may have words of its own
			var whole error
			settings, f.Faults, whole = settings.Overlay(f.data, f.by)
			err = cmp.Or(whole, err)
		}
		if named := (*fs.PathError)(nil); errors.As(err, &named) {
			err = named.Err // the path stands beside it
		}
		if err != nil {
			f.Fault = err.Error()
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
	InForce bool            `json:"in_force"`      // of a list also a part of it
	Why     string          `json:"why,omitempty"` // it, or a part of it, is not in force
}

func (s Stack) AllValues() []Value {
	var all []Value
	for _, k := range s.Keys {
		all = append(all, s.ValueOf(k))
	}
	return all
}

func (s Stack) ValueOf(k Key) Value {
	v := Value{Key: k, Value: k.Default, From: "default", Said: []Said{}}
	for _, f := range s.Files {
		if f.doc == nil {
			continue
		}
		raw, ok, err := f.doc.Get(k.pathInFile()...)
		said, taken := Said{Scope: f.Scope, Value: raw, Why: f.Fault}, json.RawMessage(nil)
		switch {
		case err != nil: // a key on the way is there twice
			said.Value, said.Why = json.RawMessage("null"), err.Error()
		case !ok:
			continue
		case said.Why == "":
			taken, said.Why = f.valueTaken(k, raw, v.Value)
		}
		if said.InForce = taken != nil; said.InForce {
			v.Value, v.From = k.valueOver(v.Value, taken), string(f.Scope)
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

// valueTaken is what the hook takes from the file of a value, nil for nothing, and why not the
// rest. Of a list it may take some. Nothing else that is wrong with the file matters.
func (f File) valueTaken(k Key, raw, inForce json.RawMessage) (taken json.RawMessage, why string) {
	var list, some []json.RawMessage
	if k.Type != "array" || k.single || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		if why = f.refusal(k, raw, inForce); why == "" {
			taken = raw
		}
		return taken, why
	}
	var whys []string
	if k.most > 0 && len(list) > k.most {
		list, whys = list[:k.most], []string{fmt.Sprintf("more than %d", k.most)}
	}
	for i, one := range list {
		alone := fmt.Appendf(nil, "[%s%s]", strings.Repeat("null,", i), one) // null is nothing, and the one keeps its number
		if why := f.refusal(k, alone, inForce); why != "" {
			whys = append(whys, why)
		} else {
			some = append(some, one)
		}
	}
	if some != nil {
		taken, _ = document.EncodeValue(some) // of values that were read
	}
	return taken, strings.Join(slices.Compact(whys), "; ")
}

// placeInText begins a fault: in what the hook was given, which is not the file.
var placeInText = regexp.MustCompile(`^line \d+, column \d+: `)

// refusal is why the hook does not take a value, given to it alone, from the file; "" if
// it does.
func (f File) refusal(k Key, raw, inForce json.RawMessage) string {
	path := k.pathInFile()
	if k.whole {
		path = path[:1]
		raw, _, _ = f.doc.Get(path...) // as the value was
	}
	below := f.below
	if add, ok, err := f.doc.Get("add"); ok && err == nil && len(k.ids) > 0 { // rules that a list can name
		below, _, _ = below.Overlay(fmt.Appendf(nil, `{"add":%s}`, add), f.by)
	}
	alone := string(raw)
	for _, name := range slices.Backward(path) {
		alone = "{" + document.QuoteKey(name) + ":" + alone + "}"
	}
	above, faults, err := below.Overlay([]byte(alone), f.by)
	if err != nil {
		return err.Error()
	}
	if len(faults) > 0 {
		return strings.TrimPrefix(placeInText.ReplaceAllString(faults[0], ""), k.Name+": ")
	}
	same := above.Protocol == below.Protocol && above.Limits == below.Limits &&
		reflect.DeepEqual(above.Options, below.Options)
	switch {
	case document.MeanSame(raw, inForce) || f.Scope != Project || !same: // of a project's programs none is named
		return ""
	case k.Type == "integer" || k.Type == "number":
		return "a project's file can only lower it"
	}
	return "a project's file cannot set it"
}

func (s Stack) FindKey(name string) (Key, error) {
	if i := slices.IndexFunc(s.Keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return s.Keys[i], nil
	}
	names := check.NamesOf(s.Keys, func(k Key) string { return k.Name })
	return Key{}, check.Misusef(check.HintAtNames(name, "", names, "it has "+strings.Join(names, ", ")), "%s has no setting %q", s.Plugin.Name, name)
}
