package hosts

import (
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
)

// gemini is Gemini CLI. It runs a linked extension where it lies. Linking has it trust the
// directory that it is called in.
func gemini() Host {
	return Host{
		Name: "gemini", Title: "Gemini CLI", Agent: "Gemini",
		Program: "gemini", Dir: ".gemini", Variable: "GEMINI_CLI_HOME", Above: true,
		Traces: []string{"settings.json", "oauth_creds.json", "installation_id", "projects.json"},
		Settings: Settings{
			Scopes: []client.Scope{client.User},
			File:   func(at Place, _ client.Scope) string { return filepath.Join(at.Dir, "settings.json") },
			Kept:   func(at Place) []string { return []string{filepath.Join(at.Dir, "trustedFolders.json")} },
		},
		Plugins: Plugins{
			Live: true,
			ID:   func(p client.Plugin) string { return p.Name },
			Install: func(r Request) [][]string {
				return [][]string{{"extensions", "link", r.Dir(), "--consent"}}
			},
			Remove: func(r Request) [][]string { return [][]string{{"extensions", "uninstall", r.ID}} },
		},
	}
}
