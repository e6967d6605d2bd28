// Package client reads Claude Code's settings, marketplaces and installed plugins, determines the effective
// configuration, and runs the claude command. It does not write to these files itself.
package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/display"
)

// Snapshot reads each of Claude Code's files once, on demand, so that results are consistent.
type Snapshot struct {
	Places

	files    map[string]*File // by path with links resolved
	layers   []Layer
	catalogs map[string]catalog
}

func NewSnapshot(p Places) *Snapshot {
	return &Snapshot{Places: p, files: map[string]*File{}, catalogs: map[string]catalog{}}
}

// forgetPlugins drops from the cache what the claude command can change.
func (s *Snapshot) forgetPlugins() {
	plugins, err := journal.Resolve(s.Plugins)
	maps.DeleteFunc(s.files, func(at string, _ *File) bool { return err != nil || rooted.HoldsPath(plugins, at) })
	clear(s.catalogs)
}

type File struct {
	journal.Edit // without a change

	err    error
	doc    *document.Document
	docErr error
}

// SettingsDocument parses the file as settings, cached. The error is why Claude Code ignores the file.
func (f *File) SettingsDocument() (*document.Document, error) {
	if f.doc == nil && f.docErr == nil {
		f.doc, f.docErr = document.ParseDocument(f.Before.Bytes())
		for _, key := range []string{"enabledPlugins", "env"} { // must be objects
			if f.docErr == nil {
				f.docErr = f.doc.CheckObject(key)
			}
		}
		if f.docErr == nil {
			f.docErr = checkSwitches(f.doc)
		}
	}
	return f.doc, f.docErr
}

// checkSwitches returns an error if enabledPlugins contains other than booleans and arrays.
func checkSwitches(d *document.Document) (err error) {
	wrong := as[object](d.Fields()["enabledPlugins"])
	maps.DeleteFunc(wrong, func(_ string, raw json.RawMessage) bool {
		return slices.Contains([]string{"a boolean", "an array"}, document.KindName(raw))
	})
	if len(wrong) == 0 {
		return nil
	}
	for _, m := range slices.Backward(d.Members("enabledPlugins")) { // the last of duplicates is effective
		if raw, found := wrong[m.Key]; found {
			problem := fmt.Sprintf("%q is %s, not true or false", m.Key, document.KindName(raw))
			err = &document.SyntaxError{Line: m.Line, Column: m.Column, Problem: problem}
		}
		delete(wrong, m.Key)
	}
	return err
}

// ReadOrEmpty reads a file up to document.MaxSize bytes, following symlinks, cached. A missing file is no error. All
// errors are *fs.PathError.
func (s *Snapshot) ReadOrEmpty(path string) (*File, error) {
	at, err := journal.Resolve(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: check.DropPath(err)}
	}
	f, known := s.files[at]
	if !known {
		f = &File{}
		f.Edit, f.err = journal.OpenEdit("", path)
		if f.err == nil && len(f.Before.Bytes()) > document.MaxSize {
			f.err = errors.New("larger than 8 MiB")
		}
		s.files[at] = f
	}
	if f.err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: check.DropPath(f.err)}
	}
	if f.Path == path {
		return f, nil
	}
	again := *f
	again.Path = path
	return &again, nil
}

// needObject returns the JSON object in a file below dir. The error for a missing file wraps fs.ErrNotExist.
func (s *Snapshot) needObject(dir, name string) (fields object, path string, err error) {
	path, err = placeBelow(dir, name)
	if err != nil {
		return nil, path, err
	}
	file, err := s.ReadOrEmpty(path)
	if err != nil {
		return nil, path, err
	}
	if file.Before == nil {
		return nil, path, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	fields = as[object](bytes.TrimPrefix(file.Before.Bytes(), []byte(document.ByteOrderMark)))
	if fields == nil {
		_, err = file.SettingsDocument() // has the position
	}
	if err != nil {
		return nil, path, fmt.Errorf("%s: %w", name, err)
	}
	return fields, path, nil
}

// placeBelow returns the path to name in dir. Paths leaving dir, even by symlink, are an error.
func placeBelow(dir, name string) (string, error) {
	local := filepath.FromSlash(strings.TrimSuffix(name, "/"))
	out := fmt.Errorf("%q is outside its directory", printable(name))
	if !filepath.IsLocal(local) {
		return "", out
	}
	path := filepath.Join(dir, local)
	root, err := journal.Resolve(dir)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: dir, Err: check.DropPath(err)}
	}
	real, err := journal.Resolve(path)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: check.DropPath(err)}
	}
	if !rooted.HoldsPath(root, real) {
		return "", out
	}
	return path, nil
}

type (
	object = map[string]json.RawMessage // unlike a struct it matches keys exactly
	array  = []json.RawMessage
)

// as decodes a JSON value (zero value if the type differs).
func as[T any](raw json.RawMessage) (value T) {
	if json.Unmarshal(raw, &value) != nil {
		return *new(T)
	}
	return value
}

// printable sanitizes untrusted text for terminals: one line, about maxDoes characters.
func printable(s string) (clippedLine string) {
	text := []rune(strings.Join(strings.Fields(strings.ReplaceAll(display.OneLine(s), string(unicode.ReplacementChar), "")), " "))
	if len(text) > maxDoes {
		return strings.TrimSpace(string(text[:maxDoes])) + "…"
	}
	return string(text)
}
