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

// WhyRedirected returns a message about the first of the project's settings files that sets where questions go or cannot
// be read, or "". Claude Code passes the env of these files to hooks, even in an untrusted directory.
//
// ownVars lists the variables passed to the user's program, which the project must not set either. Settings in
// the home directory belong to the user, unless they move this directory.
func WhyRedirected(project, home string, ownVars []string) string {
	if project == "" {
		return ""
	}
	project = filepath.Clean(project)
	chooses := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		return redirectsOrRuns(member) || ok && equalsAnyFold(name, ownVars)
	}
	for _, path := range projectSettings(project) {
		bad, name, dir := chooses, path, filepath.Dir(filepath.Dir(path))
		if sameDirectory(dir, home) {
			bad = movesHome
		}
		if dir == project {
			name = "the project's .claude/" + filepath.Base(path)
		}
		if why := faultInFile(path, name, bad); why != "" {
			return why
		}
	}
	return ""
}

// projectSettings returns the settings files that Claude Code can read in a project: settings.json, and
// settings.local.json from there up to the repository's top and in a linked worktree's main worktree.
func projectSettings(project string) []string {
	local := func(dir string) string { return filepath.Join(dir, ".claude", "settings.local.json") }
	files := []string{filepath.Join(project, ".claude", "settings.json"), local(project)}
	for _, dirs := range dirAndAbove(project) {
		for i, dir := range dirs {
			git := filepath.Join(dir, ".git")
			if _, err := os.Lstat(git); err != nil {
				continue
			}
			for _, below := range dirs[:i+1] {
				files = append(files, local(below))
			}
			if _, common := file.LinkedWorktree(git); common != "" {
				files = append(files, local(filepath.Dir(common)))
			}
			break
		}
	}
	return files
}

// dirAndAbove returns dir and its ancestors by name, then with symlinks resolved.
func dirAndAbove(dir string) (namedAndReal [2][]string) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	for n, dir := range []string{filepath.Clean(dir), real} {
		for namedAndReal[n] = []string{dir}; dir != filepath.Dir(dir); {
			dir = filepath.Dir(dir)
			namedAndReal[n] = append(namedAndReal[n], dir)
		}
	}
	return namedAndReal
}

// projectVarFault returns a message about the first q.Variables file in the project and its ancestors that is
// unreadable, or sets a variable from q.Named or for where questions go ("" if fine). It ignores the home directory,
// unused cloud logins and variables not in the environment.
func (e Env) projectVarFault(q judge.Question) string {
	if q.Project == "" {
		return ""
	}
	bad := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		if !ok || e.Variable(name) == "" {
			return false
		}
		// Many projects set cloud variables, which most questions do not use.
		unused := isCloudLogin(strings.ToUpper(name)) && !(q.Backend == judge.Claude && e.usesCloud())
		return equalsAnyFold(name, q.Named) || !unused && redirectsOrRuns(member)
	}
	for _, dir := range slices.Concat(dirAndAbove(q.Project)[0], dirAndAbove(q.Project)[1]) {
		if sameDirectory(dir, e.Home) {
			continue
		}
		for _, name := range q.Variables {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
			if why := faultInFile(path, path, bad); why != "" {
				return why
			}
		}
	}
	return ""
}

func equalsAnyFold(name string, named []string) bool {
	return slices.ContainsFunc(named, func(n string) bool { return strings.EqualFold(n, name) })
}

// faultInFile returns a message if the file sets a member rejected by bad, is unreadable or, if named .json, no object
// ("" otherwise or if missing). Members in env begin with "env.". Other files have NAME=value lines, as in env. shown
// is the name in messages.
func faultInFile(path, shown string, bad func(member string) bool) string {
	data, err := file.ReadRegular(path, maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return shown + " cannot be read"
	}
	if filepath.Ext(path) == ".json" {
		if member, ok := firstBadMember(data, bad); !ok {
			return shown + " is not a JSON object, so it is not known where it sends questions"
		} else if member != "" {
			return shown + " sets " + member
		}
		return ""
	}
	// Names as the dotenv package for Node reads them.
	const space, line = `[\s\v\p{Z}\x{feff}]`, `(?:^|[\n\r\x{2028}\x{2029}])`
	names := regexp.MustCompile(line + space + `*(?:export` + space + `+)?([\w.-]+)`)
	for _, found := range names.FindAllSubmatch(data, -1) {
		if variable := string(found[1]); bad("env." + variable) {
			return shown + " sets " + variable
		}
	}
	return ""
}

// firstBadMember returns the first member, by name, that bad accepts, or "". Variables are like env.PATH. valid is
// false if data, or its env, is not a JSON object. Null and empty data are valid.
func firstBadMember(data []byte, bad func(member string) bool) (name string, valid bool) {
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
