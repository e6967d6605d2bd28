// Package client is what Claude Code knows: its settings, marketplaces and installed
// plugins, what is in effect by them, and how its command is called. It is a read
// model: it plans nothing, and writes nothing itself.
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

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Snapshot is what Claude Code's files say. A file is read when it is first asked
// about, and once: all answers of a snapshot agree with each other.
type Snapshot struct {
	Places

	files    map[string]*File // by where their bytes are
	layers   []Layer
	catalogs map[string]catalog
}

// NewSnapshot begins a snapshot.
func NewSnapshot(p Places) *Snapshot {
	return &Snapshot{Places: p, files: map[string]*File{}, catalogs: map[string]catalog{}}
}

// readAgain has the snapshot read anew what the claude command may have written: what
// lies in its plugins directory. Settings it does not write.
func (s *Snapshot) readAgain() {
	plugins, err := journal.Resolve(s.Plugins)
	maps.DeleteFunc(s.files, func(at string, _ *File) bool { return err != nil || rooted.HoldsPath(plugins, at) })
	clear(s.catalogs)
}

// File is a file as it was read.
type File struct {
	journal.Edit // both contents are what the file holds

	err    error // why it could not be read
	doc    *document.Document
	docErr error
}

// Document is a settings file as a JSON document, parsed once; of one that Claude Code ignores whole, why it does.
func (f *File) Document() (*document.Document, error) {
	if f.doc == nil && f.docErr == nil {
		f.doc, f.docErr = document.ParseDocument(f.Before.Bytes())
		for _, key := range []string{"enabledPlugins", "env"} { // where one of them is no object, Claude Code ignores the file
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

// checkSwitches checks that each plugin is switched as Claude Code reads it: of any other value it ignores the file, too.
func checkSwitches(d *document.Document) (err error) {
	values := as[object](d.Fields()["enabledPlugins"])
	for _, m := range slices.Backward(d.Members("enabledPlugins")) { // the last one of a key counts
		raw, counts := values[m.Key]
		if kind := document.KindName(raw); counts && kind != "a boolean" && kind != "an array" {
			err = &document.SyntaxError{Line: m.Line, Column: m.Column, Problem: fmt.Sprintf("%q is %s, not true or false", m.Key, kind)}
		}
		delete(values, m.Key)
	}
	return err
}

// OpenFile reads a file of at most document.MaxSize, links followed. One that does not
// exist is no error. Every error is an *fs.PathError for the path.
func (s *Snapshot) OpenFile(path string) (*File, error) {
	at, err := journal.Resolve(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: check.CauseOf(err)}
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
		return nil, &fs.PathError{Op: "open", Path: path, Err: check.CauseOf(f.err)}
	}
	if f.Path == path {
		return f, nil
	}
	again := *f // the same file by another name
	again.Path = path
	return &again, nil
}

// readObject reads a JSON object from a file in a directory, and says which file that
// is. The error about one that does not exist wraps fs.ErrNotExist.
func (s *Snapshot) readObject(dir, name string) (fields object, path string, err error) {
	path, err = placeBelow(dir, name)
	if err != nil {
		return nil, path, err
	}
	file, err := s.OpenFile(path)
	if err != nil {
		return nil, path, err
	}
	if file.Before == nil {
		return nil, path, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	fields = as[object](bytes.TrimPrefix(file.Before.Bytes(), []byte(document.ByteOrderMark)))
	if fields == nil {
		_, err = file.Document() // knows where
	}
	if err != nil {
		return nil, path, fmt.Errorf("%s: %w", name, err)
	}
	return fields, path, nil
}

// placeBelow is the place of a relative path in a directory. One that leads out of
// it, by its name or through a symbolic link, is refused.
func placeBelow(dir, name string) (string, error) {
	local := filepath.FromSlash(strings.TrimSuffix(name, "/"))
	out := fmt.Errorf("%q leads out of its directory", printable(name))
	if !filepath.IsLocal(local) {
		return "", out
	}
	path := filepath.Join(dir, local)
	root, err := journal.Resolve(dir)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: dir, Err: check.CauseOf(err)}
	}
	real, err := journal.Resolve(path)
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: check.CauseOf(err)}
	}
	if !rooted.HoldsPath(root, real) {
		return "", out
	}
	return path, nil
}

type (
	object = map[string]json.RawMessage // by its exact keys
	array  = []json.RawMessage
)

// as is a JSON value as one of Go; of another kind it is the zero value.
func as[T any](raw json.RawMessage) (value T) {
	if json.Unmarshal(raw, &value) != nil {
		return *new(T)
	}
	return value
}
