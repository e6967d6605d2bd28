//go:build unix

// Tests of the binary itself, as Claude Code starts it.

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	ned      = `{"plugin": "ned-flanders", "strategy": "ned-flanders"}`
	progress = `{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Task 1 complete. Moving to Task 2."}`
)

// install builds the hook into a plugin in a scratch directory.
func install(t testing.TB) (hook string) {
	t.Helper()
	root := t.TempDir()
	hook = filepath.Join(root, "hooks", "springfield-hook")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", hook, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(root, "strategy.json"), []byte(ned), 0o600); err != nil {
		t.Fatal(err)
	}
	return hook
}

// command starts the hook with a scratch home and nothing else.
func command(t testing.TB, hook string, env ...string) *exec.Cmd {
	cmd := exec.Command(hook)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"HOME=" + t.TempDir()}, env...)
	return cmd
}

func TestBinary(t *testing.T) {
	hook := install(t)
	for name, test := range map[string]struct {
		stdin  string
		env    string
		blocks bool
	}{
		"goes on":  {progress, "", true},
		"off":      {progress, "SPRINGFIELD=off", false},
		"not off":  {progress, "SPRINGFIELD=on", true},
		"no event": {"", "", false},
		"junk":     {"D'oh!", "", false},
	} {
		cmd := command(t, hook, test.env)
		cmd.Stdin = strings.NewReader(test.stdin)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Contains(stdout.String(), `"decision":"block"`); got != test.blocks || !got && stdout.Len() > 0 {
			t.Errorf("%s: stdout %q, stderr %q", name, stdout.String(), stderr.String())
		}
	}
}

// No variable but SPRINGFIELD=off changes what is decided or where the ledger
// lies: a project's settings can set any of them.
func TestEnvironmentIsNotTrusted(t *testing.T) {
	hook := install(t)
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "projects", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	event := strings.Replace(progress, `"session_id"`, `"transcript_path":"`+filepath.Join(config, "projects", "x", "s.jsonl")+`","session_id"`, 1)
	blocks := 0
	for range 6 {
		// Another home at every stop, as a hostile project would have it.
		cmd := command(t, hook, "CLAUDE_CONFIG_DIR="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "SPRINGFIELD_HOME="+t.TempDir(), "CLAUDE_PLUGIN_ROOT="+t.TempDir())
		cmd.Stdin = strings.NewReader(event)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), `"block"`) {
			blocks++
		}
	}
	if blocks != 3 {
		t.Errorf("%d continues at once, want 3", blocks)
	}
	if _, err := os.Stat(filepath.Join(config, "springfield", "sessions")); err != nil {
		t.Error(err)
	}
}

// Standard input stays open, as it does on some hosts.
func TestBinaryDoesNotWaitForTheEndOfInput(t *testing.T) {
	cmd := command(t, install(t))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	io.WriteString(stdin, progress)
	timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := io.ReadAll(stdout)
	if err != nil || !strings.Contains(string(out), `"block"`) {
		t.Errorf("%q, %v", out, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// The armour is on in the real binary: a signal on which Go dies with exit
// code 2 ends it by SIGABRT.
func TestBinaryWearsItsArmour(t *testing.T) {
	cmd := command(t, install(t))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !waitsForInput(cmd.Process.Pid) {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() == 2 {
		t.Errorf("%v, want death by SIGABRT", err)
	}
}
