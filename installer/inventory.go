package installer

// What is in effect for sessions that start in a directory.
//
// The rules are Claude Code's:
//   - a value in a higher file wins: managed > local > project > user; hooks of
//     all files run; two scopes that share a file are one;
//   - a file that is not plain JSON is passed over as a whole; of a key given
//     twice the last one counts;
//   - the same handler in several settings files runs once, in several plugins
//     once for each;
//   - managed settings, and plugins that they switch on, obey only managed
//     settings.
//
// Not seen from here: what the command line adds (--settings, --plugin-dir),
// settings from a server or a device profile, hooks of a session (/goal, skills),
// and whether the directory is trusted.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/document"
)

// Inventory is what is in effect.
type Inventory struct {
	Settings []Layer    // the highest first: managed, local, project, user
	Plugins  []Switched // every plugin that a layer names or that loads on its own, by ID
	Hooks    []Hook     // what runs, in order: managed, user, project, local, plugins by ID
	Idle     []Hook     // what does not run although its file is in effect; Never says why
	Silenced string     // what keeps hooks from running and where it is set, "" if nothing does
}

// Layer is one settings file.
type Layer struct {
	Name    string // "managed", "local", "project" or "user"
	File    string
	Exists  bool
	Problem string // why Claude Code passes it over, "" if it does not

	path    string // File, every symbolic link followed
	fields  map[string]json.RawMessage
	plugins map[string]json.RawMessage // what its enabledPlugins say
	doc     *document.Document         // nil if there is a Problem
}

// Switched is a plugin and what settings say of it.
type Switched struct {
	Installed
	On      bool
	Decides string // the layer that has the last word, "" if the plugin loads on its own
	Says    []Said // all that name it, the highest first
}

// Said is what one layer says of a plugin.
type Said struct {
	Layer string
	On    bool
}

// Runs tells whether Claude Code would load the plugin.
func (s Switched) Runs() bool { return s.On && s.Problem == "" }

// Inventory finds out what is in effect. What is broken is part of the answer;
// the error is about a directory that cannot be read at all.
func (p Places) Inventory() (Inventory, error) {
	layers, err := p.readLayers()
	if err != nil {
		return Inventory{}, fmt.Errorf("read settings: %w", err)
	}
	skills, err := p.skills()
	if err != nil {
		return Inventory{}, fmt.Errorf("read skills: %w", err)
	}
	i := Inventory{Settings: layers}
	i.Plugins = i.switched(p, skills)
	gag := i.gag()
	i.Silenced = gag.why
	i.hooks(gag)
	return i, nil
}

// readLayers reads every settings file, the highest first.
func (p Places) readLayers() ([]Layer, error) {
	var all []Layer // the lowest first, as the lowest scope is the one that has a shared file
	add := func(name, path string) {
		l := readLayer(name, path)
		if !slices.ContainsFunc(all, func(other Layer) bool { return other.path == l.path }) {
			all = append(all, l)
		}
	}
	for _, scope := range Scopes() {
		path, err := p.Settings(scope)
		if err != nil {
			return nil, err
		}
		add(string(scope), path)
	}
	for _, path := range p.managedFiles() {
		add("managed", path)
	}
	slices.Reverse(all)
	return all, nil
}

func readLayer(name, path string) Layer {
	l := Layer{Name: name, File: path, path: path}
	file, err := Open(path)
	if err != nil {
		var bare *fs.PathError
		l.Exists, l.Problem = true, err.Error()
		if errors.As(err, &bare) {
			l.Problem = bare.Err.Error()
		}
		return l
	}
	l.path, l.Exists = file.Path, file.Exists
	doc, err := document.Parse(file.Data)
	if err != nil {
		l.Problem = err.Error()
		return l
	}
	l.doc = doc
	l.take(doc.Fields())
	return l
}

// says is what a layer says of a plugin. Anything but false switches it on, as
// an array of versions does.
func (l Layer) says(id string) (on, says bool) {
	raw, says := l.plugins[id]
	return says && string(raw) != "false", says
}

// source is the layer in a hook's words.
func (l Layer) source() string { return l.Name + " settings" }

// skills finds the plugins in the configuration directory's skills, which load
// without being named anywhere: ID to directory. The name is the one in their
// plugin.json, whatever the directory is called.
func (p Places) skills() (map[string]string, error) {
	around := filepath.Join(p.Config, "skills")
	entries, err := os.ReadDir(around)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	dirs := map[string]string{}
	for _, e := range entries { // sorted, so that of two with one name the first counts
		dir := filepath.Join(around, e.Name())
		fields, _, err := readObject(dir, ".claude-plugin/plugin.json")
		if err != nil {
			continue
		}
		name := stringIn(fields["name"])
		if name == "" {
			name = e.Name()
		}
		id := name + "@" + skillsDir
		if _, twice := dirs[id]; !twice && isID.MatchString(id) {
			dirs[id] = dir
		}
	}
	return dirs, nil
}

// switched lists every plugin and who decides about it.
func (i Inventory) switched(p Places, skills map[string]string) []Switched {
	ids := slices.Collect(maps.Keys(skills))
	for _, l := range i.Settings {
		for id := range l.plugins {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var all []Switched
	for n, installed := range p.InstalledAll(ids) {
		s := Switched{Installed: installed}
		_, loads := skills[ids[n]]
		s.On = loads && !installed.optional
		for _, l := range i.Settings {
			on, says := l.says(ids[n])
			if !says {
				continue
			}
			if len(s.Says) == 0 {
				s.On, s.Decides = on, l.Name
			}
			s.Says = append(s.Says, Said{l.Name, on})
		}
		all = append(all, s)
	}
	return all
}

// gag is what keeps hooks from running.
type gag struct {
	why     string // "" for none
	managed bool   // those of managed settings too
}

func (i Inventory) gag() gag {
	if raw, l, ok := i.find("disableAllHooks"); ok && isTrue(raw) {
		return gag{"disableAllHooks in " + l.source(), l.Name == "managed"}
	}
	for _, l := range i.Settings {
		if raw, ok := l.fields["allowManagedHooksOnly"]; ok && l.Name == "managed" {
			if isTrue(raw) {
				return gag{"allowManagedHooksOnly in managed settings", false}
			}
			break
		}
	}
	return gag{}
}

// find looks a member up in the highest layer that has it.
func (i Inventory) find(key string) (json.RawMessage, Layer, bool) {
	for _, l := range i.Settings {
		if raw, ok := l.fields[key]; ok {
			return raw, l, true
		}
	}
	return nil, Layer{}, false
}

// hooks sorts all declared hooks into those that run and those that do not.
func (i *Inventory) hooks(g gag) {
	add := func(managed bool, hooks []Hook) {
		for _, h := range hooks {
			if h.Never == "" && g.why != "" && (!managed || g.managed) {
				h.Never = g.why
			}
			if h.Never != "" {
				i.Idle = append(i.Idle, h)
			} else {
				i.Hooks = append(i.Hooks, h)
			}
		}
	}
	var declared []Hook
	for _, name := range []string{"managed", "user", "project", "local"} {
		for _, l := range i.Settings {
			if l.Name != name {
				continue
			}
			found, _ := hooksIn(l.fields["hooks"], l.source(), l.File) // parts that do not fit are dropped
			found = slices.DeleteFunc(found, func(h Hook) bool { return slices.ContainsFunc(declared, h.is) })
			declared = append(declared, found...)
			add(name == "managed", found)
		}
	}
	for _, s := range i.Plugins {
		if s.Runs() {
			add(s.Decides == "managed", s.Hooks)
		}
	}
}

// Plugin looks a plugin up.
func (i Inventory) Plugin(id string) (Switched, bool) {
	for _, s := range i.Plugins {
		if s.ID == id {
			return s, true
		}
	}
	return Switched{}, false
}

// Drivers lists the springfield plugins that decide at Stop: those of whose
// Stop hooks one runs.
func (i Inventory) Drivers() []Switched {
	return i.running(func(s Switched, h Hook) bool { return s.Drives() && h.Event == "Stop" })
}

// Beside lists the springfield plugins that run and decide nothing at Stop.
func (i Inventory) Beside() []Switched {
	return i.running(func(s Switched, h Hook) bool { return s.Ours() && !s.Drives() })
}

// running lists the plugins of whose own hooks one runs that is meant.
func (i Inventory) running(meant func(Switched, Hook) bool) (all []Switched) {
	for _, s := range i.Plugins {
		if s.Runs() && slices.ContainsFunc(i.Hooks, func(h Hook) bool { return h.Source == s.ID && h.isOurs() && meant(s, h) }) {
			all = append(all, s)
		}
	}
	return all
}

// Env is a variable that settings set for Claude Code and for hooks, and the
// layer that it comes from.
func (i Inventory) Env(name string) (value, from string, ok bool) { return envIn(i.Settings, name) }
