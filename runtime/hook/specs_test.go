package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// specWorld is a world with a project and one of the two plugins.
type specWorld struct {
	*world
	plugin, state, tasks string
}

func newSpecWorld(t *testing.T, plugin string) *specWorld {
	t.Helper()
	s := &specWorld{newWorld(t, `{"plugin": "`+plugin+`", "strategy": "`+plugin+`"}`), plugin, "project/specs/demo/.ralph-state.json", "project/specs/demo/tasks.md"}
	if plugin == "ralph-speckit" {
		s.state, s.tasks = "project/.specify/specs/demo/.speckit-state.json", "project/.specify/specs/demo/tasks.md"
		s.write("project/.specify/.current-feature", "demo\n")
	} else {
		s.write("project/specs/.current-spec", "demo\n")
	}
	return s
}

func bothSpecs() []string { return []string{"ralph-specum", "ralph-speckit"} }

// old writes a file that no program is writing.
func (s *specWorld) old(name, data string) {
	s.t.Helper()
	s.write(name, data)
	s.age(name, time.Minute)
}

func (s *specWorld) age(name string, age time.Duration) {
	s.t.Helper()
	when := time.Now().Add(-age)
	must(s.t, os.Chtimes(s.path(name), when, when))
}

// stop is an event as the originals' tests give it.
func (s *specWorld) stop(active bool, more map[string]any) string {
	e := map[string]any{"cwd": s.path("project"), "stop_hook_active": active, "session_id": "test-session"}
	for k, v := range more {
		if e[k] = v; v == nil {
			delete(e, k)
		}
	}
	b, err := json.Marshal(e)
	must(s.t, err)
	return string(b)
}

// answer runs the hook and checks that every line on standard error is the plugin's.
func (s *specWorld) answer(event string) (output, string) {
	s.t.Helper()
	out, notes := s.run(event)
	for _, line := range strings.Split(strings.TrimSuffix(notes, "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, "["+s.plugin+"] ") {
			s.t.Errorf("on standard error: %q", line)
		}
	}
	return out, notes
}

func specState(index int, more string) string {
	return fmt.Sprintf(`{"phase": "execution", "taskIndex": %d, "totalTasks": 5%s}`, index, more)
}

// Five tasks, one after the other, with nothing but the state file moving; then the word.
func TestSpecsFromTaskToTask(t *testing.T) {
	for _, plugin := range bothSpecs() {
		s := newSpecWorld(t, plugin)
		s.write(s.tasks, "- [ ] 1 a\n- [ ] 2 b\n- [ ] 3 c\n- [ ] 4 d\n- [ ] 5 e\n")
		for i := range 5 {
			s.old(s.state, specState(i, fmt.Sprintf(`, "globalIteration": %d`, i+1)))
			out, notes := s.answer(s.event(map[string]any{"cwd": s.path("project"), "stop_hook_active": i > 0, "last_assistant_message": fmt.Sprintf("Task %d done", i)}))
			task := fmt.Sprintf("ask %d/5", i+1)
			if out.Decision != "block" || !strings.Contains(out.Reason, fmt.Sprintf("- [ ] %d %c\n\n", i+1, 'a'+i)) || !strings.Contains(out.SystemMessage, task) || !strings.Contains(notes, "Task: "+task[4:]) {
				t.Fatalf("%s, stop %d: %+v, %s", plugin, i, out, notes)
			}
		}
		s.old(s.state, specState(4, ""))
		out, notes := s.answer(s.event(map[string]any{"cwd": s.path("project"), "stop_hook_active": true, "last_assistant_message": "All of it works.\n\nALL_TASKS_COMPLETE"}))
		if out != (output{}) || !strings.Contains(notes, "ALL_TASKS_COMPLETE detected") {
			t.Errorf("%s, at the end: %+v, %s", plugin, out, notes)
		}
		if r, ok := s.newest("session:s1"); !ok || r.Rule != "signal" || r.Plugin != plugin {
			t.Errorf("%s: ledger %+v", plugin, r)
		}
	}
}

// FR-4: where the originals are silent, both streams are.
func TestSpecsSilence(t *testing.T) {
	for _, plugin := range bothSpecs() {
		for name, test := range map[string]struct {
			prepare func(*specWorld)
			event   string // "" for a usual one
		}{
			"AC-2.1 no state file": {func(s *specWorld) { os.Remove(s.path(s.state)) }, ""},
			"AC-2.1 no spec":       {func(s *specWorld) { os.RemoveAll(s.path("project")); os.Mkdir(s.path("project"), 0o755) }, ""},
			"AC-2.1 no directory":  {func(s *specWorld) { os.RemoveAll(s.path("project")) }, ""},
			"AC-2.2 another phase": {func(s *specWorld) { s.old(s.state, `{"phase": "planning", "totalTasks": 3}`) }, ""},
			"AC-2.5 switched off":  {func(s *specWorld) { s.write("project/.claude/"+plugin+".local.md", "---\nenabled: false\n---\n") }, ""},
			"AC-2.6 invalid JSON":  {nil, "not json"},
			"AC-2.6 cwd null":      {nil, `{"cwd": null, "stop_hook_active": false}`},
			"another event":        {nil, "SubagentStop"},
			"plan mode":            {nil, "plan"},
			"SPRINGFIELD=off":      {func(s *specWorld) { s.host.Off = true }, ""},
			"a hold": {func(s *specWorld) {
				ledger.SetHold(s.path(".claude/springfield"), "", s.host.Now, time.Hour, ledger.Means{})
			}, ""},
			"the ledger cannot be written": {func(s *specWorld) { s.write(".claude/springfield", "a file in the way") }, ""},
			"wrong settings of the project": {func(s *specWorld) {
				s.host.Project = s.path("project")
				s.write("project/.claude/springfield/"+plugin+".json", `{"ceiling": 7000, "checks": ["x"]`)
				s.old(s.state, `{"phase": "tasks"}`)
			}, ""},
			"the ralph-loop is armed": {func(s *specWorld) { s.write("project/.claude/ralph-loop.local.md", "---\niteration: 1\n---\ngo") }, ""},
			"another program drives":  {nil, "active"},
		} {
			t.Run(plugin+"/"+name, func(t *testing.T) {
				s := newSpecWorld(t, plugin)
				s.old(s.state, specState(0, ""))
				cwd, err := os.Getwd()
				must(t, err)
				t.Chdir(s.path("project")) // as in the originals' tests
				if test.prepare != nil {
					test.prepare(s)
				}
				event := test.event
				switch event {
				case "":
					event = s.stop(false, nil)
				case "active":
					event = s.stop(true, nil)
				case "SubagentStop":
					event = s.stop(false, map[string]any{"hook_event_name": event})
				case "plan":
					event = s.stop(false, map[string]any{"permission_mode": event})
				}
				out, notes := s.answer(event)
				t.Chdir(cwd)
				if name == "another program drives" && strings.Contains(notes, "stop_hook_active=true") {
					notes = "" // the originals say so
				}
				if name == "the ledger cannot be written" && out.tells("without a decision: write ledger") {
					out = output{} // that is for the user
				}
				scratch.ErrorIf(t, out != (output{}) || notes != "", "answer %+v, notes %q", out, notes)
			})
		}
	}
}

// Who writes at the state file is waited for, a second at most.
func TestSpecsRace(t *testing.T) {
	for _, plugin := range bothSpecs() {
		for name, test := range map[string]struct {
			parts []string // written one after the other, 150 ms apart
			rule  string
		}{
			"half of it, then all": {[]string{`{"phase": "exec`, specState(1, "")}, "task"},
			"in three parts":       {[]string{"{", `{"phase": "execution", "taskIndex"`, specState(1, "")}, "task"},
			"never whole":          {[]string{`{"phase": "exec`}, "corrupt"},
			"then deleted":         {[]string{`{"phase": "exec`, "-"}, "no-state"},
		} {
			t.Run(plugin+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSpecWorld(t, plugin)
				s.write(s.state, test.parts[0])
				done := make(chan error, 1)
				go func() {
					var err error
					for _, part := range test.parts[1:] {
						time.Sleep(150 * time.Millisecond)
						if part == "-" {
							err = os.Remove(s.path(s.state))
						} else {
							err = os.WriteFile(s.path(s.state), []byte(part), 0o600)
						}
					}
					done <- err
				}()
				out, notes := s.answer(s.stop(false, nil))
				must(t, <-done)
				if r, ok := s.newest("session:test-session"); !ok || r.Rule != test.rule {
					t.Errorf("rule %s: %+v, %s", r.Rule, out, notes)
				}
			})
		}
	}
}

// Hostile files of a project are not followed, and the loop ends.
func TestSpecsHostileFiles(t *testing.T) {
	for _, plugin := range bothSpecs() {
		link := func(s *specWorld, target, name string) {
			t.Helper()
			os.RemoveAll(s.path(name))
			must(t, os.Symlink(target, s.path(name)))
		}
		pointer := "project/specs/.current-spec"
		if plugin == "ralph-speckit" {
			pointer = "project/.specify/.current-feature"
		}
		for name, test := range map[string]struct {
			prepare func(*specWorld)
			rule    string
			told    string
		}{
			"the state file linked out": {func(s *specWorld) {
				s.old("outside/state.json", specState(1, ""))
				link(s, s.path("outside/state.json"), s.state)
			}, "unreadable", "I cannot read"},
			"linked within": {func(s *specWorld) {
				s.old("project/state.json", specState(1, ""))
				rel, _ := filepath.Rel(filepath.Dir(s.path(s.state)), s.path("project/state.json"))
				link(s, rel, s.state)
			}, "task", "Task 2/5"},
			"the spec's directory linked out": {func(s *specWorld) {
				s.old("outside/"+filepath.Base(s.state), specState(1, ""))
				s.old("outside/.progress-task-1.md", "x")
				s.age("outside/.progress-task-1.md", 2*time.Hour)
				link(s, s.path("outside"), strings.TrimSuffix(s.state, "/"+filepath.Base(s.state)))
			}, "unreadable", "I cannot read"},
			"the settings linked out": {func(s *specWorld) {
				s.old("outside/local.md", "---\nenabled: false\n---\n")
				os.MkdirAll(s.path("project/.claude"), 0o755)
				link(s, s.path("outside/local.md"), "project/.claude/"+plugin+".local.md")
			}, "settings", ""},
			"a gigantic state file":  {func(s *specWorld) { s.old(s.state, specState(1, `, "x": "`+strings.Repeat("x", 1<<20)+`"`)) }, "unreadable", "larger than 256 KiB"},
			"a gigantic pointer":     {func(s *specWorld) { s.old(pointer, strings.Repeat("demo", 1<<20)) }, "no-", ""},
			"a long pointer":         {func(s *specWorld) { s.old(pointer, strings.Repeat("demo/", 190)) }, "no-state", ""},
			"gigantic tasks":         {func(s *specWorld) { s.old(s.tasks, strings.Repeat("- [ ] a\n", 1<<17)) }, "task", "Task 2/5"},
			"a name that leads up":   {func(s *specWorld) { s.old(pointer, "../../../etc/passwd") }, "no-", ""},
			"a name with a line end": {func(s *specWorld) { s.old(pointer, "de\nmo\n") }, "task", "Task 2/5"},
			"a NUL":                  {func(s *specWorld) { s.old(pointer, "de\x00mo") }, "no-", ""},
			"read-only": {func(s *specWorld) {
				os.Chmod(s.path(s.state), 0o400)
				os.Chmod(filepath.Dir(s.path(s.state)), 0o500)
				s.t.Cleanup(func() { os.Chmod(filepath.Dir(s.path(s.state)), 0o700) })
			}, "task", "Task 2/5"},
			"a forged line": {func(s *specWorld) { s.old(s.state, specState(1, `, "phase": "tasks\n[x] forged"`)) }, "phase", ""},
		} {
			t.Run(plugin+"/"+name, func(t *testing.T) {
				s := newSpecWorld(t, plugin)
				s.old(s.state, specState(1, ""))
				test.prepare(s)
				outside, before := s.tree("outside"), s.tree("project")
				out, notes := s.answer(s.stop(false, nil))
				r, _ := s.newest("session:test-session")
				if !strings.HasPrefix(r.Rule, test.rule) || !strings.Contains(out.SystemMessage, test.told) || test.told == "" && out != (output{}) {
					t.Errorf("rule %s (%s): %+v, %s", r.Rule, r.Evidence, out, notes)
				}
				for range 3 { // it comes to an end
					out, _ = s.answer(s.stop(true, map[string]any{"transcript_path": s.path(".claude/projects/-w/s.jsonl")}))
				}
				scratch.ErrorIf(t, out.Decision != "", "it goes on and on: %+v", out)
				if !slices.Equal(outside, s.tree("outside")) || !slices.Equal(before, s.tree("project")) {
					t.Errorf("files changed: %q, %q", s.tree("outside"), s.tree("project"))
				}
			})
		}
	}
}

// tree lists the files below a directory with their sizes.
func (w *world) tree(name string) (files []string) {
	filepath.WalkDir(w.path(name), func(path string, d os.DirEntry, err error) error {
		if err == nil {
			if info, err := d.Info(); err == nil {
				files = append(files, fmt.Sprint(path, " ", info.Size(), " ", info.Mode()))
			}
		}
		return nil
	})
	return files
}

// The signal counts in Claude's messages since the last prompt, and in a transcript of plain text.
func TestSpecsSignalInTranscripts(t *testing.T) {
	said := func(text string) string {
		b, _ := json.Marshal(text)
		return `{"type":"assistant","uuid":"a","message":{"role":"assistant","content":[{"type":"text","text":` + string(b) + `}]}}`
	}
	user := func(text string, more string) string {
		b, _ := json.Marshal(text)
		return `{"type":"user","uuid":"u"` + more + `,"message":{"role":"user","content":` + string(b) + `}}`
	}
	const word = "ALL_TASKS_COMPLETE"
	for name, test := range map[string]struct {
		lines []string
		done  bool
	}{
		"exactly the signal":               {[]string{user("go", ""), said(word)}, true},
		"only the hook's own reason":       {[]string{user("go", ""), user("Stop hook feedback:\n- [~/hook]: Continue spec: demo\n6. delete the state file and say\n"+word, `,"isMeta":true`)}, false},
		"the text of a slash command":      {[]string{user("go", ""), user("When all is done say\n\n"+word+"\n", `,"isMeta":true`)}, false},
		"a user's words":                   {[]string{user(word, "")}, false},
		"a tool's result":                  {[]string{user("go", ""), `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"` + word + `"}]}}`}, false},
		"a subagent":                       {[]string{user("go", ""), strings.Replace(said(word), `"uuid"`, `"isSidechain":true,"uuid"`, 1)}, false},
		"an earlier prompt's":              {[]string{user("go", ""), said(word), user("now the other spec", "")}, false},
		"earlier in the same turn":         {[]string{user("go", ""), said(word), said("Goodbye.")}, true},
		"plain text":                       {[]string{"Some task output", "TASK_COMPLETE", "More output", word, ""}, true},
		"plain text, something after it":   {[]string{"Some output", word, "More text"}, true},
		"plain text, a sentence":           {[]string{"Some output", "then output " + word + " and stop"}, false},
		"600 lines back, in the same turn": {append([]string{user("go", ""), said(word)}, slices.Repeat([]string{said("on")}, 600)...), false},
		"499 lines back, in the same turn": {append([]string{user("go", ""), said(word)}, slices.Repeat([]string{said("on")}, 499)...), true},
	} {
		for _, plugin := range bothSpecs() {
			t.Run(plugin+"/"+name, func(t *testing.T) {
				s := newSpecWorld(t, plugin)
				s.old(s.state, specState(2, ""))
				s.write("t.jsonl", strings.Join(test.lines, "\n")+"\n")
				out, notes := s.answer(s.stop(false, map[string]any{"transcript_path": s.path("t.jsonl")}))
				if (out.Decision == "") != test.done || strings.Contains(notes, "ALL_TASKS_COMPLETE detected") != test.done {
					t.Errorf("%+v, %s", out, notes)
				}
			})
		}
	}
}

// Claude Code's directory follows every cd; the spec stays where it is, up to the top of the repository.
func TestSpecsFromASubdirectory(t *testing.T) {
	for _, plugin := range bothSpecs() {
		s := newSpecWorld(t, plugin)
		s.old(s.state, specState(1, ""))
		s.write("project/packages/api/x", "")
		below := map[string]any{"cwd": s.path("project/packages/api")}
		if out, notes := s.answer(s.stop(false, below)); out != (output{}) || notes != "" {
			t.Errorf("%s, without a repository: %+v, %s", plugin, out, notes)
		}
		s.write("project/.git/HEAD", "")
		out, notes := s.answer(s.stop(false, below))
		dir := s.path(filepath.ToSlash(filepath.Dir(s.state)))
		if out.Decision != "block" || !strings.Contains(out.Reason, "Path: "+dir+" | ") || !strings.Contains(out.Reason, dir+"/tasks.md") {
			r, _ := s.newest("session:test-session")
			t.Errorf("%s: %+v, %s, rule %s", plugin, out, notes, r.Rule)
		}
		// From the project's own directory it is the same loop.
		s.old(s.state, specState(2, ""))
		if out, notes := s.answer(s.stop(true, nil)); out.Decision != "block" || strings.Contains(out.Reason, s.path("project")) {
			t.Errorf("%s, back again: %+v, %s", plugin, out, notes)
		}
	}
}

func FuzzSpecsRun(f *testing.F) {
	f.Add([]byte(specState(1, "")), []byte("demo"), []byte(`{"type":"assistant","message":{"content":"ALL_TASKS_COMPLETE"}}`), true)
	f.Add([]byte("{"), []byte("../x"), []byte("ALL_TASKS_COMPLETE"), false)
	f.Fuzz(func(t *testing.T, state, pointer, log []byte, speckit bool) {
		plugin, at := "ralph-specum", "project/specs/.current-spec"
		if speckit {
			plugin, at = "ralph-speckit", "project/.specify/.current-feature"
		}
		s := newSpecWorld(t, plugin)
		s.old(s.state, string(state))
		s.old(at, string(pointer))
		s.write("t.jsonl", string(log))
		for i := range 4 {
			out, _ := s.answer(s.stop(i > 0, map[string]any{"transcript_path": s.path("t.jsonl")}))
			scratch.ErrorIf(t, i == 3 && out.Decision != "", "it goes on and on: %+v", out)
		}
	})
}
