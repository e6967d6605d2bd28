// Package specum is ralph-specum: specs in ./specs or in the directories that its settings file
// names, the state in .ralph-state.json.
package specum

import (
	"cmp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/specs"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

var Strategy = specs.StrategyOf(&specs.Kind{
	Name: "ralph-specum", Title: "Ralph-specum", Noun: "spec",
	Current: "specs/.current-spec", Local: ".claude/ralph-specum.local.md", StateFile: ".ralph-state.json",
	Find: specumPlaces, Blocks: true, Groups: true,
	Script: []string{"hooks/scripts/update-spec-index.sh", "--quiet"},
})

// maxRoots is how many entries of specs_dirs are looked at.
const maxRoots = 16

// specumPlaces are where the active spec may be. The first entry of specs_dirs
// that is a directory, else ./specs, holds .current-spec, and that names it: a
// bare name lies beside the file, a path begins with ./ or is absolute.
func specumPlaces(s strategy.Situation, local []string) ([]specs.Place, []strategy.Want) {
	root, wants, known := specsRoot(s, local)
	if !known {
		return nil, wants
	}
	at, ok := specs.PlaceAt(root)
	if !ok {
		return nil, wants
	}
	current := at.Dir + "/.current-spec"
	wants = append(wants, strategy.Want{Name: current})
	name := specs.NameIn(s.Workspace.Files[current])
	var candidates []string
	switch {
	case name == "":
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "/"):
		candidates = []string{inWorkspace(s.Workspace.Dir, name)}
	default:
		candidates = []string{root + "/" + name}
		if abs := inWorkspace(s.Workspace.Dir, name); abs != name || strings.Contains(name, "/") {
			candidates = append(candidates, abs) // C:\… on Windows, or a path without ./
		}
	}
	var places []specs.Place
	for _, c := range candidates {
		if p, ok := specs.PlaceAt(c); ok {
			places = append(places, p)
		}
	}
	return places, wants
}

// specsRoot is the directory of the active spec's name; known tells that all has
// been read that it depends on.
func specsRoot(s strategy.Situation, local []string) (root string, wants []strategy.Want, known bool) {
	known = true
	for _, dir := range specsDirs(local) {
		dir = inWorkspace(s.Workspace.Dir, dir)
		p, ok := specs.PlaceAt(dir)
		if !ok {
			continue
		}
		listing, asked := s.Workspace.Files[p.Dir+"/"]
		wants = append(wants, strategy.Want{Name: p.Dir + "/"})
		known = known && (asked || root != "")
		if listing.Readable() && root == "" {
			root = dir
		}
	}
	return cmp.Or(root, "./specs"), wants, known
}

// specsDirs are the entries of specs_dirs, which stands on one line.
func specsDirs(local []string) (dirs []string) {
	for _, line := range local {
		value, ok := strings.CutPrefix(line, "specs_dirs:")
		if !ok {
			continue
		}
		for _, dir := range strings.Split(specs.RemoveChars(value, `[]"`), ",") {
			dir = strings.TrimSpace(dir)
			trimmed := strings.TrimRight(dir, "/")
			if trimmed == "" && dir != "" {
				trimmed = "."
			}
			if trimmed != "" && len(dirs) < maxRoots {
				dirs = append(dirs, trimmed)
			}
		}
	}
	return dirs
}

// inWorkspace is a path relative to the workspace. Absolute paths outside of it
// are taken as relative ones, as the original does, and lead nowhere.
func inWorkspace(dir, name string) string {
	dir, slashed := strings.ReplaceAll(dir, `\`, "/"), strings.ReplaceAll(name, `\`, "/")
	if rest, ok := strings.CutPrefix(slashed, strings.TrimRight(dir, "/")+"/"); ok && dir != "" {
		return "./" + rest
	}
	if strings.HasPrefix(name, "/") {
		return "." + name
	}
	return name
}
