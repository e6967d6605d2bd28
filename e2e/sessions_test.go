//go:build e2e

// Sessions of the real client with a plugin. They are checked by the client's output and the number of requests to the
// model. A scenario in which Claude stops also shows a continue, as a hook that is not live stops too.

package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// plan is a model that announces each next task and hands the turn back in between: what the plugins
// exist for. With no user to say "go on" only a hook brings it to its end.
var plan = []string{
	"Task 1 complete. Moving to Task 2.",
	"Task 2 complete. Moving to Task 3.",
	"All three tasks are done.",
}

// theirs is a settings file that another person wrote, with everything a careless editor would tidy up.
var theirs = strings.ReplaceAll(`{
    "permissions": {
        "allow": ["Bash(make && make test)"]
    },
    "enabledPlugins": {
        "a.formatter@some.market": false
    },
    "x-editor": {"scale": 1.0, "who": "Ren\u00e9"},
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "true && cat < /dev/null"}]}
        ]
    }
}
`, "\n", "\r\n")

var write = scratch.PutFile

func hostTarget() string { return runtime.GOOS + "/" + runtime.GOARCH }

// eachClient runs a scenario for each version, beside all others: every world has its own home and its own model.
func eachClient(t *testing.T, scenario func(t *testing.T, version string)) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			scenario(t, version)
		})
	}
}

// nightly has every scenario run for every version. The file of nightly tests sets it.
var nightly bool

// aClient runs a scenario for one of the versions, drawn anew in each run, and at night for all: it has to hold on each.
func aClient(t *testing.T, scenario func(t *testing.T, version string)) {
	if nightly {
		eachClient(t, scenario)
		return
	}
	t.Parallel()
	version := versions[rand.IntN(len(versions))]
	t.Run(version, func(t *testing.T) { scenario(t, version) })
}

func newSuite(w *World) string {
	w.t.Helper()
	dir := filepath.Join(w.dir, "suites of a user", "continuation-hooks")
	w.Springfield(initOf(dir, "ned-flanders")...)
	return dir
}

func initOf(dir string, plugins ...string) []string {
	args := []string{"init", dir, "--yes", "--owner", "Test Owner"}
	for _, plugin := range plugins {
		args = append(args, "--strategy", plugin)
	}
	return args
}

// enabled is a world in which ned-flanders is on for the user. The suite is shared: it is not to be changed.
func enabled(t *testing.T, version string) (w *World, suite string) {
	t.Helper()
	return with(t, version, "ned-flanders")
}

// owning is a world in which ned-flanders is on for the user, with a suite that the test may change.
func owning(t *testing.T, version string) (w *World, suite string) {
	t.Helper()
	w = newWorld(t, version)
	suite = newSuite(w)
	w.Springfield("enable", "ned-flanders", "--suite", suite, "--scope", "user")
	return w, suite
}

// ends demands that a session ended well, with this text, after so many requests to the model.
func ends(t *testing.T, r Result, text string, requests int) {
	t.Helper()
	if r.IsError || r.Text != text || len(r.Asked) != requests {
		var hooks []string // none at all: the plugin was not live
		for _, line := range strings.Split(read(t, r.Transcript), "\n") {
			if strings.Contains(line, `"type":"hook_`) {
				hooks = append(hooks, line)
			}
		}
		t.Errorf("the session ended after %d requests with %q (error: %v), want %d requests and %q\nhooks in its transcript:\n%s",
			len(r.Asked), r.Text, r.IsError, requests, text, strings.Join(hooks, "\n"))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(scratch.ReadFile(t, path))
}

// Enabled, the plan is carried out with nobody there; disabled, it is not. Afterwards every settings file has its old
// bytes, and after a purge the client does not know the suite.
func TestEnableDisable(t *testing.T) {
	eachClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		suite, scopes := newSuite(w), []string{"user", "project", "local"}
		for _, scope := range scopes {
			write(t, w.settings(scope), theirs)
		}
		unchanged := func(when string, except string) {
			t.Helper()
			for _, scope := range scopes {
				if now := read(t, w.settings(scope)); scope != except && now != theirs {
					t.Errorf("%s settings after %s:\n%q\nwant\n%q", scope, when, now, theirs)
				}
			}
		}
		for i, scope := range scopes {
			w.Springfield("enable", "ned-flanders", "--suite", suite, "--scope", scope)
			unchanged("enable", scope)
			ours := read(t, w.settings(scope))
			errorIf(t, ours == theirs, "enable left the %s settings as they were", scope)
			ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
			unchanged("a session", scope)
			scratch.Equal(t, read(t, w.settings(scope)), ours, "the session changed the", scope, "settings")
			disable := []string{"disable", "ned-flanders", "--suite", suite, "--scope", scope}
			if i < len(scopes)-1 {
				disable = append(disable, "--purge")
			}
			w.Springfield(disable...)
			unchanged("disable", "")
			if purged := !strings.Contains(w.known(), "continuation-hooks"); purged != (i < len(scopes)-1) {
				t.Errorf("after %v the client knows the suite: %v", disable, !purged)
			}
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)
		unchanged("the last session", "")
	})
}

// The stops of one user: a question, a stop after a tool call, where the transcript still lacks the final text, and
// plan mode. A replay of the session decides as the hook did.
func TestStopsOfOneUser(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		explained := func(r Result) {
			t.Helper()
			d := w.last()
			if out := w.Springfield("explain", r.Transcript).Stdout; !strings.Contains(out, "decision\n  "+d.Decision+" by "+d.Rule+",") {
				t.Errorf("the hook decided %s by %s, and explain says\n%s", d.Decision, d.Rule, out)
			}
		}
		question := "Task 2 complete. Should I go on with Task 3?"
		talk := w.Talk(Session{})
		r := talk.Say("execute the plan", says(plan[0], question, plan[2])...)
		ends(t, r, question, 2)
		w.written(question, 1)
		explained(r)

		script := append([]Turn{calls("Looking at what is there first.", "Bash", map[string]any{
			"command": "echo hi", "description": "Say hi",
		})}, says(plan[1:]...)...)
		r = talk.Say("go on", script...)
		ends(t, r, plan[2], 3)
		talk.End()
		explained(r)

		ends(t, w.Run(Session{Script: says(plan...), Mode: "plan"}), plan[0], 1)
	})
}

// A plan without an end. The client lets a hook continue eight times in a row. The last text is the result
// all the same, because a continue is context and no block; and no line calls it an error.
func TestBudgetEndsBeforeTheClientsCap(t *testing.T) {
	texts := endless(12)
	aClient(t, func(t *testing.T, version string) {
		w, _ := enabled(t, version)
		r := w.Run(Session{Script: says(texts...)})
		ends(t, r, texts[3], 4)
		// “continue”, says the user, and there are three more.
		again := w.Run(Session{Script: says(texts...), Prompt: "continue", Args: []string{"--resume", r.ID}})
		ends(t, again, texts[3], 4)
		log := read(t, again.Transcript)
		if blocks, told := strings.Count(log, "hook_blocking_error")+strings.Count(log, "Stop hook feedback"), strings.Count(log, `"type":"hook_additional_context"`); blocks != 0 || told != 6 {
			t.Errorf("%d blocks and %d contexts, want none and 6", blocks, told)
		}
		scratch.Holds(t, "the user is not told", log,
			"ned-flanders kept Claude going (", ", 1 of 3 in 5 min: ", ", 2 of 3 in 5 min: ", ", 3 of 3 in 5 min: ", "ned-flanders kept going 3 times in 5 minutes and is stopping so that you can look; type continue, or `springfield set ned-flanders budget.burst=10`")
		scratch.Equal(t, strings.Count(log, `"type":"hook_system_message"`), 4,
			"the user is told", "lines")
		// Beyond the budget the client's own cap holds.
		write(t, filepath.Join(w.Home, ".claude", "springfield", "ned-flanders.json"), `{"budget": {"burst": 100, "prompt": 100}}`)
		script := says(endless(20)...)
		for i := range script { // or else the hook's own limit of continues without a tool call comes first
			script[i].Before = func() { os.RemoveAll(filepath.Join(w.Home, ".claude", "springfield", "sessions")) }
		}
		ends(t, w.Run(Session{Script: script}), script[8].Blocks[0].Text, 9)
		// Another session has its own budget, and spends less of it where nothing moves.
		ends(t, w.Run(Session{Script: says(plan[0])}), plan[0], 3)
	})
}

func TestBrokenStrategyFailsOpen(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := owning(t, version)
		talk := w.Talk(Session{})
		ends(t, talk.Say("execute the plan", says(plan[0], plan[2])...), plan[2], 2)
		write(t, filepath.Join(suite, "ned-flanders", "strategy.json"), "{")
		ends(t, talk.Say("execute the plan", says(plan...)...), plan[0], 1)
	})
}
