// Package hostile attacks springfield from outside. Each test builds the CLI and the hooks, runs them in a
// hostile project, suite, transcript, environment or git configuration, and checks exit code, output, memory,
// started programs and written files.
//
// The tests parse results with their own code, so that a bug in the project's parsers cannot hide itself.
//
// Plain `go test` runs a random part. -full runs all (`make hostile`) and -seed repeats a draw.
// docs/security.md lists the promise for each test.
package hostile
