package hosts

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// droidHost returns Droid, which ignores hooks in settings.json if hooks.json exists. If settings.json has hooks,
// springfield does not create hooks.json.
func droidHost() Host {
	return hookHost(droidInstalled, Host{
		Name: "droid", Title: "Droid", Agent: "Droid",
		Dir: ".factory", Variable: "FACTORY_HOME_OVERRIDE", Above: true, SettingsFile: "settings.json",
		Traces: []string{"sessions", "auth.json", "host.json"},
		EntryIn: func(at Place, _ string) (string, []string) {
			path := filepath.Join(at.Dir, "hooks.json")
			if !rooted.IsTaken(path) && settingsHaveHooks(at) {
				return at.SettingsFile(), []string{"hooks"}
			}
			return path, nil
		},
		HooksOff: "hooks.hooksDisabled=true",
		Remove:   "plugin uninstall %s --scope user",
		Check: func(ctx context.Context, at Place, on []Installed) []check.Finding {
			found := checkDisabled(ctx, at, on)
			if path, _ := hookPath(at); path != at.SettingsFile() && settingsHaveHooks(at) {
				found = append(found, check.Warned("Droid does not run the hooks of "+at.SettingsFile()+", because "+path+" exists", "move them to that file"))
			}
			return found
		},
	})
}

func settingsHaveHooks(at Place) bool {
	settings, err := readJSONSettings(at)
	isEvent := func(m document.Member) bool { return document.KindName(m.Value) == "an array" }
	return err == nil && slices.ContainsFunc(settings.Members("hooks"), isEvent)
}

// maxRecords limits the records read from Droid, one per plugin.
const maxRecords = 256

func droidInstalled(at Place) (all []Installed, err error) {
	settings, err := readJSONSettings(at)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(at.Dir, "plugins", "installed_plugins")
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, entry := range entries[:min(len(entries), maxRecords)] {
		var r struct {
			PluginID string `json:"pluginId"`
			Entry    struct{ Scope, InstallPath string }
		}
		if readRecord(filepath.Join(dir, entry.Name()), &r) != nil || r.Entry.Scope != string(client.User) || !filepath.IsAbs(r.Entry.InstallPath) {
			continue
		}
		raw, _, _ := settings.Get("enabledPlugins", r.PluginID)
		all = append(all, Installed{
			ID: r.PluginID, Name: client.NameOf(r.PluginID), Dir: r.Entry.InstallPath, On: string(raw) == "true", Scope: client.User,
			Version: pluginVersion(r.Entry.InstallPath, ".factory-plugin"), // Droid's name for .claude-plugin
		})
	}
	return all, nil
}
