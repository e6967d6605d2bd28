//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// While publish runs, another publish of the same suite is refused and changes nothing.
func TestTwoPublishAtOnce(t *testing.T) {
	t.Parallel()
	w := newTrapped(t) // only its places: no git in them
	for _, dir := range []string{"one", "two"} {
		w.must(t, "home", "springfield", "init", dir, "--yes", "--owner", "Ned", "--marketplace", dir)
	}
	must(t, os.Symlink("one", w.path("home", "alias")))
	real, err := exec.LookPath("go")
	must(t, err)
	host := generator.HostTarget().String()
	// This go waits, so that the first run overlaps the second.
	w.write(t, "slow/go", fmt.Sprintf("#!/bin/sh\n: >'%s'\nwhile [ ! -e '%s' ]; do sleep 0.05; done\nexec '%s' \"$@\"\n", w.path("begun"), w.path("go-on"), real), 0o755)
	slow := exec.Command("springfield", "publish", "one", "--bump", "minor", "--target", host)
	slow.Dir, slow.Env = w.path("home"), slices.Concat(w.base, []string{"PREBUILT=", "PATH=" + w.path("slow") + ":/usr/bin:/bin"})
	var said strings.Builder
	slow.Stdout, slow.Stderr = &said, &said
	must(t, slow.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(w.path("begun")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not begin: %s", said.String())
		}
	}
	for _, dir := range []string{"one", "alias"} {
		out, err := w.run(t, "home", nil, "springfield", "publish", dir, "--bump", "major", "--target", host)
		if err == nil || !strings.Contains(out, "another springfield is running") || !strings.Contains(out, "hint: nothing was changed") {
			t.Errorf("%s: %v\n%s", dir, err, out)
		}
	}
	for _, args := range []string{"two", "one --dry-run"} { // another suite, and only a look
		w.must(t, "home", "springfield", append([]string{"publish", "--target", host}, strings.Fields(args)...)...)
	}
	w.write(t, "go-on", "", 0o644)
	must(t, slow.Wait(), said.String())
	manifest := filepath.Join(w.path("home"), "one", "ned-flanders", ".claude-plugin", "plugin.json")
	scratch.Holds(t, "manifest", scratch.ReadOrNone(t, manifest), `"version": "0.2.0"`)
	w.must(t, "home", "springfield", "publish", "one", "--check")
}
