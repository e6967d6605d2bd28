package hosts

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/installer/tables"
)

// codexHost is Codex. It runs a copy of a plugin, and a plugin's hook only when the user
// trusts it as it is: each changed byte of the plugin wants trust anew, see trust.go.
func codexHost() Host {
	return Host{
		Name: "codex", Title: "Codex", Agent: "Codex",
		Dir: ".codex", Variable: "CODEX_HOME",
		Traces: []string{"config.toml", "auth.json", "sessions", "history.jsonl"},
		Settings: Settings{
			File:    "config.toml",
			Parse:   func(data []byte) (settings.Document, error) { return tables.ParseDocument(data) },
			Entries: codexEntries,
			Off: func(r Request) ([]document.Edit, error) {
				return []document.Edit{{Path: []string{"plugins", r.ID}}}, nil
			},
		},
		Plugins: Plugins{
			Install: codexInstall,
			Remove:  func(r Request) [][]string { return [][]string{{"plugin", "remove", r.ID}} },
			Forget: func(r Request) [][]string {
				return [][]string{{"plugin", "marketplace", "remove", r.Plugin.Marketplace}}
			},
			Writes: func(r Request) map[string]string {
				return map[string]string{"plugins": r.ID, "marketplaces": r.Plugin.Marketplace}
			},
			Needs:     []string{".codex-plugin/plugin.json", "hooks/shell.json"},
			Installed: codexInstalled,
			Trusts:    true,
			ByHand:    codexByHand,
		},
		Check: codexCheck,
	}
}

func codexInstall(r Request) [][]string {
	return [][]string{{"plugin", "marketplace", "add", r.Plugin.Suite}, {"plugin", "add", r.Plugin.ID()}}
}

// codexEntries are what Codex's own commands write, and with Trust what its screen for
// hooks writes.
func codexEntries(ctx context.Context, r Request) ([]document.Edit, error) {
	entries := eachMember(map[string]string{"source_type": "local", "source": r.Plugin.Suite}, "marketplaces", r.Plugin.Marketplace)
	entries = append(entries, document.Edit{Path: []string{"plugins", r.Plugin.ID(), "enabled"}, Value: json.RawMessage("true")})
	if r.Trust {
		trusted, err := codexTrusted(ctx, r)
		return append(entries, trusted...), err
	}
	return entries, nil
}

// eachMember are the edits that set members of a table one by one, so that others that the user has there stay.
func eachMember(values map[string]string, table ...string) (edits []document.Edit) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, _ := document.EncodeValue(values[name]) // a string has always a text
		edits = append(edits, document.Edit{Path: append(slices.Clone(table), name), Value: value})
	}
	return edits
}

// codexSettings are the user's settings.
func codexSettings(at Place) (*tables.Document, error) {
	return readDocument("", at.SettingsFile(), tables.ParseDocument)
}

// codexInstalled are the plugins that the settings name and of which Codex keeps a copy:
// plugins/cache/MARKETPLACE/NAME/VERSION. Without one it calls a plugin not installed.
func codexInstalled(at Place) (all []Installed, err error) {
	settings, err := codexSettings(at)
	if err != nil {
		return nil, err
	}
	for _, id := range settings.Names("plugins") {
		name, market, _ := strings.Cut(id, "@")
		enabled, _, _ := settings.Get("plugins", id, "enabled")
		i := Installed{ID: id, Name: name, On: string(enabled) != "false", Scope: client.User}
		if source, found, _ := settings.Get("marketplaces", market, "source"); found {
			_ = json.Unmarshal(source, &i.Suite) // what has another form than Codex writes says nothing
		}
		if isPathPart(name) && isPathPart(market) {
			copies := filepath.Join(at.Dir, "plugins", "cache", market, name)
			for _, version := range directoriesIn(copies) {
				i.Dir, i.Version = filepath.Join(copies, version), version
			}
		}
		if i.Dir != "" {
			all = append(all, i)
		}
	}
	return all, nil
}

// directoriesIn are the names of those in a directory, none if it cannot be read.
func directoriesIn(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
