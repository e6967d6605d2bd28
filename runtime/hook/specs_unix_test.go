//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A state file is known again at the next stop, whatever its path is made of: an
// error blocks once there, too.
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
		if blocks != 1 {
			t.Errorf("%q: an error blocked %d times", dir, blocks)
		}
		s.old(name, specState(1, ""))
		if out, _ := s.answer(s.stop(true, nil)); out.Decision != "block" {
			t.Errorf("%q: not known again: %+v", dir, out)
		}
	}
}

// On completion the script that the original has is called, from our own plugin
// or the one that Claude Code names, in the project; how it ends does not matter.
func TestSpecsScript(t *testing.T) {
	const script = "#!/bin/sh\necho \"$@ in $(pwd -P) for $RALPH_CWD\" >>\"$0.log\"\necho stray; echo stray >&2\n"
	for name, test := range map[string]struct {
		own, named string // the scripts, "" if there is none
		text       string
		runs       string // whose
	}{
		"our own":             {script, script, "ALL_TASKS_COMPLETE", "plugin"},
		"of the named plugin": {"", script, "ALL_TASKS_COMPLETE", "named"},
		"none":                {"", "", "ALL_TASKS_COMPLETE", ""},
		"it fails":            {script + "exit 3\n", "", "ALL_TASKS_COMPLETE", "plugin"},
		"it is no program":    {"\x00\x01", "", "ALL_TASKS_COMPLETE", ""},
		"not before the end":  {script, script, "Task 2/5 done", ""},
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
				if string(log) != want {
					t.Errorf("%s ran %q", plugin, log)
				}
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
