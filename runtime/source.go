// Package runtime carries the sources of the hook binaries, so that the CLI
// can compile them on any machine that has Go, without a network.
//
// Import it as hookruntime: the name would shadow the standard library's.
package runtime

import (
	"embed"
	"path"
	"strings"
)

// Source holds the directories that the binaries are made of: every Go file, and
// beside them tests and their data, which are left out where they are compiled or
// hashed. A test compares the rest with what is imported.
//
//go:embed activity away backend codec console display file grave guard hook host judge language lastmessage lastword ledger markdown process quotation registry rules secret specs springfield-hook springfield-judge strategy terminal timestamp transcript wake workspace
var Source embed.FS

// IsSource reports whether the binaries are built from this file of Source: tests, their data, and fragments of JSON
// Schemas are not included.
func IsSource(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "/testdata/") && path.Ext(name) != ".json"
}

// Module and Go are the module path and the go line that the sources are
// compiled under: the same as in this repository's go.mod, so that a staged
// build has the same defaults as one in the tree.
const (
	Module = "github.com/cameronsjo/springfield"
	Go     = "1.25.0"
)
