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

// config is Codex's config.toml. It is edited only to undo lines of an older springfield.
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

// Get returns the value at a path as JSON.
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

// partOf returns a TOML document with only the named top-level members.
func (c config) partOf(names ...string) ([]byte, error) {
	members := maps.Clone(c.members)
	maps.DeleteFunc(members, func(name string, _ any) bool { return !slices.Contains(names, name) })
	return toml.Marshal(members)
}

// ApplyEdits removes members or restores their values. If anything else would change, it returns an error.
func (c config) ApplyEdits(edits ...document.Edit) ([]byte, error) {
	for _, e := range edits {
		was, found, err := c.Get(e.Path...)
		if err != nil || !found && e.Value == nil {
			continue
		}
		now, err := parseConfig([]byte(c.withLine(e, was)))
		want, name := flatten(map[string]string{}, "", c.members), flatName(e.Path...)
		maps.DeleteFunc(want, func(full, _ string) bool { return strings.HasPrefix(full, name) })
		var value map[string]any
		if e.Value != nil && json.Unmarshal([]byte(`{"value":`+string(e.Value)+`}`), &value) == nil {
			flatten(want, name, value["value"])
		}
		if err != nil || !maps.Equal(want, flatten(map[string]string{}, "", now.members)) {
			return nil, check.Advisef("edit the file yourself: remove "+tomlName(e.Path), "%s no longer has the form that springfield wrote", tomlName(e.Path))
		}
		c = now
	}
	return []byte(c.text), nil
}

// flatten adds the values at or below a member to all, by full name. It ignores empty objects, which come and
// go with their members.
func flatten(all map[string]string, name string, value any) map[string]string {
	object, is := value.(map[string]any)
	if !is {
		all[name] = fmt.Sprintf("%#v", value)
	}
	for part, sub := range object {
		flatten(all, name+flatName(part), sub)
	}
	return all
}

// flatName returns the prefix of the names of all values at or below a path.
func flatName(path ...string) (name string) {
	for _, part := range path {
		name += fmt.Sprintf("%q.", part)
	}
	return name
}

// withLine returns the text with a member's line replaced or removed, or an object's header removed.
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
			if n := len(kept); n > 0 && strings.TrimSpace(kept[n-1]) == "" {
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
