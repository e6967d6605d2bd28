// Building into a suite that is there already: hooks, their launcher and the
// record of them in springfield.yaml change, and nothing that a person writes.
// Hooks of targets that the suite no longer has are taken away.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
)

// Rebuild is what a build changes in a suite; nothing is done before Write.
type Rebuild struct {
	Suite   Suite    // as it will be recorded
	Changed []string // files that are written, relative to the suite, with slashes
	Removed []string // hooks of targets that it no longer has

	// SameVersion are the plugins that had a hook and get another under the
	// version they had: a client that keeps a copy by version never sees it.
	SameVersion []Plugin

	dir   string
	files []File
}

// PlanRebuild compares the suite in dir, as it says it should be, with what was
// built for its targets. Binaries without data count as changed.
func PlanRebuild(dir string, suite Suite, built Build) (Rebuild, error) {
	old, err := os.ReadFile(filepath.Join(dir, SuiteFile))
	if err != nil {
		return Rebuild{}, err
	}
	launcher, err := render("shared/launcher/springfield-hook.tmpl", nil)
	if err != nil {
		return Rebuild{}, err
	}
	suite.Build = built
	r := Rebuild{Suite: suite, dir: dir}
	for _, p := range suite.Plugins {
		if info, err := os.Stat(filepath.Join(dir, p.Name)); err != nil || !info.IsDir() {
			return Rebuild{}, fmt.Errorf("plugin %s: %s is not there", p.Name, filepath.Join(dir, p.Name))
		}
		before := len(r.Changed) + len(r.Removed)
		had := false
		layout := p.hookFiles(built.Binaries, launcher)
		for _, l := range layout {
			f := l.File
			f.Path = path.Join(p.Name, f.Path)
			there, same, err := compare(filepath.Join(dir, filepath.FromSlash(f.Path)), f)
			if err != nil {
				return Rebuild{}, err
			}
			had = had || there
			if !same {
				r.files, r.Changed = append(r.files, f), append(r.Changed, f.Path)
			}
		}
		for _, file := range hookPlaces(Hook, Judge) {
			if slices.ContainsFunc(layout, func(l laid) bool { return l.Path == file }) {
				continue
			}
			if file = path.Join(p.Name, file); exists(filepath.Join(dir, filepath.FromSlash(file))) {
				had, r.Removed = true, append(r.Removed, file)
			}
		}
		if had && len(r.Changed)+len(r.Removed) > before {
			r.SameVersion = append(r.SameVersion, p)
		}
	}
	if recorded, err := decodeSuite(old); err != nil || !recorded.equal(suite) {
		data, err := suite.over(old)
		if err != nil {
			return Rebuild{}, err
		}
		r.files, r.Changed = append(r.files, File{Path: SuiteFile, Mode: 0o644, Data: data}), append(r.Changed, SuiteFile)
	}
	return r, nil
}

// Changes tells whether there is anything to do.
func (r Rebuild) Changes() bool { return len(r.Changed)+len(r.Removed) > 0 }

// Write does all of it or nothing.
func (r Rebuild) Write() error {
	record, err := readRendered(r.dir)
	if err != nil {
		return err
	}
	record.add(r.files)
	for _, file := range r.Removed {
		delete(record, file)
	}
	return place(r.dir, append(slices.Clone(r.files), record.file()), r.Removed)
}

// compare says whether there is a file, and whether it is the one wanted: data,
// and that it may be started.
func compare(path string, want File) (there, same bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, false, err
	}
	same = bytes.Equal(data, want.Data) && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 == want.Mode&0o111)
	return true, same, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
