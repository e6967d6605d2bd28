package host_test

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what is made from the folders")

// The registry's list of hosts is made from the folders beside this file.
func TestRegistryIsCurrent(t *testing.T) {
	const path = "../registry/hosts.go"
	entries, err := os.ReadDir(".")
	must(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" {
			folders = append(folders, e.Name())
		}
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from the folders of runtime/host by `make generate`. DO NOT EDIT.\n\npackage registry\n\nimport (\n\t\"github.com/cameronsjo/springfield/runtime/host\"\n")
	for _, name := range folders {
		b.WriteString("\t\"github.com/cameronsjo/springfield/runtime/host/" + name + "\"\n")
	}
	b.WriteString(")\n\nfunc hosts() []func() host.Host {\n\treturn []func() host.Host{\n")
	for _, name := range folders {
		b.WriteString("\t\t" + name + ".Host,\n")
	}
	b.WriteString("\t}\n}\n")
	want, err := format.Source(b.Bytes())
	must(t, err)
	if *update {
		must(t, os.WriteFile(path, want, 0o644))
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the folders say: make generate (%v)", path, err)
	}
}
