package settings

// What the settings of all scopes say together, seen from the one file that a
// plan is about. So a false in user settings cannot switch off what a project's
// settings switch on, and a plan for one scope has to say when another decides.

import (
	"fmt"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
)

// view is all layers, the highest first, and which of them is the scope's file.
type view struct {
	scope        client.Scope
	layers       []client.Layer
	own          client.Layer
	above, below []client.Layer
}

// viewFrom finds a scope's file among the layers.
func (s *Settings) viewFrom(scope client.Scope, f file) (view, error) {
	v := view{scope: scope, layers: s.AllLayers()}
	at := slices.IndexFunc(v.layers, func(l client.Layer) bool { return l.At == f.At })
	if at < 0 { // a link to it has come in between
		return v, f.namedError(journal.ErrChanged)
	}
	v.above, v.own, v.below = v.layers[:at], v.layers[at], v.layers[at+1:]
	return v, nil
}

// pluginIDs lists every plugin that any layer names.
func (v view) pluginIDs() []string {
	var ids []string
	for _, l := range v.layers {
		ids = append(ids, l.PluginIDs()...)
	}
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// isOn tells whether a plugin is on as far as the file and what lies below it go.
func (v view) isOn(id string) bool {
	if on, says := v.own.SaysOf(id); says {
		return on
	}
	return v.scopeBelow(id) != ""
}

// scopeBelow is the layer below the file that switches a plugin on, "" if none
// does.
func (v view) scopeBelow(id string) string {
	name, on, _ := lastWord(v.below, id)
	if !on {
		return ""
	}
	return name
}

// lastWord is the highest layer that says anything of a plugin.
func lastWord(layers []client.Layer, id string) (name string, on, says bool) {
	for _, l := range layers {
		if on, says := l.SaysOf(id); says {
			return l.Name, on, true
		}
	}
	return "", false, false
}

// noteOverruled says when another scope decides about a plugin, against what is
// wanted of it.
func (v view) noteOverruled(c *journal.Change, id string, wanted bool) {
	name, on, says := lastWord(v.above, id)
	if !says || on == wanted {
		return
	}
	verb, state, other := "disable", "on", "off"
	if wanted {
		verb, state, other = "enable", "off", "on"
	}
	if name == client.Managed {
		c.Notes = append(c.Notes, fmt.Sprintf("%s stays %s: managed settings say so, and only an administrator can change them", id, state))
		return
	}
	whom := ""
	if name == string(client.Project) {
		whom = ", for all who work on it (with --scope local for you alone)"
	}
	c.Notes = append(c.Notes, fmt.Sprintf("%s stays %s here: %s settings say so, and they win over %s settings; to switch it %s there%s: springfield %s %s --scope %s",
		id, state, name, v.scope, other, whom, verb, id, name)) // the command is last, to be copied
}
