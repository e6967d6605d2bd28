package client

// What is in effect for sessions that start in a directory.
//
// The rules are Claude Code's:
//   - a value in a higher file wins: managed > local > project > user; hooks of
//     all files run; two scopes that share a file are one;
//   - a file that is not plain JSON is ignored as a whole; of a key given
//     twice the last one counts;
//   - the same handler in several settings files runs once, in several plugins
//     once for each;
//   - managed settings, and plugins that they switch on, obey only managed
//     settings.
//
// Not seen from here: what the command line adds (--settings, --plugin-dir),
// settings from a server or a device profile, hooks of a session (/goal, skills),
// plugins in the configuration directory's skills, and whether the directory is trusted.

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Inventory is what is in effect.
type Inventory struct {
	Settings []Layer    // the highest first: managed, local, project, user
	Plugins  []Switched // every plugin that a layer names, by ID
	Hooks    []Hook     // what runs, in order: managed, user, project, local, plugins by ID
	Idle     []Hook     // what does not run although its file is in effect; Never says why
	Silenced string     // what keeps hooks from running and where it is set, "" if nothing does
}

// Switched is a plugin and what settings say of it; status --json prints it.
type Switched struct {
	Installed
	On      bool   `json:"on"`
	Decides string `json:"decides,omitempty"` // the layer that has the last word
	Says    []Said `json:"says"`              // all that name it, the highest first
	Runs    bool   `json:"runs"`              // Claude Code would load it
	Place   string `json:"place,omitempty"`   // marketplace or cache
}

// Said is what one layer says of a plugin; status --json prints it.
type Said struct {
	Layer string `json:"scope"`
	On    bool   `json:"on"`
}

// Inventory finds out what is in effect. What is broken, or cannot be read, is part of
// the answer.
func (s *Snapshot) Inventory() Inventory {
	i := Inventory{Settings: s.AllLayers(), Plugins: s.AllPlugins()}
	silencesManaged := false
	i.Silenced, silencesManaged = i.whatSilences()
	i.sortHooks(silencesManaged)
	return i
}

// AllPlugins lists every plugin and the layer that decides about it.
func (s *Snapshot) AllPlugins() []Switched {
	layers := s.AllLayers()
	var ids []string
	for _, l := range layers {
		ids = slices.AppendSeq(ids, maps.Keys(l.switches))
	}
	slices.Sort(ids)
	var all []Switched
	for _, id := range slices.Compact(ids) {
		found := Switched{Installed: s.Installed(id), Says: []Said{}}
		for _, l := range layers {
			on, says := l.SaysOf(id)
			if !says {
				continue
			}
			if len(found.Says) == 0 {
				found.On, found.Decides = on, l.Name
			}
			found.Says = append(found.Says, Said{l.Name, on})
		}
		switch found.Runs = found.On && found.Problem == ""; {
		case found.InPlace:
			found.Place = "marketplace"
		case found.Dir != "":
			found.Place = "cache"
		}
		all = append(all, found)
	}
	return all
}

// whatSilences is what keeps hooks from running, "" for nothing; managed: those of managed settings, too.
func (i Inventory) whatSilences() (why string, managed bool) {
	if raw, l, ok := i.findMember("disableAllHooks"); ok && as[bool](raw) {
		return "disableAllHooks in " + l.sourceInWords(), l.Name == Managed
	}
	for _, l := range i.Settings {
		if raw, ok := l.fields["allowManagedHooksOnly"]; ok && l.Name == Managed {
			if as[bool](raw) {
				return "allowManagedHooksOnly in managed settings", false
			}
			break
		}
	}
	return "", false
}

func (i Inventory) findMember(key string) (json.RawMessage, Layer, bool) {
	for _, l := range i.Settings {
		if raw, ok := l.fields[key]; ok {
			return raw, l, true
		}
	}
	return nil, Layer{}, false
}

// sortHooks sorts all declared hooks into those that run and those that do not.
func (i *Inventory) sortHooks(silencesManaged bool) {
	add := func(managed bool, hooks []Hook) {
		for _, h := range hooks {
			if h.Never == "" && (!managed || silencesManaged) {
				h.Never = i.Silenced
			}
			if h.Never != "" {
				i.Idle = append(i.Idle, h)
			} else {
				i.Hooks = append(i.Hooks, h)
			}
		}
	}
	var declared []Hook
	for _, name := range []string{Managed, string(User), string(Project), string(Local)} {
		for _, l := range i.Settings {
			if l.Name != name {
				continue
			}
			found, _ := hooksIn(l.fields["hooks"], l.sourceInWords(), l.File) // parts that do not fit are dropped
			found = slices.DeleteFunc(found, func(h Hook) bool { return slices.ContainsFunc(declared, h.isSameHook) })
			declared = append(declared, found...)
			add(name == Managed, found)
		}
	}
	for _, s := range i.Plugins {
		if s.Runs {
			add(s.Decides == Managed, s.Hooks)
		}
	}
}

// Drivers lists the springfield plugins that decide at Stop: those of whose
// Stop hooks one runs.
func (i Inventory) Drivers() []Switched {
	return i.pluginsRunning(func(s Switched, h Hook) bool { return s.DrivesStop() && h.Event == "Stop" })
}

// BesideStop lists the springfield plugins that run and decide nothing at Stop.
func (i Inventory) BesideStop() []Switched {
	return i.pluginsRunning(func(s Switched, h Hook) bool { return s.IsOurs() && !s.DrivesStop() })
}

// pluginsRunning lists the plugins of whose own hooks one runs that is meant.
func (i Inventory) pluginsRunning(meant func(Switched, Hook) bool) []Switched {
	return slices.DeleteFunc(slices.Clone(i.Plugins), func(s Switched) bool {
		runs := func(h Hook) bool { return h.Source == s.ID && h.startsOurHook() && meant(s, h) }
		return !s.Runs || !slices.ContainsFunc(i.Hooks, runs)
	})
}

// ChosenModel is the model that settings choose, and the layer that it comes from; ""
// if they leave it to Claude Code.
func (i Inventory) ChosenModel() (model, from string) {
	raw, layer, ok := i.findMember("model")
	if !ok {
		return "", ""
	}
	return as[string](raw), layer.Name
}

// BlockCap is how many blocks in a row, without a tool call between them, Claude Code
// honours: the name of the variable that sets it. When it has had enough it ends the
// turn without a word.
const (
	BlockCap        = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	BlockCapDefault = 8
)

// Honoured is how many blocks in a row Claude Code honours by the settings of layers.
func Honoured(layers []Layer) int {
	const unlimited = 1 << 30
	value, _, found := VariableIn(layers, BlockCap)
	n, err := strconv.Atoi(strings.TrimSpace(value))
	switch {
	case !found || err != nil:
		return BlockCapDefault
	case n <= 0:
		return unlimited
	}
	return n
}
