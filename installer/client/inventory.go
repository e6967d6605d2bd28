package client

// Claude Code's rules:
//   - The value in the highest file wins: managed, local, project, user. Hooks of all files run.
//   - A file that is not plain JSON is ignored. The last of duplicate keys wins.
//   - The same handler in several settings files runs once, in several plugins once for each.
//   - Hooks of managed settings, and of plugins that these enable, obey only managed settings.
//
// Not covered: command-line flags, settings from a server, hooks of a session (/goal, skills), and trust in the directory.

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Inventory is the effective configuration of sessions in a directory.
type Inventory struct {
	Settings []Layer // the highest first: managed, local, project, user
	Plugins  []Switched
	Hooks    []Hook // that run, in order: managed, user, project, local, plugins by ID
	Idle     []Hook // that do not run, with the reason in Never
	Silenced string // the setting that disables hooks, or ""
}

// Switched is a plugin in settings.
type Switched struct {
	Installed
	On      bool   `json:"on"`
	Decides string `json:"decides,omitempty"` // the highest layer that names it
	Says    []Said `json:"says"`              // by layer, the highest first
	Runs    bool   `json:"runs"`
	Place   string `json:"place,omitempty"`
}

// Said is a plugin's value in one layer.
type Said struct {
	Layer string `json:"scope"`
	On    bool   `json:"on"`
	File  string `json:"-"`
}

func (s *Snapshot) Inventory() Inventory {
	i := Inventory{Settings: s.AllLayers(), Plugins: s.SwitchedPlugins()}
	i.collectHooks(i.findSilencer())
	return i
}

// SwitchedPlugins returns the plugins that any settings enable or disable, sorted by ID.
func (s *Snapshot) SwitchedPlugins() (all []Switched) {
	layers := s.AllLayers()
	var ids []string
	for _, l := range layers {
		ids = slices.AppendSeq(ids, maps.Keys(l.switches))
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		found := Switched{Installed: s.Installed(id), Says: []Said{}}
		for _, l := range layers {
			on, says := l.SwitchOf(id)
			if !says {
				continue
			}
			if len(found.Says) == 0 {
				found.On, found.Decides = on, l.Name
			}
			found.Says = append(found.Says, Said{l.Name, on, l.File})
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

// findSilencer returns the setting that disables hooks, and whether it hits managed hooks, too.
func (i Inventory) findSilencer() (why string, hitsManaged bool) {
	if raw, from := rawMember(i.Settings, "disableAllHooks"); as[bool](raw) {
		return "disableAllHooks in " + from + " settings", from == Managed
	}
	if raw, from := rawMember(i.Settings, "allowManagedHooksOnly"); from == Managed && as[bool](raw) {
		return "allowManagedHooksOnly in managed settings", false
	}
	return "", false
}

// collectHooks sets i.Silenced, i.Hooks and i.Idle. i.Settings and i.Plugins are set before. If whySilenced is "", no
// hook is silenced.
func (i *Inventory) collectHooks(whySilenced string, managedToo bool) {
	i.Silenced = whySilenced
	add := func(managed bool, hooks []Hook) {
		for _, h := range hooks {
			if h.Never == "" && (!managed || managedToo) {
				h.Never = whySilenced
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
			found, _ := turnEdgeHooks(l.fields["hooks"], l.Name+" settings", l.File) // invalid parts are dropped
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

// OursAtStop returns the running springfield plugins that decide at Stop.
func (i Inventory) OursAtStop() (running []Switched) {
	return i.oursRunning(func(s Switched, h Hook) bool { return s.IsOursAtStop() && h.Event == "Stop" })
}

func (i Inventory) OursNotAtStop() (running []Switched) {
	return i.oursRunning(func(s Switched, h Hook) bool { return s.IsOurs() && !s.IsOursAtStop() })
}

func (i Inventory) oursRunning(meant func(Switched, Hook) bool) []Switched {
	return slices.DeleteFunc(slices.Clone(i.Plugins), func(s Switched) bool {
		runs := func(h Hook) bool { return h.Source == s.ID && h.ours && meant(s, h) }
		return !s.Runs || !slices.ContainsFunc(i.Hooks, runs)
	})
}

// BlockCap is the variable for the number of blocks in a row that Claude Code honours with no tool call in
// between. Beyond it the turn ends silently.
const (
	BlockCap        = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	BlockCapDefault = 8
)

// BlockLimit returns how many blocks in a row Claude Code honours, from BlockCap in layers' env or the default. It is
// very large if the variable is 0 or less.
func BlockLimit(layers []Layer) int {
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
