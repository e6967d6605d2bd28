package doctor

import (
	"slices"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Running are the plugins of ours that agents run, each directory once: those of Claude Code, as far
// as that is asked for, and of other hosts.
func (in *Inspection) Running(claude bool, others []OnHost) (all []generator.Running) {
	add := func(r generator.Running) {
		if r.Dir != "" && !slices.ContainsFunc(all, func(has generator.Running) bool { return rooted.IsSame(has.Dir, r.Dir) }) {
			all = append(all, r)
		}
	}
	for _, s := range in.Plugins { // also one of which so much was changed that it starts no hook of ours
		if claude && s.IsLoaded() && (s.Strategy != "" || in.enabledByUs(s.ID)) {
			market, _ := in.settings.FindMarket(s.Marketplace)
			catalog, file := market.Catalog()
			add(generator.Running{ID: s.ID, Dir: s.Dir, Catalog: catalog, CatalogFile: file})
		}
	}
	for _, o := range others {
		for _, p := range o.Plugins {
			if p.On {
				add(generator.Running{ID: p.ID, Dir: p.Dir, Catalog: p.Suite})
			}
		}
	}
	return all
}
