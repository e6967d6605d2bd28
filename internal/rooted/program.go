package rooted

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// AbsoluteDirs removes relative directories from a PATH-like list (os.DevNull if none is left).
func AbsoluteDirs(list string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !filepath.IsAbs(dir) })
	return cmp.Or(strings.Join(dirs, string(filepath.ListSeparator)), os.DevNull)
}

// FindProgram finds a program in a PATH-like list ("" if not found), skipping relative directories. Programs named with
// a directory are absolute paths.
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
