package hosts

import (
	"path/filepath"

	"github.com/cameronsjo/springfield/installer/client"
)

// codex is Codex. Its commands keep the comments of config.toml.
func codex() Host {
	return Host{
		Name: "codex", Title: "Codex", Agent: "Codex",
		Program: "codex", Dir: ".codex", Variable: "CODEX_HOME",
		Traces: []string{"config.toml", "auth.json", "sessions", "history.jsonl"},
		Settings: Settings{
			Scopes: []client.Scope{client.User},
			File:   func(at Place, _ client.Scope) string { return filepath.Join(at.Dir, "config.toml") },
		},
		Plugins: Plugins{
			Install: func(r Request) [][]string {
				return [][]string{{"plugin", "marketplace", "add", r.Plugin.Suite}, {"plugin", "add", r.Plugin.ID()}}
			},
			Remove: func(r Request) [][]string { return [][]string{{"plugin", "remove", r.ID}} },
			Forget: func(r Request) [][]string {
				return [][]string{{"plugin", "marketplace", "remove", r.Plugin.Marketplace}}
			},
		},
	}
}
