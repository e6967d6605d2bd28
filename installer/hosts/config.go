package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
)

// config is Codex's config.toml. It is read, and an edit only takes back the lines that an
// older springfield wrote there, where they still are as they were written.
type config struct {
	text    string
	members map[string]any
}

func parseConfig(data []byte) (c config, err error) {
	if len(data) > document.MaxSize {
		return c, &document.SyntaxError{Problem: "larger than 8 MiB"}
	}
	c = config{string(data), map[string]any{}}
	err = toml.Unmarshal(data, &c.members)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		err = &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return c, err
}

// Get is the value of a member, as JSON.
func (c config) Get(path ...string) (value json.RawMessage, found bool, err error) {
	var at any = c.members
	for _, name := range path {
		table, _ := at.(map[string]any)
		if at, found = table[name]; !found {
			return nil, false, nil
		}
	}
	value, err = document.EncodeValue(at)
	return value, true, err
}

func (c config) names(table string) []string {
	members, _ := c.members[table].(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// partOf is a document with some of the members, by their names at the top.
func (c config) partOf(names ...string) ([]byte, error) {
	members := maps.Clone(c.members)
	maps.DeleteFunc(members, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return toml.Marshal(members)
}

// ApplyEdits takes members out, or gives them the value that they had. It refuses what would change anything else.
func (c config) ApplyEdits(edits ...document.Edit) ([]byte, error) {
	for _, e := range edits {
		was, found, err := c.Get(e.Path...)
		if err != nil || !found && e.Value == nil {
			continue
		}
		now, err := parseConfig([]byte(c.withLine(e, was)))
		want, name := addSaid(map[string]string{}, "", c.members), saidName(e.Path...)
		maps.DeleteFunc(want, func(said, _ string) bool { return strings.HasPrefix(said, name) })
		var value map[string]any
		if e.Value != nil && json.Unmarshal([]byte(`{"value":`+string(e.Value)+`}`), &value) == nil {
			addSaid(want, name, value["value"])
		}
		if err != nil || !maps.Equal(want, addSaid(map[string]string{}, "", now.members)) {
			return nil, check.Advisef("edit the file yourself: remove "+tomlName(e.Path), "%s has another form than springfield gave it", tomlName(e.Path))
		}
		c = now
	}
	return []byte(c.text), nil
}

// addSaid adds what a value says, by the names of members. Objects without members, which come and go with
// others, say nothing.
func addSaid(all map[string]string, name string, value any) map[string]string {
	object, is := value.(map[string]any)
	if !is {
		all[name] = fmt.Sprintf("%#v", value)
	}
	for part, sub := range object {
		addSaid(all, name+saidName(part), sub)
	}
	return all
}

// saidName begins the names of all that is a member's or below it.
func saidName(path ...string) (name string) {
	for _, part := range path {
		name += fmt.Sprintf("%q.", part)
	}
	return name
}

// withLine is the text with the line of a member replaced, or without it. The member of an object is its header.
func (c config) withLine(e document.Edit, was json.RawMessage) string {
	last := len(e.Path) - 1
	table, line, whole := "["+tomlName(e.Path[:last])+"]", tomlName(e.Path[last:])+" = ", "["+tomlName(e.Path)+"]"
	var kept []string
	in := ""
	for text := range strings.Lines(c.text) {
		trimmed := strings.TrimSpace(text)
		if strings.HasPrefix(trimmed, "[") {
			in = trimmed
		}
		switch {
		case trimmed == whole:
			if n := len(kept); n > 0 && strings.TrimSpace(kept[n-1]) == "" { // the blank line before it, too
				kept = kept[:n-1]
			}
		case in == table && trimmed == line+string(was) && e.Value != nil:
			kept = append(kept, strings.Replace(text, trimmed, line+string(e.Value), 1))
		case in != table || trimmed != line+string(was):
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "")
}

// tomlName is a member's path as TOML writes it.
func tomlName(path []string) string {
	const bare = "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	parts := slices.Clone(path)
	for i, part := range parts {
		if part == "" || strings.Trim(part, bare) != "" {
			parts[i] = document.QuoteKey(part)
		}
	}
	return strings.Join(parts, ".")
}
