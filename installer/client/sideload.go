package client

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Values of Switched.Decides for plugins of no marketplace, which are enabled unless settings disable them.
const (
	PluginDirs = "CLAUDE_CODE_PLUGIN_DIRS" // the variable, in the environment or in user settings
	Skills     = "its place in skills"     // a directory in the configuration directory
)

// allSideloaded returns the plugins in CLAUDE_CODE_PLUGIN_DIRS and in skills, by ID, with only Dir, Decides and Unload
// set. CLAUDE_CODE_PLUGIN_DIRS precedes skills.
func (s *Snapshot) allSideloaded() map[string]Switched {
	all := map[string]Switched{}
	add := func(dir, marketplace string) {
		manifest, _, err := s.readObject(dir, manifestFile)
		name := cmp.Or(as[string](manifest["name"]), filepath.Base(dir))
		_, named := all[name+"@inline"]
		switch id := name + "@" + marketplace; {
		case err != nil || named:
		case marketplace == "inline":
			all[id] = Switched{Installed: Installed{Dir: dir}, Decides: PluginDirs, Unload: "remove " + dir + " from " + PluginDirs}
		default:
			off := `add "enabledPlugins": {"` + id + `": false} to ` + s.Settings(User)
			all[id] = Switched{Installed: Installed{Dir: dir}, Decides: Skills, Unload: off}
		}
	}
	dirs, _, found := VariableIn([]Layer{s.userLayer()}, PluginDirs)
	if !found {
		dirs = s.PluginDirs
	}
	for _, dir := range filepath.SplitList(dirs) {
		add(rooted.PathFrom(s.Work, dir), "inline")
	}
	skills := filepath.Join(s.Config, "skills")
	entries, _ := os.ReadDir(skills)
	for _, e := range entries {
		add(filepath.Join(skills, e.Name()), "skills-dir")
	}
	return all
}
