// Package pluginsettings reads and changes the settings of plugins in three files: strategy.json in the
// plugin, the user's file and the project's. Later files override earlier ones. The hook's own code decides
// which values are in force.
package pluginsettings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/sjson"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Scope is one of the three files.
type Scope string

const (
	Suite   Scope = "suite"   // strategy.json of the plugin, for all users
	User    Scope = "user"    // all sessions
	Project Scope = "project" // sessions in this project, of all its users
)

// AllScopes returns the scopes from lowest to highest precedence.
func AllScopes() []Scope { return []Scope{Suite, User, Project} }

type File struct {
	Scope  Scope    `json:"scope"`
	Path   string   `json:"path"`
	There  bool     `json:"exists"`
	Fault  string   `json:"fault,omitempty"`  // why nothing is in force
	Faults []string `json:"faults,omitempty"` // about parts not in force

	err   error
	edit  journal.Edit
	doc   *document.Document
	data  []byte // that the hook reads
	by    strategy.Writer
	below hook.Settings // of the lower files
}

type Stack struct {
	Plugin hook.Plugin
	Keys   []Key
	Files  []File // the lowest first
}

// ReadStack reads a plugin's settings files in places.Work. Each File contains its errors.
func ReadStack(places client.Places, p hook.Plugin) Stack {
	settings := hook.Plugin{Name: p.Name, Strategy: p.Strategy}.ReadSettings("", "")
	s := Stack{Plugin: p, Keys: KeysOf(p.Strategy)}
	for _, layer := range p.LayerFiles(places.StatePath(), places.Work) {
		f, in := File{Scope: User, Path: layer.Path, by: layer.By}, ""
		switch layer.By {
		case strategy.Author:
			f.Scope, in = Suite, filepath.Dir(p.Root)
		case strategy.Project:
			f.Scope, in = Project, places.Work
		}
		f.edit, f.err = journal.OpenEdit(in, f.Path)
		f.There, f.data = f.edit.Before != nil, f.edit.Before.Bytes()
		if f.err == nil {
			f.doc, f.err = document.ParseDocument(f.data)
		}
		if !f.There {
			f.data = []byte("{}")
		}
		f.below = settings
		err := f.err
		if f.There || err == nil { // the hook's error is better than the editor's
			var whole error
			settings, f.Faults, whole = settings.Overlay(f.data, f.by)
			err = cmp.Or(whole, err)
		}
		if err != nil {
			f.Fault = check.DropPath(err).Error()
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// Value is a setting with its effective value.
type Value struct {
	Key
	Value json.RawMessage `json:"value"`
	From  string          `json:"from"`  // the highest Scope with a value in force, or "default"
	Said  []Said          `json:"files"` // by file, the lowest first
}

// Said is a value in a file.
type Said struct {
	Scope   Scope           `json:"scope"`
	Value   json.RawMessage `json:"value"`
	InForce bool            `json:"in_force"`      // at least a part of a list
	Why     string          `json:"why,omitempty"` // why any part is not in force
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
		case err != nil:
			said.Value, said.Why = json.RawMessage("null"), err.Error()
		case !ok:
			continue
		case said.Why == "":
			taken, said.Why = f.usablePart(k, raw, v.Value)
		}
		if said.InForce = taken != nil; said.InForce {
			v.Value, v.From = k.aboveOrUnion(v.Value, taken), string(f.Scope)
		}
		v.Said = append(v.Said, said)
	}
	return v
}

// aboveOrUnion returns winner over below. Lists of rules are merged.
func (k Key) aboveOrUnion(below, winner json.RawMessage) json.RawMessage {
	var under, list []json.RawMessage
	if k.Name != "add" && k.Name != "off" || json.Unmarshal(below, &under) != nil || json.Unmarshal(winner, &list) != nil {
		return winner
	}
	for _, value := range under {
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return document.MeanSame(value, other) }) {
			list = append(list, value)
		}
	}
	both, _ := document.EncodeValue(list)
	return both
}

// usablePart returns the part of raw the hook accepts, or nil. why is the reason to refuse the rest. valueBelow is from
// lower files. f.doc already contains raw.
func (f File) usablePart(k Key, raw, valueBelow json.RawMessage) (usable json.RawMessage, why string) {
	var list, some []json.RawMessage
	if k.Type != "array" || k.single || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		if why = f.refusal(k, raw, valueBelow); why == "" {
			usable = raw
		}
		return usable, why
	}
	var whys []string
	if k.most > 0 && len(list) > k.most {
		list, whys = list[:k.most], []string{fmt.Sprintf("more than %d", k.most)}
	}
	for i, one := range list {
		alone := fmt.Appendf(nil, "[%s%s]", strings.Repeat("null,", i), one) // nulls are ignored and keep the index
		if why := f.refusal(k, alone, valueBelow); why != "" {
			whys = append(whys, why)
		} else {
			some = append(some, one)
		}
	}
	if some != nil {
		usable, _ = document.EncodeValue(some)
	}
	return usable, strings.Join(slices.Compact(whys), "; ")
}

// placeInText matches the position in a fault, which is not a position in the file.
var placeInText = regexp.MustCompile(`^line \d+, column \d+: `)

// refusal returns why the hook refuses a value, or "". For raw and valueBelow see usablePart.
func (f File) refusal(k Key, raw, valueBelow json.RawMessage) string {
	name := k.Name
	if k.whole {
		name, _, _ = strings.Cut(name, ".")
		raw, _, _ = f.doc.Get(name)
	}
	below := f.below
	if add, ok, err := f.doc.Get("add"); ok && err == nil && len(k.ids) > 0 { // a list may name these rules
		below, _, _ = below.Overlay(fmt.Appendf(nil, `{"add":%s}`, add), f.by)
	}
	alone, err := sjson.SetRawBytes(nil, name, raw)
	if err != nil {
		return err.Error()
	}
	above, faults, err := below.Overlay(alone, f.by)
	if err != nil {
		return err.Error()
	}
	if len(faults) > 0 {
		return strings.TrimPrefix(placeInText.ReplaceAllString(faults[0], ""), k.Name+": ")
	}
	same := above.Protocol == below.Protocol && above.AfterError == below.AfterError && above.Limits == below.Limits &&
		reflect.DeepEqual(above.Options, below.Options)
	switch {
	case document.MeanSame(raw, valueBelow) || f.Scope != Project || !same:
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
	return Key{}, check.Misusef(check.HintAtNames(name, "", names, "choose from "+strings.Join(names, ", ")), "%s has no setting %q", s.Plugin.Name, name)
}
