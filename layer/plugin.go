// Package layer reads and changes the settings of a plugin. They lie in three
// files, each over the one before: the plugin's own strategy.json, the user's file and
// the project's. The hook decides what of them is in force; this package asks it.
package layer

import (
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Plugin is whose settings they are.
type Plugin struct {
	Name string
	// Root is the directory of the plugin, "" where only its strategy is known.
	Root     string
	Strategy strategy.Strategy
}

// In is the plugin in a directory.
func In(dir string) (Plugin, error) {
	settings, err := hook.ReadSettings(dir, "", "")
	if err != nil {
		return Plugin{}, err
	}
	return Plugin{settings.Plugin, dir, settings.Strategy}, nil
}

// Of is the plugin of a strategy that bears its name and lies nowhere yet.
func Of(name string) (Plugin, bool) {
	known, ok := registry.Named(name)
	return Plugin{Name: name, Strategy: known}, ok
}
