//go:build e2e && nightly

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/hinshun/vt10x"
)

// outlives is longer than a wait, until the hook has looked for the last time.
const outlives = 14 * time.Second

// The report of a night with a question, an error of the API, a permission and a check is that of its script.
func TestNightWithAnErrorAtThree(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders")
		write(t, w.path("Makefile"), "test:\n\t@test -e done\n")
		write(t, w.path(".claude/settings.local.json"), `{"permissions": {"allow": ["Bash(make test)"]}}`)
		w.Away("8h", "--check", "make test", "--note", "prefer TOML; never touch migrations")
		model := newStandIn(t, []Turn{
			says("Shall the cache live in memory or on disk?")[0],
			calls("Decided while you were away: on disk, as it can be undone.", "Write", map[string]any{"file_path": w.path("done"), "content": "yes\n"}),
			{Fails: "529"},
			calls("I fetch it.", "Bash", map[string]any{"command": "curl http://127.0.0.1:9/x", "description": "Fetch"}),
			says("Without it, then. Everything is done.")[0],
			calls("I run the check.", "Bash", map[string]any{"command": "make test", "description": "Run the tests"}),
			says("All is done, and the check passes.")[0],
		}, nil)
		screen := w.interactive(model, "acceptEdits", 50, [2]string{"accept edits on", "carry out the plan"}, [2]string{"carry out the plan", "\r"},
			[2]string{"goes on after an API error", ""}, [2]string{"and the check passes.", ""})
		want := []string{ledger.AwayShown, ledger.AwayAnswered, ledger.AwayWoken, ledger.AwayDenied, ledger.AwayChecked, ledger.AwayPassed}
		eventually(t, "the check to be read", func() bool { return len(w.brought()) >= len(want) })
		scratch.Equal(t, w.brought(), want, "the order's events", screen)
		var asked []Request
		for _, r := range model.Requests() {
			if r.Main {
				asked = append(asked, r)
			}
		}
		saw(t, asked[1], "They left a note: “prefer TOML; never touch migrations”. Decide yourself")
		saw(t, asked[4], "They left a note: “prefer TOML; never touch migrations”. They cannot allow this.")
		var n map[string]any
		must(t, json.Unmarshal([]byte(w.Springfield("back", "--json").Stdout), &n))
		order, session := n["order"].(map[string]any), n["sessions"].([]any)[0].(map[string]any)
		scratch.Equal(t, []any{order["used"], order["most"], order["check"], order["note"], len(n["sessions"].([]any))},
			[]any{3.0, 50.0, "make test", "prefer TOML; never touch migrations", 1}, "the order")
		scratch.Equal(t, fmt.Sprint(n["questions"], n["waiting"], n["held"]), "[] [] false", "needs")
		texts := func(of string) (all []string) {
			for _, one := range session[of].([]any) {
				all = append(all, strings.TrimSpace(fmt.Sprint(one.(map[string]any)["text"], " ", cmp.Or(one.(map[string]any)["answer"], any("")))))
			}
			return all
		}
		scratch.Equal(t, texts("decided"), []string{"“Shall the cache live in memory or on disk?” on disk, as it can be undone."}, "decided")
		scratch.Equal(t, texts("refused"), []string{"Bash curl http://127.0.0.1:9/x"}, "refused")
		failed := texts("failed")
		errorIf(t, len(failed) != 1 || !strings.Contains(failed[0], "529"), "failed: %q", failed)
		for name, want := range map[string]any{
			"host": "Claude Code", "project": w.Project, "asked": "carry out the plan", "continues": 3.0, "woken": 1.0, "calls": 3.0,
			"check": ledger.AwayPassed, "words": "All is done, and the check passes.",
		} {
			scratch.Equal(t, session[name], want, name)
		}
	})
}

// Endless failures end by their own limit.
func TestEndlessErrors(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders")
		w.wakes("ned-flanders")
		w.Springfield("set", "ned-flanders", "budget.burst=10") // in 5 minutes
		model := newStandIn(t, []Turn{{Fails: "529"}}, nil)
		w.interactive(model, "acceptEdits", 50, [2]string{"accept edits on", "carry out the plan"}, [2]string{"carry out the plan", "\r"})
		eventually(t, "the sixth failure", func() bool { return len(w.outages()) == 11 })
		scratch.Equal(t, mainRequests(model), 6, "requests")
		scratch.Equal(t, len(w.hooks()), 0, "hooks that wait")
	})
}

// Nothing wakes a session that is not the resting one of before, and no hook is left.
func TestNoWake(t *testing.T) {
	for name, test := range map[string]struct {
		fails  string
		mode   string
		during func(w *World, screen vt10x.Terminal, keys io.Writer)
		after  int    // more requests, of the user's own
		want   string // last record
	}{
		"rate_limit":   {fails: "429"},
		"unknown":      {fails: "400"},
		"hold":         {during: func(w *World, _ vt10x.Terminal, _ io.Writer) { w.Springfield("hold", "1h") }, want: "stop hold"},
		"a prompt":     {during: typing("hello there", "\r"), after: 1, want: "stop api-error"},
		"clear":        {during: typing("/clear", "\r"), want: "stop api-error"},
		"compact":      {during: typing("/compact", "\r"), want: "stop api-error"},
		"rewind":       {during: typing("/rewind", "\r", "\x1b[A", "\r", "\r"), want: "stop api-error"},
		"exit":         {during: typing("/exit", "\r"), want: "stop api-error"},
		"plan mode":    {mode: "plan", want: "stop plan-mode"},
		"switched off": {during: func(w *World, _ vt10x.Terminal, _ io.Writer) { w.Springfield("disable", "ned-flanders") }, want: "stop api-error"},
		"killed": {during: func(w *World, _ vt10x.Terminal, _ io.Writer) {
			for _, name := range w.hooks() {
				var id int
				fmt.Sscanf(name, "/proc/%d/", &id)
				if process, err := os.FindProcess(id); err == nil {
					process.Kill()
				}
			}
		}, want: "stop api-error"},
	} {
		t.Run(name, func(t *testing.T) {
			aClient(t, func(t *testing.T, version string) {
				w, _ := waking(t, version, "ned-flanders")
				w.wakes("ned-flanders")
				fails, mode, sign := test.fails, test.mode, "accept edits on"
				if fails == "" {
					fails = "529"
				}
				if mode == "" {
					mode = "acceptEdits"
				} else {
					sign = "plan mode on"
				}
				script := says("Hello.", "", "Here I am.")
				if script[1] = (Turn{Fails: fails}); test.want == "" {
					script[2].Fails = fails // a client may try again
				}
				model := newStandIn(t, script, nil)
				screen, keys := w.interactiveKeys(model, mode, 50, [2]string{sign, "greet me"}, [2]string{"greet me", "\r"}, [2]string{"Hello.", "carry on"}, [2]string{"carry on", "\r"}, [2]string{"API Error", ""})
				eventually(t, "the failure's record", func() bool { return test.want == "" || len(w.outages()) > 0 })
				asked := mainRequests(model)
				if test.during != nil {
					test.during(w, screen, keys)
				}
				time.Sleep(outlives) // nothing can be waited for
				got := w.outages()
				if last := strings.Join(got[max(0, len(got)-1):], ""); last != test.want || slices.Contains(got, "continue api-error") || mainRequests(model) != asked+test.after && name != "compact" || len(w.hooks()) > 0 {
					t.Errorf("%q, %d requests after %d, hooks %q\n%s", got, mainRequests(model), asked, w.hooks(), screen)
				}
				if strings.Contains(screen.String(), "goes on after an API error") {
					t.Errorf("it was woken:\n%s", screen)
				}
			})
		})
	}
}

// typing types keys one after another, as a person does.
func typing(all ...string) func(*World, vt10x.Terminal, io.Writer) {
	return func(_ *World, _ vt10x.Terminal, keys io.Writer) {
		for _, key := range all {
			io.WriteString(keys, key)
			time.Sleep(time.Second)
		}
	}
}

// Of two plugins one wakes.
func TestTwoPluginsWakeOnce(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders", "marge-simpson")
		w.wakes("ned-flanders", "marge-simpson")
		model := newStandIn(t, []Turn{{Fails: "529"}, {Fails: "529"}, says("All is done.")[0]}, nil)
		screen := w.interactive(model, "acceptEdits", 50, [2]string{"accept edits on", "carry out the plan"}, [2]string{"carry out the plan", "\r"}, [2]string{"All is done.", ""})
		time.Sleep(outlives)
		want := []string{"stop api-error", "continue api-error", "stop api-error", "continue api-error"}
		if got := w.outages(); !slices.Equal(got, want) || mainRequests(model) != 3 {
			t.Errorf("%q, %d requests, want %q\n%s", got, mainRequests(model), want, screen)
		}
	})
}

// A session that is open in two processes may go on in the other one.
func TestNoWakeBesideASecondProcess(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders")
		w.wakes("ned-flanders")
		script := says("Hello.", "", "Here I am.")
		script[1].Fails = "529"
		model := newStandIn(t, script, nil)
		screen, keys := w.interactiveKeys(model, "acceptEdits", 50, [2]string{"accept edits on", "greet me"}, [2]string{"greet me", "\r"}, [2]string{"Hello.", ""})
		id := w.processes()[0].Session
		w.at(50, w.clientEnv(model.URL), w.client(), "--resume", id)
		eventually(t, "the second process", func() bool {
			all := w.processes()
			return len(all) == 2 && all[1].Session == id && all[0].Session == id
		})
		io.WriteString(keys, "carry on")
		eventually(t, "the prompt", func() bool { return strings.Contains(screen.String(), "carry on") })
		io.WriteString(keys, "\r")
		eventually(t, "the failure's record", func() bool { return len(w.outages()) > 0 })
		eventually(t, "the end of the hook", func() bool { return len(w.hooks()) == 0 })
		if got := w.outages(); !slices.Equal(got, []string{"stop api-error"}) || mainRequests(model) != 2 {
			t.Errorf("%q, %d requests\n%s", got, mainRequests(model), screen)
		}
	})
}

// processes are those of this world's clients that have a session.
func (w *World) processes() []claude.Process {
	return claude.RunningProcesses(filepath.Join(w.Home, ".claude"))
}

// A headless session ends with its error and leaves no hook.
func TestNoWakeInAHeadlessSession(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := waking(t, version, "ned-flanders")
		w.wakes("ned-flanders")
		r := w.Run(Session{Script: []Turn{{Fails: "529"}}})
		eventually(t, "the end of the hook", func() bool { return len(w.hooks()) == 0 })
		if got := w.outages(); !r.IsError || slices.Contains(got, "continue api-error") {
			t.Errorf("%q, %+v", got, r)
		}
	})
}
