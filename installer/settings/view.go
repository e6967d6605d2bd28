package settings

import (
	"fmt"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
)

// view contains all layers, highest first, relative to the layer that a plan edits.
type view struct {
	scope        client.Scope
	layers       []client.Layer
	edited       client.Layer
	above, below []client.Layer
}

func (s *Settings) layersAround(scope client.Scope, f file) (view, error) {
	v := view{scope: scope, layers: s.AllLayers()}
	at := slices.IndexFunc(v.layers, func(l client.Layer) bool { return l.At == f.At })
	if at < 0 { // a link has replaced the file
		return v, f.namedError(journal.ErrChanged)
	}
	v.above, v.edited, v.below = v.layers[:at], v.layers[at], v.layers[at+1:]
	return v, nil
}

func (v view) pluginIDs() []string {
	var ids []string
	for _, l := range v.layers {
		ids = append(ids, l.IDsOnOrOff()...)
	}
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

func (v view) isOnUpToHere(id string) bool {
	_, on, _ := highest(append([]client.Layer{v.edited}, v.below...), id)
	return on
}

func (v view) enablerBelow(id string) string {
	if name, on, _ := highest(v.below, id); on {
		return name
	}
	return ""
}

func highest(layers []client.Layer, id string) (name string, on, found bool) {
	for _, l := range layers {
		if on, says := l.SwitchOf(id); says {
			return l.Name, on, true
		}
	}
	return "", false, false
}

// overruledNotes returns which higher layer overrides the wanted state, and after "; " what to do, or nil.
func (v view) overruledNotes(id string, wanted bool) []string {
	name, on, says := highest(v.above, id)
	if !says || on == wanted {
		return nil
	}
	verb, state, other := "disable", "enabled", "disabled"
	if wanted {
		verb, state, other = "enable", "disabled", "enabled"
	}
	if name == client.Managed {
		return []string{fmt.Sprintf("%s stays %s because of managed settings, which only an administrator can change", id, state)}
	}
	whom := ""
	if name == string(client.Project) {
		whom = " for everyone who works on it (or with --scope local for you alone)"
	}
	return []string{fmt.Sprintf("%s stays %s here because of %s settings, which override %s settings; to have it %s there%s, run: springfield %s %s --scope %s",
		id, state, name, v.scope, other, whom, verb, id, name)} // the command is at the end, to copy
}
