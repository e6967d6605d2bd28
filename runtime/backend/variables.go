package backend

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// brought says which file of a project has set a variable that chooses where questions
// go, "" for none. Hosts other than Claude Code read files of such variables, from the
// project upwards, and their hooks get them. A variable that is not set has no effect: the
// host has not taken it. The user's home has the user's own files.
func (e Env) brought(q judge.Question) string {
	if q.Project == "" {
		return ""
	}
	dirs := upwards(filepath.Clean(q.Project))
	if real, err := filepath.EvalSymlinks(q.Project); err == nil && real != dirs[0] {
		dirs = append(dirs, upwards(real)...)
	}
	for _, dir := range dirs {
		if sameDirectory(dir, e.Home) {
			continue
		}
		for _, name := range q.Variables {
			if why := e.broughtBy(filepath.Join(dir, filepath.FromSlash(name)), q.Backend); why != "" {
				return why
			}
		}
	}
	return ""
}

// upwards are a directory and those that it lies in.
func upwards(dir string) (dirs []string) {
	for {
		dirs = append(dirs, dir)
		up := filepath.Dir(dir)
		if up == dir {
			return dirs
		}
		dir = up
	}
}

// broughtBy says what one file has set.
func (e Env) broughtBy(path, backend string) string {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "" // no host can read it either
	}
	data, err := file.Read(path, maxSettings)
	if err != nil {
		return path + " cannot be read"
	}
	bad := func(member string) bool {
		name, ok := strings.CutPrefix(member, "env.")
		return ok && e.Get(name) != "" && e.steers(name, backend)
	}
	if filepath.Ext(path) != ".json" {
		if i := slices.IndexFunc(names(data), func(name string) bool { return bad("env." + name) }); i >= 0 {
			return path + " sets " + names(data)[i]
		}
		return ""
	}
	if member, ok := choice(data, bad); !ok {
		return path + " is not a JSON object, so it is not known where it sends questions"
	} else if member != "" {
		return path + " sets " + member
	}
	return ""
}

// steers tells whether a variable chooses where a question to a backend goes. Many projects
// set variables of OpenAI's kind and of clouds, of which most questions make no use.
func (e Env) steers(name, backend string) bool {
	switch upper := strings.ToUpper(name); {
	case begins(upper, "OPENAI_"):
		return backend == judge.OpenAI
	case cloud(upper):
		return backend == judge.Claude && e.usesCloud()
	}
	return chooses("env." + name)
}

// names are the words that lines begin with, behind export: all that can be the name of a
// variable in a file of lines NAME=value, as the package dotenv of Node reads it.
func names(data []byte) (all []string) {
	lines := bytes.FieldsFunc(data, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' })
	space := func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }
	for _, line := range lines {
		line = bytes.TrimLeftFunc(line, space)
		if rest := bytes.TrimPrefix(line, []byte("export")); len(rest) < len(line) && len(bytes.TrimLeftFunc(rest, space)) < len(rest) {
			line = bytes.TrimLeftFunc(rest, space)
		}
		end := bytes.IndexFunc(line, func(r rune) bool {
			return r != '_' && r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if end < 0 {
			end = len(line)
		}
		if end > 0 {
			all = append(all, string(line[:end]))
		}
	}
	return all
}
