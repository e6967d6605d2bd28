//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// springfield alone asks once, and a yes leads from nothing to a plugin that is on. A no
// and Ctrl-C leave nothing behind.
func TestGuide(t *testing.T) {
	const made, on = "home/continuation-hooks/springfield.yaml", "home/.claude/settings.json"
	is := func(dir, file string, want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != want {
			t.Errorf("%s is there: %t", file, err == nil)
		}
	}
	ends := func(x *person) {
		t.Helper()
		if code := x.exitCode(); code != 0 {
			t.Errorf("exit code %d:\n%s", code, x.vt.String())
		}
	}
	x, dir := start(t, 80)
	x.waitFor("Make a suite in ~/continuation-hooks and switch ned-flanders on?")
	x.send(ctrlC)
	checkCancelled(t, x, dir, "Ctrl-C")

	t.Setenv("PREBUILT", carriedHeads(t))
	x = startAgain(t, dir, 60, "xterm", "--plain")
	x.waitForLine("Make a suite")
	x.send("no" + enter)
	ends(x)
	is(dir, made, false)

	x = startAgain(t, dir, 80, "xterm")
	x.waitFor("Make a suite")
	x.send(enter)
	ends(x)
	is(dir, made, true)
	is(dir, on, true)

	x = startAgain(t, dir, 80, "xterm", "disable", "ned-flanders")
	x.exitCode()
	x = startAgain(t, dir, 80, "xterm")
	x.waitFor("Switch ned-flanders on?")
	x.send(enter)
	ends(x)
	is(dir, on, true)

	// Now there is something to show.
	x = startAgain(t, dir, 80, "xterm")
	if ends(x); !strings.Contains(x.vt.String(), "ned-flanders@continuation-hooks, for you in every project") {
		t.Errorf("it does not tell of the plugin:\n%s", x.vt.String())
	}
}
