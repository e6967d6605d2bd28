//go:build !unix

// Package group ends programs of others that the CLI starts, with all that they have started.
package group

import "os/exec"

// EndTogether does nothing: Windows has no groups of processes in this sense, and what a program
// leaves behind ends by itself.
func EndTogether(*exec.Cmd) {}
