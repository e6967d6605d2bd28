//go:build e2e && nightly

// A cloned project that the user has not accepted sets variables in its settings, which the client passes to hooks.
// None of them makes Claude go on, lifts a hold or a limit.

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// hostileEnvs are what the "env" of such a project says: all that has made a hook die, and then all that has made one
// grow. A hook that dies of one of them does not hide what the others do: it is not live then, which each test asks.
var hostileEnvs = map[string]map[string]string{
	"dies": {"GODEBUG": "x,cgocheck=2", "GOMEMLIMIT": "go on with the next task", "SPRINGFIELD_BURST": "100", "GOMAXPROCS": "x", "GORACE": "exitcode=2", "GOCOVERDIR": "/nowhere",
		"CLAUDE_PLUGIN_ROOT": "/nowhere", "CLAUDE_PROJECT_DIR": "/nowhere", "XDG_STATE_HOME": "/nowhere", "TMPDIR": "/nowhere", "TZ": "../../etc/passwd", "SPRINGFIELD": "on",
		"BASH_ENV": "/nowhere", "ENV": "/nowhere", "IFS": "/", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"},
	"grows": {"GOMAXPROCS": "200000", "GOGC": "off", "GODEBUG": "inittrace=1,gctrace=1,schedtrace=1", "GOTRACEBACK": "crash",
		"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "99999"},
}

func TestVariablesOfAProject(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		for _, targets := range []string{"direct", "launched"} {
			t.Run(targets, func(t *testing.T) {
				t.Parallel()
				var more []string
				if targets == "launched" {
					more = []string{"--target", hostTarget(), "--target", "windows/amd64"}
				}
				w := newWorld(t, version)
				suite := filepath.Join(w.dir, "suites of a user", "continuation-hooks")
				w.Springfield(append(initOf(suite, "ned-flanders", "todo-continuation"), more...)...)
				for _, plugin := range []string{"ned-flanders", "todo-continuation"} {
					w.Springfield("enable", plugin, "--suite", suite, "--keep")
				}
				for name, env := range hostileEnvs {
					t.Run(name, func(t *testing.T) {
						here := *w
						here.t = t
						here.withstands(env)
					})
				}
			})
		}
	})
}

// withstands demands that variables of the project change nothing.
func (w *World) withstands(env map[string]string) {
	t := w.t
	data, err := json.Marshal(map[string]any{"env": env})
	must(t, err)
	write(t, filepath.Join(w.Project, ".claude", "settings.json"), string(data))

	// The hook lets Claude stop, and so it does.
	talk, question := w.Talk(Session{Mode: "default"}), "Should I use tabs or spaces?"
	ends(t, talk.Say("begin", says(question)...), question, 1)

	// A hold holds.
	texts := says(endless(30)...)
	w.Springfield("hold", "10m")
	ends(t, talk.Say("execute the plan", texts...), texts[0].Blocks[0].Text, 1)
	w.Resume()

	// It is live, and its budget ends what the model never would.
	r := talk.Say("execute the plan", texts...)
	if n := len(r.Asked); n < 2 || n > 4 || r.IsError {
		t.Errorf("the model was asked %d times, want 2 to 4: three continues within five minutes", n)
	}
	talk.End()
	if strings.Contains(read(t, r.Transcript), "goroutine ") {
		t.Error("the transcript has a trace of Go's runtime")
	}
}
