package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// find is the absolute path of Claude Code's program: the given one; else the one
// on PATH; else one where its installers put it. Nothing in the project counts,
// nor a PATH entry that depends on where one stands: a repository must not bring
// its own.
func (e Env) find(client, project string) string {
	if client != "" {
		if filepath.IsAbs(client) && runs(client) {
			return client
		}
		return ""
	}
	var places []string
	for _, dir := range filepath.SplitList(e.path(project)) {
		places = append(places, inDirectory(dir)...)
	}
	for _, path := range append(places, e.wellKnown()...) {
		if filepath.IsAbs(path) && runs(path) && !within(path, project) {
			return path
		}
	}
	return ""
}

// inDirectory are the names of the program in a directory of PATH. On Windows npm
// puts a script there; what it calls lies below.
func inDirectory(dir string) []string {
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(dir, "claude.exe"), filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code", "bin", "claude.exe")}
	}
	return []string{filepath.Join(dir, "claude")}
}

func (e Env) wellKnown() []string {
	var places []string
	if e.Home != "" {
		for _, dir := range []string{".local/bin", ".claude/local", ".npm-global/bin", ".bun/bin", ".volta/bin"} {
			places = append(places, inDirectory(filepath.Join(e.Home, filepath.FromSlash(dir)))...)
		}
	}
	if runtime.GOOS == "windows" {
		if appData := e.Get("APPDATA"); appData != "" {
			places = append(places, inDirectory(filepath.Join(appData, "npm"))...)
		}
		return places
	}
	return append(places, "/usr/local/bin/claude", "/opt/homebrew/bin/claude", "/usr/bin/claude")
}

// path is PATH without what a project could have put there. The client needs
// one: npm's is a script that looks for node.
func (e Env) path(project string) string {
	var dirs []string
	for _, dir := range filepath.SplitList(e.Get("PATH")) {
		if filepath.IsAbs(dir) && !within(dir, project) {
			dirs = append(dirs, dir)
		}
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// within says whether path is dir or lies in it, by its name or in truth.
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	if below(path, dir) {
		return true
	}
	realPath, errPath := filepath.EvalSymlinks(path)
	realDir, errDir := filepath.EvalSymlinks(dir)
	return errPath == nil && errDir == nil && below(realPath, realDir)
}

func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// runs says whether there is a program.
func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
