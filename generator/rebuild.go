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

	"github.com/goccy/go-yaml"
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
	layout := hookFiles(built.Binaries, launcher)
	for _, p := range suite.Plugins {
		if info, err := os.Stat(filepath.Join(dir, p.Name)); err != nil || !info.IsDir() {
			return Rebuild{}, fmt.Errorf("plugin %s: %s is not there", p.Name, filepath.Join(dir, p.Name))
		}
		before := len(r.Changed) + len(r.Removed)
		had := false
		for _, f := range layout {
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
		for _, file := range hookPlaces() {
			if slices.ContainsFunc(layout, func(f File) bool { return f.Path == file }) {
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
		data, err := suite.rewrite(old)
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
func (r Rebuild) Write() (err error) {
	aside, err := os.MkdirTemp(r.dir, ".springfield-old-")
	if err != nil {
		return fmt.Errorf("write hooks: %w", err)
	}
	defer os.RemoveAll(aside)
	for i, file := range r.Removed {
		from, to := filepath.Join(r.dir, filepath.FromSlash(file)), filepath.Join(aside, fmt.Sprint(i))
		defer func() {
			if err != nil {
				_ = os.Rename(to, from) // where it never was moved there is nothing to move back
			}
		}()
		if err := os.Rename(from, to); err != nil {
			return fmt.Errorf("remove hook: %w", err)
		}
	}
	if err := place(r.dir, r.files); err != nil {
		return err
	}
	for _, file := range r.Removed {
		if dir := path.Dir(file); path.Base(dir) != "hooks" {
			os.Remove(filepath.Join(r.dir, filepath.FromSlash(dir))) // goes if it is empty
		}
	}
	return nil
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

// hookPlaces are all files of a plugin that a build can make, for any targets.
func hookPlaces() []string {
	places := []string{"hooks/springfield-hook", "hooks/springfield-hook.exe"}
	for _, t := range AllTargets() {
		if t.OS != "windows" {
			places = append(places, "hooks/"+t.OS+"-"+t.Arch+"/springfield-hook")
		}
	}
	return places
}

// rewrite is a springfield.yaml that says what the suite says and has the
// comments of the old one.
func (s Suite) rewrite(old []byte) ([]byte, error) {
	comments := yaml.CommentMap{}
	var ignored any
	if err := yaml.UnmarshalWithOptions(old, &ignored, yaml.CommentToMap(comments)); err != nil || len(comments) == 0 {
		return s.encode()
	}
	data, err := yaml.MarshalWithOptions(s, yaml.WithComment(comments))
	if err != nil {
		return s.encode() // a comment on something that is gone
	}
	if again, err := decodeSuite(data); err != nil || !again.equal(s) {
		return s.encode()
	}
	return data, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
