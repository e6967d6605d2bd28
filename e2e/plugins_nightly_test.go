//go:build e2e && nightly

package e2e

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Twelve stops without a tool call between them: another program advances the state file.
func TestSpecGoesPastTheClientsCap(t *testing.T) {
	eachSpec(t, func(t *testing.T, w *World, s spec) {
		state := s.begin(w, 12)
		var script []Turn
		for n := range 12 {
			turn := says(fmt.Sprintf("Working on number %d.", n+1))[0]
			turn.Before = func() { write(t, w.path(state), at(n, 12, n+1)) }
			script = append(script, turn)
		}
		script = append(script, says("**ALL_TASKS_COMPLETE**")[0])
		ends(t, w.Run(Session{Script: script}), "**ALL_TASKS_COMPLETE**", 13)
	})
}

// A loop that does not move is not driven on forever, and its end is said.
func TestStalledSpecEnds(t *testing.T) {
	eachSpec(t, func(t *testing.T, w *World, s spec) {
		write(t, w.path(s.begin(w, 5)), at(1, 5, 2))
		r := w.Run(Session{Script: says("Still thinking about it.")})
		if n := len(r.Asked); n < 2 || n > 4 {
			t.Errorf("the model was asked %d times, want 2 to 4", n)
		}
		if d := w.last(); d.Decision != "stop" || d.Rule != "stagnation" {
			t.Errorf("the last decision is %+v", d)
		}
		scratch.Holds(t, "the user was told nothing", read(t, r.Transcript), `"type":"hook_system_message"`)
	})
}

// cancel, half-way: the state file goes, .progress.md stays, the next stop is silent.
func TestSpecIsCancelled(t *testing.T) {
	eachSpec(t, func(t *testing.T, w *World, s spec) {
		state := s.begin(w, 5)
		write(t, w.path(state), at(1, 5, 2))
		talk := w.Talk(Session{})
		ends(t, talk.Say("go on", says("Working.", "ALL_TASKS_COMPLETE")...), "ALL_TASKS_COMPLETE", 2)
		r := talk.Say("/"+s.plugin+":cancel", shell("rm "+state), says("Cancelled.")[0])
		ends(t, r, "Cancelled.", 2)
		saw(t, r.Asked[0], s.state, ".progress.md")
		if w.exists(state) || !w.exists(s.dir+"/.progress.md") {
			t.Error("the state file is there, or .progress.md is gone")
		}
	})
}

// A promise ends a loop once the agent has passed the check under its own permissions. Where the check is denied,
// the agent may stop, and the loop stays.
func TestGoalLoopWithACheck(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "ralph-wiggum")
		w.Springfield("loop", "start", "Do it", "--promise", "It is done", "--check", "test -e done")
		test := calls("I run the check.", "Bash", map[string]any{"command": "test -e done"})
		script := []Turn{
			says("It is done.")[0], test, says("It is done, I am sure.")[0],
			calls("I mend it.", "Write", map[string]any{"file_path": w.path("done"), "content": "yes\n"}), test, says("It is done, and passes.")[0],
		}
		r := w.Run(Session{Script: script})
		ends(t, r, "It is done, and passes.", 6)
		saw(t, r.Asked[1], "Your promise counts once the check of this loop has passed", "    test -e done\n")
		saw(t, r.Asked[3], "The check has failed. Mend what is wrong")
		errorIf(t, w.exists(goalFile), "the loop's file is there after its check")

		w.Springfield("loop", "start", "Do it", "--promise", "It is done", "--check", "make test")
		write(t, w.path(".claude/settings.local.json"), `{"permissions": {"deny": ["Bash(make test)"]}}`)
		r = w.Run(Session{Script: []Turn{says("It is done.")[0], calls("I run it.", "Bash", map[string]any{"command": "make test"}), says("It is done but for the check.")[0]}})
		ends(t, r, "It is done but for the check.", 3)
		errorIf(t, !w.exists(goalFile), "the loop's file is gone after a check that did not run")
		var all []string
		for _, d := range w.history() {
			all = append(all, d.Decision+" "+d.Rule)
		}
		scratch.Equal(t, all, []string{"continue loop", "continue loop", "stop promise", "continue loop", "stop check-denied"}, "decisions")
	})
}

// Stopped from another terminal, in the middle of a session: by loop stop, and by a hold, which leaves the
// loop for later.
func TestGoalLoopIsStopped(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := with(t, version, "ralph-wiggum")
		talk, texts := w.Talk(Session{}), endless(9)
		at := func(n int, do func()) []Turn {
			script := says(texts...)
			script[n].Before = do
			return script
		}
		w.Springfield("loop", "start", "Never done", "--promise", "pigs fly")
		ends(t, talk.Say("begin", at(2, func() { w.Springfield("loop", "stop") })...), texts[2], 3)

		w.Springfield("loop", "start", "Never done", "--promise", "pigs fly", "--replace")
		ends(t, talk.Say("begin again", at(3, func() { w.Springfield("hold", "10m") })...), texts[3], 4)
		errorIf(t, !w.exists(goalFile), "a hold has taken the loop away")
		w.Resume()

		// And with nothing but the plugin.
		w.Springfield("loop", "start", "Never done", "--promise", "pigs fly", "--replace")
		hook := filepath.Join(suite, "ralph-wiggum", "hooks", "springfield-hook")
		ends(t, talk.Say("begin once more", at(1, func() {
			scratch.Equal(t, w.exec(hook, w.env([]string{w.bin()}), "loop", "stop").Code, 0, "the hook's own loop stop")
		})...), texts[1], 2)
	})
}

// Beside a daily plugin a loop goes on to its end as if it were alone: the daily one says nothing meanwhile,
// and works again afterwards.
func TestGoalLoopBesideADailyPlugin(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := with(t, version, "ned-flanders", "ralph-wiggum")
		w.Springfield("disable", "ralph-wiggum")
		w.Springfield("enable", "ralph-wiggum", "--suite", suite) // without --keep
		w.Springfield("loop", "start", "Carry out the plan", "--promise", "All tests passing")
		var texts []string
		for i := range 5 {
			texts = append(texts, strings.Repeat("Well. ", i)+fmt.Sprintf("Task %d complete. Moving to Task %d.", i+1, i+2))
		}
		texts = append(texts, "Task 6 complete. All tests passing. Moving to Task 7.")
		r := w.Run(Session{Script: says(append(texts, "Too far.")...)})
		ends(t, r, texts[5], 6)
		scratch.Lacks(t, "the transcript", read(t, r.Transcript),
			"ned-flanders kept Claude going", "ned-flanders: I let")
		if out := w.Springfield("log", "--json", "--session", r.ID); !strings.Contains(out.Stdout, "another-loop") {
			t.Errorf("no rule another-loop in\n%s", out.Stdout)
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// A suite that Claude Code knows as a directory runs in place: built for other machines too, its hook starts through
// the launcher at the next stop, without a new version.
func TestRebuiltForSeveralTargets(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := owning(t, version)
		here := runtime.GOOS + "/" + runtime.GOARCH
		other := "linux/arm64"
		if here == other {
			other = "linux/amd64"
		}
		out := w.Springfield("build", suite, "--target", here, "--target", other)
		if said := out.Stdout + out.Stderr; !strings.Contains(said, other) {
			t.Errorf("build says\n%s", said)
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		w.Springfield("build", suite, "--target", here)
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// The coordinator and its executor as they are meant, in the client's default mode, where what is not allowed
// is refused: implement's own permissions last from round to round, the executor has them too, and they are
// for the spec's own files.
func TestCoordinatorHandsOver(t *testing.T) {
	eachSpec(t, func(t *testing.T, w *World, s spec) {
		state := s.begin(w, 2)
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
		errorIf(t, w.exists("elsewhere"), "implement allows more than its books")
	})
}
