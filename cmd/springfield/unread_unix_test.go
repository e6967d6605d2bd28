//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Verbs that write leave the same files, whether or not something reads what they
// print.
func TestReaderIsGone(t *testing.T) {
	t.Parallel()
	_, gocache := scratch.FindGo(t)
	gone := func() *os.File {
		r, w, err := os.Pipe()
		must(t, err)
		r.Close()
		t.Cleanup(func() { w.Close() })
		return w
	}
	dir := filepath.Join(t.TempDir(), "d") // the same for all: names of files come from it
	verbs := [][]string{
		{"init", "hooks", "--yes", "--strategy", "ned-flanders", "--no-git", "--memory", "CLAUDE.md"},
		{"new", "moe", "--from", "bart-simpson", "--suite", "hooks"},
		{"enable", "ned-flanders", "--suite", "hooks", "--no-activate"},
		{"hold", "1h"},
		{"publish", "hooks", "--bump", "minor", "--target", generator.HostTarget().String()},
		{"undo"},
		{"disable", "ned-flanders"},
	}
	carryOut := func(stdout, stderr func() *os.File, codes []int) (files []string) {
		t.Helper()
		must(t, os.RemoveAll(dir))
		must(t, scratch.PrepareHome(filepath.Join(dir, "home")))
		for _, args := range verbs {
			cmd := exec.Command("springfield", args...)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "GOCACHE=" + gocache, "XDG_CACHE_HOME=" + scratch.HookCache()}
			var said strings.Builder
			if cmd.Stdout = &said; stdout != nil {
				cmd.Stdout = stdout()
			}
			if cmd.Stderr = &said; stderr != nil {
				cmd.Stderr = stderr()
			}
			cmd.Run()
			if code := cmd.ProcessState.ExitCode(); !slices.Contains(codes, code) {
				t.Errorf("%v: exit code %d, want one of %v: %s", args, code, codes, said.String())
			}
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			files = append(files, strings.TrimPrefix(path, dir))
			return err
		})
		must(t, err)
		return files
	}
	want := carryOut(nil, nil, []int{0})
	for name, test := range map[string]struct {
		stdout, stderr func() *os.File
	}{"no stdout": {gone, nil}, "no stderr": {nil, gone}, "neither": {gone, gone}} {
		got := carryOut(test.stdout, test.stderr, []int{0, unread})
		if !slices.Equal(got, want) {
			t.Errorf("%s: it left other files:\n%s", name, udiff.Unified("as it should be", "as it is", strings.Join(want, "\n"), strings.Join(got, "\n")))
		}
	}
}
