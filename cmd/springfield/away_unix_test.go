//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/typist"
)

// An order is set after a yes, and not without one; settings are changed after a yes of their own.
func TestAwayIsAskedAbout(t *testing.T) {
	desk := desks(t)["springfield"]
	command := func(args ...string) *exec.Cmd {
		cmd := desk(t, args...)
		cmd.Env = append(cmd.Env, "PREBUILT="+carriedHeads(t))
		return cmd
	}
	home := command().Dir
	for _, args := range [][]string{{"init", "suite", "--yes", "--owner", "Ned", "--no-git", "--strategy", "ned-flanders"}, {"enable", "ned-flanders", "--suite", "suite"}} {
		if out, code := told(t, command(args...)); code != 0 {
			t.Fatalf("%v: %s", args, out)
		}
	}
	orders, local := filepath.Join(home, ".claude", "springfield", "away.json"), filepath.Join(home, ".claude", "settings.local.json")
	for _, test := range []struct {
		name, keys string
		code       int
		set        bool
	}{
		{"no", "n\n", 130, false}, {"nothing", "\n", 130, false}, {"Ctrl-C", ctrlC, 130, false}, {"Ctrl-D", ctrlD, 130, false},
		{"yes, and then no", "y\nn\n", 0, true},
	} {
		var out bytes.Buffer
		cmd := command("away", "8h", "--check", "make test")
		cmd.Stdout, cmd.Stderr = &out, &out
		screen, name, _ := typist.RunTyping(cmd, func() string { return test.keys })
		text, err := os.ReadFile(orders)
		if code := cmd.ProcessState.ExitCode(); code != test.code || (err == nil) != test.set {
			t.Errorf("%s: exit %d, %v\n%s%s", test.name, code, err, &out, screen)
		}
		if test.set && (!strings.Contains(string(text), `"from":"`+name+`"`) || !strings.Contains(screen, "Allow Bash(make test)")) {
			t.Errorf("%s: %s\n%s", test.name, text, screen)
		}
		if _, err := os.Stat(local); err == nil {
			t.Errorf("%s: settings are changed", test.name)
		}
	}
}

// A rule is added to those that are there, once.
func TestAddRule(t *testing.T) {
	for was, want := range map[string]string{
		"": `["Bash(make test)"]`, `[]`: `["Bash(make test)"]`, `["Bash(ls)"]`: `["Bash(ls)","Bash(make test)"]`, `["Bash(make test)"]`: "", `{}`: "error", `"x"`: "error",
	} {
		var raw []byte
		if was != "" {
			raw = []byte(was)
		}
		got, err := addRule(raw, "Bash(make test)")
		if text := string(got); err != nil != (want == "error") || err == nil && text != want {
			t.Errorf("%s: %s, %v", was, got, err)
		}
	}
}
