package installer

// Publishing: the catalog of a marketplace, and the texts of a release, changed
// in one edit that undo takes back.
//
// The rules:
//   - an entry is found by its name; the entries of others, their order and their
//     layout stay as they are;
//   - of an entry that is there, only members that say something else change, and
//     members that springfield does not set stay;
//   - a catalog that Claude Code would refuse is refused: names given twice, and
//     what is not plain JSON;
//   - a catalog or a text that is a link, or lies behind one, is refused: a checkout
//     must not choose which other file of the user's is edited.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
)

// Catalog is a marketplace.json as it was read.
type Catalog struct {
	Name string // of the marketplace
	Path string // of the file
	Root string // the marketplace's directory, which relative sources are from

	file  *File
	doc   *document.Document
	names []string // of the entries
	base  string   // that bare names in sources are from, relative to Root
}

// Item is what an entry of a catalog says. Source is a path, or an object that
// says where to fetch the plugin.
type Item struct {
	Name        string          `json:"name"`
	Source      json.RawMessage `json:"source"`
	Description string          `json:"description"`
	Version     string          `json:"version"`
}

// ReadCatalog reads the catalog of the marketplace in a directory. One that is
// not there gives an error that wraps fs.ErrNotExist.
func ReadCatalog(dir string) (Catalog, error) {
	c := Catalog{Root: dir, Path: filepath.Join(dir, ".claude-plugin", "marketplace.json")}
	file, err := OpenIn(dir, c.Path)
	if err != nil {
		return c, fmt.Errorf("read marketplace: %w", err)
	}
	if !file.Exists {
		return c, fmt.Errorf("read marketplace: %w", &fs.PathError{Op: "open", Path: c.Path, Err: fs.ErrNotExist})
	}
	c.file = file
	if c.doc, err = document.Parse(file.Data); err != nil {
		return c, fmt.Errorf("read marketplace: %s: %w", c.Path, err)
	}
	var said struct {
		Name     string `json:"name"`
		Metadata struct {
			PluginRoot string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []Item `json:"plugins"`
	}
	if err := c.doc.Decode(&said); err != nil {
		return c, fmt.Errorf("read marketplace: %s: %w", c.Path, err)
	}
	if c.Name, c.base = said.Name, said.Metadata.PluginRoot; c.Name == "" {
		return c, fmt.Errorf("read marketplace: %s: %w", c.Path, &document.SyntaxError{Line: 1, Column: 1, Problem: "it has no name"})
	}
	for _, item := range said.Plugins {
		c.names = append(c.names, item.Name)
		if _, _, err := c.Item(item.Name); err != nil { // names that are there twice
			return c, err
		}
	}
	return c, nil
}

// Item is the entry of a plugin, and whether there is one.
func (c Catalog) Item(name string) (item Item, found bool, err error) {
	raw, found, err := c.doc.Get("plugins", document.Element(name))
	if err != nil {
		return item, false, fmt.Errorf("read marketplace: %s: %w", c.Path, err)
	}
	if found {
		err = json.Unmarshal(raw, &item)
	}
	if err != nil {
		return item, false, fmt.Errorf("read marketplace: %s: the entry of %s: %w", c.Path, name, err)
	}
	return item, found, nil
}

// Place is the directory that a source of the catalog is a path to, relative to
// Root and with slashes; not ok: it is fetched from elsewhere. Names without a dot
// are from where the catalog says that its plugins are.
func (c Catalog) Place(source json.RawMessage) (place string, ok bool) {
	if json.Unmarshal(source, &place) != nil {
		return "", false
	}
	if !strings.HasPrefix(place, ".") {
		place = path.Join(c.base, place)
	}
	return path.Clean(place), true
}

// Alike is another entry whose name a person would take for this one.
func (c Catalog) Alike(name string) (other string, ok bool) {
	plain := strings.NewReplacer("-", "", "_", "", ".", "", " ", "")
	for _, other := range c.names {
		if other != name && strings.EqualFold(plain.Replace(other), plain.Replace(name)) {
			return other, true
		}
	}
	return "", false
}

// Member is one member of an entry.
type Member struct {
	Name  string
	Value json.RawMessage
	// Keep leaves what an entry says already.
	Keep bool
}

// Upsert are the changes that give a plugin an entry, or change the one it has.
// The first member is its name.
func (c Catalog) Upsert(members []Member) ([]document.Edit, error) {
	var name string
	if len(members) == 0 || members[0].Name != "name" || json.Unmarshal(members[0].Value, &name) != nil || name == "" {
		return nil, errors.New("an entry begins with its name")
	}
	at := []string{"plugins", document.Element(name)}
	_, found, err := c.Item(name)
	if err != nil {
		return nil, err
	}
	if !found {
		text := "{"
		for i, m := range members {
			if i > 0 {
				text += ","
			}
			text += document.Quote(m.Name) + ":" + string(m.Value)
		}
		return []document.Edit{{Path: at, Value: json.RawMessage(text + "}")}}, nil
	}
	var changes []document.Edit
	for _, m := range members[1:] {
		where := append(at[:2:2], m.Name)
		_, has, err := c.doc.Get(where...)
		if err != nil {
			return nil, fmt.Errorf("read marketplace: %s: %w", c.Path, err)
		}
		if !has || !m.Keep {
			changes = append(changes, document.Edit{Path: where, Value: m.Value})
		}
	}
	return changes, nil
}

// After is the catalog's text after changes.
func (c Catalog) After(changes []document.Edit) ([]byte, error) {
	after, err := c.doc.Apply(changes...)
	if err != nil {
		return nil, refused(c.file, err)
	}
	return after, nil
}

// Text is one file of a release.
type Text struct {
	Path string // absolute
	Data []byte
	Mode fs.FileMode // of one that is new
	Gone bool        // it goes away
}

// PlanPublish changes a catalog, unless there is nothing to change in it, and
// writes texts of the suite in dir. did names the edit for the journal.
func PlanPublish(p Places, did string, c Catalog, changes []document.Edit, dir string, texts []Text) (Plan, error) {
	plan := Plan{Did: did, kind: "release"}
	for _, t := range texts {
		file, err := OpenIn(dir, t.Path)
		if err != nil {
			return Plan{}, fmt.Errorf("read release: %w", err)
		}
		if err := writable(file); err != nil {
			return Plan{}, err
		}
		known, err := p.recall(file.Path)
		if err != nil {
			return Plan{}, err
		}
		if !file.Exists {
			file.Mode = t.Mode
		}
		e := newEdit(file, t.Data, known)
		e.remove = t.Gone
		if e.writes() {
			plan.edits = append(plan.edits, e)
		}
	}
	if len(changes) == 0 {
		return plan, nil
	}
	return plan, plan.set(p, c.file, c.doc, changes, "")
}
