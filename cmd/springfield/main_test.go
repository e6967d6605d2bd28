package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/rogpeppe/go-internal/testscript"
)

// The CLI is tested as its users call it: scripts in testdata/script, each in
// a scratch directory with a home of its own.

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		// What `make prebuilt` has left in this tree must not matter, so a script
		// says where compiled hooks lie.
		"springfield": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.DirFS(firstOf(os.Getenv("PREBUILT"), os.TempDir()+"/none"))))
		},
	})
}

// commands are those that scripts have besides.
var commands = map[string]func(*testscript.TestScript, bool, []string){}

func TestScripts(t *testing.T) {
	// Compiling a hook takes ten seconds from nothing and none from go's cache,
	// so the scripts share that, and nothing else, with the machine.
	out, err := exec.Command("go", "env", "GOCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	gocache, goroot, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	real, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	hooks := t.TempDir() // compiled hooks, kept between scripts
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: commands,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if home == real || strings.HasPrefix(real, env.WorkDir) {
				return fmt.Errorf("a script would run in the real home %s", real)
			}
			env.Setenv("HOME", home)
			env.Setenv("HOST", generator.Host().String())
			env.Setenv("XDG_CACHE_HOME", hooks)
			env.Setenv("GOCACHE", gocache)
			// git and sh, go, the commands under test; never a real claude.
			first, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("COMMANDS", first)
			env.Setenv("PATH", strings.Join([]string{first, filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, string(filepath.ListSeparator)))
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "SPRINGFIELD", "GOFLAGS", "USER", "PREBUILT"} {
				env.Setenv(key, "")
			}
			// The key by which kept hooks are recognised is every script's.
			state := filepath.Join(home, ".claude", "springfield")
			if err := os.MkdirAll(state, 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(state, "secret"), []byte("a key for scratch homes, 32 bytes"[:32]), 0o600)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
