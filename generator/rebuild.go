// Building into a suite that is there already: hooks, their launcher and the
// record of them in springfield.yaml change, and nothing that a person writes.
// Hooks of targets that the suite no longer has are taken away.

package generator

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"

	"github.com/cameronsjo/springfield/folder"
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
	in, err := folder.Open(dir)
	if err != nil {
		return Rebuild{}, err
	}
	defer func() { _ = in.Close() }()
	old, _, err := in.ReadFile(SuiteFile, maxSuiteFile)
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
		if err := in.Check(p.Name); err != nil {
			return Rebuild{}, err
		}
		if info, err := in.Lstat(p.Name); err != nil || !info.IsDir() {
			return Rebuild{}, fmt.Errorf("plugin %s: %s is not there", p.Name, in.Path(p.Name))
		}
		before := len(r.Changed) + len(r.Removed)
		had := false
		layout := p.hookFiles(built.Binaries, launcher)
		for _, l := range layout {
			f := l.File
			f.Path = path.Join(p.Name, f.Path)
			has, err := look(in, f.Path)
			if err != nil {
				return Rebuild{}, err
			}
			had = had || has.there
			if !has.regular || !bytes.Equal(has.data, f.Data) || runtime.GOOS != "windows" && has.mode&0o111 != f.Mode&0o111 {
				r.files, r.Changed = append(r.files, f), append(r.Changed, f.Path)
			}
		}
		for _, file := range hookPlaces(Hook, Judge) {
			if slices.ContainsFunc(layout, func(l laid) bool { return l.Path == file }) {
				continue
			}
			file = path.Join(p.Name, file)
			has, err := look(in, file)
			if err != nil {
				return Rebuild{}, err
			}
			if has.there {
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
