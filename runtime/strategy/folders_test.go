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

// folders are the strategies that lie beside this file.
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

// strategies is the list of strategies, from the folders beside this file.
func strategies(t *testing.T) string {
	var b strings.Builder
	all := folders(t)
	b.WriteString("// Code generated from the folders of runtime/strategy by `make generate`. DO NOT EDIT.\n\npackage registry\n\nimport (\n\t\"github.com/cameronsjo/springfield/runtime/strategy\"\n")
	for _, f := range slices.SortedFunc(slices.Values(all), func(a, b folder) int { return strings.Compare(a.dir, b.dir) }) {
		b.WriteString("\t\"github.com/cameronsjo/springfield/runtime/strategy/" + f.dir + "\"\n")
	}
	b.WriteString(")\n\n// Strategies are all there are, in alphabetical order.\nvar Strategies = []*strategy.Strategy{\n")
	for _, f := range all {
		b.WriteString("\t&" + f.dir + ".Strategy,\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// hosts is the list of hosts, from the folders of runtime/host.
func hosts(t *testing.T) string {
	files, err := filepath.Glob("../host/*/*.go")
	must(t, err)
	var imports, all string
	last := ""
	for _, file := range files {
		if name := filepath.Base(filepath.Dir(file)); name != last {
			imports += "\t\"github.com/cameronsjo/springfield/runtime/host/" + name + "\"\n"
			all += "\t&" + name + ".Host,\n"
			last = name
		}
	}
	return "// Code generated from the folders of runtime/host by `make generate`. DO NOT EDIT.\n\npackage registry\n\nimport (\n\t\"github.com/cameronsjo/springfield/runtime/host\"\n" +
		imports + ")\n\n// Hosts are all there are, in alphabetical order. They must not be changed.\nvar Hosts = []*host.Host{\n" + all + "}\n"
}

// The registry is made from the folders.
func TestRegistryIsCurrent(t *testing.T) {
	for path, text := range map[string]string{"../registry/list.go": strategies(t), "../registry/hosts.go": hosts(t)} {
		want, err := format.Source([]byte(text))
		must(t, err)
		scratch.Golden(t, path, want)
	}
}
