package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// An agent does not lift a hold at a terminal that it has made, however it hides. It is a
// shell named claude.
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
	clean := "env -u CLAUDECODE "
	script := `script -qec "$RUN" /dev/null`
	attacks := map[string]struct{ by, want string }{
		"plain":                           {`"$RUN"`, "only a person lifts a hold, not Claude"},
		"without the variable":            {clean + `"$RUN"`, none},
		"script":                          {"echo y | " + script, "not Claude"},
		"script without the variable":     {"echo y | " + clean + script, agent},
		"an empty environment":            {`echo y | env -i HOME="$HOME" RUN="$RUN" PATH="$PATH" ` + script, agent},
		"a shell in script":               {`echo y | ` + clean + `script -qec "sh -c 'sh -c \"$RUN\"; true'" /dev/null`, agent},
		"script in script":                {`echo y | ` + clean + `script -qec 'script -qec "$RUN" /dev/null' /dev/null`, agent},
		"setsid in script":                {`echo y | ` + clean + `script -qec 'setsid -w "$RUN"' /dev/null`, none},
		"setsid -f in script":             {`echo y | ` + clean + `script -qec 'setsid -f "$RUN"; sleep 1' /dev/null`, none},
		"double fork in script":           {`echo y | ` + clean + `script -qec '(trap "" HUP TTIN; nohup "$RUN" & ); sleep 1' /dev/null`, "cannot be followed"},
		"setsid -f around script":         {clean + `setsid -f sh -c 'echo y | ` + script + `'`, behind + "script (pid "},
		"setsid -f, the variable is left": {`setsid -f sh -c 'echo y | script -qec "` + clean + `\"$RUN\"" /dev/null'`, variables},
		"double fork around script":       {clean + `sh -c '(echo y | nohup ` + script + ` >/dev/null 2>&1 &)'`, behind + "script (pid "},
		"Python":                          {clean + `python3 ` + python + ` "$RUN"`, agent},
		"setsid -f around Python":         {clean + `setsid -f python3 ` + python + ` "$RUN"`, behind + "python"},
	}
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "" {
		t.Log("NO PYTHON3: its pseudo-terminals are not tried")
		delete(attacks, "Python")
		delete(attacks, "setsid -f around Python")
	}
	for program, command := range desks(t) {
		home := command(t).Dir
		if out, code := told(t, command(t, "hold", "2h")); code != 0 {
			t.Fatalf("%s: %s", program, out)
		}
		run, said := filepath.Join(home, "run"), filepath.Join(home, "said")
		resume := func(cmd *exec.Cmd) *exec.Cmd { // through a script that says what came of it
			text := "#!/bin/sh\n'" + cmd.Path + "' resume >" + said + ".part 2>&1\necho exit $? >>" + said + ".part\n" +
				"mv " + said + ".part " + said + "\n"
			must(t, os.WriteFile(run, []byte(text), 0o700))
			os.Remove(said)
			cmd.Env = append(cmd.Env, "RUN="+run, "PATH="+os.Getenv("PATH"))
			return cmd
		}
		outcome := func(what string) string {
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				if b, err := os.ReadFile(said); err == nil {
					return string(b)
				}
			}
			t.Errorf("%s, %s: it does not end", program, what)
			return ""
		}
		for name, attack := range attacks {
			cmd := resume(command(t))
			cmd.Path, cmd.Args = claude, []string{"claude", "-c", attack.by + "\ntrue"}
			cmd.Env = append(cmd.Env, "CLAUDECODE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v: %s", program, name, err, out)
			}
			out := outcome(name)
			for _, want := range []string{attack.want, "hint: open a terminal ", "exit 1\n"} {
				if !strings.Contains(out, want) {
					t.Errorf("%s, %s: no %q: %s", program, name, want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(home, ".claude", "springfield", "hold")); err != nil {
				t.Fatalf("%s, %s: %v", program, name, err)
			}
		}
		// The same words lift it where a person sits.
		for name, by := range map[string]string{"plain": `"$RUN"`, "script": script} {
			told(t, command(t, "hold", "2h"))
			cmd := resume(command(t))
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `exec </dev/tty >/dev/tty; ` + by + "\ntrue"}
			screen, _, err := typist.RunTyping(cmd, typist.AgreeToAll)
			out := outcome(name)
			if err != nil || !strings.Contains(out, "lifted the hold") || !strings.HasSuffix(out, "exit 0\n") {
				t.Errorf("%s, a person by %s: %v: %s\n%s", program, name, err, out, screen)
			}
		}
	}
}
