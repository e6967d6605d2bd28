package hosts

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

// droidHost is Droid. A marketplace that is a directory is called after that directory. Its
// commands write settings.json again.
func droidHost() Host {
	return Host{
		Name: "droid", Title: "Droid", Agent: "Droid",
		Dir: ".factory", Variable: "FACTORY_HOME_OVERRIDE", Above: true,
		Traces: []string{"sessions", "auth.json", "host.json"},
		Settings: Settings{
			File: "settings.json", HooksOff: "hooks.hooksDisabled=true",
			Entries: func(_ context.Context, r Request) ([]document.Edit, error) {
				return marketplaceEdits(r, filepath.Base(r.Plugin.Suite), "local")
			},
			Off:   switchedOff,
			Parse: parseCommented,
		},
		Plugins: Plugins{
			ID:      droidID,
			Install: droidInstall,
			Remove: func(r Request) [][]string {
				return [][]string{{"plugin", "uninstall", r.ID, "--scope", "user"}}
			},
			Forget: func(r Request) [][]string {
				return [][]string{{"plugin", "marketplace", "remove", filepath.Base(r.Plugin.Suite)}}
			},
			Writes: func(r Request) map[string]string {
				return map[string]string{"enabledPlugins": r.ID, "extraKnownMarketplaces": filepath.Base(r.Plugin.Suite)}
			},
			Needs:     []string{"hooks/shell.json"}, // not read by Droid; each suite whose hook knows Droid has it
			Installed: droidInstalled,
		},
		Check: checkSwitches,
	}
}

// droidInstall has a plugin installed. Droid refuses a marketplace that it knows, and one
// that has moved keeps its name from the new place.
func droidInstall(r Request) (commands [][]string) {
	name := filepath.Base(r.Plugin.Suite)
	suites, _ := droidSuites(r.At) // else Droid says so itself
	known, isKnown := suites[name]
	if _, err := os.Stat(known); isKnown && os.IsNotExist(err) {
		commands, isKnown = append(commands, []string{"plugin", "marketplace", "remove", name}), false
	}
	if !isKnown || filepath.Clean(known) != filepath.Clean(r.Plugin.Suite) {
		commands = append(commands, []string{"plugin", "marketplace", "add", r.Plugin.Suite})
	}
	return append(commands, []string{"plugin", "install", droidID(r.Plugin), "--scope", "user"})
}

func droidID(p client.Plugin) string { return p.Name + "@" + filepath.Base(p.Suite) }

// maxRecords is how many of Droid's records are read. It has one for each plugin and one
// for each marketplace.
const maxRecords = 256

func droidRecords(at Place, kind string, read func(path string)) error {
	dir := filepath.Join(at.Dir, "plugins", kind)
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	for i, entry := range entries {
		if i != maxRecords && filepath.Ext(entry.Name()) == ".json" {
			read(filepath.Join(dir, entry.Name()))
		}
	}
	return err
}

// droidSuites are the marketplaces on Droid's record that are directories, by name.
func droidSuites(at Place) (map[string]string, error) {
	suites := map[string]string{}
	err := droidRecords(at, "known_marketplaces", func(path string) {
		var r struct {
			Name  string
			Entry struct {
				Source struct{ Source, Path string }
			}
		}
		if readRecord(path, &r) == nil && r.Entry.Source.Source == "local" {
			suites[r.Name] = r.Entry.Source.Path
		}
	})
	return suites, err
}

// droidInstalled are the plugins on Droid's record that the user has installed.
func droidInstalled(at Place) (all []Installed, err error) {
	settings, err := readSettings(at)
	if err != nil {
		return nil, err
	}
	suites, err := droidSuites(at)
	if err != nil {
		return nil, err
	}
	err = droidRecords(at, "installed_plugins", func(path string) {
		var r struct {
			PluginID string `json:"pluginId"`
			Entry    struct{ Scope, InstallPath, Source string }
		}
		if readRecord(path, &r) != nil || r.Entry.Scope != string(client.User) || !filepath.IsAbs(r.Entry.InstallPath) {
			return
		}
		i := Installed{ID: r.PluginID, Suite: suites[r.Entry.Source], Dir: r.Entry.InstallPath, Scope: client.User}
		i.Name, _, _ = strings.Cut(i.ID, "@")
		i.Version = pluginVersion(i.Dir, ".factory-plugin") // as Droid calls .claude-plugin in its copy
		raw, _, _ := settings.Get("enabledPlugins", i.ID)
		i.On = string(raw) == "true"
		all = append(all, i)
	})
	return all, err
}
