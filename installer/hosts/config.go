package hosts

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cameronsjo/springfield/installer/document"
)

// config is Codex's config.toml, which springfield only reads.
type config map[string]any

func parseConfig(data []byte) (c config, err error) {
	if len(data) > document.MaxSize {
		return c, &document.SyntaxError{Problem: "larger than 8 MiB"}
	}
	err = toml.Unmarshal(data, &c)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		err = &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return c, err
}

// table returns a table in tables, empty if anything else is there.
func (c config) table(path ...string) config {
	for _, name := range path {
		c, _ = c[name].(map[string]any)
	}
	return c
}
