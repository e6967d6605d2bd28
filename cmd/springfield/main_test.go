package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func TestMain(m *testing.M) {
	testscript.Main(shared{m}, map[string]func(){
		// Scripts set PREBUILT, so that hooks of `make prebuilt` in this tree have no effect.
		"springfield": func() {
			os.Exit(runCommand(context.Background(), os.Args[1:], os.DirFS(cmp.Or(os.Getenv("PREBUILT"), os.TempDir()+"/none")), testBuild()))
		},
	})
}

func testBuild() buildInfo { return buildInfo{Version: buildOfBinary().Version, Go: runtime.Version()} }

// shared runs the tests with what all of them share.
type shared struct{ m *testing.M }

func (s shared) Run() int { return scratch.RunWithDir(s.m) }

// commands are those that scripts have besides.
var commands = map[string]func(*testscript.TestScript, bool, []string){"call": callHere}

// variables is the key of the names of a script's variables. testscript itself does not tell them.
const variables = "variables"

// callHere runs springfield in the process of the test: call springfield enable. A number before it is the expected exit
// code: call 2 springfield enable.
func callHere(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	exact := err == nil
	if exact {
		args = args[1:]
	}
	if args[0] != "springfield" || exact && neg {
		ts.Fatalf("usage: [!] call springfield ..., or call EXIT-CODE springfield ...")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	for _, name := range ts.Value(variables).([]string) {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if code := runHere(cmd); exact && code != want || !exact && (code != 0) != neg {
		ts.Fatalf("%s: exit code %d", strings.Join(args, " "), code)
	}
}

// runHere runs springfield in the process of the test. A process of its own takes ten times as long, and is for tests of
// main.go, relative paths, TMPDIR, standard input, terminals, signals, and variables that must not get through. Output
// goes through files, because colours are written to the file itself.
func runHere(cmd *exec.Cmd) (code int) {
	fatal := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	dir, err := os.MkdirTemp("", "printed")
	fatal(err)
	defer os.RemoveAll(dir)
	a := appOf(cmd)
	a.in, err = os.Open(os.DevNull)
	fatal(err)
	defer a.in.Close()
	a.stdout, err = os.Create(filepath.Join(dir, "stdout"))
	fatal(err)
	defer a.stdout.Close()
	if a.screen = a.stdout; cmd.Stderr != cmd.Stdout {
		a.screen, err = os.Create(filepath.Join(dir, "stderr"))
		fatal(err)
		defer a.screen.Close()
	}
	a.out, a.err = &display.SafeWriter{To: a.stdout}, &display.SafeWriter{To: a.screen}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // for one that would never end
	defer cancel()
	code = a.execute(ctx, cmd.Args[1:])
	for f, to := range map[*os.File]io.Writer{a.screen: cmd.Stderr, a.stdout: cmd.Stdout} {
		printed, err := os.ReadFile(f.Name())
		fatal(err)
		_, err = to.Write(printed)
		fatal(err)
	}
	return code
}

// appOf is springfield as cmd would start it, without files and terminals.
func appOf(cmd *exec.Cmd) *app {
	getenv := func(name string) string {
		for _, entry := range slices.Backward(cmd.Env) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
	home, plain := getenv("HOME"), getenv("TERM") == "dumb"
	a := &app{
		streams: streams{
			out: &display.SafeWriter{To: cmd.Stdout}, err: &display.SafeWriter{To: cmd.Stderr}, tilde: home,
			plain: plain, colours: getenv("NO_COLOR") == "" && !plain, forced: getenv("CLICOLOR_FORCE") == "1",
		},
		environment: environment{
			work: cmd.Dir, home: home, cache: cmp.Or(getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache")),
			user: cmp.Or(getenv("USER"), getenv("USERNAME"), loginOrUID(user.Current())), env: cmd.Env, getenv: getenv,
			off: hook.IsOffWord(getenv("SPRINGFIELD")),
		},
		prebuilt: os.DirFS(cmp.Or(getenv("PREBUILT"), "none")), built: testBuild(),
	}
	a.columns, _ = strconv.Atoi(getenv("COLUMNS"))
	a.caller, a.session = registry.CallingHost(getenv)
	return a
}

func TestScripts(t *testing.T) {
	goroot, gocache := scratch.FindGo(t)
	heads, hooks := carriedHeads(t), carriedHooks(t)
	real, err := os.UserHomeDir()
	must(t, err)
	// PATH has git, sh, go and the commands under test, but no real claude.
	first, _, _ := strings.Cut(os.Getenv("PATH"), string(filepath.ListSeparator))
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if home == real || strings.HasPrefix(real, env.WorkDir) {
				return fmt.Errorf("a script would run in the real home %s", real)
			}
			env.Setenv("HOME", home)
			env.Setenv("PATH", strings.Join([]string{first, filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, string(filepath.ListSeparator)))
			env.Setenv("HOST", generator.HostTarget().String())
			env.Setenv("GOCACHE", gocache)
			env.Setenv("COMMANDS", first)
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "SPRINGFIELD", "GOFLAGS", "USER"} {
				env.Setenv(key, "")
			}
			env.Setenv("HEADS", heads)
			env.Setenv("HOOKS", hooks)
			env.Setenv("PREBUILT", heads) // a script that starts hooks says `env PREBUILT=$HOOKS`, one that is about compiling them `env PREBUILT=`
			script := scratch.ReadFile(t, filepath.Join("testdata", "script", filepath.Base(env.T().(testing.TB).Name())+".txtar"))
			names := check.NamesOf(env.Vars, func(v string) string { name, _, _ := strings.Cut(v, "="); return name })
			for _, line := range regexp.MustCompile(`(?m)^env .*`).FindAllString(string(script), -1) {
				for _, set := range strings.Fields(line)[1:] {
					name, _, _ := strings.Cut(set, "=")
					names = append(names, name)
				}
			}
			slices.Sort(names)
			env.Values[variables] = slices.Compact(names)
			return scratch.TurnGoTelemetryOff(home)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// carriedHooks are the programs of this tree for this machine, compiled once, for tests that start them.
func carriedHooks(t *testing.T) string {
	t.Helper()
	goroot, gocache := scratch.FindGo(t)
	dir := scratch.PackageTempPath("hooks")
	compiling.Do(func() {
		tools := generator.Toolchain{Go: filepath.Join(goroot, "bin", "go"), Path: filepath.Join(goroot, "bin"), GoCache: gocache}
		built, err := tools.BuildPrograms(t.Context(), []generator.Target{generator.HostTarget()}, generator.Hook, generator.Judge)
		must(t, err)
		must(t, generator.WritePrebuilt(dir, built))
	})
	return dir
}

var compiling, packing sync.Once
