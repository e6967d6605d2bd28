package hosts

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// droidHost is Droid. With a hooks.json it does not read the hooks of settings.json, so one is not made where
// these have some.
func droidHost() Host {
	return hookHost(droidInstalled, Host{
		Name: "droid", Title: "Droid", Agent: "Droid",
		Dir: ".factory", Variable: "FACTORY_HOME_OVERRIDE", Above: true, SettingsFile: "settings.json",
		Traces: []string{"sessions", "auth.json", "host.json"},
		EntryIn: func(at Place, _ string) (string, []string) {
			path := filepath.Join(at.Dir, "hooks.json")
			if !rooted.IsTaken(path) && len(droidEvents(at)) > 0 {
				return at.SettingsFile(), []string{"hooks"}
			}
			return path, nil
		},
		HooksOff: "hooks.hooksDisabled=true",
		Remove:   "plugin uninstall %s --scope user",
		Check: func(ctx context.Context, at Place, on []Installed) []check.Finding {
			found := checkSwitches(ctx, at, on)
			if path, _ := hookPath(at); path != at.SettingsFile() && len(droidEvents(at)) > 0 {
				found = append(found, check.Warned("Droid does not run the hooks of "+at.SettingsFile()+", because there is "+path, "move them there"))
			}
			return found
		},
	})
}

// droidEvents are the events for which the settings have hooks.
func droidEvents(at Place) (events []string) {
	settings, err := readSettings(at)
	if err != nil {
		return nil
	}
	for _, m := range settings.Members("hooks") {
		if document.KindName(m.Value) == "an array" {
			events = append(events, m.Key)
		}
	}
	return events
}

// maxRecords limits the records of Droid that are read. Droid has one for each plugin.
const maxRecords = 256

// droidInstalled are the plugins on Droid's record that the user has installed.
func droidInstalled(at Place) (all []Installed, err error) {
	settings, err := readSettings(at)
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
		i := Installed{ID: r.PluginID, Dir: r.Entry.InstallPath, Scope: client.User}
		i.Name, _, _ = strings.Cut(i.ID, "@")
		i.Version = pluginVersion(i.Dir, ".factory-plugin") // as Droid calls .claude-plugin in its copy
		raw, _, _ := settings.Get("enabledPlugins", i.ID)
		i.On = string(raw) == "true"
		all = append(all, i)
	}
	return all, nil
}
