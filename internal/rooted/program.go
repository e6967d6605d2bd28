package rooted

import (
	"os/exec"
	"path/filepath"
)

// FindProgram returns the path of a program in the directories that path lists as PATH does, or "". It skips relative
// directories, which a project could control. Of a program with a directory it accepts only an absolute path.
func FindProgram(program, path string) string {
	dirs := filepath.SplitList(path)
	if filepath.Base(program) != program {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		found, err := exec.LookPath(filepath.Join(dir, program))
		if err == nil && filepath.IsAbs(dir+program) {
			return found
		}
	}
	return ""
}
