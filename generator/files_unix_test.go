//go:build unix

package generator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// The coordinator's commands count the tasks and find the first open one.
func TestCoordinatorCounts(t *testing.T) {
	for _, c := range coordinators() {
		var commands []string
		for line := range strings.Lines(string(texts(t, c.strategy, c.strategy)["commands/implement.md"])) {
			if command, ok := strings.CutPrefix(line, "    grep "); ok {
				commands = append(commands, "grep "+strings.TrimSpace(command))
			}
		}
		if len(commands) != 2 {
			t.Fatalf("%s has the commands %q", c.strategy, commands)
		}
		for name, test := range map[string]struct{ tasks, total, first string }{
			"none done":  {"# Tasks\n\n- [ ] 1.1 a\n  - [ ] a part of it\n- [ ] 1.2 b\n", "2", "1:- [ ] 1.1 a"},
			"some done":  {"- [x] 1.1 a\n  - **Do**: - [ ] no task\n- [X] 1.2 b\n\n## Phase 2\n\n- [ ] 2.1 c\n- [x] 2.2 d\n- [ ] 2.3 [P] e", "5", "3:- [ ] 2.1 c"},
			"box in it":  {"- [x] 1.1 draw a - [ ] box\n* [ ] 1.2 b\n", "2", "2:* [ ] 1.2 b"},
			"all done":   {"- [x] T001 a\n- [x] T002 b\n", "2", ""},
			"no tasks":   {"# Tasks\n\nsoon\n", "0", ""},
			"of Windows": {"- [x] 1.1 a\r\n- [ ] 1.2 b\r\n", "2", "2:- [ ] 1.2 b"},
		} {
			t.Run(c.strategy+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				must(t, os.WriteFile(filepath.Join(dir, "tasks.md"), []byte(test.tasks), 0o600))
				for i, want := range []string{test.total, test.first} {
					out, _ := exec.Command("sh", "-c", strings.ReplaceAll(commands[i], "DIR", dir)).Output() // grep exits 1 where it finds nothing
					scratch.Equal(t, strings.TrimSpace(string(out)), want, commands[i])
				}
			})
		}
	}
}

// The launcher starts only this machine's hook, in any sh and environment; without one Claude may stop.
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
	for _, name := range []string{"read", "uname", "unset", "exec", "command", "exit", "trap", "["} {
		vars = append(vars, "BASH_FUNC_"+name+"%%=() { : >"+trapped+"; }")
	}

	garbage := []byte("it( is no program\n")
	self, err := os.Executable() // a program of this machine: it says what reaches it
	must(t, err)
	program := scratch.ReadFile(t, self)
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
					scratch.ErrorIf(t, err != nil, "%v\n%s", err, out)
					scratch.Equal(t, string(out), map[bool]string{true: "why\n"}[test.starts], "it says")
					if _, err := os.Stat(trapped); err == nil {
						t.Fatal("it started what the environment names")
					}
				})
			}
		}
	}
}

// Exit code 2 makes Claude go on. No limit of processes, memory or files brings it, by which a command of the model's can
// keep a hook from starting. Under 12 files dash opens no script.
func TestHookThatCannotStart(t *testing.T) {
	bash, err := exec.LookPath("bash")
	must(t, err)
	tools := toolchain(t)
	built, err := tools.BuildPrograms(context.Background(), []Target{HostTarget()}, Hook)
	must(t, err)
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o777))
	hook := filepath.Join(dir, filepath.FromSlash(Hook.placeIn(HostTarget(), true)))
	put(t, hook, built.Binaries[0].Data, 0o755)
	starts := []string{hook}
	for _, shell := range []string{"/bin/sh", bash} {
		for _, arch := range []string{"/proc/sys/kernel/arch", "/none"} { // a kernel before 6.1
			launcher := filepath.Join(dir, "hooks", filepath.Base(shell)+filepath.Base(arch))
			text := strings.Replace(string(launcherText(t)), "#!/bin/sh", "#!"+shell, 1)
			put(t, launcher, []byte(strings.ReplaceAll(text, "/proc/sys/kernel/arch", arch)), 0o755)
			starts = append(starts, launcher)
		}
	}
	limits := []string{"-u 0", "-u 1", "-d 1000", "-d 8000", "-n 0 <&-", "-n 1 <&- 2>&-", "-n 2 <&-"}
	for n := 12; n < 20; n++ {
		limits = append(limits, fmt.Sprint("-n ", n))
	}
	for kb := 100_000; kb < 1_500_000; kb += 100_000 {
		limits = append(limits, fmt.Sprint("-v ", kb))
	}
	failed := 0
	for _, program := range starts {
		for _, limit := range limits {
			if program != hook && strings.Contains(limit, "<&-") || strings.HasPrefix(limit, "-u") && strings.HasSuffix(program, "bashnone") {
				continue // bash tries to fork for 15 s
			}
			if scratch.Skipped(3) {
				continue
			}
			cmd := exec.Command(bash, "-c", `ulimit `+limit+`; exec "$0"`, program)
			cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir}
			cmd.Stdin = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Done."}`)
			if os.Geteuid() == 0 { // who has no limit of processes
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: scratch.Unprivileged, Gid: scratch.Unprivileged}}
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				failed++
			}
			if cmd.ProcessState.ExitCode() == 2 {
				t.Errorf("%s, ulimit %s: exit 2\n%.300s", strings.TrimPrefix(program, dir), limit, out)
			}
		}
	}
	scratch.ErrorIf(t, failed == 0 && HostTarget().OS == "linux", "every hook starts: this test shows nothing")
}

// launched is set if the launcher starts this test program as its hook.
const launched = "SPRINGFIELD_TEST_LAUNCHED"

func TestMain(m *testing.M) {
	if os.Getenv(launched) != "" {
		sayLaunched()
		return
	}
	os.Exit(m.Run())
}

// sayLaunched prints the arguments of a hook behind the launcher and the Go variables that are left.
func sayLaunched() {
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GO") {
			os.Stdout.WriteString(v + " ")
		}
	}
	os.Stdout.WriteString(strings.Join(os.Args[1:], " ") + "\n")
}
