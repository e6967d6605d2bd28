//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// make demo tells a story: a stop in a plan, why the hook went on, its end, past sessions, what to do next. The
// script is run from a directory with a blank in its name, and with a scratch directory that has one.
func TestDemo(t *testing.T) {
	_, cache := scratch.FindGo(t)
	cli := scratch.Program(t, "cmd/springfield") // compiles its hook, as in a clone
	w := newWorld(t, newest)
	tree, err := filepath.Abs("..")
	must(t, err)
	clone := filepath.Join(w.dir, "a clone")
	must(t, os.Symlink(tree, clone))
	temporary := filepath.Join(w.dir, "a scratch directory")
	must(t, os.Mkdir(temporary, 0o755))
	demo := func(more ...string) string {
		t.Helper()
		env := append(w.env([]string{w.bin(), "/usr/bin", "/bin"}, "GOCACHE="+cache, "TMPDIR="+temporary), more...)
		out := w.exec("sh", env, filepath.Join(clone, "e2e", "demo.sh"), cli)
		if out.Code != 0 || out.Stderr != "" {
			t.Fatalf("exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
		return out.Stdout
	}

	told := demo()
	rest := told
	for _, part := range []string{
		`a plan with four steps`, `(?m)^\$ springfield init `, `"ned-flanders@continuation-hooks": true`,
		`Step 1 is done\. .*-> goes on`, `(?m)^\$ springfield why\n.*Claude continue`, `Moving to step 2\.`,
		`Step 2 is done\. .*-> goes on`, `the documentation\. .*-> goes on`, `All four steps are done\. .*-> may stop`,
		`(?m)^\$ springfield replay .*a clone/e2e/testdata/sessions`, `nudge +4 `, `your own sessions`, `(?m)^    bin/springfield replay$`, `(?m)^    bin/springfield enable ned-flanders\n$`,
	} {
		at := regexp.MustCompile(part).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("no %s in its place:\n%s", part, told)
		}
		rest = rest[at[1]:]
	}
	for _, typed := range regexp.MustCompile(`(?m)^    bin/springfield (.+)$`).FindAllStringSubmatch(told, -1) {
		if out := w.exec(cli, w.env([]string{w.bin(), "/usr/bin", "/bin"}, "GOCACHE="+cache), strings.Fields(typed[1])...); out.Code != 0 {
			t.Errorf("springfield %s, the last word of the demo, exits %d:\n%s%s", typed[1], out.Code, out.Stdout, out.Stderr)
		}
	}
	own := 0 // lines of the story that no command prints
	for line := range strings.Lines(read(t, "demo.sh")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "say '") || strings.HasPrefix(line, "stop ") {
			own++
		}
	}
	errorIf(t, own == 0 || own >= 20, "the demo has %d lines of its own, and may have 19", own)
	if strings.Contains(told, `{"decision"`) || !strings.Contains(demo("V=1"), `{"decision":"block"`) {
		t.Errorf("raw answers are for V=1:\n%s", told)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("the demo leaves %v behind, %v", left, err)
	}
}
