package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 1 << 20

// Redirected says what in a project's settings chooses where questions go, ""
// when nothing does. Claude Code hands the env of these files to hooks, even in a
// directory that was never said to be trusted, so the environment we have may be theirs.
// A file that cannot be understood may choose anything.
//
// ANTHROPIC_MODEL and its like choose a model alone, and the judge has its own:
// they are let through and not handed on. In the home directory the settings are
// the user's own, unless they are what makes it the home.
func Redirected(project, home string) string {
	if project == "" {
		return ""
	}
	project = filepath.Clean(project)
	for _, path := range projectSettings(project) {
		bad := chooses
		if sameDirectory(filepath.Dir(filepath.Dir(path)), home) {
			bad = movesHome
		}
		name := "the project's .claude/" + filepath.Base(path)
		if filepath.Dir(filepath.Dir(path)) != project {
			name = path
		}
		data, err := file.Read(path, maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return name + " cannot be read"
		}
		if member, ok := choice(data, bad); !ok {
			return name + " is not a JSON object, so it is not known where it sends questions"
		} else if member != "" {
			return name + " sets " + member
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
	dirs := []string{project}
	if real, err := filepath.EvalSymlinks(project); err == nil && real != project {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		above, top := upToRepository(dir)
		if !top {
			continue
		}
		for _, dir := range above {
			if file := local(dir); !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files
}

// upToRepository are a directory and those that it lies in, up to the next with a
// .git, and behind a .git that is a file the directory of the repository it names.
// found: there is one.
func upToRepository(dir string) (dirs []string, found bool) {
	for {
		dirs = append(dirs, dir)
		git := filepath.Join(dir, ".git")
		if _, err := os.Lstat(git); err == nil {
			if main := mainWorktree(git); main != "" {
				dirs = append(dirs, main)
			}
			return dirs, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dirs, false
		}
		dir = up
	}
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
	data, err := file.Read(git, 4<<10)
	named, ok := strings.CutPrefix(string(data), "gitdir:")
	if err != nil || !ok {
		return ""
	}
	own := at(filepath.Dir(git), named)
	if data, err = file.Read(filepath.Join(own, "commondir"), 4<<10); err != nil {
		return ""
	}
	return filepath.Dir(at(own, string(data)))
}

// choice is the first member of a settings file, by name, that chooses where
// questions go, and whether the file can be understood. Bad are the members, by
// name: of env with "env." in front.
func choice(data []byte, bad func(member string) bool) (string, bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return "", true
	}
	var settings, env map[string]json.RawMessage
	if json.Unmarshal(data, &settings) != nil {
		return "", false
	}
	if set(settings["env"]) && json.Unmarshal(settings["env"], &env) != nil {
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

// set says whether a member is there and something.
func set(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func sameDirectory(a, b string) bool {
	if b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}
