package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const maxSettings = 1 << 20 // bytes

// Redirected returns the member of a project's settings that chooses where questions go, or "". Claude Code
// passes the env of these files to hooks, even in a directory that is not trusted. A file that cannot be read
// may choose anything.
//
// Named are the variables that the user's program gets, which the project must not set either. Variables that
// choose just a model, like ANTHROPIC_MODEL, are allowed and not passed on. The settings in the home directory
// are the user's own, unless they make it the home.
func Redirected(project, home string, named []string) string {
	if project == "" {
		return ""
	}
	project = filepath.Clean(project)
	chooses := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		return choosesDestination(member) || ok && isNamed(name, named)
	}
	for _, path := range projectSettings(project) {
		bad, name, dir := chooses, path, filepath.Dir(filepath.Dir(path))
		if sameDirectory(dir, home) {
			bad = movesHome
		}
		if dir == project {
			name = "the project's .claude/" + filepath.Base(path)
		}
		if why := chosenIn(path, name, bad); why != "" {
			return why
		}
	}
	return ""
}

// projectSettings returns the settings files that are read for a session in a directory. These are the two in the
// directory and, since 2.1.211, settings.local.json at the top of the repository, which for a linked worktree is in
// the main worktree (seen with 2.1.329). We also include those in between.
func projectSettings(project string) []string {
	local := func(dir string) string { return filepath.Join(dir, ".claude", "settings.local.json") }
	files := []string{filepath.Join(project, ".claude", "settings.json"), local(project)}
	for _, dirs := range directoriesAbove(project) {
		for i, dir := range dirs {
			git := filepath.Join(dir, ".git")
			if _, err := os.Lstat(git); err != nil {
				continue
			}
			for _, below := range dirs[:i+1] {
				files = append(files, local(below))
			}
			if main := mainWorktree(git); main != "" {
				files = append(files, local(main))
			}
			break
		}
	}
	return files
}

// directoriesAbove returns a directory and its parents, by name and with links resolved.
func directoriesAbove(dir string) (all [2][]string) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	for n, dir := range []string{filepath.Clean(dir), real} {
		for all[n] = []string{dir}; dir != filepath.Dir(dir); {
			dir = filepath.Dir(dir)
			all[n] = append(all[n], dir)
		}
	}
	return all
}

// mainWorktree returns the main worktree of a linked worktree's .git, or "".
func mainWorktree(git string) string {
	at := func(dir, path string) string {
		if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path
	}
	data, err := file.ReadRegular(git, 4<<10)
	named, ok := strings.CutPrefix(string(data), "gitdir:")
	if err != nil || !ok {
		return ""
	}
	own := at(filepath.Dir(git), named)
	if data, err = file.ReadRegular(filepath.Join(own, "commondir"), 4<<10); err != nil {
		return ""
	}
	return filepath.Dir(at(own, string(data)))
}

// brought returns a file in the project if it sets a variable that chooses where questions go, or "". This is for
// other hosts, which read these files in the project and above, and pass the variables to hooks. If a variable is not
// set, the host did not read it. Files in the home directory belong to the user.
func (e Env) brought(q judge.Question) string {
	if q.Project == "" {
		return ""
	}
	bad := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		if !ok || e.Variable(name) == "" {
			return false
		}
		// Many projects set variables of clouds, which most questions do not use.
		unused := isCloudLogin(strings.ToUpper(name)) && !(q.Backend == judge.Claude && e.usesCloud())
		return isNamed(name, q.Named) || !unused && choosesDestination(member)
	}
	for _, dir := range slices.Concat(directoriesAbove(q.Project)[0], directoriesAbove(q.Project)[1]) {
		if sameDirectory(dir, e.Home) {
			continue
		}
		for _, name := range q.Variables {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			if why := chosenIn(path, path, bad); why != "" {
				return why
			}
		}
	}
	return ""
}

func isNamed(name string, named []string) bool {
	return slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, name) })
}

// chosenIn returns which member in a file chooses where questions go. bad selects members by name, with those from
// env starting with "env.". If the file is not JSON, it is read as NAME=value lines. In messages, it is called name.
func chosenIn(path, name string, bad func(member string) bool) string {
	data, err := file.ReadRegular(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return name + " cannot be read"
	}
	if filepath.Ext(path) == ".json" {
		if member, ok := chosenBackend(data, bad); !ok {
			return name + " is not a JSON object, so it is not known where it sends questions"
		} else if member != "" {
			return name + " sets " + member
		}
		return ""
	}
	// This should match any name that would be read by the dotenv package for Node.
	const space, line = `[\s\v\p{Z}\x{feff}]`, `(?:^|[\n\r\x{2028}\x{2029}])`
	names := regexp.MustCompile(line + space + `*(?:export` + space + `+)?([\w.-]+)`)
	for _, found := range names.FindAllSubmatch(data, -1) {
		if variable := string(found[1]); bad("env." + variable) {
			return name + " sets " + variable
		}
	}
	return ""
}

// chosenBackend returns the bad member of a settings file that comes first by name, or "", and whether the file can be read.
func chosenBackend(data []byte, bad func(member string) bool) (string, bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return "", true
	}
	var settings, env map[string]json.RawMessage
	set := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	if json.Unmarshal(data, &settings) != nil || set(settings["env"]) && json.Unmarshal(settings["env"], &env) != nil {
		return "", false
	}
	var names []string
	for name, value := range settings {
		if set(value) && bad(name) {
			names = append(names, name)
		}
	}
	for name := range env {
		if bad("env." + strings.TrimSpace(name)) {
			names = append(names, "env."+name)
		}
	}
	if len(names) == 0 {
		return "", true
	}
	return slices.Min(names), true
}

func sameDirectory(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
