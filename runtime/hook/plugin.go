// Which plugin are we? The hook is one binary in many plugins; the directory
// it lies in says which one it serves, whatever the environment says.

package hook

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// configFile lies in the root of every plugin.
const configFile = "strategy.json"

// findRoot is the plugin's directory: hooks/springfield-hook lies in it, or
// hooks/<os>-<arch>/springfield-hook when a launcher started it, or something in
// hooks/scripts, where the plugins that ours stand in for have theirs. A plugin
// has a strategy.json, or a strategy's name. Only where the binary lies in no
// plugin does CLAUDE_PLUGIN_ROOT count.
func findRoot(executable, fallback string) (string, error) {
	if executable != "" {
		dir := filepath.Dir(follow(executable))
		for _, hooks := range []string{dir, filepath.Dir(dir)} {
			if filepath.Base(hooks) == "hooks" && isPlugin(filepath.Dir(hooks)) {
				return filepath.Dir(hooks), nil
			}
		}
	}
	if fallback == "" {
		return "", errors.New("find plugin: the hook is not in a plugin, and CLAUDE_PLUGIN_ROOT is not set")
	}
	return fallback, nil
}

func isPlugin(dir string) bool {
	_, named := registry.Named(filepath.Base(dir))
	return named || file.Exists(filepath.Join(dir, configFile))
}

// follow resolves a symlinked binary. Directories are left as they are named:
// the plugin is the one whose hooks directory was asked for.
func follow(path string) string {
	for range 16 {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}
