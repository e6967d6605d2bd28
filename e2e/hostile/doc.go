// Package hostile attacks springfield from outside: it has no code of its own,
// only tests. Each builds the CLI and the hooks as a user has them, puts them
// where a cloned project, a cloned suite, a transcript, a variable or a git
// configuration is hostile, and looks at what came of it: exit code, output,
// memory, programs that were started, files that were written.
//
// What is right is judged by this package's own reading of bytes, never by the
// project's parsers, sanitisers or path code: a fault of theirs must not hide
// itself.
//
// Plain `go test` runs a part that is drawn anew each time; -full runs all of
// it (`make hostile`), and -seed repeats a draw. docs/security.md says which
// promise each test is about.
package hostile
