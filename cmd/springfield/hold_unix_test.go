//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

func init() { commands["person"] = atTerminal }

// atTerminal is a person who runs springfield at a terminal and says yes there: person resume.
func atTerminal(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command(filepath.Join(ts.Getenv("COMMANDS"), "springfield"), args...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{"PATH", "HOME", "CLAUDECODE", "CLAUDE_CONFIG_DIR"} {
		cmd.Env = append(cmd.Env, key+"="+ts.Getenv(key))
	}
	out := ts.Stdout()
	cmd.Stdout, cmd.Stderr = out, ts.Stderr()
	if screen, err := typist.RunTyping(cmd, typist.AgreeToAll); (err != nil) != neg {
		ts.Fatalf("%v: %v\n%s", args, err, screen)
	}
}

// desks are the two programs that have the words about holds, with a home.
func desks(t *testing.T) map[string]func(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	cli, plugin := filepath.Join(dir, "springfield"), filepath.Join(dir, "ned-flanders")
	hook := filepath.Join(plugin, "hooks", "springfield-hook")
	must(t, os.Symlink(self, cli))
	scratch.PlaceProgram(t, scratch.Program(t, "runtime/springfield-hook"), hook)
	must(t, os.WriteFile(filepath.Join(plugin, "strategy.json"), []byte(`{"plugin": "ned-flanders", "strategy": "ned-flanders"}`), 0o600))
	programs := map[string]func(t *testing.T, args ...string) *exec.Cmd{}
	for name, path := range map[string]string{"springfield": cli, "ned-flanders": hook} {
		home := t.TempDir()
		programs[name] = func(t *testing.T, args ...string) *exec.Cmd {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // one that asks would wait
			t.Cleanup(cancel)
			cmd := exec.CommandContext(ctx, path, args...)
			cmd.Dir, cmd.Env = home, []string{"HOME=" + home}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the terminal that go test runs at is none of theirs
			return cmd
		}
	}
	return programs
}

// told runs a program that may fail and returns what it says.
func told(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// Who has no controlling terminal does not lift a hold, whatever else it has and says.
func TestHoldStaysWithoutATerminal(t *testing.T) {
	ptm, pts, err := pty.Open()
	must(t, err)
	defer ptm.Close()
	defer pts.Close()
	owner := exec.Command("cat") // as Claude's own terminal has an owner, else the first to open it becomes that
	owner.Stdin, owner.SysProcAttr = pts, &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, owner.Start())
	defer owner.Wait()
	defer owner.Process.Kill()
	shell := func(script string) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) {
			cmd.Args = append([]string{"sh", "-c", script, "sh", cmd.Path}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
		}
	}
	inClaude := func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "CLAUDECODE=1") }
	for program, command := range desks(t) {
		if out, code := told(t, command(t, "hold", "2h")); code != 0 {
			t.Fatalf("%s: %s", program, out)
		}
		for name, by := range map[string]func(*exec.Cmd){
			"Claude":                      inClaude,
			"Claude without its variable": func(cmd *exec.Cmd) { inClaude(cmd); shell(`env -u CLAUDECODE "$@"`)(cmd) },
			"an empty environment":        func(cmd *exec.Cmd) { shell(`HOME=$HOME exec env -i HOME="$HOME" "$@"`)(cmd) },
			"a pipe with answers":         shell(`yes | "$@"`),
			"a terminal that is not its own": func(cmd *exec.Cmd) {
				cmd.Stdin = pts
				cmd.ExtraFiles = []*os.File{pts}
			},
			"a terminal opened by name": shell(`exec "$@" <` + pts.Name()),
		} {
			cmd := command(t, "resume")
			by(cmd)
			out, code := told(t, cmd)
			if code != 1 || !strings.Contains(out, "only a person") || !strings.Contains(out, "hint: open a terminal") || !strings.Contains(out, " resume") {
				t.Errorf("%s by %s: exit %d, %s", program, name, code, out)
			}
		}
		if out, _ := told(t, command(t, "resume", "--session", "other")); !strings.Contains(out, "no session \"other\" is known") {
			t.Errorf("%s: an unknown session: %s", program, out)
		}
		// The hold is still in force, and Claude cannot lift it at a terminal either.
		cmd := command(t, "resume")
		inClaude(cmd)
		if screen, err := typist.RunTyping(cmd, typist.AgreeToAll); err == nil || screen != "" {
			t.Errorf("%s: Claude at a terminal: %v\n%s", program, err, screen)
		}
		if out, code := told(t, command(t, "log")); code != 0 || strings.Count(out, "  hold  ") != 1 || !strings.Contains(out, "all sessions for 2 h without a terminal") {
			t.Errorf("%s: log: exit %d\n%s", program, code, out)
		}
	}
}

// A person at a terminal lifts, once they have said yes there. A hold is not shortened.
func TestHoldLiftedAtATerminal(t *testing.T) {
	type step struct {
		args  []string
		types func() string
		code  int
		want  string // on standard output or error
	}
	never := func() string { t.Error("it asks"); return ctrlC }
	keys := func(keys string) func() string { return func() string { return keys } }
	for program, command := range desks(t) {
		projects := filepath.Join(command(t).Dir, ".claude", "projects", "p")
		must(t, os.MkdirAll(projects, 0o700))
		must(t, os.WriteFile(filepath.Join(projects, "a b.jsonl"), nil, 0o600))
		for _, s := range []step{
			{[]string{"resume"}, never, 0, "no hold is in force for all sessions"},
			{[]string{"hold", "2h"}, never, 0, "holding all sessions for 2 h"},
			{[]string{"hold", "3h"}, never, 0, "holding all sessions for 3 h"},
			{[]string{"hold", "5m"}, never, 1, "error: a longer hold is in force for 3 h"},
			{[]string{"resume"}, keys(ctrlD), 130, "cancelled"},
			{[]string{"resume"}, keys("n\n"), 130, "cancelled"},
			{[]string{"resume"}, typist.AgreeToAll, 0, "lifted the hold on all sessions"},
			{[]string{"resume"}, never, 0, "no hold is in force for all sessions; the last one was lifted "},
			{[]string{"hold", "--session", "a b"}, never, 0, "resume --session 'a b'"},
			{[]string{"resume"}, never, 0, "no hold is in force for all sessions"},
			{[]string{"resume", "--session", "a b"}, typist.AgreeToAll, 0, "lifted the hold on session a b"},
			{[]string{"hold", "0.001s"}, never, 0, "holding all sessions"},
			{[]string{"resume"}, never, 0, "no hold is in force for all sessions; the last one ran out "},
			{[]string{"hold"}, never, 0, "holding all sessions until you resume"},
		} {
			var out bytes.Buffer
			cmd := command(t, s.args...)
			cmd.Stdout, cmd.Stderr = &out, &out
			asked := false
			screen, _ := typist.RunTyping(cmd, func() string {
				asked = true
				return s.types()
			})
			if got := cmd.ProcessState.ExitCode(); got != s.code || !strings.Contains(out.String(), s.want) {
				t.Errorf("%s %v: exit %d, %s\n%s", program, s.args, got, &out, screen)
			}
			if s.code == 0 && asked {
				if out, _ := told(t, command(t, "log")); !strings.Contains(out, "from /dev/tty") || !strings.Contains(out, program) {
					t.Errorf("%s %v: log does not say from /dev/tty:\n%s", program, s.args, out)
				}
			}
		}

		// Ctrl-C ends the hook by a signal.
		told(t, command(t, "hold", "2h"))
		cmd := command(t, "resume")
		if screen, _ := typist.RunTyping(cmd, keys(ctrlC)); cmd.ProcessState.Success() || program == "springfield" && cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("%s: Ctrl-C: %v\n%s", program, cmd.ProcessState, screen)
		}
	}
}

// A hold whose file was deleted was not lifted: every verb that tells of holds says so.
func TestRemovedHoldIsTold(t *testing.T) {
	programs := desks(t)
	cli := programs["springfield"]
	home := cli(t).Dir
	told(t, cli(t, "hold"))
	stop := programs["ned-flanders"](t)
	stop.Dir, stop.Env = home, []string{"HOME=" + home}
	stop.Stdin = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Task 1 complete. Moving to Task 2."}`)
	if out, code := told(t, stop); code != 0 {
		t.Fatal(out)
	}
	must(t, os.Remove(filepath.Join(home, ".claude", "springfield", "hold")))
	for _, verb := range []string{"why", "status", "log", "resume"} { // the first of them notices it
		want := map[string]string{"log": "removed hold all sessions"}[verb]
		if want == "" {
			want = "removed without resume"
		}
		if out, code := told(t, cli(t, verb)); code != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: exit %d, no %q:\n%s", verb, code, want, out)
		}
	}
}
