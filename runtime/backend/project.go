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

// maxSettings bounds a settings file, in bytes.
const maxSettings = 1 << 20

// Redirected says what in a project's settings chooses where questions go, ""
// when nothing does. Claude Code hands the env of these files to hooks, even in a
// directory that was never said to be trusted, so the environment we have may be theirs.
// A file that cannot be understood may choose anything.
//
// Named are the variables that the user hands to a program, which the project must not set
// either. ANTHROPIC_MODEL and its like choose a model alone, and the judge has its own:
// they are let through and not handed on. In the home directory the settings are
// the user's own, unless they are what makes it the home.
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

// projectSettings are the settings files of a session that began in a directory:
// its own two, and since 2.1.211 settings.local.json at the top of its repository,
// which for a linked worktree is the main one's (seen with 2.1.329). Those on the
// way up are taken with it.
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

// directoriesAbove are a directory and those that it lies in, by its name and in truth.
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

// mainWorktree is the directory whose .git a linked worktree's .git belongs to, ""
// if there is none.
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

// brought says which file of a project has set a variable that chooses where questions
// go, "" for none. Hosts other than Claude Code read files of such variables, from the
// project upwards, and their hooks get them. A variable that is not set has no effect: the
// host has not taken it. The user's home has the user's own files.
func (e Env) brought(q judge.Question) string {
	if q.Project == "" {
		return ""
	}
	bad := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		if !ok || e.Variable(name) == "" {
			return false
		}
		// Many projects set variables of clouds, of which most questions make no use.
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
				continue // no host can read it either
			}
			if why := chosenIn(path, path, bad); why != "" {
				return why
			}
		}
	}
	return ""
}

// isNamed ignores case, as Windows does.
func isNamed(name string, named []string) bool {
	return slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, name) })
}

// chosenIn says what in a file that has a name for people chooses where questions go. Bad
// are the members, by name: of env with "env." in front. What is no JSON has lines NAME=value.
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
	// All that can be the name of a variable, as the package dotenv of Node reads it.
	const space, line = `[\s\v\p{Z}\x{feff}]`, `(?:^|[\n\r\x{2028}\x{2029}])`
	names := regexp.MustCompile(line + space + `*(?:export` + space + `+)?([\w.-]+)`)
	for _, found := range names.FindAllSubmatch(data, -1) {
		if variable := string(found[1]); bad("env." + variable) {
			return name + " sets " + variable
		}
	}
	return ""
}

// chosenBackend is the first member of a settings file, by name, that chooses where
// questions go, and whether the file can be understood.
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
	if b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
