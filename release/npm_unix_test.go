//go:build unix

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// machines are those that have a package, in the words of node and of a release.
var machines = map[string]string{
	"linux-x64": "springfield-linux-amd64", "linux-arm64": "springfield-linux-arm64", "darwin-x64": "springfield-darwin-amd64",
	"darwin-arm64": "springfield-darwin-arm64", "win32-x64": "springfield-windows-amd64.exe", "win32-arm64": "springfield-windows-arm64.exe",
}

// makePackages makes the packages of a release in which every program is a script of one line. A program and a
// version can be other ones.
func makePackages(t *testing.T, version, other, to string) (string, error) {
	t.Helper()
	dist := t.TempDir()
	var sums strings.Builder
	for _, asset := range machines {
		text := "#!/bin/sh\n. \"$SPRINGFIELD_SCRIPT\" # " + asset + "\n"
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(text)), asset)
		if asset == other {
			text += "# another one\n"
		}
		write(t, filepath.Join(dist, asset), text)
	}
	write(t, filepath.Join(dist, "SHA256SUMS"), sums.String())
	write(t, filepath.Join(dist, "metadata.json"), `{"project_name":"springfield","version":"`+version+`"}`)
	write(t, filepath.Join(dist, "licences"), "The licences of many.\n")
	out, err := exec.Command("node", "npm/packages.js", dist, to, filepath.Join(dist, "licences")).CombinedOutput()
	return string(out), err
}

func TestNPMPackages(t *testing.T) {
	to := filepath.Join(t.TempDir(), "made", "npm")
	if out, err := makePackages(t, "1.2.3-rc.1", "", to); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	needed := map[string]string{}
	for machine, asset := range machines {
		dir := filepath.Join(to, "springfield-"+machine)
		system, processor, _ := strings.Cut(machine, "-")
		var m struct {
			Name, Version string
			OS, CPU       []string
			Scripts       map[string]string
		}
		decode(t, filepath.Join(dir, "package.json"), &m)
		if m.Name != "@cameronsjo/springfield-"+machine || m.Version != "1.2.3-rc.1" || m.OS[0] != system || m.CPU[0] != processor || m.Scripts != nil {
			t.Errorf("%s: %+v", machine, m)
		}
		needed[m.Name] = m.Version
		program := filepath.Join(dir, "bin", "springfield")
		if system == "win32" {
			program += ".exe"
		}
		info, err := os.Stat(program)
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Fatal(info, err)
		}
		if data, err := os.ReadFile(program); err != nil || !strings.HasSuffix(string(data), "# "+asset+"\n") {
			t.Errorf("%s has another program: %s, %v", machine, data, err)
		}
		for _, name := range []string{"README.md", "LICENSE", "THIRD_PARTY_LICENSES"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o644 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	}
	var m struct {
		Name                               string
		Bin, Scripts, OptionalDependencies map[string]string
	}
	decode(t, filepath.Join(to, "springfield", "package.json"), &m)
	if m.Name != "@cameronsjo/springfield" || m.Bin["springfield"] != "bin/springfield.js" || m.Scripts != nil || fmt.Sprint(m.OptionalDependencies) != fmt.Sprint(needed) {
		t.Errorf("the main package: %+v", m)
	}
}

func decode(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, json.Unmarshal(data, into))
}

func TestNPMPackagesRefuse(t *testing.T) {
	for _, c := range []struct{ version, other, says string }{
		{"1.2.3", "springfield-darwin-arm64", "SHA256SUMS says"}, {"1.2", "", "npm wants"}, {"1.2.3+4", "", "npm wants"}, {"", "", "npm wants"},
	} {
		to := filepath.Join(t.TempDir(), "npm")
		if out, err := makePackages(t, c.version, c.other, to); err == nil || !strings.Contains(out, c.says) {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
		if _, err := os.Stat(to); !os.IsNotExist(err) {
			t.Errorf("%+v: there are packages", c)
		}
	}
}

// launcher is a copy of the main package and of one for this machine where a package manager has put them.
type launcher struct {
	packages string // the directory of the packages
	preload  string // a script that runs before the launcher
}

// installPackages makes a directory like node_modules below a directory. The machine is linux x64, whatever this one is.
func installPackages(t *testing.T, in string) launcher {
	t.Helper()
	made := launcher{packages: filepath.Join(in, "node_modules", "@cameronsjo"), preload: filepath.Join(in, "preload.js")}
	if out, err := makePackages(t, "1.2.3", "", made.packages); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made.keep(t, "linux-x64")
	made.become(t, "linux", "x64")
	return made
}

// keep leaves the main package and the one of a machine.
func (i launcher) keep(t *testing.T, machine string) {
	t.Helper()
	for other := range machines {
		if other != machine {
			must(t, os.RemoveAll(filepath.Join(i.packages, "springfield-"+other)))
		}
	}
}

// become has node take this machine for another one.
func (i launcher) become(t *testing.T, system, processor string) {
	t.Helper()
	write(t, i.preload, "for (const [name, value] of [['platform', '"+system+"'], ['arch', '"+processor+"']]) Object.defineProperty(process, name, { value });\n")
}

// command is a call of the launcher. The program runs a script.
func (i launcher) command(t *testing.T, script string, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	does := filepath.Join(t.TempDir(), "script")
	write(t, does, script)
	cmd := exec.Command("node", append([]string{"--require", i.preload, filepath.Join(i.packages, "springfield", "bin", "springfield.js")}, args...)...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "SPRINGFIELD_SCRIPT=" + does}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return cmd, &stdout, &stderr
}

func TestLauncherPassesThrough(t *testing.T) {
	there := installPackages(t, filepath.Join(t.TempDir(), "a b"))
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
	there := installPackages(t, t.TempDir())
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		name := map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT"}[signal]
		t.Run(name, func(t *testing.T) {
			cmd, _, stderr := there.command(t, "trap 'exit 42' "+name+"; echo ready; i=0; while [ $i -lt 1000 ]; do sleep 0.02; i=$((i+1)); done")
			cmd.Stdout = nil
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			_, err = out.Read(make([]byte, 6))
			must(t, err)
			must(t, cmd.Process.Signal(signal))
			err = cmd.Wait()
			if cmd.ProcessState.ExitCode() != 42 {
				t.Errorf("%v\n%s", err, stderr)
			}
		})
	}
	t.Run("terminal", func(t *testing.T) { // it tells the program itself, and once
		cmd, _, _ := there.command(t, "trap 'echo told' INT; echo ready; until read line; do :; done; sleep 0.2; echo end")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, nil, nil
		terminal, err := pty.Start(cmd)
		must(t, err)
		defer func() { _, _ = terminal.Close(), cmd.Wait() }()
		screen := ""
		for _, step := range [][2]string{{"ready", "\x03"}, {"told", "\n"}, {"end", ""}} {
			for buf := make([]byte, 4096); !strings.Contains(screen, step[0]); {
				n, err := terminal.Read(buf)
				must(t, err, screen)
				screen += string(buf[:n])
			}
			_, err := terminal.WriteString(step[1])
			must(t, err)
		}
		if strings.Count(screen, "told") != 1 {
			t.Error(screen)
		}
	})
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
		alter func(t *testing.T, i launcher)
		error string
		hint  string
	}{
		"not installed": {"prefix/lib", func(t *testing.T, i launcher) { i.keep(t, "") },
			"the package with the program, " + linux + ", is not installed: npm leaves it out with --omit=optional", "npm install -g " + linux + "@1.2.3"},
		"not installed in a project": {"project", func(t *testing.T, i launcher) {
			i.keep(t, "")
			write(t, filepath.Join(i.packages, "..", "..", "package.json"), "{}")
		}, "the package with the program, " + linux + ", is not installed", "npm install --no-save " + linux + "@1.2.3"},
		"not installed by npx": {"cache/_npx/742", func(t *testing.T, i launcher) { i.keep(t, "") },
			"the package with the program, " + linux + ", is not installed", "npx -p " + main + "@1.2.3 -p " + linux + "@1.2.3 springfield"},
		"copied from another machine": {"prefix/lib", func(t *testing.T, i launcher) { i.become(t, "darwin", "arm64") },
			"the package with the program, @cameronsjo/springfield-darwin-arm64, is not installed; " + linux + ", which is for another machine, is", "npm install -g @cameronsjo/springfield-darwin-arm64@1.2.3"},
		"an unknown system": {"prefix/lib", func(t *testing.T, i launcher) { i.become(t, "freebsd", "x64") },
			"there is no springfield program for freebsd x64, only for linux x64, linux arm64, darwin x64, darwin arm64, win32 x64, win32 arm64", "go install github.com/cameronsjo/springfield/cmd/springfield@v1.2.3"},
		"another version": {"prefix/lib", func(t *testing.T, i launcher) {
			write(t, filepath.Join(i.packages, "springfield-linux-x64", "package.json"), `{"version": "1.2.2"}`)
		}, linux + " has version 1.2.2, and " + main + " has version 1.2.3", "npm install -g " + linux + "@1.2.3"},
		"no program in it": {"prefix/lib", func(t *testing.T, i launcher) {
			must(t, os.Remove(filepath.Join(i.packages, "springfield-linux-x64", "bin", "springfield")))
		}, "ENOENT", "npm install -g " + linux + "@1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			there := installPackages(t, filepath.Join(t.TempDir(), filepath.FromSlash(c.in)))
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
