package client

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// The catalog lies where Claude Code reads it, whatever the marketplace is known by.
func TestCatalogOfMarket(t *testing.T) {
	const usual = ".claude-plugin/marketplace.json"
	dir := t.TempDir()
	for source, want := range map[string]struct{ location, root, file string }{
		`{"source": "directory", "path": "/x"}`:                             {dir, dir, usual},
		`{"source": "github", "repo": "a/b"}`:                               {dir, dir, usual},
		`{"source": "github", "repo": "a/b", "path": "b/marketplace.json"}`: {dir, dir, "b/marketplace.json"},
		`{"source": "file", "path": "/x/y/catalog.json"}`:                   {filepath.Join(dir, "y", "catalog.json"), dir, "y/catalog.json"},
		``: {dir, dir, usual},
	} {
		root, file := Market{"m", want.location, json.RawMessage(source)}.Catalog()
		if root != want.root || file != want.file {
			t.Errorf("%s: %s, %s", source, root, file)
		}
	}
}
