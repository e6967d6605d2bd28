// Claude Code passes env of a project's settings to hooks, so a cloned project can set variables.

package doctor

import (
	"fmt"
	"path"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
)

// steer is the effect of a variable on hooks. name is a pattern of path.Match.
type steer struct{ name, does string }

// steeringVariables returns the variables that affect hooks. The first match wins.
func steeringVariables() []steer {
	return []steer{
		{"SPRINGFIELD", "off, 0, false, no and none always let the agent stop; no other value has an effect"},
		{"SPRINGFIELD_*", "any value of SPRINGFIELD_JUDGE always lets the agent stop, as in a judge's own session"},
		{"LISA_SIMPSON_MODEL", "it chooses the model that claude -p asks for the judge, within your ceiling of dollars"},
		{client.BlockCap, "it changes Claude Code's own limit of continues in a row; springfield's budget holds without it"},
		{"CLAUDE_CONFIG_DIR", "it moves Claude Code's configuration on Claude Code 2.1.197, and springfield's state and your own layer with it; a hold in your home holds"},
		{"CLAUDE_CODE_ENABLE_TODO_TOOLS", ""},
		{"CLAUDE_CODE_*", "it changes how Claude Code works"},
		{"HOME", "the state directory does not follow it"},
		{"ANTHROPIC_*", "Claude Code may send requests elsewhere, or as another user, with your key"},
		{"GO*", "hooks that springfield compiles do not read it"},
		{"PATH", "what hooks and Claude Code start by name comes from there"},
		{"NODE_*", "it reaches every node that Claude Code starts"},
		{"BUN_*", "it reaches every bun that Claude Code starts"},
		{"BASH_*", "every bash that Claude Code starts obeys it, and a hook of several targets where sh is bash"},
		{"SHELLOPTS", "every bash that Claude Code starts obeys it, and a hook of several targets where sh is bash"},
		{"PS4", "with SHELLOPTS it is run by every bash that Claude Code starts"},
		{"ENV", "shells that Claude Code starts may run it"},
		{"IFS", "it is how shells split words"},
		{"LD_*", "it can put code into every program that Claude Code starts; a hook of a single target for Linux does not read it"},
		{"DYLD_*", "it can put code into programs that Claude Code starts, and into a hook of a single target for macOS"},
		{"GIT_*", "it changes what git does in everything that Claude Code starts"},
		{"TMPDIR", "programs keep temporary files there"},
		{"SSL_*", "it says whose certificates are trusted"},
		{"*_PROXY", "it sends traffic elsewhere"},
	}
}

// checkProject reports variables in project and local settings that affect hooks, unless springfield set
// them.
func (in *Inspection) checkProject() (all []check.Finding) {
	for _, v := range in.Variables() {
		does := effectOfVariable(v.Key)
		its := v.Name == string(client.Project) || v.Name == string(client.Local)
		if does == "" || !its || in.settings.HasSetVariable(v) {
			continue
		}
		all = append(all, check.Warned(fmt.Sprintf("%s settings set %s=%.40q (%s, line %d, column %d): %s",
			v.Name, v.Key, client.ValueText(v.Value), v.File, v.Line, v.Column, does), "remove it from env there if you did not put it in"))
	}
	return all
}

// effectOfVariable returns the effect of a variable on hooks, or "". Names are case-insensitive, as on
// Windows.
func effectOfVariable(name string) string {
	for _, s := range steeringVariables() {
		if ok, err := path.Match(s.name, strings.ToUpper(name)); err == nil && ok {
			return s.does
		}
	}
	return ""
}
