package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestMain(m *testing.M) {
	testscript.Main(shared{m}, map[string]func(){
		// Scripts set PREBUILT, so that hooks of `make prebuilt` in this tree have no effect.
		"springfield": func() {
			os.Exit(runCommand(context.Background(), os.Args[1:], os.DirFS(cmp.Or(os.Getenv("PREBUILT"), os.TempDir()+"/none")), buildInfo{Version: buildOfBinary().Version, Go: runtime.Version()}))
		},
	})
}

// shared runs the tests with what all of them share.
type shared struct{ m *testing.M }

func (s shared) Run() int { return scratch.RunTests(s.m) }

// commands are those that scripts have besides.
var commands = map[string]func(*testscript.TestScript, bool, []string){}

func TestScripts(t *testing.T) {
	goroot, gocache := scratch.FindGo(t)
	heads, hooks := carriedHeads(t), carriedHooks(t)
	real, err := os.UserHomeDir()
	must(t, err)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if home == real || strings.HasPrefix(real, env.WorkDir) {
				return fmt.Errorf("a script would run in the real home %s", real)
			}
			env.Setenv("HOME", home)
			env.Setenv("HOST", generator.HostTarget().String())
			env.Setenv("GOCACHE", gocache)
			// PATH has git, sh, go and the commands under test, but no real claude.
			first, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("COMMANDS", first)
			env.Setenv("PATH", strings.Join([]string{first, filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, string(filepath.ListSeparator)))
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "SPRINGFIELD", "GOFLAGS", "USER"} {
				env.Setenv(key, "")
			}
			env.Setenv("HEADS", heads)
			env.Setenv("HOOKS", hooks)
			env.Setenv("PREBUILT", heads) // a script that starts hooks says `env PREBUILT=$HOOKS`, one that is about compiling them `env PREBUILT=`
			return scratch.PrepareHome(home)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// carriedHooks are the programs of this tree for this machine, compiled once, for tests that start them.
func carriedHooks(t *testing.T) string {
	t.Helper()
	goroot, gocache := scratch.FindGo(t)
	dir := scratch.SharedPath("hooks")
	compiling.Do(func() {
		tools := generator.Toolchain{Go: filepath.Join(goroot, "bin", "go"), Path: filepath.Join(goroot, "bin"), GoCache: gocache}
		built, err := tools.BuildPrograms(t.Context(), []generator.Target{generator.HostTarget()}, generator.Hook, generator.Judge)
		must(t, err)
		must(t, generator.WritePrebuilt(dir, built))
	})
	return dir
}

var compiling, packing sync.Once
