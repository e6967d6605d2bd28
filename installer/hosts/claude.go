package hosts

// DefaultHost is the one that is meant where none is named: Claude Code. Packages installer and
// client know its settings and its command.
func DefaultHost() Host {
	return Host{
		Name: "claude", Title: "Claude Code", Agent: "Claude", Default: true,
		Dir: ".claude", Variable: "CLAUDE_CONFIG_DIR",
		// Not settings.json, which springfield writes, too.
		Traces: []string{"projects", ".credentials.json", "history.jsonl", "statsig", "todos"},
	}
}
