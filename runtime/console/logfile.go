package console

import (
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func (d *Console) claudeProjectsDir() string { return filepath.Join(filepath.Dir(d.Dir), "projects") }

// FindLog returns the log's path for a session ID or prefix.
func (d *Console) FindLog(session string) (string, error) {
	id, err := d.resolveSession(session)
	if err != nil {
		if paths := d.otherHostLogs(session); len(paths) == 1 {
			return paths[0], nil
		}
		return "", err
	}
	if path := d.findLog(id); path != "" {
		return path, nil
	}
	return "", &adviceError{"session " + clipTo99(id) + " has no log: agents delete the logs of old sessions", d.commandTo("log --session "+quoteSession(id)) + " lists its recorded decisions"}
}

// findLog returns a session's readable log ("" if none). id is complete.
func (d *Console) findLog(id string) string {
	if id == "" || strings.ContainsAny(id, `/\*?[`) {
		return ""
	}
	for _, project := range namesIn(d.claudeProjectsDir()) {
		if path := filepath.Join(d.claudeProjectsDir(), project, id+".jsonl"); file.IsReadable(path) {
			return path
		}
	}
	for _, path := range d.otherHostLogs(id) {
		if file.IsReadable(path) {
			return path
		}
	}
	return ""
}

// otherHostLogs returns logs from hosts other than Claude Code, for session IDs starting with prefix, else with its
// first shortID characters.
func (d *Console) otherHostLogs(prefix string) (paths []string) {
	if prefix == "" || strings.ContainsAny(prefix, `/\*?[`) {
		return nil
	}
	for _, h := range registry.Hosts {
		dir := d.configDirOf(h)
		if h.Default || dir == "" {
			continue
		}
		for _, named := range []string{prefix, prefix[:min(len(prefix), shortID)]} {
			found := pathsLike(dir, h.LogPattern(named+"*"))
			paths = append(paths, found...)
			if len(found) > 0 {
				break
			}
		}
	}
	return paths
}

// pathsLike returns the paths below dir that match relPattern, which has slashes.
func pathsLike(dir, relPattern string) (paths []string) {
	first, rest, isDir := strings.Cut(relPattern, "/")
	for _, name := range namesIn(dir) {
		if ok, _ := filepath.Match(first, name); !ok {
			continue
		}
		path := filepath.Join(dir, name)
		if isDir {
			paths = append(paths, pathsLike(path, rest)...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}

// namesIn returns a directory's sorted names (nil if unreadable). dir is not "".
func namesIn(dir string) []string {
	f, err := os.Open(dir + "/") // fails at once if this is a named pipe
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(-1)
	sort.SliceStable(all, func(i, j int) bool { return all[i] < all[j] }) // slices.Sort adds 8 KB to the hook
	return all
}

// configDirOf returns "" if unknown.
func (d *Console) configDirOf(h *host.Host) string {
	if d.Getenv != nil && h.DirVariable != "" {
		if dir := d.Getenv(h.DirVariable); filepath.IsAbs(dir) {
			return dir
		}
	}
	if rest, ok := strings.CutPrefix(h.Dir, "~/"); ok && d.Home != "" {
		return filepath.Join(d.Home, rest)
	}
	return ""
}
