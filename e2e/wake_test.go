//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// waitsOfTest are much longer than a busy machine may be late, and much shorter than those of a user.
const waitsOfTest = "-ldflags=-s -w -X github.com/cameronsjo/springfield/runtime/wake.waits=8,8,8,8,8"

// waking is a world whose plugins wait for seconds where others wait for minutes. Its client does not try again by
// itself.
func waking(t *testing.T, version string, plugins ...string) (w *World, suite string) {
	t.Helper()
	w = newWorld(t, version)
	suite = filepath.Join(w.dir, "suites of a user", "continuation-hooks")
	w.Springfield(initOf(suite, plugins...)...)
	w.With = []string{"CLAUDE_CODE_MAX_RETRIES=0"}
	for _, plugin := range plugins {
		w.Springfield("enable", plugin, "--suite", suite, "--scope", "user", "--keep")
		program := filepath.Join(suite, plugin, "hooks", "springfield-hook")
		must(t, os.Remove(program))
		scratch.PlaceProgram(t, scratch.Program(t, "runtime/springfield-hook", "-trimpath", "-buildvcs=false", waitsOfTest), program)
	}
	return w, suite
}

// wakes turns after-error on, as the user at their terminal.
func (w *World) wakes(plugins ...string) {
	w.t.Helper()
	for _, plugin := range plugins {
		out := w.atTerminal(springfield(w.t), w.env(nil), "set", plugin, "after-error=on")
		out.succeeded(w.t, "springfield set", plugin)
	}
}

// outages are the records about failures of the API, oldest first: "continue api-error".
func (w *World) outages() (all []string) {
	for _, r := range w.history() {
		if r.Event == "StopFailure" {
			all = append(all, r.Decision+" "+r.Rule)
		}
	}
	return all
}

// hooks are the processes of this world's hooks.
func (w *World) hooks() (all []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if line, _ := os.ReadFile(name); strings.Contains(string(line), w.dir) && strings.Contains(string(line), "springfield-hook") {
			all = append(all, name)
		}
	}
	return all
}

// mainRequests counts the requests of the main loop.
func mainRequests(model *StandIn) (n int) {
	for _, r := range model.Requests() {
		if r.Main {
			n++
		}
	}
	return n
}

// All outages wake, once each, also after a call of a tool. The report tells of them.
func TestWakeAfterErrors(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders")
		w.order("", 50)
		model := newStandIn(t, []Turn{
			{Fails: "529"}, calls("I write.", "Write", map[string]any{"file_path": w.path("done"), "content": "yes\n"}), {Fails: "500"}, {Fails: "reset"}, {Fails: "cut"}, {Fails: "cut"}, says("All is done.")[0],
		}, nil)
		screen := w.interactive(model, "acceptEdits", 50, [2]string{"accept edits on", "carry out the plan"}, [2]string{"carry out the plan", "\r"},
			[2]string{"goes on after an API error", ""}, [2]string{"All is done.", ""})
		eventually(t, "the last decision", func() bool { all := w.history(); return len(all) > 0 && all[len(all)-1].Event == "" })
		got := w.outages()
		wakes := len(got) / 2 // a client may try again after a cut reply
		if want := slices.Repeat([]string{"stop api-error", "continue api-error"}, wakes); !slices.Equal(got, want) || wakes < 4 || mainRequests(model) != 7 {
			t.Errorf("%q, %d requests, want %q\n%s", got, mainRequests(model), want, screen)
		}
		scratch.Equal(t, w.brought(), append([]string{"shown"}, slices.Repeat([]string{"woken"}, wakes)...), "the order's events")
		n := w.back()
		if len(n.Sessions) != 1 || len(n.Sessions[0].Failed) != wakes || n.Order.Used != wakes || n.Sessions[0].Woken != wakes {
			t.Errorf("the report: %+v", n)
		}
	})
}
