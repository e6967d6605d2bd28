package inspection

import (
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/hosts"
)

// Running are the plugins of ours that agents run, each directory once: those of Claude Code,
// and of the other hosts that are asked for.
func (in *Inspection) Running(chosen []hosts.Host) (all []generator.Subject) {
	add := func(name, dir, catalog, file string) {
		if dir == "" || slices.ContainsFunc(all, func(has generator.Subject) bool { return folder.Same(has.Dir, dir) }) {
			return
		}
		s := generator.Subject{Name: name, Dir: dir, Catalog: catalog, CatalogFile: file}
		if hasPlugin(filepath.Dir(dir), filepath.Base(dir)) {
			s.Suite = filepath.Dir(dir)
		}
		all = append(all, s)
	}
	for _, s := range in.ours {
		if s.Runs() {
			market, _ := in.settings().Market(s.Marketplace)
			catalog, file := market.Catalog()
			add(s.ID, s.Dir, catalog, file)
		}
	}
	for _, o := range in.OnHosts(chosen) {
		for _, p := range o.Plugins {
			if p.On {
				add(p.ID, p.Dir, p.Suite, "")
			}
		}
	}
	return all
}
