package replay

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxRecent is how many session logs Recent gives.
	maxRecent = 20
	// maxStats bounds how many files it looks at.
	maxStats = 10_000
)

// Recent are the session logs below a directory of projects that have changed since
// a moment, the newest first: of one project, or of all without one. The projects in
// which a session began last are looked at first.
func Recent(projects, project string, since time.Time) (paths []string) {
	var all, dirs []changed
	if project != "" {
		dirs = []changed{{path: filepath.Join(projects, encoded(project))}}
	} else {
		dirs = newestIn(projects, maxStats)
	}
	for looked := 0; len(dirs) > 0 && looked < maxStats; dirs = dirs[1:] {
		logs := newestIn(dirs[0].path, maxStats-looked)
		looked += len(logs) + 1
		for _, l := range logs {
			if l.mode.IsRegular() && filepath.Ext(l.path) == ".jsonl" && l.at.After(since) {
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, newestFirst)
	for _, l := range all[:min(len(all), maxRecent)] {
		paths = append(paths, l.path)
	}
	return paths
}

// changed is when a file changed last.
type changed struct {
	path string
	mode fs.FileMode
	at   time.Time
}

func newestFirst(a, b changed) int { return b.at.Compare(a.at) }

// newestIn lists at most so many files of a directory, those that changed last first.
func newestIn(dir string, most int) (all []changed) {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	files, _ := d.ReadDir(most)
	for _, file := range files {
		if info, err := file.Info(); err == nil {
			all = append(all, changed{filepath.Join(dir, file.Name()), info.Mode(), info.ModTime()})
		}
	}
	slices.SortFunc(all, newestFirst)
	return all
}

// encoded is the name of the directory in which Claude Code keeps a project's logs.
func encoded(project string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, project)
}
