package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// copilotHost is GitHub Copilot CLI. It runs a plugin where it lies, and its commands do
// nothing but write settings.json again, so the entries are all that is needed.
func copilotHost() Host {
	return Host{
		Name: "copilot", Title: "GitHub Copilot CLI", Agent: "Copilot",
		Dir: ".copilot", Variable: "COPILOT_HOME",
		Traces: []string{"config.json", "session-state", "logs"},
		Settings: Settings{
			File: "settings.json",
			Entries: func(_ context.Context, r Request) ([]document.Edit, error) {
				return marketplaceEdits(r, r.Plugin.Marketplace, "directory")
			},
			Off:   switchedOff,
			Parse: parseCommented,
		},
		Plugins: Plugins{Needs: []string{".github/plugin/plugin.json", "hooks/shell.json"}, Installed: copilotInstalled},
	}
}

// marketplaceEdits are the members of settings.json that name the suite as a marketplace, from a
// source that is a directory, and have the plugin on. Another marketplace of that name is
// not taken over.
func marketplaceEdits(r Request, name, directory string) ([]document.Edit, error) {
	settings, err := readSettings(r.At)
	if err != nil {
		return nil, err
	}
	raw, found, err := settings.Get("extraKnownMarketplaces", name)
	if err != nil {
		return nil, err
	}
	var known struct{ Source struct{ Source, Path string } }
	if found && json.Unmarshal(raw, &known) == nil && known.Source.Source != "" {
		path := known.Source.Path
		_, err := os.Stat(path)
		if !filepath.IsAbs(path) || !rooted.IsSame(path, r.Plugin.Suite) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has another marketplace %q in %s: remove it there first, or give this suite another name", r.At.Host.Title, name, r.At.SettingsFile())
		}
	}
	source, err := document.EncodeValue(map[string]string{"source": directory, "path": r.Plugin.Suite})
	return []document.Edit{
		{Path: []string{"extraKnownMarketplaces", name, "source"}, Value: source},
		{Path: []string{"enabledPlugins", r.At.Host.NameOf(r.Plugin)}, Value: json.RawMessage("true")},
	}, err
}

// readSettings are the user's settings, which may have comments.
func readSettings(at Place) (*document.Document, error) {
	return readDocument("", at.SettingsFile(), document.ParseCommented)
}

// switchedOff has a plugin off; its marketplace may have others.
func switchedOff(r Request) ([]document.Edit, error) {
	return []document.Edit{{Path: []string{"enabledPlugins", r.ID}}}, nil
}

// copilotFile is a settings file that Copilot takes plugins from.
type copilotFile struct {
	scope    client.Scope
	in, path string
}

// copilotFiles are the user's settings and those of the project, the lowest first. The
// project's count in a directory that the user trusts; two of them are Claude Code's.
func copilotFiles(at Place) []copilotFile {
	return []copilotFile{
		{client.User, "", at.SettingsFile()},
		{client.Project, at.Root, filepath.Join(at.Root, ".github", "copilot", "settings.json")},
		{client.Project, at.Root, filepath.Join(at.Root, ".claude", "settings.json")},
		{client.Local, at.Root, filepath.Join(at.Root, ".claude", "settings.local.json")},
	}
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

func isPathPart(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\`)
}

// pluginVersion is the version in a plugin's manifest, "" if there is none.
func pluginVersion(dir, manifests string) string {
	var manifest struct{ Version string }
	if readRecord(filepath.Join(dir, manifests, "plugin.json"), &manifest) != nil {
		return ""
	}
	return manifest.Version
}

// copilotInstalled are the plugins of the user's settings and, in a directory that is
// trusted, of the project's. A project's settings that cannot be read are as good as none.
func copilotInstalled(at Place) ([]Installed, error) {
	files := copilotFiles(at)
	if !copilotTrusts(at) {
		files = files[:1]
	}
	all, err := files[0].readPlugins(at)
	for _, f := range files[1:] {
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
