package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
)

func pluginOf(p client.Places, name string) client.Plugin {
	return client.Plugin{Name: name, Marketplace: "hooks", Suite: filepath.Join(p.Work, "hooks")}
}

func planUndo(p client.Places) (journal.Change, journal.Entry, error) {
	u, err := Journal(p).PlanUndo()
	return u.Change, u.Entry, err
}

// must fails the test where something did not go well that has to.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// link makes a symbolic link, or skips where the system has none.
func link(t *testing.T, target, path string) {
	t.Helper()
	must(t, os.Symlink(target, path))
}

const nedHooks = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook", "args": ["stop"], "timeout": 10}]}]}}`

// putPlugin writes a springfield plugin.
func putPlugin(t *testing.T, dir, version string) {
	t.Helper()
	put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), `{"name": "ned-flanders", "version": "`+version+`"}`)
	put(t, filepath.Join(dir, "hooks", "hooks.json"), nedHooks)
	put(t, filepath.Join(dir, "hooks", "springfield-hook"), "")
	put(t, filepath.Join(dir, "strategy.json"), `{"strategy": "ned-flanders"}`)
}

// putSkill writes a plugin into the configuration directory's skills.
func putSkill(t *testing.T, p client.Places, dir, name string) {
	t.Helper()
	dir = filepath.Join(p.Config, "skills", dir)
	putPlugin(t, dir, "1.0.0")
	put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), `{"name": "`+name+`", "version": "1.0.0"}`)
}
