package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 1 << 20

// redirected says what in a project's settings chooses where questions go, ""
// when nothing does. Claude Code hands the env of these files to hooks, even in a
// directory that nobody said to trust, so the environment we have may be theirs.
// A file that cannot be understood may choose anything.
//
// ANTHROPIC_MODEL and its like choose a model alone, and the judge has its own:
// they are let through and not handed on. In the home directory the settings are
// the user's own, unless they are what makes it the home.
func redirected(project, home string) string {
	if project == "" {
		return ""
	}
	bad := chooses
	if sameDirectory(project, home) {
		bad = movesHome
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		data, err := readBounded(filepath.Join(project, ".claude", name), maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		file := "the project's .claude/" + name
		if err != nil {
			return file + " cannot be read"
		}
		if member, ok := choice(data, bad); !ok {
			return file + " is no JSON object, so nobody knows where it sends questions"
		} else if member != "" {
			return file + " sets " + member
		}
	}
	return ""
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

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errors.New("too large")
	}
	return data, err
}
