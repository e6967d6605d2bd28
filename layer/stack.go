package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
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

// Scopes lists them, lowest first.
func Scopes() []Scope { return []Scope{Suite, User, Project} }

// File is a file of settings.
type File struct {
	Scope Scope  `json:"scope"`
	Path  string `json:"path"`
	There bool   `json:"exists"`
	// Fault is why nothing of the file is in force, "" if it can be read.
	Fault string `json:"fault,omitempty"`
	err   error  // the Fault
	edit  change.Edit
	doc   *document.Document
}

// Stack is a plugin's settings, with the files that they come from.
type Stack struct {
	Plugin Plugin
	Keys   []Key
	Files  []File // lowest first
}

// Read reads a plugin's files, as they are for a session that starts in places.Work.
func Read(places client.Places, p Plugin) (Stack, error) {
	keys, err := Keys(p.Strategy)
	if err != nil {
		return Stack{}, err
	}
	s := Stack{Plugin: p, Keys: keys}
	if p.Root != "" {
		s.Files = append(s.Files, read(Suite, filepath.Dir(p.Root), filepath.Join(p.Root, "strategy.json")))
	}
	s.Files = append(s.Files, read(User, "", places.RulesFile(p.Name)))
	project := filepath.Join(places.Work, ".claude", "springfield", p.Name+".json")
	if !folder.Same(filepath.Join(places.Work, ".claude"), places.Config) { // in the home they are one file
		s.Files = append(s.Files, read(Project, places.Work, project))
	}
	return s, nil
}

func read(scope Scope, in, path string) File {
	f := File{Scope: scope, Path: path}
	var data []byte
	var err error
	if f.edit, err = change.Open(in, path); err == nil {
		if f.There = f.edit.Before != nil; f.There {
			data = f.edit.Before.Data
		}
		f.doc, err = document.Parse(data)
	}
	if err != nil {
		f.Fault, f.err = says(err), err
	}
	return f
}

// says is an error without the path, which stands beside it.
func says(err error) string {
	if named := (*fs.PathError)(nil); errors.As(err, &named) {
		return named.Err.Error()
	}
	return err.Error()
}

// data is what the hook reads of the file.
func (f File) data() []byte {
	if !f.There {
		return []byte("{}")
	}
	return f.edit.Before.Data
}

func (f File) writer() strategy.Writer {
	return map[Scope]strategy.Writer{Suite: strategy.Author, User: strategy.User, Project: strategy.Project}[f.Scope]
}

// below are the settings in force below a file, and whether there is such a file.
func (s Stack) below(scope Scope) hook.Settings {
	settings := hook.Unplugged(s.Plugin.Strategy, "", "")
	for _, f := range s.Files {
		if f.Scope == scope {
			break
		}
		if f.Fault == "" {
			settings, _ = settings.Layered(f.data(), f.writer())
		}
	}
	return settings
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

// Values are all settings.
func (s Stack) Values() []Value {
	var all []Value
	for _, k := range s.Keys {
		all = append(all, s.Value(k))
	}
	return all
}

// Value is one setting.
func (s Stack) Value(k Key) Value {
	v := Value{Key: k, Value: k.Default, From: "default", Said: []Said{}}
	for _, f := range s.Files {
		if f.doc == nil {
			continue
		}
		raw, ok, err := f.doc.Get(k.path()...)
		if err != nil { // a key on the way is there twice
			v.Said = append(v.Said, Said{Scope: f.Scope, Value: json.RawMessage("null"), Why: err.Error()})
			continue
		}
		if !ok {
			continue
		}
		said := Said{Scope: f.Scope, Value: raw, Why: s.ignored(f, k, raw, v.Value)}
		if said.InForce = said.Why == ""; said.InForce {
			v.Value, v.From = k.over(v.Value, raw), string(f.Scope)
		}
		v.Said = append(v.Said, said)
	}
	return v
}

// over is what is in force of a value over another one: of lists of rules both are.
func (k Key) over(below, raw json.RawMessage) json.RawMessage {
	var under, list []json.RawMessage
	if k.Name != "add" && k.Name != "off" || json.Unmarshal(below, &under) != nil || json.Unmarshal(raw, &list) != nil {
		return raw
	}
	for _, value := range under {
		if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return document.Same(value, other) }) {
			list = append(list, value)
		}
	}
	both, err := document.Encode(list)
	if err != nil {
		return raw
	}
	return both
}

// ignored is why a value in a file is not in force, "" if it is.
func (s Stack) ignored(f File, k Key, raw, inForce json.RawMessage) string {
	below := s.below(f.Scope)
	if _, faults := below.Layered(f.data(), f.writer()); len(faults) > 0 && strings.HasPrefix(faults[0], "line ") {
		return "the file cannot be read: " + faults[0] // nothing of it is in force
	}
	return s.refused(f, f.doc, k, inForce)
}

// refused is why the hook takes a value of a document, given to it alone, not from a
// file; "" if it does.
func (s Stack) refused(f File, d *document.Document, k Key, inForce json.RawMessage) string {
	path := k.path()
	if k.whole {
		path = path[:1]
	}
	raw, _, err := d.Get(path...)
	if err != nil {
		return err.Error()
	}
	below := s.below(f.Scope)
	above, faults := below.Layered(alone(path, raw), f.writer())
	switch {
	case len(faults) > 0:
		return strings.TrimPrefix(faults[0], k.Name+": ")
	case document.Same(raw, inForce) || f.Scope != Project || !equal(below, above):
		return ""
	case k.Type == "integer" || k.Type == "number":
		return "a project's file can only lower it"
	}
	return "a project's file cannot set it"
}

// alone is a file that says nothing but one value.
func alone(path []string, raw json.RawMessage) []byte {
	text := string(raw)
	for _, name := range slices.Backward(path) {
		text = "{" + document.Quote(name) + ":" + text + "}"
	}
	return []byte(text)
}

// equal tells whether the same is in force.
func equal(a, b hook.Settings) bool {
	return a.Protocol == b.Protocol && a.Limits == b.Limits && same(reflect.ValueOf(a.Progress), reflect.ValueOf(b.Progress)) &&
		same(reflect.ValueOf(a.Options), reflect.ValueOf(b.Options))
}

// same compares settings in depth; functions, which no file brings, are left out.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Func:
		return true
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// Key finds a setting by its name.
func (s Stack) Key(name string) (Key, error) {
	var names []string
	hint := ""
	for _, k := range s.Keys {
		if k.Name == name {
			return k, nil
		}
		if names = append(names, k.Name); strings.HasSuffix(k.Name, "."+name) {
			hint = "it is called " + k.Name
		}
	}
	if hint == "" {
		hint = "it has " + strings.Join(names, ", ")
	}
	return Key{}, &UsageError{fmt.Sprintf("%s has no setting %q", s.Plugin.Name, name), hint}
}
