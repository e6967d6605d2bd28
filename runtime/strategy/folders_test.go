package strategy_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// folder is a strategy: its package, and the name that it has.
type folder struct{ dir, name string }

// folders lists the strategies.
func folders(t *testing.T) (all []folder) {
	t.Helper()
	entries, err := os.ReadDir(".")
	must(t, err)
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			all = append(all, folder{e.Name(), nameIn(t, e.Name())})
		}
	}
	slices.SortFunc(all, func(a, b folder) int { return strings.Compare(a.name, b.name) })
	return all
}

var must = scratch.Must

// nameIn is the name of a package's strategy, which may be a constant.
func nameIn(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	must(t, err)
	var all []byte
	for _, path := range files {
		data := scratch.ReadFile(t, path)
		all = append(all, data...)
	}
	name := regexp.MustCompile(`(?m)^(?:const Name = |var Strategy = [^"]*Name: )"([^"]+)"`).FindSubmatch(all)
	if name == nil || !bytes.Contains(all, []byte("\nvar Strategy = ")) {
		t.Fatalf("runtime/strategy/%s has no Strategy, or that has no name", dir)
	}
	return string(name[1])
}

// The registry is made from the folders.
func TestRegistryIsCurrent(t *testing.T) {
	all := folders(t)
	var imports []string
	var strategies, hosts string
	for _, f := range all {
		imports = append(imports, "strategy/"+f.dir)
		strategies += "&" + f.dir + ".Strategy,\n"
	}
	entries, err := os.ReadDir("../host")
	must(t, err)
	for _, e := range entries {
		if e.IsDir() {
			imports = append(imports, "host/"+e.Name())
			hosts += "&" + e.Name() + ".Host,\n"
		}
	}
	slices.Sort(imports)
	text := "// Code generated from the folders of runtime/strategy and runtime/host by `make generate`. DO NOT EDIT.\n\npackage registry\n\nimport (\n"
	for _, name := range slices.Concat([]string{"host"}, imports[:len(imports)-len(all)], []string{"strategy"}, imports[len(imports)-len(all):]) {
		text += "\t\"github.com/cameronsjo/springfield/runtime/" + name + "\"\n"
	}
	text += ")\n\n// Strategies are all there are, in alphabetical order.\nvar Strategies = []*strategy.Strategy{\n" + strategies + "}\n\n" +
		"// Hosts are all there are, in alphabetical order. They must not be changed.\nvar Hosts = []*host.Host{\n" + hosts + "}\n"
	want, err := format.Source([]byte(text))
	must(t, err)
	scratch.Golden(t, "../registry/list.go", want)
}
