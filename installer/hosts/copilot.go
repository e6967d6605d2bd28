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

// copilotHost is GitHub Copilot CLI. Each file of its hooks directory counts; one is springfield's.
func copilotHost() Host {
	return hookHost(copilotInstalled, Host{
		Name: "copilot", Title: "GitHub Copilot CLI", Agent: "Copilot",
		Dir: ".copilot", Variable: "COPILOT_HOME", SettingsFile: "settings.json",
		Traces: []string{"config.json", "session-state", "logs"},
		EntryIn: func(at Place, _ string) (string, []string) {
			return filepath.Join(at.Dir, "hooks", "springfield.json"), []string{"hooks"}
		},
		Entries: func(r Request) ([]document.Edit, error) {
			edits, err := hookEdits(r)
			return append([]document.Edit{{Path: []string{"version"}, Value: json.RawMessage("1")}}, edits...), err
		},
		Remove: "plugin uninstall %s",
	})
}

// readSettings are the user's settings, which may have comments.
func readSettings(at Place) (*document.Document, error) {
	return readDocument("", at.SettingsFile(), document.ParseCommented)
}

// copilotFile is a settings file that Copilot takes plugins from.
type copilotFile struct {
	scope    client.Scope
	in, path string
}

// maxPlugins is how many plugins of one settings file are looked at, which may be a project's.
const maxPlugins = 200

// readPlugins are the plugins that a settings file names, in their order.
func (f copilotFile) readPlugins(at Place) (all []Installed, err error) {
	doc, err := readDocument(f.in, f.path, document.ParseCommented)
	if err != nil {
		return nil, err
	}
	for n, m := range doc.Members("enabledPlugins") {
		if n == maxPlugins {
			break
		}
		name, market, full := strings.Cut(m.Key, "@")
		if !full || !isPathPart(name) || !isPathPart(market) {
			continue
		}
		i := Installed{ID: m.Key, Name: name, On: string(m.Value) == "true", Scope: f.scope, Dir: filepath.Join(at.Dir, "installed-plugins", market, name)}
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

// copilotInstalled are the plugins of the user's settings and, in a directory that is
// trusted, of the project's. A project's settings that cannot be read are as good as none.
func copilotInstalled(at Place) ([]Installed, error) {
	all, err := copilotFile{client.User, "", at.SettingsFile()}.readPlugins(at)
	if !copilotTrusts(at) {
		return all, err
	}
	for _, f := range []copilotFile{ // the lowest first; two of them are Claude Code's
		{client.Project, at.Root, filepath.Join(at.Root, ".github", "copilot", "settings.json")},
		{client.Project, at.Root, filepath.Join(at.Root, ".claude", "settings.json")},
		{client.Local, at.Root, filepath.Join(at.Root, ".claude", "settings.local.json")},
	} {
		more, _ := f.readPlugins(at)
		for _, i := range more {
			known := slices.IndexFunc(all, func(other Installed) bool { return other.ID == i.ID })
			if known < 0 {
				all = append(all, i)
				continue
			}
			all[known].On = i.On // the project's word is the last
		}
	}
	return all, err
}

// copilotTrusts tells whether the user has told Copilot to trust the directory for good.
func copilotTrusts(at Place) bool {
	doc, err := readDocument("", filepath.Join(at.Dir, "config.json"), document.ParseCommented)
	var config struct{ TrustedFolders []string }
	return err == nil && doc.Decode(&config) == nil && slices.ContainsFunc(config.TrustedFolders, func(dir string) bool { return rooted.HoldsPath(dir, at.Work) })
}
