package rooted

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// AbsoluteDirs returns path, which lists directories as PATH does, without relative ones: a project could control them.
// If none is left, it returns a file, since an empty PATH means the working directory.
func AbsoluteDirs(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return cmp.Or(strings.Join(dirs, string(filepath.ListSeparator)), os.DevNull)
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
