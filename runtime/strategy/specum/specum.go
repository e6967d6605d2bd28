// Package specum implements ralph-specum. Specs are in ./specs or in directories from the settings file, and the
// state is in .ralph-state.json.
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

const maxRoots = 16

// specumPlaces returns the active spec's possible directories, and the files to read.
func specumPlaces(s strategy.Situation, settingLines []string) ([]specs.Place, []strategy.WantedFile) {
	root, wants, known := specsRoot(s, settingLines)
	at, ok := specs.PlaceAt(root)
	if !known || !ok {
		return nil, wants
	}
	current := at.Dir + "/.current-spec"
	wants = append(wants, strategy.WantedFile{Name: current})
	name := specs.WholeAsName(s.Workspace.Files[current])
	var candidates []string
	switch abs := cutToRelative(s.Workspace.Dir, name); {
	case name == "":
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "/"):
		candidates = []string{abs}
	case abs != name, strings.Contains(name, "/"): // C:\… on Windows, or a path without ./
		candidates = []string{root + "/" + name, abs}
	default:
		candidates = []string{root + "/" + name}
	}
	var places []specs.Place
	for _, c := range candidates {
		if p, ok := specs.PlaceAt(c); ok {
			places = append(places, p)
		}
	}
	return places, wants
}

// specsRoot returns the first readable specs directory, or "./specs". wants are listings needed. allRead reports
// whether all directories before root were read.
func specsRoot(s strategy.Situation, settingLines []string) (root string, wants []strategy.WantedFile, allRead bool) {
	allRead = true
	for _, dir := range listedDirs(settingLines) {
		dir = cutToRelative(s.Workspace.Dir, dir)
		p, ok := specs.PlaceAt(dir)
		if !ok {
			continue
		}
		listing, asked := s.Workspace.Files[p.Dir+"/"]
		wants = append(wants, strategy.WantedFile{Name: p.Dir + "/"})
		allRead = allRead && (asked || root != "")
		if listing.Readable() && root == "" {
			root = dir
		}
	}
	return cmp.Or(root, "./specs"), wants, allRead
}

// listedDirs returns up to maxRoots directories from specs_dirs, or nil.
func listedDirs(lines []string) (listedOrNil []string) {
	for _, line := range lines {
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
			if trimmed != "" && len(listedOrNil) < maxRoots {
				listedOrNil = append(listedOrNil, trimmed)
			}
		}
	}
	return listedOrNil
}

// cutToRelative makes a path below dir relative, and any other with a leading slash, too. Both then start with "./".
// Others stay the same.
func cutToRelative(dir, path string) string {
	dir, slashed := strings.ReplaceAll(dir, `\`, "/"), strings.ReplaceAll(path, `\`, "/")
	if rest, ok := strings.CutPrefix(slashed, strings.TrimRight(dir, "/")+"/"); ok && dir != "" {
		return "./" + rest
	}
	if strings.HasPrefix(path, "/") {
		return "." + path
	}
	return path
}
