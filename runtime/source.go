// Package runtime embeds the sources of the hook binaries, so that the CLI can compile them without a network.
//
// Import it as hookruntime, because its name would shadow the standard library's.
package runtime

import (
	"embed"
	"path"
	"strings"
)

// Source has the directories of the binaries' packages, including tests and their data, which IsSource excludes. A test
// compares the rest with the packages that are imported.
//
//go:embed activity away backend codec console display file grave guard hook host judge language lastmessage lastprompt ledger markdown process quotation registry rules secret specs springfield-hook springfield-judge strategy terminal timestamp transcript wake workspace
var Source embed.FS

// IsSource reports whether the binaries are built from this file of Source, not a test, test data or a schema fragment.
func IsSource(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "/testdata/") && path.Ext(name) != ".json"
}

// Module and Go are the module path and the Go version in go.mod. A build of Source uses the same ones, and
// so the same defaults as a build in the repository.
const (
	Module = "github.com/cameronsjo/springfield"
	Go     = "1.25.0"
)
