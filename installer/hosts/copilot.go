package hosts

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// copilotHost returns Copilot CLI, which reads all files in its hooks directory.
func copilotHost() Host {
	return hookHost(copilotInstalled, Host{
		Name: "copilot", Title: "GitHub Copilot CLI", Agent: "Copilot",
		Dir: ".copilot", Variable: "COPILOT_HOME", SettingsFile: "settings.json",
		Traces: []string{"config.json", "session-state", "logs"},
		EntryIn: func(at Place, _ string) (string, []string) {
			return filepath.Join(at.Dir, "hooks", "springfield.json"), []string{"hooks"}
		},
		Entries: func(r Request) ([]document.Edit, error) {
			edits, err := pluginHookAdditions(r)
			return append([]document.Edit{{Path: []string{"version"}, Value: json.RawMessage("1")}}, edits...), err
		},
		Remove: "plugin uninstall %s",
	})
}

// maxPlugins limits the plugins read from a settings file, which can be a project's.
const maxPlugins = 200

// copilotPlugins returns up to maxPlugins plugins of a file, even disabled ones. Unless root is "", a file outside it
// is an error.
func copilotPlugins(at Place, scope client.Scope, root, settingsFile string) (all []Installed, err error) {
	doc, err := readDocOrEmpty(root, settingsFile, document.ParseCommented)
	if err != nil {
		return nil, err
	}
	members := doc.Members("enabledPlugins")
	for _, m := range members[:min(len(members), maxPlugins)] {
		name, market, full := strings.Cut(m.Key, "@")
		if !full || !isPathPart(name) || !isPathPart(market) {
			continue
		}
		i := Installed{ID: m.Key, Name: name, On: string(m.Value) == "true", Scope: scope, Dir: filepath.Join(at.Dir, "installed-plugins", market, name)}
		var source struct{ Source, Path string }
		if raw, found, err := doc.Get("extraKnownMarketplaces", market, "source"); err == nil && found && json.Unmarshal(raw, &source) == nil &&
			source.Source == "directory" && filepath.IsAbs(source.Path) {
			i.Suite, i.Dir = source.Path, filepath.Join(source.Path, name)
		}
		i.Version = pluginVersion(i.Dir, ".claude-plugin")
		all = append(all, i)
	}
	return all, nil
}

// copilotInstalled returns Copilot's plugins in all settings. It ignores unreadable settings, and project and local
// ones in untrusted directories.
func copilotInstalled(at Place) (oursOrNot []Installed, err error) {
	all, err := copilotPlugins(at, client.User, "", at.SettingsFile())
	if !copilotTrusts(at) {
		return all, err
	}
	for _, f := range []struct { // later files win; two of them are Claude Code's
		scope client.Scope
		path  string
	}{
		{client.Project, filepath.Join(at.Root, ".github", "copilot", "settings.json")},
		{client.Project, filepath.Join(at.Root, ".claude", "settings.json")},
		{client.Local, filepath.Join(at.Root, ".claude", "settings.local.json")},
	} {
		more, _ := copilotPlugins(at, f.scope, at.Root, f.path)
		for _, i := range more {
			known := slices.IndexFunc(all, func(other Installed) bool { return other.ID == i.ID })
			if known >= 0 {
				all[known].On = i.On
			} else {
				all = append(all, i)
			}
		}
	}
	return all, err
}

// copilotTrusts reports whether Copilot permanently trusts the working directory.
func copilotTrusts(at Place) bool {
	doc, err := readDocOrEmpty("", filepath.Join(at.Dir, "config.json"), document.ParseCommented)
	var config struct{ TrustedFolders []string }
	return err == nil && doc.Decode(&config) == nil && slices.ContainsFunc(config.TrustedFolders, func(dir string) bool { return rooted.HoldsPath(dir, at.Work) })
}
