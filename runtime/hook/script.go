// Running a script of the plugin's, as its original did. The script gets nothing
// to read, what it says goes nowhere, and its failure changes nothing.

package hook

import (
	"path/filepath"
	"time"

	"github.com/cameronsjo/springfield/runtime/process"
)

// script runs a verdict's script, from the plugin that the hook lies in or else
// from the one that Claude Code names, in the workspace, which it hears of as the
// original says it.
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
			err = process.Program{Argv: append([]string{path}, script[1:]...), Dir: dir, Getenv: h.Getenv, Within: time.Until(h.finish), Set: []string{"RALPH_CWD=" + dir}}.Run()
			if err != nil {
				h.note("run %s: %v", script[0], err)
			}
		}
		return
	}
}
