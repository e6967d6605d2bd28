//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// startWaiting starts a hook after an API error, in a session of this process, and returns once it waits. The waits are
// in seconds.
func startWaiting(t *testing.T, waits string) (cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	root, home, work := t.TempDir(), t.TempDir(), t.TempDir()
	hook := filepath.Join(root, "hooks", "springfield-hook")
	scratch.PlaceProgram(t, scratch.Program(t, "runtime/springfield-hook", "-ldflags=-s -w -X github.com/cameronsjo/springfield/runtime/wake.waits="+waits), hook)
	state, log := filepath.Join(home, ".claude", "springfield"), filepath.Join(home, ".claude", "projects", "w", "s.jsonl")
	for name, text := range map[string]string{
		log:                                  `{"type":"user","uuid":"u1","promptId":"p1","origin":{"kind":"human"},"timestamp":"2026-11-20T10:00:00.000Z","message":{"role":"user","content":"Carry out the plan."}}` + "\n",
		filepath.Join(root, "strategy.json"): ned,
		filepath.Join(state, "ned-flanders.json"):                                    `{"after-error": "on"}`,
		filepath.Join(home, ".claude", "sessions", fmt.Sprint(os.Getpid(), ".json")): fmt.Sprintf(`{"pid":%d,"sessionId":"s","kind":"interactive","status":"idle","statusUpdatedAt":1}`, os.Getpid()),
	} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	cmd, said = exec.Command(hook), &bytes.Buffer{}
	cmd.Dir, cmd.Env, cmd.Stderr = work, []string{"HOME=" + home}, said
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"StopFailure","session_id":"s","transcript_path":%q,"prompt_id":"p1","cwd":%q,"error":"server_error","last_assistant_message":"API Error"}`, log, work))
	must(t, cmd.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		names, _ := filepath.Glob(filepath.Join(state, "sessions", "*.jsonl"))
		if len(names) == 1 && strings.Contains(string(scratch.ReadFile(t, names[0])), "it is woken in") {
			return cmd, said
		}
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatal("it does not wait")
		}
	}
}

// Exit code 2 is the only one that wakes. No signal brings it, not even those at which Go ends with it.
func TestSignalsDoNotWake(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // else children ignore it if nohup started the tests
	for _, sent := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGHUP, syscall.SIGINT, syscall.SIGSYS} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			cmd, _ := startWaiting(t, "600")
			must(t, cmd.Process.Signal(sent))
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() == 2 {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestWaitEndsInAWake(t *testing.T) {
	cmd, said := startWaiting(t, "8")
	err := cmd.Wait()
	if cmd.ProcessState.ExitCode() != 2 || !strings.HasPrefix(said.String(), "[ned-flanders, 1 of 3 in 5 min: API Error] An API error ended your turn") {
		t.Errorf("%v, %q", err, said)
	}
	for word, want := range map[string]string{
		"why": `(?s)^ned-flanders woke Claude, .*  rule     api-error\n  because  API Error\n  sent to Claude: \[ned-flanders, 1 of 3 .*  budget   2 more within`,
		"log": `(?s)stop +ned-flanders +api-error +“API Error”; it is woken in 8 s\n.*continue +ned-flanders +api-error +API Error\n`,
	} {
		ask := exec.Command(cmd.Path, word)
		ask.Dir, ask.Env = cmd.Dir, cmd.Env
		if out, err := ask.CombinedOutput(); err != nil || !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s: %v, %s", word, err, out)
		}
	}
}
