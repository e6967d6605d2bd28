package publish

// Edits of another marketplace's catalog. The suite's own catalog is rendered like all other files.
//   - An entry is found by its name. Other entries, the order and the layout are preserved.
//   - In an existing entry, only members that differ change.
//   - Duplicate names, and anything but plain JSON, are refused, as by Claude Code.
//   - A catalog that is a link, or below one, is refused, so that a checkout cannot choose another file to edit.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type catalog struct {
	file  journal.Edit
	doc   *document.Document
	items map[string]item // by plugin
	base  string          // directory of sources that are bare names, relative to the marketplace
}

// item is an entry of a catalog. Source is a path, or an object for fetching the plugin.
type item struct {
	Name        string          `json:"name"`
	Source      json.RawMessage `json:"source"`
	Description string          `json:"description"`
	Version     string          `json:"version"`
}

// openCatalog reads the catalog of the marketplace in dir. Both paths are absolute.
func openCatalog(dir, catalogPath string) (c catalog, marketName string, err error) {
	if c.file, err = journal.OpenEdit(dir, catalogPath); err == nil && c.file.Before == nil {
		err = &fs.PathError{Op: "open", Path: catalogPath, Err: fs.ErrNotExist}
	}
	if err != nil && rooted.TargetIsDir(dir) && !errors.Is(err, fs.ErrNotExist) {
		return c, "", fmt.Errorf("read marketplace: %w", err)
	}
	if err != nil {
		return c, "", check.Advisef("pass the local checkout of a marketplace with --to: "+
			"the directory that contains .claude-plugin/marketplace.json", "read marketplace: %w", err)
	}
	var said struct {
		Name     string `json:"name"`
		Metadata struct {
			PluginRoot string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []item `json:"plugins"`
	}
	if c.doc, err = document.ParseDocument(c.file.Before.Data); err == nil {
		err = c.doc.Decode(&said)
	}
	if err == nil && said.Name == "" {
		err = &document.SyntaxError{Line: 1, Column: 1, Problem: "it has no name"}
	}
	c.items, c.base = map[string]item{}, said.Metadata.PluginRoot
	for _, i := range said.Plugins {
		if c.items[i.Name] = i; err == nil { // duplicate names
			_, _, err = c.doc.Get("plugins", document.Element(i.Name))
		}
	}
	if err != nil {
		return c, "", check.Advisef("correct that line: Claude Code accepts only plain JSON "+
			"in which every plugin has its own name",
			"read marketplace: %s: %w", catalogPath, err)
	}
	return c, said.Name, nil
}

// placeOfSource returns a source's path relative to the marketplace, with slashes. Paths without a first dot are
// relative to c.base. ok is false for non-paths.
func (c catalog) placeOfSource(source json.RawMessage) (place string, ok bool) {
	if json.Unmarshal(source, &place) != nil {
		return "", false
	}
	if !strings.HasPrefix(place, ".") {
		place = path.Join(c.base, place)
	}
	return path.Clean(place), true
}

type member struct {
	name  string
	value json.RawMessage
	keep  bool // keeps an existing value
}

func (c catalog) editsToMerge(plugin string, members []member) (edits []document.Edit, err error) {
	at := []string{"plugins", document.Element(plugin)}
	if _, known := c.items[plugin]; !known {
		text := `{"name":` + document.EncodeKey(plugin)
		for _, m := range members {
			text += "," + document.EncodeKey(m.name) + ":" + string(m.value)
		}
		return []document.Edit{{Path: at, Value: json.RawMessage(text + "}")}}, nil
	}
	for _, m := range members {
		where := append(at[:2:2], m.name)
		_, has, err := c.doc.Get(where...)
		if err != nil {
			return nil, fmt.Errorf("read marketplace: %s: %w", c.file.Path, err)
		}
		if !has || !m.keep {
			edits = append(edits, document.Edit{Path: where, Value: m.value})
		}
	}
	return edits, nil
}

// planEntries returns the edit for the releases in a separate marketplace's catalog (empty if the suite is its own).
// Call pinReleases first.
func (in inputs) planEntries(after plannedTree, releases []release) (edit journal.Edit, err error) {
	if in.market.Own {
		return journal.Edit{}, nil
	}
	var edits []document.Edit
	for _, r := range releases {
		members, err := r.entryFields(after)
		if err != nil {
			return journal.Edit{}, err
		}
		more, err := in.market.editsToMerge(r.plugin, members)
		if err != nil {
			return journal.Edit{}, err
		}
		edits = append(edits, more...)
	}
	e := in.market.file
	text, err := in.market.doc.ApplyEdits(edits...)
	if err != nil {
		return journal.Edit{}, fmt.Errorf("read marketplace: %s: %w", e.Path, err)
	}
	e.After = &journal.Content{Data: text, Mode: e.Before.Mode}
	return e, nil
}

// entryFields returns the plugin's catalog entry. It keeps existing values, except source, version and an unedited
// description.
func (r release) entryFields(after plannedTree) ([]member, error) {
	manifest := path.Join(r.plugin, ".claude-plugin", "plugin.json")
	var is, was map[string]json.RawMessage
	if err := after.readJSON(manifest, &is); err != nil {
		return nil, err
	}
	_ = plannedTree{in: after.in}.readJSON(manifest, &was) // missing if never published
	source, err := document.EncodeValue(r.source)
	if err != nil {
		return nil, err
	}
	var description string
	_ = json.Unmarshal(was["description"], &description)
	members := []member{{name: "source", value: source}}
	for _, name := range []string{"version", "description", "author", "homepage", "license", "keywords"} {
		if value, ok := is[name]; ok {
			members = append(members, member{name, value, name != "version" && (name != "description" || r.entry.Description != description)})
		}
	}
	return append(members, member{"category", json.RawMessage(`"productivity"`), true}), nil
}
