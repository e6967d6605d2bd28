//go:build unix

package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The launcher starts the hook of this machine, in every shell that may be sh,
// and nothing else, whatever the environment says; what is no program lets
// Claude stop, as a hook that is not there does.
func TestLauncher(t *testing.T) {
	dash, err := exec.LookPath("sh")
	must(t, err)
	bash, err := exec.LookPath("bash")
	must(t, err)
	dir := t.TempDir()
	bashAsSh := filepath.Join(dir, "sh")
	must(t, os.Symlink(bash, bashAsSh))
	trap, trapped := filepath.Join(dir, "bin"), filepath.Join(dir, "trapped")
	put(t, filepath.Join(trap, "uname"), []byte("#!/bin/sh\n: >"+trapped+"\necho Linux x86_64\n"), 0o755)
	vars := []string{"PATH=" + trap + ":/usr/bin:/bin", "IFS=x", "GODEBUG=cgocheck=2", "GOMAXPROCS=200000", "GOMEMLIMIT=x", "GOGC=1", "GOTRACEBACK=crash", "GOROOT=/"}
	for _, name := range []string{"read", "uname", "unset", "exec", "command", "exit", "["} {
		vars = append(vars, "BASH_FUNC_"+name+"%%=() { : >"+trapped+"; }")
	}

	garbage := []byte("it( is no program\n")
	self, err := os.Executable() // a program of this machine: it says what reaches it
	must(t, err)
	program, err := os.ReadFile(self)
	must(t, err)
	text := string(launcherText(t))
	if HostTarget().OS == "linux" && !strings.Contains(text, "/proc/sys/kernel/arch") {
		t.Fatal("the launcher asks elsewhere: this test has to know")
	}
	for name, test := range map[string]struct {
		behind  []byte // nil: there is nothing
		mode    os.FileMode
		starts  bool
		machine Target
	}{
		"a hook":         {program, 0o755, true, HostTarget()},
		"none":           {nil, 0, false, HostTarget()},
		"empty":          {[]byte{}, 0o755, false, HostTarget()},
		"garbage":        {garbage, 0o755, false, HostTarget()},
		"not executable": {program, 0o644, false, HostTarget()},
		"another's":      {program, 0o755, false, Target{"darwin", "riscv"}},
	} {
		for _, shell := range []string{dash, bashAsSh} {
			for _, without := range []string{"", "/proc/sys/kernel/arch"} { // as a kernel before 6.1
				t.Run(name+" "+filepath.Base(filepath.Dir(shell))+" "+strings.Trim(without, "/"), func(t *testing.T) {
					if name == "garbage" && (HostTarget().OS != "linux" || shell != bashAsSh) {
						return // only bash on Linux looks into the file
					}
					plugin := t.TempDir()
					launcher := filepath.Join(plugin, "hooks", string(Hook))
					script := text
					if without != "" {
						script = strings.ReplaceAll(text, without, "/none")
					}
					put(t, launcher, []byte(script), 0o755)
					if test.behind != nil {
						put(t, filepath.Join(plugin, filepath.FromSlash(Hook.placeIn(test.machine, true))), test.behind, test.mode)
					}
					cmd := exec.Command(shell, launcher, "why")
					cmd.Env = slices.Concat(vars, []string{launched + "=1"})
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Errorf("%v\n%s", err, out)
					}
					if got := string(out); test.starts && got != "why\n" || !test.starts && got != "" {
						t.Errorf("it says %q", got)
					}
					if _, err := os.Stat(trapped); err == nil {
						t.Fatal("it started what the environment names")
					}
				})
			}
		}
	}
}

// launched is set where the launcher starts this program as its hook.
const launched = "SPRINGFIELD_TEST_LAUNCHED"

func TestMain(m *testing.M) {
	if os.Getenv(launched) != "" {
		sayLaunched()
		return
	}
	os.Exit(m.Run())
}

// sayLaunched says what a hook behind the launcher was started with: its
// arguments, and what is left of Go's own variables.
func sayLaunched() {
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GO") {
			os.Stdout.WriteString(v + " ")
		}
	}
	os.Stdout.WriteString(strings.Join(os.Args[1:], " ") + "\n")
}
