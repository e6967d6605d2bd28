//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// notRun are patterns of lines that cannot be run here, and why. Their commands and flags are looked up.
var notRun = map[string]string{
	`build .*--target `:                         "compiles for other machines, which takes minutes",
	`disable \S+ --purge`:                       "needs claude",
	`enable .*--(host codex|marketplace homer)`: "needs Codex, or a network",
	`watch( --(json|tell).*)?$`:                 "does not end",
	`publish`:                                   "compiles for every machine; scripts run it",
	`(resume|away \d+|set \S+ after-error=)`:    "asks at a terminal",
}

// made are things of the test's home, in the place of made-up names.
var made = strings.NewReplacer("FILE --line N", "../log.jsonl --line 2", "--line 120", "--line 2",
	"SESSION.jsonl", "../log.jsonl", "7f3a", "last", "my.json", "continuation-hooks/ned-flanders/strategy.json")

// Each springfield line of a page works as written, in order, and each make target exists.
func TestExamplesOfPages(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	goroot, gocache := scratch.FindGo(t)
	work, state := filepath.Join(home, "evergreen"), filepath.Join(home, ".claude", "springfield")
	slug := regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(work, "-")
	session := []byte(strings.ReplaceAll(pastSession, `"cwd":"/w"`, `"cwd":"`+work+`"`) +
		`{"type":"assistant","uuid":"5","message":{"role":"assistant","content":[{"type":"tool_use","id":"t",` +
		`"name":"TodoWrite","input":{"todos":[{"content":"Tag it","status":"pending"}]}}]}}` + "\n")
	past := filepath.Join(home, ".claude", "projects", slug, "s.jsonl")
	if err := errors.Join(scratch.TurnGoTelemetryOff(home), os.MkdirAll(filepath.Dir(past), 0o755), os.Mkdir(work, 0o755),
		os.WriteFile(past, session, 0o644), os.WriteFile(filepath.Join(home, "log.jsonl"), session, 0o644),
		os.MkdirAll(filepath.Join(home, ".config/fish/completions"), 0o755)); err != nil {
		t.Fatal(err)
	}
	carried := "" // a real hook is compiled once; heads of programs serve the rest
	run := func(line string) {
		t.Helper()
		if strings.Contains(line, "loop start") || strings.Contains(line, "rerun") { // one runs in a directory
			os.RemoveAll(filepath.Join(work, ".stravinsky"))
		}
		cmd := exec.Command("bash", "-c", made.Replace(line))
		cmd.Dir = work
		if regexp.MustCompile(`^springfield (new|build|update|validate)( [^~/]*)?$`).MatchString(line) { // in a suite
			cmd.Dir = filepath.Join(work, "continuation-hooks")
		}
		first, _, _ := strings.Cut(os.Getenv("PATH"), ":") // has the springfield of this test
		cmd.Env = []string{"HOME=" + home, "USER=ned", "GOCACHE=" + gocache, "PREBUILT=" + carried,
			"PATH=" + first + ":" + goroot + "/bin:/usr/bin:/bin"}
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"Stop","session_id":"s","cwd":"` + work +
			`","last_assistant_message":"Moving to Task 2."}`)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		var err error
		words, open := shellquote.Split(strings.ReplaceAll(made.Replace(line), "~", home))
		if open == nil && words[0] == "springfield" && !strings.ContainsAny(line, "|<>;$&*`()") {
			cmd.Args = words
			if code := runHere(cmd); code != 0 {
				err = fmt.Errorf("exit code %d", code)
			}
		} else {
			err = cmd.Run()
		}
		scratch.ErrorIf(t, err != nil, "%s: %v\n%s", line, err, &out)
		os.Remove(filepath.Join(state, "hold")) // which only a person lifts
	}
	run("springfield init ~/hooks --yes --marketplace hooks --strategy ned-flanders")
	carried = carriedHeads(t)
	os.Remove(filepath.Join(state, "suites.json")) // else two suites have a plugin of that name
	for _, line := range []string{"init --yes --all", "enable ned-flanders", "enable ralph-wiggum", "loop start Goal", "loop stop --delete"} {
		run("springfield " + line)
	}
	run("~/hooks/ned-flanders/hooks/springfield-hook")
	suites := scratch.ReadFile(t, filepath.Join(state, "suites.json"))
	pages, _ := filepath.Glob("../../docs/*.md")
	makefile, _ := os.ReadFile("../../Makefile")
	for _, page := range append(pages, "../../README.md") { // whose last line removes everything
		for _, line := range examples(t, page) {
			args, _ := commandLine(line)
			about, rest, err := newRoot(&app{}).Find(args)
			if target, isMake := strings.CutPrefix(line, "make "); isMake {
				if !strings.Contains(string(makefile), "\n"+strings.Fields(target)[0]+":") {
					t.Errorf("%s: there is no make %s", page, target)
				}
				continue
			}
			run := run
			if strings.HasPrefix(line, "springfield loop ") {
				run("springfield enable ralph-wiggum") // which the lines before may have switched off
			}
			for pattern := range notRun {
				if regexp.MustCompile("^springfield (" + pattern + ")").MatchString(line) {
					run = func(string) { err = errors.Join(err, about.ParseFlags(rest)) }
				}
			}
			if run(line); err != nil {
				t.Errorf("%s: %s: %v", page, line, err)
			}
			os.WriteFile(filepath.Join(state, "suites.json"), suites, 0o600)
		}
	}
}

// examples returns the lines of code that call springfield or make; for cli.md, the examples of the commands' help.
func examples(t *testing.T, page string) (lines []string) {
	text := scratch.ReadFile(t, page)
	code := regexp.MustCompile(`(?m)^(?:    |\$ )((?:springfield|make)(?: .*)?)$`)
	if filepath.Base(page) == "cli.md" {
		code, text = regexp.MustCompile(`(?m)^  (springfield .*)$`), nil
		each(newRoot(&app{}), func(cmd *cobra.Command) {
			if cmd.HasParent() {
				text = append(text, strings.TrimRight("  "+strings.TrimLeft(cmd.Example, " "), "\n")+"\n"...)
			}
		})
	}
	for _, m := range code.FindAllStringSubmatch(string(text), -1) {
		line, _, _ := strings.Cut(m[1], "  #")
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
