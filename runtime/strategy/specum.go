// ralph-specum: specs in ./specs or in the directories that its settings file
// names, the state in .ralph-state.json.

package strategy

import "strings"

func specum() Strategy {
	return specs{
		name: "ralph-specum", title: "Ralph-specum", noun: "spec",
		current: "specs/.current-spec", local: ".claude/ralph-specum.local.md", stateFile: ".ralph-state.json",
		find: specumPlaces, blocks: true, groups: true,
		script: []string{"hooks/scripts/update-spec-index.sh", "--quiet"},
	}.strategy()
}

// maxRoots is how many entries of specs_dirs are looked at.
const maxRoots = 16

// specumPlaces are where the active spec may be. The first entry of specs_dirs
// that is a directory, else ./specs, holds .current-spec, and that names it: a
// bare name lies beside the file, a path begins with ./ or is absolute.
func specumPlaces(s Situation, local []string) ([]place, []Want) {
	root, wants, known := specsRoot(s, local)
	if !known {
		return nil, wants
	}
	at, ok := placeAt(root)
	if !ok {
		return nil, wants
	}
	current := at.dir + "/.current-spec"
	wants = append(wants, Want{Name: current})
	name := nameIn(s.Workspace.Files[current])
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
	var places []place
	for _, c := range candidates {
		if p, ok := placeAt(c); ok {
			places = append(places, p)
		}
	}
	return places, wants
}

// specsRoot is the directory of the active spec's name; known tells that all has
// been read that it depends on.
func specsRoot(s Situation, local []string) (root string, wants []Want, known bool) {
	known = true
	for _, dir := range specsDirs(local) {
		dir = inWorkspace(s.Workspace.Dir, dir)
		p, ok := placeAt(dir)
		if !ok {
			continue
		}
		listing, asked := s.Workspace.Files[p.dir+"/"]
		wants = append(wants, Want{Name: p.dir + "/"})
		known = known && (asked || root != "")
		if listing.Readable() && root == "" {
			root = dir
		}
	}
	if root == "" {
		root = "./specs"
	}
	return root, wants, known
}

// specsDirs are the entries of specs_dirs, which stands on one line.
func specsDirs(local []string) (dirs []string) {
	for _, line := range local {
		value, ok := strings.CutPrefix(line, "specs_dirs:")
		if !ok {
			continue
		}
		for _, dir := range strings.Split(without(value, `[]"`), ",") {
			if dir = trimSlashes(strings.TrimSpace(dir)); dir != "" && len(dirs) < maxRoots {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

func trimSlashes(dir string) string {
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" || dir == "" {
		return trimmed
	}
	return "."
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
