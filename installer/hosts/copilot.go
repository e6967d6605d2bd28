package hosts

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

// copilot is GitHub Copilot CLI. It runs a plugin where it lies, and its commands do
// nothing but write settings.json anew, so the entries are all that is needed.
func copilot() Host {
	return Host{
		Name: "copilot", Title: "GitHub Copilot CLI", Agent: "Copilot",
		Program: "copilot", Dir: ".copilot", Variable: "COPILOT_HOME",
		Traces: []string{"config.json", "settings.json", "session-state", "logs"},
		Settings: Settings{
			Scopes: []client.Scope{client.User},
			File:   func(at Place, _ client.Scope) string { return filepath.Join(at.Dir, "settings.json") },
			Entries: func(_ context.Context, r Request) ([]document.Edit, error) {
				source, err := document.Encode(map[string]any{"source": map[string]string{"source": "directory", "path": r.Plugin.Suite}})
				return []document.Edit{
					{Path: []string{"extraKnownMarketplaces", r.Plugin.Marketplace}, Value: source},
					{Path: []string{"enabledPlugins", r.Plugin.ID()}, Value: json.RawMessage("true")},
				}, err
			},
		},
		Plugins: Plugins{
			Live: true,
			Installed: func(at Place) ([]Installed, error) {
				return listed(filepath.Join(at.Dir, "settings.json"), client.User)
			},
		},
	}
}
