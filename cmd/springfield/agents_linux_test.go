package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

// typing answers yes at a pseudo-terminal that it makes.
const typing = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
os.write(fd, b"y\n")
try:
    while os.read(fd, 4096): pass
except OSError: pass
os.waitpid(pid, 0)
`

// A second signal ends a command that hangs, here on a pipe that nobody reads.
func TestSecondSignal(t *testing.T) {
	out, in, err := os.Pipe()
	must(t, err)
	defer out.Close()
	_, err = unix.FcntlInt(in.Fd(), unix.F_SETPIPE_SZ, 4096)
	must(t, err)
	cmd := desks(t)["springfield"](t, "completion", "bash")
	cmd.Stdout = in
	must(t, cmd.Start())
	in.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	begin := make([]byte, 1)
	_, err = out.Read(begin)
	must(t, err)
	for range 100 {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("it swallows all signals")
}

// An agent, here a shell named claude, cannot lift a hold at a terminal that it made itself.
func TestAgentsDoNotLiftHolds(t *testing.T) {
	shell, err := filepath.EvalSymlinks("/bin/sh")
	must(t, err)
	dir := t.TempDir()
	claude, python := filepath.Join(dir, "claude"), filepath.Join(dir, "type.py")
	scratch.PlaceProgram(t, shell, claude)
	must(t, os.WriteFile(python, []byte(typing), 0o600))
	const (
		none, agent, variables = "no controlling terminal", "an ancestor of this command is claude (pid ", "variables of Claude Code"
		behind                 = "no one sits at this terminal: "
	)
	const yes = "while echo y; do sleep 0.1; done | "
	clean := "env -u CLAUDECODE "
	script := `script -qec "$RUN" /dev/null`
	attacks := map[string]struct{ by, want string }{
		"plain":                           {`"$RUN"`, "only a person can lift a hold, not Claude"},
		"without the variable":            {clean + `"$RUN"`, none},
		"script":                          {yes + script, "not Claude"},
		"script without the variable":     {yes + clean + script, agent},
		"an empty environment":            {yes + `env -i HOME="$HOME" RUN="$RUN" PATH="$PATH" ` + script, agent},
		"a shell in script":               {yes + clean + `script -qec "sh -c 'sh -c \"$RUN\"; true'" /dev/null`, agent},
		"script in script":                {yes + clean + `script -qec 'script -qec "$RUN" /dev/null' /dev/null`, agent},
		"setsid in script":                {yes + clean + `script -qec 'setsid -w "$RUN"' /dev/null`, none},
		"setsid -f in script":             {yes + clean + `script -qec 'setsid -f "$RUN"; sleep 1' /dev/null`, none},
		"double fork in script":           {yes + clean + `script -qec '(trap "" HUP TTIN; nohup "$RUN" & ); sleep 1' /dev/null`, "only a person at a terminal can lift a hold: "}, // the parent may or may not have ended
		"setsid -f around script":         {clean + `setsid -f sh -c '` + yes + script + `'`, behind + "script (pid "},
		"setsid -f, the variable is left": {`setsid -f sh -c '` + yes + `script -qec "` + clean + `\"$RUN\"" /dev/null'`, variables},
		"double fork around script":       {clean + `P=$$ sh -c '({ while kill -0 $P; do sleep 0.1; done; ` + yes + `nohup ` + script + `; } >/dev/null 2>&1 &)'`, behind + "script (pid "}, // after claude has ended
		"Python":                          {clean + `python3 ` + python + ` "$RUN"`, agent},
		"setsid -f around Python":         {clean + `setsid -f python3 ` + python + ` "$RUN"`, behind + "python"},
	}
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "" {
		t.Log("NO PYTHON3: its pseudo-terminals are not tried")
		delete(attacks, "Python")
		delete(attacks, "setsid -f around Python")
	}
	for program, command := range desks(t) {
		hold := filepath.Join(command(t).Dir, ".claude", "springfield", "hold")
		if out, code := told(t, command(t, "hold", "2h")); code != 0 {
			t.Fatalf("%s: %s", program, out)
		}
		t.Run(program, func(t *testing.T) {
			for name, attack := range attacks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					cmd, outcome := resuming(t, command(t))
					cmd.Path, cmd.Args = claude, []string{"claude", "-c", attack.by + "\ntrue"}
					cmd.Env = append(cmd.Env, "CLAUDECODE=1")
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v: %s", err, out)
					}
					out := outcome()
					for _, want := range []string{attack.want, "hint: open a terminal ", "exit 1\n"} {
						if !strings.Contains(out, want) {
							t.Errorf("no %q: %s", want, out)
						}
					}
				})
			}
		})
		if _, err := os.Stat(hold); err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		// A person at a terminal lifts it by the same commands.
		for name, by := range map[string]string{"plain": `"$RUN"`, "script": script} {
			told(t, command(t, "hold", "2h"))
			cmd, outcome := resuming(t, command(t))
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `exec </dev/tty >/dev/tty; ` + by + "\ntrue"}
			screen, err := typist.RunTyping(cmd, typist.AgreeToAll)
			out := outcome()
			if err != nil || !strings.Contains(out, "lifted the hold") || !strings.HasSuffix(out, "exit 0\n") {
				t.Errorf("%s, a person by %s: %v: %s\n%s", program, name, err, out, screen)
			}
		}
	}
}

// resuming puts a script that lifts the hold into $RUN. outcome waits for the result, even after cmd has ended.
func resuming(t *testing.T, cmd *exec.Cmd) (same *exec.Cmd, outcome func() string) {
	dir := t.TempDir()
	run, said := filepath.Join(dir, "run"), filepath.Join(dir, "said")
	text := "#!/bin/sh\n'" + cmd.Path + "' resume >" + said + ".part 2>&1\necho exit $? >>" + said + ".part\n" +
		"mv " + said + ".part " + said + "\n"
	must(t, os.WriteFile(run, []byte(text), 0o700))
	cmd.Env = append(cmd.Env, "RUN="+run, "PATH="+os.Getenv("PATH"))
	return cmd, func() string {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if b, err := os.ReadFile(said); err == nil {
				return string(b)
			}
		}
		t.Fatal("it does not end")
		return ""
	}
}
