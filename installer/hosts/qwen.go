package hosts

import (
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
)

// qwen is Qwen Code. An extension is on when it is installed; settings do not name it, but
// every start of the program writes them anew.
func qwen() Host {
	return Host{
		Name: "qwen", Title: "Qwen Code", Agent: "Qwen",
		Program: "qwen", Dir: ".qwen", Variable: "QWEN_HOME",
		Traces: []string{"settings.json", "projects", "oauth_creds.json", "installation_id"},
		Settings: Settings{
			Scopes: []client.Scope{client.User},
			File:   func(at Place, _ client.Scope) string { return filepath.Join(at.Dir, "settings.json") },
		},
		Plugins: Plugins{
			ID: func(p client.Plugin) string { return p.Name },
			Install: func(r Request) [][]string {
				return [][]string{{"extensions", "install", r.Plugin.Suite + ":" + r.Plugin.Name, "--consent"}}
			},
			Remove: func(r Request) [][]string { return [][]string{{"extensions", "uninstall", r.ID}} },
		},
	}
}
