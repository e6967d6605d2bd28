package rooted

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// AbsoluteDirs returns list, which lists directories as PATH does, without relative ones: a project could control them.
// If none is left, it returns a file, since an empty PATH means the working directory.
func AbsoluteDirs(list string) (neverEmpty string) {
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	return cmp.Or(strings.Join(dirs, string(filepath.ListSeparator)), os.DevNull)
}

// FindProgram returns the path of a program in the directories that list has, as PATH does, or "". It skips relative
// directories, which a project could control. A program named with a directory must be an absolute path.
func FindProgram(program, list string) string {
	dirs := filepath.SplitList(list)
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
