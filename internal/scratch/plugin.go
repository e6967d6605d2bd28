package scratch

import (
	"os"
	"path/filepath"
	"testing"
)

func MustLink(t testing.TB, target, path string) {
	t.Helper()
	Must(t, os.Symlink(target, path))
}

const StopHooks = `{"hooks": {"Stop": [{"hooks": [
	{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "args": ["stop"], "timeout": 10}
]}]}}`

// PutPlugin writes a springfield plugin with an empty hook.
func PutPlugin(t testing.TB, pluginDir, name, version string) {
	t.Helper()
	PutFile(t, filepath.Join(pluginDir, ".claude-plugin", "plugin.json"), `{"name": "`+name+`", "version": "`+version+`"}`)
	PutFile(t, filepath.Join(pluginDir, "hooks", "hooks.json"), StopHooks)
	PutFile(t, filepath.Join(pluginDir, "hooks", "springfield-hook"), "")
	PutFile(t, filepath.Join(pluginDir, "strategy.json"), `{"strategy": "ned-flanders"}`)
}
