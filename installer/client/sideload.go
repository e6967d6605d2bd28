package client

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Values of Switched.Decides for plugins of no marketplace. They are on unless settings say otherwise.
const (
	PluginDirs = "CLAUDE_CODE_PLUGIN_DIRS" // names them, in the environment or in user settings
	Skills     = "its place in skills"     // of the configuration directory
)

// sideloaded is a plugin of no marketplace.
type sideloaded struct{ dir, by string }

// allSideloaded returns the plugins of no marketplace by ID. One that is named comes before one in skills.
func (s *Snapshot) allSideloaded() map[string]sideloaded {
	all := map[string]sideloaded{}
	add := func(dir, marketplace, by string) {
		manifest, _, err := s.readObject(dir, manifestFile)
		name := cmp.Or(as[string](manifest["name"]), filepath.Base(dir))
		if _, named := all[name+"@inline"]; err == nil && !named {
			all[name+"@"+marketplace] = sideloaded{dir, by}
		}
	}
	dirs, _, found := VariableIn([]Layer{s.userLayer()}, PluginDirs)
	if !found {
		dirs = s.PluginDirs
	}
	for _, dir := range filepath.SplitList(dirs) {
		add(rooted.PathFrom(s.Work, dir), "inline", PluginDirs)
	}
	skills := filepath.Join(s.Config, "skills")
	entries, _ := os.ReadDir(skills)
	for _, e := range entries {
		add(filepath.Join(skills, e.Name()), "skills-dir", Skills)
	}
	return all
}

// HowToUnload returns the step that switches off a plugin of no marketplace, "" for others.
func (s *Snapshot) HowToUnload(p Switched) string {
	switch p.Decides {
	case PluginDirs:
		return "take " + p.Dir + " out of " + PluginDirs
	case Skills:
		return `"enabledPlugins": {"` + p.ID + `": false} in ` + s.Settings(User) + " switches it off"
	}
	return ""
}

// Unswitched returns springfield's plugins that run although no settings switch them on, with the step that ends that.
func (s *Snapshot) Unswitched() (all []Switched, steps []string) {
	for _, p := range s.AllPlugins() {
		if step := s.HowToUnload(p); step != "" && p.IsOurs() {
			all, steps = append(all, p), append(steps, step)
		}
	}
	return all, steps
}
