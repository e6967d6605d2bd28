//go:build unix

package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// The program in the user's settings is called, never one in a plugin's or a project's.
func TestLoopTellsTheUsersProgram(t *testing.T) {
	w := inLoop(t, wiggumOne, strings.Replace(loopText, "_iterations: 10", "_iterations: 7", 1))
	script := func(name string) (config, heard string) {
		heard = w.path(name + ".heard")
		w.write(name, "#!/bin/sh\nexec cat >>'"+heard+"'\n")
		must(t, os.Chmod(w.path(name), 0o755))
		return `"progress": {"command": [` + strconv.Quote(w.path(name)) + `], "every": 2}`, heard
	}
	mine, heard := script("mine")
	evil, theirs := script("theirs")
	w.write("plugin/strategy.json", strings.TrimSuffix(wiggumOne, "}")+", "+evil+"}")
	w.write("work/.claude/springfield/ralph-wiggum.json", "{"+evil+"}")
	w.goesOn("")(w.stop("s1", "0"))
	if _, err := os.Stat(theirs); err == nil {
		t.Fatal("a program that the plugin or the project names was run")
	}
	w.write(".claude/springfield/ralph-wiggum.json", "{"+mine+"}")
	w.write(loopFile, strings.Replace(loopText, "_iterations: 10", "_iterations: 7", 1))
	for i := range 6 {
		w.stop("s1", words(i))
	}
	if _, err := os.Stat(theirs); err == nil {
		t.Fatal("a program that the plugin or the project names was run")
	}
	data := scratch.ReadFile(t, heard)
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var e map[string]any
		must(t, json.Unmarshal([]byte(line), &e), line)
		got = append(got, e["event"].(string)+strconv.Itoa(int(e["iteration"].(float64))))
		if e["file"] != nil || e["max"] != 7.0 || e["directory"] != w.path("work") || e["loop"] == "" {
			t.Errorf("%v", e)
		}
	}
	if want := "start1 iteration2 iteration4 last6 limit7"; strings.Join(got, " ") != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

// The record of a stop fits into the ledger, also if names and goal have letters that JSON escapes.
func TestLoopFitsIntoTheLedger(t *testing.T) {
	w := newWorld(t, wiggumOne)
	for i := range 9 {
		work := "w" + strings.Repeat("/"+strings.Repeat("\x01", 180), 5) + "/" + strconv.Itoa(i)
		text := "---\ncompletion_promise: [" + strings.Repeat("\x02", 3000) + "]\n---\n" + strings.Repeat("\x03\u2028", 3000)
		w.write(work+"/"+wiggum.File, text)
		for stop := range 2 {
			out, notes := w.run(w.event(map[string]any{"cwd": w.path(work), "last_assistant_message": strings.Repeat("\x04", stop), "prompt_id": strings.Repeat("\x05", 3000)}))
			if out.Decision != "block" {
				t.Fatalf("loop %d, stop %d: %.200s, %.200s", i, stop, out.SystemMessage, notes)
			}
		}
	}
}

// Claude Code ignores a late answer, so without time left no program is called. The history is still written.
func TestLoopKeepsItsTime(t *testing.T) {
	for _, left := range []time.Duration{0, 200 * time.Millisecond} {
		w := inLoop(t, wiggumOne, loopText)
		w.write("slow", "#!/bin/sh\necho called >>'"+w.path("heard")+"'\nexec sleep 60\n")
		must(t, os.Chmod(w.path("slow"), 0o755))
		w.write(".claude/springfield/ralph-wiggum.json", `{"progress": {"command": [`+strconv.Quote(w.path("slow"))+`]}}`)
		w.host.finish = time.Now().Add(left)
		w.goesOn("")(w.stop("s1", "a"))
		scratch.Equal(t, w.happened(), "start1 iteration2", "history")
		if n := strings.Count(w.read("heard"), "called"); n > 1 || left == 0 && n > 0 {
			t.Errorf("with %s left it was called %d times", left, n)
		}
	}
}

// A project's names do not draw on a terminal.
func TestNotesAreText(t *testing.T) {
	w := newWorld(t, ned)
	w.host.Project = w.path("a\x1b[2J\nb")
	w.write("a\x1b[2J\nb/.claude/springfield/ned-flanders.json", `{"x": 1}`)
	if _, notes := w.run(w.event(nil)); !strings.Contains(notes, "passed over: ") || strings.Contains(notes, "\x1b") || strings.Contains(notes, "\nb") {
		t.Errorf("%q", notes)
	}
}

// A state file is known again at the next stop, whatever its path is made of: an error blocks once there, too.
func TestSpecsPathsAreKnownAgain(t *testing.T) {
	deep := strings.Repeat("é", 100) + "/" + strings.Repeat("é", 100)
	for _, dir := range []string{"a\x01b", "a\u2028b", "ünï", deep, "x" + deep} { // one of the deep ones is cut within a letter
		s := newSpecWorld(t, "ralph-specum")
		name := "project/" + dir + "/demo/.ralph-state.json"
		if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o755); err != nil {
			if runtime.GOOS == "linux" {
				t.Fatal(err)
			}
			t.Logf("%q: NOT TESTED, this file system has no such name: %v", dir, err)
			continue
		}
		s.write("project/.claude/ralph-specum.local.md", "---\nspecs_dirs: ["+dir+"]\n---\n")
		s.write("project/"+dir+"/.current-spec", "demo\n")
		s.old(name, "{")
		blocks := 0
		for range 4 {
			if out, _ := s.answer(s.stop(true, nil)); out.Decision == "block" {
				blocks++
			}
		}
		scratch.Equal(t, blocks, 1, dir, "an error blocked times")
		s.old(name, specState(1, ""))
		s.goesOn(dir + " is not known again")(s.answer(s.stop(true, nil)))
	}
}

// On completion the original's script of the hook's own plugin is run in the project, never one that a variable
// names. Its result is ignored.
func TestSpecsScript(t *testing.T) {
	const script = "#!/bin/sh\necho \"$@ in $(pwd -P) for $RALPH_CWD\" >>\"$0.log\"\necho stray; echo stray >&2\n"
	for name, test := range map[string]struct {
		own, named string // the scripts, "" if none exists
		text       string
		runs       string // whose
	}{
		"our own":            {script, script, "ALL_TASKS_COMPLETE", "plugin"},
		"of a variable":      {"", script, "ALL_TASKS_COMPLETE", ""},
		"none":               {"", "", "ALL_TASKS_COMPLETE", ""},
		"it fails":           {script + "exit 3\n", "", "ALL_TASKS_COMPLETE", "plugin"},
		"it is no program":   {"\x00\x01", "", "ALL_TASKS_COMPLETE", ""},
		"not before the end": {script, script, "Task 2/5 done", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpecWorld(t, "ralph-specum")
			s.old(s.state, specState(1, ""))
			s.host.PluginRoot = s.path("named")
			for plugin, script := range map[string]string{"plugin": test.own, "named": test.named} {
				if file := plugin + "/hooks/scripts/update-spec-index.sh"; script != "" {
					s.write(file, script)
					must(t, os.Chmod(s.path(file), 0o755))
				}
			}
			out, notes := s.answer(s.stop(false, map[string]any{"last_assistant_message": test.text}))
			if (out.Decision == "") != (test.text == "ALL_TASKS_COMPLETE") || strings.Contains(notes, "stray") {
				t.Errorf("%+v, %s", out, notes)
			}
			project, err := filepath.EvalSymlinks(s.path("project"))
			must(t, err)
			for _, plugin := range []string{"plugin", "named"} {
				log, _ := os.ReadFile(s.path(plugin + "/hooks/scripts/update-spec-index.sh.log"))
				want := ""
				if plugin == test.runs {
					want = "--quiet in " + project + " for " + s.path("project") + "\n"
				}
				scratch.Equal(t, string(log), want, plugin, log, "ran")
			}
		})
	}
	s := newSpecWorld(t, "ralph-speckit")
	s.old(s.state, specState(1, ""))
	s.write("plugin/hooks/scripts/update-spec-index.sh", script)
	os.Chmod(s.path("plugin/hooks/scripts/update-spec-index.sh"), 0o755)
	s.answer(s.stop(false, map[string]any{"last_assistant_message": "ALL_TASKS_COMPLETE"}))
	if log, err := os.ReadFile(s.path("plugin/hooks/scripts/update-spec-index.sh.log")); err == nil {
		t.Errorf("ralph-speckit has no index: %s", log)
	}
}
