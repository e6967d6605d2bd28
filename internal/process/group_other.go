//go:build !unix

// Package process is about programs of others that the CLI starts.
package process

import "os/exec"

// EndTogether does nothing: Windows has no groups of processes in this sense, and what a program
// leaves behind ends by itself.
func EndTogether(*exec.Cmd) {}
