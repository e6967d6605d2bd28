// Package marketplace is what a release publishes: build.sh makes the branches that agents fetch plugins from, and the
// catalog on main, .claude-plugin/marketplace.json, leads to them.
package marketplace

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const catalog = "../../.claude-plugin/marketplace.json"

// The catalog names no version and no commit: these are those of the branches, so a release does not change main.
func TestCatalogIsCurrent(t *testing.T) {
	suite, err := generator.ReadSuite(".")
	must(t, err)
	files, err := generator.RenderSuite(suite.Spec, generator.Unbuilt(suite.Targets, suite.Programs()))
	must(t, err)
	var want string
	for _, f := range files {
		if f.Path == ".claude-plugin/marketplace.json" {
			want = string(f.Data)
		}
	}
	for _, p := range suite.Plugins {
		source, err := json.MarshalIndent(struct {
			Source string `json:"source"`
			URL    string `json:"url"`
			Path   string `json:"path"`
			Ref    string `json:"ref"`
		}{"git-subdir", "https://github.com/" + suite.Repository + ".git", p.Name, "plugins/" + p.Name}, "      ", "  ")
		must(t, err)
		want = replaced(t, want, `"source": "./`+p.Name+`"`, `"source": `+string(source))
		want = replaced(t, want, "\n      \"version\": \""+p.Version+"\",", "")
	}
	scratch.Golden(t, catalog, []byte(want))
}

var must = scratch.Must

func replaced(t *testing.T, text, old, now string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("the suite's catalog has no %s", old)
	}
	return strings.Replace(text, old, now, 1)
}
