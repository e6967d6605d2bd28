//go:build unix

package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

var must = scratch.Must

func none(string) string { return "" }

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a script")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return path
}

func TestProgramGetsItsLineAndLittleElse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	getenv := func(name string) string {
		return map[string]string{"HOME": "/h", "LD_PRELOAD": "/evil.so", "PATH": "/evil", "BASH_ENV": "/evil"}[name]
	}
	p := Child{Within: Patience, Argv: []string{script(t, `cat >"$1"; env >>"$1"; echo stray`), out}, Stdin: []byte("{\"event\":\"start\"}\n"), Getenv: getenv, Set: []string{"X=1"}}
	must(t, p.Run())
	data := scratch.ReadFile(t, out)
	if text := string(data); !strings.HasPrefix(text, "{\"event\":\"start\"}\n") || !strings.Contains(text, "HOME=/h\n") || !strings.Contains(text, "X=1\n") || strings.Contains(text, "evil") {
		t.Errorf("it got\n%s", text)
	}
}

// One that does not read, or closes its input, delays no other program, however long the line is.
func TestProgramThatDoesNotRead(t *testing.T) {
	for name, text := range map[string]string{"does not read": "exit 0", "closes": "exec <&-; exit 0"} {
		scratch.Must(t, (Child{Within: Patience, Argv: []string{script(t, text)}, Stdin: make([]byte, 1<<20), Getenv: none}).Run(), name)
	}
}

func TestProgramThatCannotRun(t *testing.T) {
	for name, argv := range map[string][]string{
		"none": nil, "no path": {"sh"}, "not there": {"/nowhere/at/all"}, "fails": {script(t, "exit 3")},
	} {
		scratch.ErrorIf(t, (Child{Within: Patience, Argv: argv, Getenv: none}).Run() == nil, "%s: no error", name)
	}
}

// A program that hangs is killed with its children.
func TestProgramThatHangs(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pid")
	p := Child{Within: time.Second, Argv: []string{script(t, `sleep 60 & echo $! >"$1"; wait`), mark}, Getenv: none}
	if err := p.Run(); err != ErrSlow {
		t.Fatalf("it ended with %v", err)
	}
	data := scratch.ReadFile(t, mark)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	must(t, err)
	scratch.WaitOrKill(t, pid, "what it started", 5*time.Second)
}
