//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The coordinator and its executor as they are meant, in the client's default mode, where what is not allowed
// is refused: implement's own permissions last from round to round, the executor has them too, and they are
// for the spec's own files.
func TestCoordinatorHandsOver(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		for i, s := range specs {
			t.Run(s.plugin, func(t *testing.T) {
				t.Parallel()
				w, _ := with(t, version, s.plugin)
				state := w.newSpec(i, 2)
				var script []Turn
				turn := func(tool string, input map[string]any) { script = append(script, calls("", tool, input)) }
				bash := func(command string) {
					turn("Bash", map[string]any{"command": command, "description": "Keep the books"})
				}
				bash(`grep -cE '^[-*] \[[ xX]\]' "` + s.dir + `/tasks.md"`)
				bash("touch elsewhere")
				for n := range 2 {
					turn("Write", map[string]any{"file_path": w.path(state), "content": at(n, 2, n+1)})
					if n > 0 {
						script = append(script, says("Task 1/2 done: number 1")[0])
					}
					turn("Agent", map[string]any{"description": "One task", "subagent_type": s.plugin + ":spec-executor", "run_in_background": false, "prompt": "DIR " + s.dir})
					turn("Read", map[string]any{"file_path": w.path(s.dir + "/tasks.md")})
					box := fmt.Sprintf("] 1.%d Do", n+1)
					turn("Edit", map[string]any{"file_path": w.path(s.dir + "/tasks.md"), "old_string": "- [ " + box, "new_string": "- [x" + box})
					script = append(script, says("TASK_COMPLETE\nverified: nothing to run")[0])
				}
				bash("rm -- " + state)
				script = append(script, says("Both are done.\n\nALL_TASKS_COMPLETE")[0])
				r := w.Run(Session{Script: script, Prompt: "/" + s.plugin + ":implement", Mode: "default"})
				ends(t, r, "Both are done.\n\nALL_TASKS_COMPLETE", len(script))
				saw(t, r.Asked[0], "You are the coordinator of one", s.plugin+":spec-executor")
				saw(t, r.Asked[len(r.Asked)-1], s.title+" (Task 2/2, Iter 2)", "TASK_COMPLETE")
				if !slices.ContainsFunc(r.Asked, func(q Request) bool { return strings.Contains(q.System, "You carry out one task of a") }) {
					t.Error("no executor was at work")
				}
				if tasks := read(t, w.path(s.dir+"/tasks.md")); strings.Count(tasks, "- [x]") != 2 || w.exists(state) || !w.exists(s.dir+"/.progress.md") {
					t.Errorf("the state file is there: %v; tasks.md:\n%s", w.exists(state), tasks)
				}
				if w.exists("elsewhere") {
					t.Error("implement allows more than its books")
				}
			})
		}
	})
}

// Every client takes every plugin, under the names of its commands and agents.
func TestSpecPluginsAreAccepted(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := with(t, version, "ralph-specum", "ralph-speckit")
		out := w.Springfield("validate", suite, "--strict")
		if want := "Claude Code " + version + ": claude plugin validate --strict accepts it"; !strings.Contains(out.Stdout, want) {
			t.Errorf("%q is not in\n%s", want, out.Stdout)
		}
	})
}
