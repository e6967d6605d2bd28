//go:build snapshot

// Package release tests what a release consists of: the files that `make snapshot` has put into dist/. Each way to
// install springfield ends with the same journey, on an empty home and without Go.
package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// asset is the path of a file in dist/.
func asset(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "dist", name))
	must(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make snapshot first", err)
	}
	return path
}

// emptyHome makes a home, and returns an environment made from nothing. PATH has the named tools of this machine
// and nothing else, so no Go.
func emptyHome(t *testing.T, tools ...string) (home string, env []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	home = filepath.Join(dir, "home of a user")
	bin, tmp := filepath.Join(dir, "bin"), filepath.Join(dir, "tmp")
	for _, d := range []string{home, bin, tmp} {
		must(t, os.Mkdir(d, 0o755))
	}
	for _, tool := range append([]string{"sh"}, tools...) {
		path, err := exec.LookPath(tool)
		must(t, err, "these tests need", tool)
		path, err = filepath.EvalSymlinks(path)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(bin, tool)))
	}
	return home, []string{"PATH=" + bin, "HOME=" + home, "TMPDIR=" + tmp, "TERM=dumb", "LANG=C.UTF-8"}
}

// start runs a program to its end, and returns what it printed. An exit code other than 0 ends the test.
func start(t *testing.T, dir string, env []string, input, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	must(t, cmd.Run(), name, strings.Join(args, " "), &stdout, &stderr)
	return stdout.String()
}

// journey is what a person does with springfield, from its first start to switching the plugin off. The program is
// an absolute path, or a name on the PATH of the environment. The environment is that of emptyHome, with what the
// way of installing has added to it.
func journey(t *testing.T, program string, env []string) {
	t.Helper()
	home, program := variable(t, env, "HOME"), resolve(t, program, env)
	project := filepath.Join(home, "evergreen terrace")
	settings := filepath.Join(home, ".claude", "settings.json")
	before := []byte("{\n    \"model\": \"opus\",\n  \"env\": {}  }\n") // a layout that no program would write
	must(t, errors.Join(os.Mkdir(project, 0o755), os.MkdirAll(filepath.Dir(settings), 0o755), os.WriteFile(settings, before, 0o600)))
	springfield := func(args ...string) string {
		t.Helper()
		return start(t, project, env, "", program, args...)
	}

	var version struct{ Version, Go string }
	parse(t, springfield("version", "--json"), &version)
	if !strings.HasPrefix(version.Version, "v") || version.Go != runtime.Version() {
		t.Errorf("version --json: %+v; go does not stamp the version in a linked worktree, only in a clone", version)
	}
	springfield("init", "--yes", "--owner", "Ned Flanders")
	springfield("enable", "ned-flanders", "--no-activate")
	if enabled := read(t, settings); bytes.Equal(enabled, before) || !bytes.Contains(enabled, []byte(`"ned-flanders@continuation-hooks": true`)) {
		t.Errorf("enable wrote these settings:\n%s", enabled)
	}
	decisions(t, project, env)
	if why := springfield("why"); !strings.Contains(why, "lasagne") { // the last decision was on a question
		t.Errorf("why does not tell of the last stop:\n%s", why)
	}
	type finding struct{ Check, State, Says string }
	var doctor struct{ Checks []finding }
	parse(t, springfield("doctor", "--json"), &doctor)
	doctor.Checks = slices.DeleteFunc(doctor.Checks, func(f finding) bool { return f.Check != "what runs" })
	if len(doctor.Checks) != 1 || doctor.Checks[0].State != "ok" {
		t.Errorf("without Go, doctor says of what runs from a new suite: %+v", doctor.Checks)
	}
	springfield("disable", "ned-flanders")
	if after := read(t, settings); !bytes.Equal(after, before) {
		t.Errorf("disable left these settings:\n%s\nbefore enable they were:\n%s", after, before)
	}
}

// decisions gives the hook two stops: one with work left, and one with a question to the user.
func decisions(t *testing.T, project string, env []string) {
	t.Helper()
	hook := filepath.Join(project, "continuation-hooks", "ned-flanders", "hooks", "springfield-hook")
	stop := func(words string) string {
		t.Helper()
		event, err := json.Marshal(map[string]any{
			"hook_event_name": "Stop", "session_id": "742", "cwd": project, "stop_hook_active": false, "last_assistant_message": words,
		})
		must(t, err)
		return start(t, project, env, string(event), hook)
	}
	var answer struct{ Decision, Reason string }
	parse(t, stop("Step 1 is done. Moving to step 2."), &answer)
	if answer.Decision != "block" || answer.Reason == "" {
		t.Errorf("with work left the hook answered %+v", answer)
	}
	scratch.Equal(t, stop("Both recipes are written. Should I publish the lasagne or the donut first?"), "",
		"after a question the hook answered")
}

// parse reads the JSON that a program has printed.
func parse(t *testing.T, text string, into any) {
	t.Helper()
	must(t, json.Unmarshal([]byte(text), into), text)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return scratch.ReadFile(t, path)
}

// variable is a variable of an environment; the last one of its name counts.
func variable(t *testing.T, env []string, name string) string {
	t.Helper()
	value := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	if value == "" {
		t.Fatalf("the environment has no %s", name)
	}
	return value
}

// resolve finds a program on the PATH of an environment, which is not that of this process.
func resolve(t *testing.T, program string, env []string) string {
	t.Helper()
	if filepath.IsAbs(program) {
		return program
	}
	for _, dir := range filepath.SplitList(variable(t, env, "PATH")) {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	t.Fatal(fmt.Errorf("%s is not on PATH=%s", program, variable(t, env, "PATH")))
	return ""
}

// The file without an archive around it is the program.
func TestBareProgram(t *testing.T) {
	home, env := emptyHome(t)
	program := filepath.Join(home, "springfield")
	must(t, os.WriteFile(program, read(t, asset(t, "springfield-"+runtime.GOOS+"-"+runtime.GOARCH)), 0o755))
	journey(t, program, env)
}

// An archive is extracted, and the program is started where it lies.
func TestArchive(t *testing.T) {
	home, env := emptyHome(t, "tar", "gzip")
	start(t, home, env, "", resolve(t, "tar", env), "xzf", asset(t, "springfield-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz"))
	journey(t, filepath.Join(home, "springfield"), env)
}
