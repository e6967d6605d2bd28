package rooted

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// AbsoluteDirs returns path, which lists directories as PATH does, without relative ones: a project could control them.
func AbsoluteDirs(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// FindProgram returns the path of a program in the directories that path lists as PATH does, or "". It skips relative
// directories, which a project could control. A program named with a directory must be an absolute path.
func FindProgram(program, path string) string {
	dirs := filepath.SplitList(path)
	if filepath.Base(program) != program {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		// In "", LookPath would search the PATH of the process.
		if found, err := exec.LookPath(filepath.Join(dir, program)); err == nil && filepath.IsAbs(dir+program) {
			return found
		}
	}
	return ""
}
