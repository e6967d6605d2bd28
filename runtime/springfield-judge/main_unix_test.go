//go:build unix

// Tests of the binary itself, as the hook starts it.

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
)

func TestMain(m *testing.M) { os.Exit(scratch.RunWithDir(m)) }

var must = scratch.Must

// world is a scratch home with the judge and a client.
type world struct {
	t                 *testing.T
	home, judge, page string
}

func newWorld(t *testing.T, client string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t, dir, filepath.Join(dir, "springfield-judge"), ""}
	scratch.PlaceProgram(t, scratch.Program(t, "runtime/springfield-judge"), w.judge)
	must(t, os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\n"+client+"\n"), 0o755))
	line := codec.Append(nil, &judge.Question{Backend: judge.Claude, Model: "haiku", System: "S", Page: "P", WithinMs: 110_000, Client: filepath.Join(dir, "claude")})
	w.page = string(line) + "\n"
	return w
}

func (w *world) command(stdin string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = w.home, []string{"HOME=" + w.home, "PATH=/usr/bin:/bin", "TMPDIR=" + w.home}
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = 30 * time.Second
	return cmd
}

// run starts the judge and reads its one line.
func (w *world) run(stdin string, env ...string) (judge.Reply, int) {
	w.t.Helper()
	cmd := w.command(stdin, w.judge)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if bytes.Count(out, []byte("\n")) != 1 || !bytes.HasSuffix(out, []byte("\n")) {
		w.t.Fatalf("not one line: %q", out)
	}
	var reply judge.Reply
	must(w.t, codec.ReadObject(out, &reply), out)
	return reply, cmd.ProcessState.ExitCode()
}

const answers = `echo '{"type":"result","subtype":"success","is_error":false,"structured_output":{"reason":"w","continue":true},"total_cost_usd":0.001}'`

// hangs writes its number and waits. HOME is the only variable of the test's that a client gets.
const hangs = `echo $$ > "$HOME/pid.part"; mv "$HOME/pid.part" "$HOME/pid"; exec sleep 600`

func TestBinary(t *testing.T) {
	w := newWorld(t, answers)
	reply, code := w.run(w.page)
	if reply.Failed != "" || !reply.Continue || reply.Why != "w" || reply.Micros != 1000 || code != 0 {
		t.Errorf("exit %d, %+v", code, reply)
	}
	for name, c := range map[string]struct {
		stdin, env string
		want       judge.Failure
		code       int
	}{
		"without a line's end": {strings.TrimSpace(w.page), "", "", 0},
		"a judge's own":        {w.page, "SPRINGFIELD_JUDGE=1", judge.Recursive, 0},
		"no such client":       {strings.ReplaceAll(w.page, "/claude\"", "/none\""), "", judge.NoClient, 0},
		"nothing":              {"", "", judge.Refused, 1},
		"no JSON":              {"continue?", "", judge.Refused, 1},
		"a list":               {"[]", "", judge.Refused, 1},
		"another shape":        {`{"backend":1}`, "", judge.Refused, 1},
		"half":                 {w.page[:len(w.page)/2], "", judge.Refused, 1},
		"too long":             {`{"page":"` + strings.Repeat("x", judge.MaxWire) + `"}`, "", judge.Refused, 1},
	} {
		if reply, code := w.run(c.stdin, c.env); reply.Failed != c.want || code != c.code {
			t.Errorf("%s: exit %d, %+v", name, code, reply)
		}
	}
}

func TestHelp(t *testing.T) {
	w := newWorld(t, answers)
	cmd := w.command(w.page, w.judge, "--help")
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || string(out) != help {
		t.Errorf("%v: %q", err, out)
	}
}

// A judge that is terminated, or has no reader left, ends the client, too.
func TestClientEndsWithJudge(t *testing.T) {
	type ending struct {
		name string
		end  func(judge, asker *os.Process)
	}
	endings := []ending{
		{"told to end", func(judge, _ *os.Process) { judge.Signal(syscall.SIGTERM) }},
		{"interrupted", func(judge, _ *os.Process) { judge.Signal(os.Interrupt) }},
		{"asker killed", func(_, asker *os.Process) { asker.Kill() }},
	}
	if runtime.GOOS == "linux" { // elsewhere no signal reaches the client; its own limit ends it
		endings = append(endings, ending{"killed", func(judge, _ *os.Process) { judge.Kill() }})
	}
	for _, c := range endings {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, hangs)
			// The shell is who asks: it stays the judge's parent.
			must(t, os.WriteFile(filepath.Join(w.home, "question"), []byte(w.page), 0o600))
			asker := w.command("", "/bin/sh", "-c", `./springfield-judge <question >/dev/null & echo $! > judge.part; mv judge.part judge; wait`)
			must(t, asker.Start())
			process, err := os.FindProcess(w.number("judge"))
			must(t, err)
			client := w.number("pid")
			c.end(process, asker.Process)
			// They end long before the question's deadline, or not at all.
			scratch.WaitOrKill(t, client, "the client", 30*time.Second)
			scratch.WaitOrKill(t, process.Pid, "the judge", 30*time.Second)
			asker.Process.Kill()
			asker.Wait()
			if left, _ := filepath.Glob(filepath.Join(w.home, "springfield-judge-*")); len(left) > 0 && c.name != "killed" {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// number waits for a process to write its own.
func (w *world) number(name string) int {
	w.t.Helper()
	for range 3000 {
		if data, err := os.ReadFile(filepath.Join(w.home, name)); err == nil {
			n, err := strconv.Atoi(strings.TrimSpace(string(data)))
			must(w.t, err)
			return n
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.t.Fatalf("%s did not start", name)
	return 0
}
