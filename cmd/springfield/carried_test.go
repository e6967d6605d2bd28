package main

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// carriedHeads is a directory of hooks for a springfield to carry, each no more than the head of a program:
// where they are written is all that is asked here.
func carriedHeads(t *testing.T) string {
	t.Helper()
	source, err := generator.SourceHash()
	must(t, err)
	built := generator.Build{Source: source, Go: runtime.Version(), SHA256: map[string]string{}, Judge: map[string]string{}}
	for _, target := range generator.AllTargets() {
		data := append(scratch.ProgramHead(target.OS, target.Arch), "springfield: this runtime reads no variable whose name begins with GO"...)
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		built.SHA256[target.String()], built.Judge[target.String()] = sum, sum
		for _, program := range []generator.Program{generator.Hook, generator.Judge} {
			built.Binaries = append(built.Binaries, generator.Binary{Program: program, Target: target, Data: data})
		}
	}
	dir := t.TempDir()
	must(t, generator.WritePrebuilt(dir, built))
	return dir
}
