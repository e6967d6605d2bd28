package publish

// The suite's files after a release, which are checked before any file changes.

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// plannedTree is the files of a directory, by path with slashes.
type plannedTree struct {
	in    rooted.Folder
	files map[string]file // after the edits
	edits map[string]journal.Edit
}

type file struct {
	size int64
	mode fs.FileMode
}

// maxFile limits a file, in bytes.
const maxFile = 1 << 30

// listTree lists a suite's files outside .git. Links and special files are errors.
func listTree(in rooted.Folder) (plannedTree, error) {
	t := plannedTree{in, map[string]file{}, map[string]journal.Edit{}}
	return t, filepath.WalkDir(in.Name(), func(name string, d fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(in.Name(), name)
		switch {
		case err != nil:
			return err
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case d.IsDir() || d.Name() == ".git": // a worktree or a submodule
			return nil
		case !d.Type().IsRegular():
			if err := in.RefuseLinks(relative); err != nil {
				return fmt.Errorf("read suite: %w; a published suite must not have one", err)
			}
			return fmt.Errorf("%s: not a regular file; a published suite has only files and directories", name)
		}
		info, err := d.Info()
		if err == nil {
			t.files[filepath.ToSlash(relative)] = file{info.Size(), info.Mode().Perm()}
		}
		return err
	})
}

// withEdits returns a copy of t with edits. An edit replaces an earlier one of the same file.
func (t plannedTree) withEdits(edits ...journal.Edit) plannedTree {
	t.files, t.edits = maps.Clone(t.files), maps.Clone(t.edits)
	for _, e := range edits {
		name, _ := filepath.Rel(t.in.Name(), e.Path)
		name = filepath.ToSlash(name)
		t.edits[name] = e
		if delete(t.files, name); e.After != nil {
			t.files[name] = file{int64(len(e.After.Data)), e.After.Mode.Perm()}
		}
	}
	return t
}

func (t plannedTree) withFileData(name string, data []byte) (plannedTree, error) {
	e, known := t.edits[name]
	if !known {
		var err error
		if e, err = journal.OpenEdit(t.in.Name(), t.in.PathOf(name)); err != nil {
			return t, err
		}
	}
	if e.After == nil {
		e.After = &journal.Content{Mode: 0o644}
	}
	e.After = &journal.Content{Data: data, Mode: e.After.Mode}
	return t.withEdits(e), nil
}

// filesBelow returns the sorted files below dir (all for ""), relative to the suite, with slashes.
func (t plannedTree) filesBelow(dir string) (names []string) {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.files)), func(name string) bool { return !isBelow(dir, name) })
}

func isBelow(dir, name string) bool { return dir == "" || strings.HasPrefix(name, dir+"/") }

func (t plannedTree) readFile(name string) ([]byte, error) {
	e, edited := t.edits[name]
	switch {
	case !edited:
		data, _, err := t.in.ReadFile(name, maxFile)
		return data, err
	case e.After == nil:
		return nil, &fs.PathError{Op: "open", Path: e.Path, Err: fs.ErrNotExist}
	}
	return e.After.Data, nil
}

func (t plannedTree) readJSON(name string, into any) error {
	data, err := t.readFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", t.in.PathOf(name), err)
	}
	return nil
}

// changes returns the edits below inDir that change a file (all for ""). inDir is relative to the suite.
func (t plannedTree) changes(inDir string) (edits []journal.Edit) {
	for _, name := range slices.Sorted(maps.Keys(t.edits)) {
		if e := t.edits[name]; isBelow(inDir, name) && e.Changes() {
			edits = append(edits, e)
		}
	}
	return edits
}

func (t plannedTree) writeCopy(into string) error {
	for _, name := range t.filesBelow("") {
		to := filepath.Join(into, filepath.FromSlash(name))
		data, err := t.readFile(name)
		if err == nil {
			err = cmp.Or(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, t.files[name].mode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// digestOf returns a digest of a plugin's files, ignoring the changelog, and line endings of texts outside hooks.
func (t plannedTree) digestOf(plugin string) (string, error) {
	sum, programs := sha256.New(), generator.ProgramPaths(generator.Hook, generator.Judge)
	for _, name := range t.filesBelow(plugin) {
		file := strings.TrimPrefix(name, plugin+"/")
		if file == changelogFile {
			continue
		}
		data, err := t.readFile(name)
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(file, "hooks/") && bytes.IndexByte(data, 0) < 0 {
			data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		}
		fmt.Fprintf(sum, "%s\x00%t\x00%d\x00", file, slices.Contains(programs, file), len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// listPrograms returns the plugin's programs, with paths relative to the suite.
func (t plannedTree) listPrograms(plugin string) []string {
	programs := generator.ProgramPaths(generator.Hook, generator.Judge)
	return slices.DeleteFunc(t.filesBelow(plugin), func(name string) bool {
		return !slices.Contains(programs, strings.TrimPrefix(name, plugin+"/"))
	})
}
