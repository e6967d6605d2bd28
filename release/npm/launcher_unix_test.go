//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// installed is a copy of the main package and of one for this machine where a package manager has put them.
type installed struct {
	node     string
	packages string // the directory of the packages
	preload  string // a script that runs before the launcher
	machine  platform
}

// install makes a directory like node_modules below a directory. The machine is linux x64, whatever this one is.
func install(t *testing.T, in string) installed {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("these tests need Node.js: %v", err)
	}
	dist, notices := release(t)
	made := installed{node: node, packages: filepath.Join(in, "node_modules", "@cameronsjo"), preload: filepath.Join(in, "preload.js"), machine: platforms()[0]}
	if err := packages(t, dist, notices, "1.2.3", made.packages); err != nil {
		t.Fatal(err)
	}
	made.keep(t, made.machine.name())
	made.become(t, "linux", "x64")
	return made
}

// keep leaves the main package and the named ones.
func (i installed) keep(t *testing.T, kept ...string) {
	t.Helper()
	for _, name := range platforms() {
		if !strings.Contains(strings.Join(kept, " ")+" ", name.name()+" ") {
			if err := os.RemoveAll(filepath.Join(i.packages, folder(name.name()))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// become has node take this machine for another one.
func (i installed) become(t *testing.T, system, processor string) {
	t.Helper()
	write(t, i.preload, "for (const [name, value] of [['platform', '"+system+"'], ['arch', '"+processor+"']]) Object.defineProperty(process, name, { value });\n")
}

// command is a call of the launcher. The program runs a script.
func (i installed) command(t *testing.T, script string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	does := filepath.Join(t.TempDir(), "script")
	write(t, does, script)
	cmd := exec.Command(i.node, append([]string{"--require", i.preload, filepath.Join(i.packages, "springfield", "bin", "springfield.js")}, args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SPRINGFIELD_SCRIPT=" + does}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return cmd, &stdout, &stderr
}

func TestLauncherPassesThrough(t *testing.T) {
	there := install(t, filepath.Join(t.TempDir(), "a b"))
	for name, c := range map[string]struct {
		script    string
		args      []string
		in        string
		code      int
		out, told string
	}{
		"arguments":       {script: `for a; do printf '<%s>' "$a"; done`, args: []string{"say", "two words", "", `"quoted" 'twice'`, "$HOME;*", "--", "a\nb", "-é"}, out: "<say><two words><><\"quoted\" 'twice'><$HOME;*><--><a\nb><-é>"},
		"standard input":  {script: "cat", in: "one\ntwo", out: "one\ntwo"},
		"two outputs":     {script: "echo result; echo talk >&2", out: "result\n", told: "talk\n"},
		"the exit code":   {script: "exit 2", code: 2},
		"code 130":        {script: "exit 130", code: 130},
		"the environment": {script: `echo "$npm_command"`, out: "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, stdout, stderr := there.command(t, c.script, c.args...)
			cmd.Stdin = strings.NewReader(c.in)
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() != c.code || stdout.String() != c.out || stderr.String() != c.told {
				t.Errorf("%v\n%s\n%s", err, stdout, stderr)
			}
		})
	}
}

// The program decides what a signal means, and its end is the launcher's.
func TestLauncherPassesSignals(t *testing.T) {
	there := install(t, t.TempDir())
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		name := map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT"}[signal]
		t.Run(name, func(t *testing.T) {
			cmd, _, stderr := there.command(t, "trap 'exit 42' "+name+"; echo ready; i=0; while [ $i -lt 1000 ]; do sleep 0.02; i=$((i+1)); done")
			cmd.Stdout = nil
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 6)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			if cmd.ProcessState.ExitCode() != 42 {
				t.Errorf("%v\n%s", err, stderr)
			}
		})
	}
	t.Run("end", func(t *testing.T) {
		cmd, _, stderr := there.command(t, "kill -KILL $$")
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("%v\n%s", err, stderr)
		}
	})
}

func TestLauncherSaysWhatIsMissing(t *testing.T) {
	const main, linux = "@cameronsjo/springfield", "@cameronsjo/springfield-linux-x64"
	for name, c := range map[string]struct {
		in    string // the directory above node_modules
		alter func(t *testing.T, i installed)
		error string
		hint  string
	}{
		"not installed": {"prefix/lib", func(t *testing.T, i installed) { i.keep(t) },
			"the package with the program, " + linux + ", is not installed: npm leaves it out with --omit=optional", "npm install -g " + linux + "@1.2.3"},
		"not installed in a project": {"project", func(t *testing.T, i installed) {
			i.keep(t)
			write(t, filepath.Join(i.packages, "..", "..", "package.json"), "{}")
		}, "the package with the program, " + linux + ", is not installed", "npm install --no-save " + linux + "@1.2.3"},
		"not installed by npx": {"cache/_npx/742", func(t *testing.T, i installed) { i.keep(t) },
			"the package with the program, " + linux + ", is not installed", "npx -p " + main + "@1.2.3 -p " + linux + "@1.2.3 springfield"},
		"copied from another machine": {"prefix/lib", func(t *testing.T, i installed) { i.become(t, "darwin", "arm64") },
			"the package with the program, @cameronsjo/springfield-darwin-arm64, is not installed; " + linux + ", which is for another machine, is", "npm install -g @cameronsjo/springfield-darwin-arm64@1.2.3"},
		"an unknown system": {"prefix/lib", func(t *testing.T, i installed) { i.become(t, "freebsd", "x64") },
			"there is no springfield program for freebsd x64, only for darwin arm64, darwin x64, linux arm64, linux x64, win32 arm64, win32 x64", "go install github.com/cameronsjo/springfield/cmd/springfield@v1.2.3"},
		"another version": {"prefix/lib", func(t *testing.T, i installed) {
			write(t, filepath.Join(i.packages, "springfield-linux-x64", "package.json"), `{"version": "1.2.2"}`)
		}, linux + " has version 1.2.2, and " + main + " has version 1.2.3", "npm install -g " + linux + "@1.2.3"},
		"no program in it": {"prefix/lib", func(t *testing.T, i installed) {
			if err := os.Remove(filepath.Join(i.packages, "springfield-linux-x64", "bin", "springfield")); err != nil {
				t.Fatal(err)
			}
		}, "ENOENT", "npm install -g " + linux + "@1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			there := install(t, filepath.Join(t.TempDir(), filepath.FromSlash(c.in)))
			c.alter(t, there)
			cmd, stdout, stderr := there.command(t, "echo started")
			err := cmd.Run()
			lines := strings.Split(stderr.String(), "\n")
			if cmd.ProcessState.ExitCode() != 1 || stdout.Len() > 0 || len(lines) != 3 || !strings.HasPrefix(lines[0], "springfield: error: ") || !strings.HasPrefix(lines[1], "springfield: hint: ") {
				t.Fatalf("%v\n%s\n%s", err, stdout, stderr)
			}
			if !strings.Contains(lines[0], c.error) || !strings.HasSuffix(lines[1], c.hint) {
				t.Errorf("says\n%s", stderr)
			}
		})
	}
}
