package workspace

import (
	"os"
	"path/filepath"
	"slices"
)

// maxUp is how many directories upwards are looked at.
const maxUp = 40

// Nearest is the directory that a session's files lie in: from dir upwards the
// first that has one of the marks, names with slashes, else the top of the
// repository that dir lies in, else dir. A session's directory follows every cd,
// its files do not. Without a repository nothing above dir counts, and never a
// home directory that is one: what lies there is not the project's.
func Nearest(dir string, marks []string, home string) string {
	dir, err := filepath.Abs(dir)
	if err != nil || len(marks) == 0 {
		return dir
	}
	top := ""
	for up, n := dir, 0; n < maxUp && (up == dir || up != filepath.Clean(home)); n++ {
		if hasEntry(up, ".git") {
			top = up
			break
		}
		above := filepath.Dir(up)
		if above == up {
			break
		}
		up = above
	}
	if top == "" {
		top = dir
	}
	for up := dir; ; up = filepath.Dir(up) {
		for _, mark := range marks {
			if hasEntry(up, mark) {
				return up
			}
		}
		if up == top {
			return top
		}
	}
}

// HasMark tells whether that directory has one of the marks.
func HasMark(dir string, marks []string, home string) bool {
	near := Nearest(dir, marks, home)
	return slices.ContainsFunc(marks, func(mark string) bool { return hasEntry(near, mark) })
}

func hasEntry(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}
