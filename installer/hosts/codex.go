package hosts

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
)

// codexHost returns Codex, which only runs trusted hooks.
func codexHost() Host {
	return hookHost(codexInstalled, Host{
		Name: "codex", Title: "Codex", Agent: "Codex",
		Dir: ".codex", Variable: "CODEX_HOME", SettingsFile: "config.toml",
		Traces: []string{"config.toml", "auth.json", "sessions", "history.jsonl"},
		EntryIn: func(at Place, _ string) (string, []string) {
			return filepath.Join(at.Dir, "hooks.json"), []string{"hooks"}
		},
		HooksOff:     "features.hooks=false",
		AfterRemoval: "if hooks of your own are below the removed one in hooks.json, Codex asks you to trust them again: type /hooks in Codex",
		Remove:       "plugin remove %s",
		ByHand: func(r Request) []string {
			return []string{"Codex does not run the hook until you trust it once: " + codexTrusting}
		},
		Check: codexCheck,
	})
}

// codexInstalled returns the plugins in Codex's settings with a copy in its plugins/cache.
func codexInstalled(at Place) (all []Installed, err error) {
	settings, err := readDocOrEmpty("", at.SettingsFile(), parseTOML)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(settings.table("plugins"))) {
		name, market, _ := strings.Cut(id, "@")
		i := Installed{ID: id, Name: name, On: settings.table("plugins", id)["enabled"] != false, Scope: client.User}
		i.Suite, _ = settings.table("marketplaces", market)["source"].(string) // ignores other forms than Codex writes
		if isPathPart(name) && isPathPart(market) {
			copies := filepath.Join(at.Dir, "plugins", "cache", market, name)
			versions, _ := os.ReadDir(copies)
			for _, version := range versions {
				if version.IsDir() {
					i.Dir, i.Version = filepath.Join(copies, version.Name()), version.Name()
				}
			}
		}
		if i.Dir != "" {
			all = append(all, i)
		}
	}
	return all, nil
}
