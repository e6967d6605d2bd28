package replay

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// maxRecent is how many session logs Recent gives.
const maxRecent = 20

// Recent are the session logs below a directory of projects that have changed since
// a moment, the newest first.
func Recent(projects string, since time.Time) (paths []string) {
	type log struct {
		path    string
		changed time.Time
	}
	var all []log
	dirs, _ := os.ReadDir(projects)
	for _, dir := range dirs {
		files, _ := os.ReadDir(filepath.Join(projects, dir.Name()))
		for _, file := range files {
			info, err := file.Info()
			if err == nil && info.Mode().IsRegular() && filepath.Ext(file.Name()) == ".jsonl" && info.ModTime().After(since) {
				all = append(all, log{filepath.Join(projects, dir.Name(), file.Name()), info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b log) int { return b.changed.Compare(a.changed) })
	for _, l := range all[:min(len(all), maxRecent)] {
		paths = append(paths, l.path)
	}
	return paths
}
