package hosts

// Plugins as Copilot CLI and Droid list them in their settings, as Claude Code does:
// extraKnownMarketplaces has the directories, enabledPlugins what is on.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

// listed are the plugins that a settings file names and whose marketplace is a directory,
// each where it lies there.
func listed(path string, scope client.Scope) ([]Installed, error) {
	file, err := change.Open("", path)
	if err != nil || file.Before == nil {
		return nil, err
	}
	if len(file.Before.Data) > maxRecord {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("larger than 1 MiB")}
	}
	settings, err := document.Parse(file.Before.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	dirs := map[string]string{}
	for _, m := range settings.Members("extraKnownMarketplaces") {
		var is struct{ Source struct{ Path string } }
		if json.Unmarshal(m.Value, &is) == nil && filepath.IsAbs(is.Source.Path) {
			dirs[m.Key] = filepath.Clean(is.Source.Path)
		}
	}
	all := map[string]Installed{}
	for _, m := range settings.Members("enabledPlugins") {
		name, market, _ := strings.Cut(m.Key, "@")
		if suite := dirs[market]; suite != "" && filepath.IsLocal(name) {
			dir := filepath.Join(suite, name)
			all[m.Key] = Installed{ID: m.Key, Name: name, Suite: suite, Dir: dir, Version: manifestVersion(dir), On: string(m.Value) == "true", Scope: scope}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Installed) int { return strings.Compare(a.ID, b.ID) }), nil
}

// manifestVersion is what a plugin's plugin.json says, "" if that is not known.
func manifestVersion(dir string) string {
	var manifest struct{ Version string }
	_ = readRecord(filepath.Join(dir, ".claude-plugin", "plugin.json"), &manifest)
	return manifest.Version
}
