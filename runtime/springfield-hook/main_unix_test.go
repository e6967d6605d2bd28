//go:build unix

// Tests of the binary itself, as Claude Code starts it.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

const (
	ned      = `{"plugin": "ned-flanders", "strategy": "ned-flanders"}`
	progress = `{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Task 1 complete. Moving to Task 2."}`
)

func TestMain(m *testing.M) { os.Exit(scratch.RunWithDir(m)) }

var must, errorIf = scratch.Must, scratch.ErrorIf

var (
	building sync.Once
	shipped  []byte // the hook as the CLI builds it
)

// install puts the hook into a plugin in a scratch directory.
func install(t testing.TB) (hook string) {
	t.Helper()
	building.Do(func() {
		goroot, cache := scratch.FindGo(t)
		tools := generator.Toolchain{Builder: generator.WithGo, Go: filepath.Join(goroot, "bin", "go"), Path: os.Getenv("PATH"), Home: t.TempDir(), GoCache: cache}
		built, err := tools.BuildPrograms(t.Context(), []generator.Target{generator.HostTarget()}, generator.Hook)
		must(t, err)
		shipped = built.Binaries[0].Data
	})
	root := t.TempDir()
	hook = filepath.Join(root, "hooks", "springfield-hook")
	must(t, os.MkdirAll(filepath.Dir(hook), 0o700))
	must(t, os.WriteFile(hook, shipped, 0o700))
	must(t, os.WriteFile(filepath.Join(root, "strategy.json"), []byte(ned), 0o600))
	return hook
}

// hookCommand starts the hook with a scratch home and nothing else.
func hookCommand(t testing.TB, hook string, env ...string) *exec.Cmd {
	cmd := exec.Command(hook)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"HOME=" + t.TempDir()}, env...)
	return cmd
}

// maxSize bounds the hook, in bytes: a suite carries it for each machine, and each start loads it.
const maxSize = 4_220_000

func TestSize(t *testing.T) {
	info, err := os.Stat(install(t))
	must(t, err)
	if info.Size() > maxSize {
		t.Errorf("the hook has %d bytes, more than %d: see which package it is with go tool nm -size -sort size", info.Size(), maxSize)
	}
}

// A project's settings can set any variable. None but SPRINGFIELD=off changes a decision or the place of the ledger.
func TestEnvironmentIsNotTrusted(t *testing.T) {
	hook := install(t)
	config := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(config, "projects", "x"), 0o755))
	event := strings.Replace(progress, `"session_id"`, `"transcript_path":"`+filepath.Join(config, "projects", "x", "s.jsonl")+`","session_id"`, 1)
	blocks := 0
	for i := range 6 {
		// Another home at every stop, as a hostile project would have it.
		cmd := hookCommand(t, hook, "CLAUDE_CONFIG_DIR="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "SPRINGFIELD_HOME="+t.TempDir(), "CLAUDE_PLUGIN_ROOT="+t.TempDir())
		cmd.Stdin = strings.NewReader(strings.Replace(event, "Task 2", fmt.Sprint("Task ", i), 1))
		out, err := cmd.Output()
		must(t, err)
		if strings.Contains(string(out), `"block"`) {
			blocks++
		}
	}
	errorIf(t, blocks != 3, "%d continues at once, want 3", blocks)
	if _, err := os.Stat(filepath.Join(config, "springfield", "sessions")); err != nil {
		t.Error(err)
	}
}

// Four processes at once, two sessions interleaved.
func TestBudgetAcrossProcesses(t *testing.T) {
	hook := install(t)
	home := t.TempDir()
	var mu sync.Mutex
	blocks := map[string]int{}
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			for i := range 50 {
				session := fmt.Sprint("s", i%2)
				cmd := exec.Command(hook)
				cmd.Env = []string{"HOME=" + home}
				cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"stop_hook_active":%v,"last_assistant_message":"Moving to Task %d."}`, session, i%3 == 0, p*1000+i))
				out, err := cmd.Output()
				errorIf(t, err != nil, "%v", err)
				if strings.Contains(string(out), `"block"`) {
					mu.Lock()
					blocks[session]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for session, n := range blocks {
		errorIf(t, n > 3, "session %s: %d continues", session, n)
	}
	errorIf(t, len(blocks) != 2, "continues %v: the test shows nothing", blocks)
}

// A slash command of the plugin's that looks or holds is answered at once. All else is left to the command's own words:
// no event has more rights than these.
func TestSlashCommandIsAnsweredAtOnce(t *testing.T) {
	hook := install(t)
	home, work := t.TempDir(), t.TempDir()
	tell := func(event string, env ...string) string {
		t.Helper()
		cmd := exec.Command(hook)
		cmd.Dir, cmd.Env, cmd.Stdin = work, append([]string{"HOME=" + home}, env...), strings.NewReader(event)
		out, err := cmd.Output()
		errorIf(t, err != nil, "%s: %v", event, err)
		return string(out)
	}
	tell(progress)
	typed := func(name, arguments string) string {
		return fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"UserPromptExpansion","expansion_type":"slash_command","command_name":%q,"command_args":%q,"command_source":"plugin","prompt":"/x"}`, work, name, arguments)
	}
	why := typed("ned-flanders:why", "")
	for _, step := range []struct{ event, want string }{
		{why, `{"decision":"block","reason":"ned-flanders made Claude continue, `},
		{why, `\n  rule     progress\n  because  “Moving to Task 2.”\n`},
		{typed("ned-flanders:why", "no-1"), `"error: there is no decision`},
		{typed("ned-flanders:log", "-n 1 --all"), "continue  ned-flanders  progress"},
		{typed("ned-flanders:hold", "30m"), `"holding all sessions for 30 min: every agent may stop`},
		{typed("ned-flanders:hold", ""), `"holding all sessions for 12 h: every agent may stop, even if work is left\nit then ends by itself`},
		{typed("ned-flanders:hold", ""), `resume"}`},
		{typed("ned-flanders:hold", "--list"), "all sessions: held for 12 h"},
		{typed("ned-flanders:why", "one two"), ""},
		{typed("ned-flanders:why", "$(touch here)"), ""},
		{typed("ned-flanders:why", strings.Repeat("x", 300)), ""},
		{typed("ned-flanders:resume", ""), ""},
		{typed("ned-flanders:away", "8h"), ""},
		{typed("ned-flanders:", ""), ""},
		{typed("ned-flanders", ""), ""},
		{typed("homer:why", ""), ""},
		{strings.Replace(why, `"plugin"`, `"userSettings"`, 1), ""},
		{strings.Replace(why, `"ned-flanders:why"`, `["ned-flanders:why"]`, 1), ""},
		{strings.Replace(why, `"UserPromptExpansion"`, `"UserPromptSubmit"`, 1), ""},
		{why[:len(why)-1], ""},
	} {
		got := tell(step.event)
		if !strings.Contains(got, step.want) || (step.want == "") != (got == "") || got != "" && !strings.HasPrefix(got, `{"decision":"block","reason":"`) {
			t.Errorf("%s: %q, want %q", step.event, got, step.want)
		}
	}
	scratch.Equal(t, tell(why, "SPRINGFIELD=off"), "", "switched off")
	scratch.Lacks(t, "there is no springfield on PATH", tell(typed("ned-flanders:hold", ""), "PATH="+filepath.Dir(hook)), "springfield resume")
	must(t, os.WriteFile(filepath.Join(work, "springfield"), []byte("#!/bin/sh\n"), 0o755))
	scratch.Holds(t, "springfield is on PATH", tell(typed("ned-flanders:hold", ""), "PATH="+work), "lift it from a terminal of your own: springfield resume")
	begins := fmt.Sprintf(`{"session_id":"t","cwd":%q,"hook_event_name":"SessionStart","source":"startup"}`, work)
	scratch.Holds(t, "a session begins under a hold, springfield is on PATH", tell(begins, "PATH="+work), "; springfield resume lifts it")
	begins = strings.Replace(begins, `"t"`, `"u"`, 1)
	scratch.Holds(t, "a session begins under a hold, there is no springfield on PATH", tell(begins, "PATH="+filepath.Dir(hook)), `springfield-hook\" resume lifts it`)
	if got := tell(typed("ned-flanders:log", "")); !regexp.MustCompile(`-1 +(just now|\d+ s ago) +continue`).MatchString(got) || strings.Contains(got, "-2  ") {
		t.Errorf("decisions were recorded: %q", got)
	}
}

func TestWords(t *testing.T) {
	hook := install(t)
	home := t.TempDir()
	run := func(stdin string, env []string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(hook, args...)
		cmd.Env = append([]string{"HOME=" + home}, env...)
		cmd.Stdin = strings.NewReader(stdin)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		screen, err := typist.RunTyping(cmd, typist.AgreeToAll)
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, screen)
		}
		return out.String(), cmd.ProcessState.ExitCode()
	}
	moved := []string{"CLAUDE_CONFIG_DIR=" + t.TempDir()}
	for _, step := range []struct {
		stdin string
		env   []string
		args  []string
		code  int
		want  string
	}{
		{"", nil, []string{"why"}, 0, "no decision is recorded for "},
		{"", nil, []string{"why", "--json"}, 1, "no decision is recorded"},
		{progress, nil, nil, 0, `"block"`},
		{"", nil, []string{"why"}, 0, "ned-flanders made Claude continue"},
		{"", nil, []string{"why", "none-9"}, 1, "log --all lists them"},
		{"", nil, []string{"log"}, 0, "continue  ned-flanders"},
		{"", nil, []string{"log", "--session", "s", "-n", "1", "--json"}, 0, `"session":"s"`},
		{"", nil, []string{"log", "--session", "unheard-of"}, 1, "no session \"unheard-of\" is known"},
		{"", moved, []string{"hold"}, 0, "holding all sessions until you resume"},
		{progress, nil, nil, 0, "by rule hold"}, // of a host that CLAUDE_CONFIG_DIR does not move
		{"", moved, []string{"hold", "--list"}, 0, "all sessions: held until you resume"},
		{"", moved, []string{"why"}, 0, "rule     hold"},
		{"", moved, []string{"resume"}, 0, "lifted the hold on all sessions"},
		{"", nil, []string{"hold", "--list"}, 0, "no hold is in force"},
		{"", nil, []string{"--help"}, 1, "why [ID|last]"},
	} {
		if out, code := run(step.stdin, step.env, step.args...); code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("%v: exit %d, %q, want %d, %q", step.args, code, out, step.code, step.want)
		}
	}
}

// At a terminal without a word the hook explains itself and records nothing.
func TestHookAtATerminal(t *testing.T) {
	hook, home := install(t), t.TempDir()
	cmd := exec.Command("sh", "-c", `exec "$0" </dev/tty`, hook)
	cmd.Env = []string{"HOME=" + home}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	_, err := typist.RunTyping(cmd, typist.AgreeToAll)
	errorIf(t, err != nil || !strings.Contains(out.String(), "You can call it with one of these commands"), "%v: %q", err, out.String())
	_, err = os.Stat(filepath.Join(home, ".claude"))
	errorIf(t, err == nil, "something was recorded")
}

// The armour is on in the real binary: a signal on which Go dies with exit code 2 ends it by SIGABRT.
func TestBinaryWearsItsArmour(t *testing.T) {
	cmd := hookCommand(t, install(t))
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer stdin.Close()
	must(t, cmd.Start())
	for !waitsForInput(cmd.Process.Pid) {
		time.Sleep(time.Millisecond)
	}
	must(t, cmd.Process.Signal(syscall.SIGQUIT))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() == 2 {
		t.Errorf("%v, want death by SIGABRT", err)
	}
}

// A reason on standard error is for a model: joiners, as in Persian and emoji, are kept, terminal controls are not.
func TestReasonsReachTheModel(t *testing.T) {
	hook := install(t)
	config := `{"strategy": "ned-flanders", "protocol": "exit2", "add": [{"id": "a", "last": ["next"], "then": "continue", "reason": "می\u200cخواهم 👨\u200d👧\u001b[2J\u202e"}]}`
	must(t, os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(hook)), "strategy.json"), []byte(config), 0o600))
	cmd := hookCommand(t, hook)
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"The next."}`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if want := "می\u200cخواهم 👨\u200d👧[2J"; cmd.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String(), want) || strings.ContainsAny(stderr.String(), "\x1b\u202e") {
		t.Errorf("%v, %q, want %q in it", err, stderr.String(), want)
	}
}

// waitsForInput reports whether a started hook reads its event. Other systems than Linux do not show it.
func waitsForInput(pid int) bool {
	if runtime.GOOS != "linux" {
		time.Sleep(500 * time.Millisecond)
		return true
	}
	call := map[string]string{"amd64": "0 0x0 ", "arm64": "63 0x0 "}[runtime.GOARCH] // read(0, …
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		current, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/syscall", pid, task.Name()))
		if call != "" && strings.HasPrefix(string(current), call) {
			return true
		}
	}
	return false
}
