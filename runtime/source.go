// Package runtime carries the sources of the hook binaries, so that the CLI
// can compile them on any machine that has Go, without a network.
//
// Import it as hookruntime: the name would shadow the standard library's.
package runtime

import "embed"

// Source holds every Go file below this directory that the binaries are made
// of, and their tests, which whoever compiles or hashes them leaves out. A new
// package has to be added here; a test compares this with what is imported.
//
//go:embed backend/*.go closing/*.go codec/*.go command/*.go display/*.go fact/*.go guard/*.go hook/*.go judge/*.go file/*.go language/*.go language/*.txt ledger/*.go springfield-hook/*.go springfield-judge/*.go moment/*.go process/*.go strategy/*.go terminal/*.go transcript/*.go workspace/*.go
var Source embed.FS

// Module and Go are the module path and the go line that the sources are
// compiled under: the same as in this repository's go.mod, so that a staged
// build has the same defaults as one in the tree.
const (
	Module = "github.com/cameronsjo/springfield"
	Go     = "1.25.0"
)
