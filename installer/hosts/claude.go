package hosts

import (
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/journal"
)

// ClaudeHost returns Claude Code.
func ClaudeHost() Host {
	return Host{
		Name: "claude", Title: "Claude Code", Agent: "Claude", Markets: true,
		Dir: ".claude", Variable: "CLAUDE_CONFIG_DIR",
		// Not settings.json, which springfield writes.
		Traces: []string{"projects", ".credentials.json", "history.jsonl", "statsig", "todos"},
		Scopes: client.AllScopes(), Switching: claudeMembers{},
	}
}

// claudeMembers enables plugins in the settings of a scope.
type claudeMembers struct{}

// PluginsIn returns the plugins a scope's settings enable, with only ID and Name set.
func (claudeMembers) PluginsIn(now *settings.Settings, _ Place, scope client.Scope) (ofAnyone []Installed, err error) {
	ids, err := now.AllIDsOn(scope)
	for _, id := range ids {
		ofAnyone = append(ofAnyone, Installed{ID: id, Name: client.NameOf(id)})
	}
	return ofAnyone, err
}

func (claudeMembers) ByUs(now *settings.Settings, _ Place) ([]settings.EnabledPlugin, error) {
	return now.EnabledByUs(), nil
}

func (claudeMembers) PlanOn(now *settings.Settings, r Request) (journal.Change, error) {
	return now.PlanEnable(r.Enabling)
}

func (claudeMembers) PlanOff(now *settings.Settings, r Request) (journal.Change, error) {
	return now.PlanDisable(r.Plugin, r.Scope)
}

// PlanAllOff replaces c, which must be empty.
func (claudeMembers) PlanAllOff(now *settings.Settings, _ Place, purge bool, c *journal.Change) (ids []string, left []settings.Left, err error) {
	*c, ids, left, err = now.PlanDisableAll(purge) // the first host: c is empty
	return ids, left, err
}
