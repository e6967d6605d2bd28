// Running a script of the plugin's, as its original did. The script gets nothing
// to read, what it says goes nowhere, and it has five seconds.

package hook

import (
	"path/filepath"
	"time"
)

const scriptTime = 5 * time.Second

// script runs a verdict's script, from the plugin that the hook lies in or else
// from the one that Claude Code names, in the event's directory.
func (h Host) script(root, dir string, script []string) {
	if len(script) == 0 {
		return
	}
	for _, plugin := range []string{root, h.PluginRoot} {
		path := filepath.Join(plugin, filepath.FromSlash(script[0]))
		if plugin == "" || !exists(path) {
			continue
		}
		if path, err := filepath.Abs(path); err == nil {
			runScript(path, dir, script[1:])
		}
		return
	}
}
