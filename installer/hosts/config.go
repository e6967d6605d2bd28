package hosts

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cameronsjo/springfield/installer/document"
)

type config map[string]any

func parseTOML(data []byte) (c config, err error) {
	if len(data) > document.MaxSize {
		return c, &document.SyntaxError{Problem: "larger than 8 MiB"}
	}
	c = config{}
	err = toml.Unmarshal(data, &c)
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		err = &document.SyntaxError{Line: line, Column: column, Problem: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return c, err
}

// table returns the table for path, or nil. An empty path returns c.
func (c config) table(path ...string) map[string]any {
	at := map[string]any(c)
	for _, name := range path {
		at, _ = at[name].(map[string]any)
	}
	return at
}
