// Claude Code passes env of a project's settings to hooks, so a cloned project can set variables.

package doctor

import (
	"fmt"
	"path"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
)

// checkSettingsEnv reports variables in project and local settings that can affect hooks or Claude Code, unless
// springfield set them.
func (in *Inspection) checkSettingsEnv() (all []check.Finding) {
	for _, v := range in.SettingsEnv() {
		does := effectOfVariable(v.Key)
		if does == "" || v.Name != string(client.Project) && v.Name != string(client.Local) || in.settings.IsOurVariable(v) {
			continue
		}
		all = append(all, check.Warned(fmt.Sprintf("%s settings set %s=%.40q (%s, line %d, column %d): %s",
			v.Name, v.Key, client.ValueText(v.Value), v.File, v.Line, v.Column, does), "remove it from env there if you did not add it"))
	}
	return all
}

// effectOfVariable returns a variable's effect on hooks or Claude Code, or "". Names are case-insensitive.
func effectOfVariable(name string) string {
	for _, s := range []struct{ pattern, does string }{
		{"SPRINGFIELD", "off, 0, false, no and none make hooks always let the agent stop; other values have no effect"},
		{"SPRINGFIELD_*", "any value of SPRINGFIELD_JUDGE makes hooks always let the agent stop, as in a judge's own session"},
		{"LISA_SIMPSON_MODEL", "it chooses the model for the judge that claude -p runs, within your spending limit"},
		{client.BlockCap, "it changes Claude Code's own limit on continues in a row; springfield's limits still apply"},
		{"CLAUDE_CONFIG_DIR", "on Claude Code 2.1.197, it moves Claude Code's configuration, and with it springfield's state and your plugin settings; a hold in your home directory still applies"},
		{"CLAUDE_CODE_ENABLE_TODO_TOOLS", ""},
		{"CLAUDE_CODE_*", "it changes how Claude Code works"},
		{"HOME", "it does not move the state directory"},
		{"ANTHROPIC_*", "Claude Code may send requests elsewhere with your key, or as another user"},
		{"GO*", "hooks that springfield compiles ignore it"},
		{"PATH", "it chooses the programs that hooks and Claude Code start by name"},
		{"NODE_*", "it affects every node process that Claude Code starts"},
		{"BUN_*", "it affects every bun process that Claude Code starts"},
		{"BASH_*", "it affects every bash that Claude Code starts, and hooks for several targets where sh is bash"},
		{"SHELLOPTS", "it affects every bash that Claude Code starts, and hooks for several targets where sh is bash"},
		{"PS4", "with SHELLOPTS, every bash that Claude Code starts runs it"},
		{"ENV", "shells that Claude Code starts may run it"},
		{"IFS", "it changes how shells split words"},
		{"LD_*", "it can inject code into every program that Claude Code starts; a hook with a single target for Linux ignores it"},
		{"DYLD_*", "it can inject code into programs that Claude Code starts, and into a hook with a single target for macOS"},
		{"GIT_*", "it changes what git does in everything that Claude Code starts"},
		{"TMPDIR", "it chooses the directory for temporary files"},
		{"SSL_*", "it chooses the certificates that are trusted"},
		{"*_PROXY", "it redirects network traffic"},
	} {
		if ok, err := path.Match(s.pattern, strings.ToUpper(name)); err == nil && ok {
			return s.does
		}
	}
	return ""
}
