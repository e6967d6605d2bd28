package hosts

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
)

// droid is Droid. A marketplace that is a directory is called after that directory. Its
// commands write settings.json anew.
func droid() Host {
	return Host{
		Name: "droid", Title: "Droid", Agent: "Droid",
		Program: "droid", Dir: ".factory", Variable: "FACTORY_HOME_OVERRIDE", Above: true,
		Traces: []string{"settings.json", "sessions", "auth.json", "host.json"},
		Settings: Settings{
			Scopes: []client.Scope{client.User},
			File:   func(at Place, _ client.Scope) string { return filepath.Join(at.Dir, "settings.json") },
			Entries: func(_ context.Context, r Request) ([]document.Edit, error) {
				source, err := document.Encode(map[string]any{"source": map[string]string{"source": "local", "path": r.Plugin.Suite}})
				return []document.Edit{
					{Path: []string{"extraKnownMarketplaces", filepath.Base(r.Plugin.Suite)}, Value: source},
					{Path: []string{"enabledPlugins", droidID(r.Plugin)}, Value: json.RawMessage("true")},
				}, err
			},
		},
		Plugins: Plugins{
			ID: droidID,
			Install: func(r Request) [][]string {
				return [][]string{{"plugin", "marketplace", "add", r.Plugin.Suite}, {"plugin", "install", droidID(r.Plugin), "--scope", string(r.Scope)}}
			},
			Remove: func(r Request) [][]string {
				return [][]string{{"plugin", "uninstall", r.ID, "--scope", string(r.Scope)}}
			},
		},
	}
}

func droidID(p client.Plugin) string { return p.Name + "@" + filepath.Base(p.Suite) }
