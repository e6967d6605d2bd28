//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

// Every command of the README works as it is written, in one home with a past session. Those that need a plugin run
// after enable, and after a decision of its hook. make demo and make test are what CI runs.
func TestReadmeCommands(t *testing.T) {
	home := t.TempDir()
	work := filepath.Join(home, "evergreen")
	goroot, gocache := scratch.Go(t)
	if err := scratch.Home(home); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(home, ".claude", "projects"), os.DirFS("../../e2e/testdata/sessions")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = work
		cmd.Env = []string{"HOME=" + home, "USER=ned", "GOCACHE=" + gocache, "XDG_CACHE_HOME=" + scratch.HookCache(),
			"PATH=" + strings.Join([]string{filepath.SplitList(os.Getenv("PATH"))[0], filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, ":")}
		return cmd
	}
	run := func(line, stdin string) {
		t.Helper()
		cmd := command(line)
		cmd.Stdin = strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var first, then []string
	pattern := regexp.MustCompile(`^    ((springfield|make)( [^#]*)?)(#|$)`)
	for line := range strings.Lines(string(readme)) {
		m := pattern.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		switch verb := strings.TrimSpace(m[3]); {
		case m[2] == "make":
			if !strings.Contains(string(makefile), "\n"+verb+":") {
				t.Errorf("there is no make %s", verb)
			}
		case verb == "init": // which asks at a terminal
			first = append(first, "springfield init --yes")
		case strings.HasPrefix(verb, "replay"), strings.HasPrefix(verb, "enable"):
			first = append(first, "springfield "+verb)
		default:
			then = append(then, strings.TrimSpace("springfield "+verb))
		}
	}
	if len(first) < 3 || len(then) < 3 {
		t.Errorf("the README has the commands %q and %q", first, then)
	}
	for _, line := range first {
		run(line, "")
	}
	run("continuation-hooks/ned-flanders/hooks/springfield-hook", `{"hook_event_name":"Stop","session_id":"s","cwd":"`+work+`","last_assistant_message":"Moving to Task 2."}`)
	for _, line := range then {
		run(line, "")
		if strings.HasPrefix(line, "springfield hold") { // which a purge would remove
			if screen, _, err := typist.Run(command("springfield resume"), typist.Yes); err != nil {
				t.Errorf("springfield resume: %v\n%s", err, screen)
			}
		}
	}
}
