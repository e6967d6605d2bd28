package doctor

import (
	"maps"
	"slices"
	"strings"
)

// ToEnable are the names of springfield's plugins that can be found from here, for a
// shell to complete: behind a tab is where each is from.
func (in *Inspection) ToEnable() []string {
	where := map[string]string{} // by ID
	markets, _ := in.settings.Markets()
	for name, m := range markets {
		for _, plugin := range in.settings.OwnPlugins(m) {
			where[plugin+"@"+name] = "from " + m.String()
		}
	}
	for _, s := range in.Suites {
		for _, p := range s.Plugins {
			if s.Err == nil {
				where[p.Name+"@"+s.Marketplace] = "from " + s.Dir
			}
		}
	}
	return shortNames(where)
}

// ToDisable are the names of springfield's plugins that some settings switch on.
func (in *Inspection) ToDisable() []string {
	where := map[string]string{}
	for _, p := range in.Plugins {
		for _, said := range p.Says {
			if said.On && p.IsOurs() {
				where[p.ID] = "on in " + said.Layer + " settings"
			}
		}
	}
	return shortNames(where)
}

// shortNames are plugins by name where that is enough, else by ID.
func shortNames(where map[string]string) (all []string) {
	count := map[string]int{}
	for id := range where {
		name, _, _ := strings.Cut(id, "@")
		count[name]++
	}
	for _, id := range slices.Sorted(maps.Keys(where)) {
		name, _, _ := strings.Cut(id, "@")
		if count[name] > 1 {
			name = id
		}
		all = append(all, name+"\t"+strings.Join(strings.Fields(where[id]), " "))
	}
	return all
}
