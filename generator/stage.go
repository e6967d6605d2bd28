// Staging a release: a copy of a suite in which everything is done first, so
// that it can be looked at as a whole before one byte of the suite changes.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/folder"
)

// Stage copies a suite into a directory, without its git repository. A suite with
// anything but files and directories in it is refused: links lead elsewhere on
// every other machine.
func Stage(dir, into string) error {
	in, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		to := filepath.Join(into, relative)
		switch {
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case d.Name() == ".git": // of a worktree or a submodule
			return nil
		case in.Check(relative) != nil:
			return fmt.Errorf("read suite: %w; a suite that is published holds none", in.Check(relative))
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: not a regular file; a suite that is published holds nothing else", name)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, info.Mode().Perm())
	})
}

// Difference is a file that is not the same in a suite and in its stage. Before
// is nil where the suite has none, After where the stage has none.
type Difference struct {
	File
	Before []byte
	Gone   bool // the stage has it no more

	was fs.FileMode // the mode of Before
}

// Differences lists what became of a suite in its stage, by path.
func Differences(dir, stage string) ([]Difference, error) {
	before, err := regularFiles(dir)
	if err != nil {
		return nil, err
	}
	after, err := regularFiles(stage)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	var found []Difference
	for _, path := range slices.Sorted(maps.Keys(all)) {
		had, hasMode := before[path]
		has, mode := after[path]
		d := Difference{File: File{Path: path}, was: had}
		if hasMode {
			if d.Before, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
				return nil, err
			}
			d.Before = append([]byte{}, d.Before...)
		}
		if d.Gone = !mode; mode {
			if d.Data, err = os.ReadFile(filepath.Join(stage, filepath.FromSlash(path))); err != nil {
				return nil, err
			}
			d.Mode = has
		}
		_, inside, _ := cutPlugin(path)
		d.Compiled = isStarted(inside)
		if hasMode && mode && bytes.Equal(d.Before, d.Data) && had&0o111 == has&0o111 {
			continue
		}
		found = append(found, d)
	}
	return found, nil
}

// cutPlugin splits a path of a suite at its first slash.
func cutPlugin(path string) (plugin, inside string, ok bool) {
	for i := range path {
		if path[i] == '/' {
			return path[:i], path[i+1:], true
		}
	}
	return "", path, false
}

func regularFiles(dir string) (map[string]fs.FileMode, error) {
	all := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case !d.Type().IsRegular() || d.Name() == ".git":
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		all[filepath.ToSlash(relative)] = info.Mode().Perm()
		return err
	})
	return all, err
}

// WriteCompiled puts the compiled files among the differences into the suite:
// all of them, or none. What it gives puts those that were there back.
func WriteCompiled(dir string, differences []Difference) (takeBack func() error, err error) {
	write, back := change.Change{Kind: "suite"}, change.Change{Kind: "suite"}
	for _, d := range differences {
		if !d.Compiled {
			continue
		}
		e := change.Edit{In: dir, Path: filepath.Join(dir, filepath.FromSlash(d.Path)), Drop: true}
		if d.Before != nil {
			e.Before = &change.Content{Data: d.Before, Mode: d.was}
		}
		if !d.Gone {
			e.After = &change.Content{Data: d.Data, Mode: d.Mode}
		}
		write.Edits = append(write.Edits, e)
		e.Before, e.After = e.After, e.Before
		back.Edits = append(back.Edits, e)
	}
	return back.Write, write.Write()
}
