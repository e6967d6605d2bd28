//go:build e2e

// One plugin in every host. The subtests of a host share a world, and each continues where the previous one ended.

package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func eachHost(t *testing.T, scenario func(t *testing.T, h *host)) {
	t.Parallel()
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			scenario(t, h)
		})
	}
}

func (w *World) on(h *host, plugin, suite string) {
	w.t.Helper()
	w.Springfield("enable", plugin, "--suite", suite, "--host", h.name)
}

// looks is a turn that uses a tool before the script goes on.
func (h *host) looks() Turn {
	return Turn{Blocks: []Block{{Text: "I look first."}, h.shell("echo looked")}}
}

func (w *World) same(h *host, when string) {
	w.t.Helper()
	for name, was := range h.theirs {
		scratch.Equal(w.t, read(w.t, filepath.Join(w.Home, filepath.FromSlash(name))), was, when, name)
	}
}

type record struct{ Session, Host, Plugin, Event, Decision, Rule string }

func (w *World) history() (all []record) {
	w.t.Helper()
	for line := range strings.Lines(w.Springfield("log", "--json").Stdout) {
		var r record
		must(w.t, json.Unmarshal([]byte(line), &r), "log --json printed", line)
		all = append(all, r)
	}
	return all
}

// decidedIn demands that the newest decisions are these, each "decision rule", all of this host.
func (w *World) decidedIn(h *host, want ...string) {
	w.t.Helper()
	all := w.history()
	if len(all) < len(want) {
		w.t.Errorf("%d decisions are recorded, want %q", len(all), want)
		return
	}
	for i, r := range all[len(all)-len(want):] {
		if got := r.Decision + " " + r.Rule; got != want[i] || r.Host != h.name || r.Session != all[len(all)-1].Session {
			w.t.Errorf("decision %d of the session is %+v, want %q in %s", i+1, r, want[i], h.name)
		}
	}
}

func TestHosts(t *testing.T) {
	eachHost(t, func(t *testing.T, h *host) {
		w := hosted(t, h)
		suite := newSuite(w)
		for name, text := range h.theirs {
			write(t, filepath.Join(w.Home, filepath.FromSlash(name)), text)
		}
		step := func(name string, do func(w *World)) {
			t.Run(name, func(t *testing.T) {
				here := *w
				here.t = t
				do(&here)
			})
		}
		step("undo", func(w *World) {
			w.on(h, "ned-flanders", suite)
			w.Springfield("undo")
			w.same(h, "after undo")
			if out := w.TrySpringfield("disable", "ned-flanders", "--host", h.name); out.Code == 0 {
				w.t.Errorf("undo has left the plugin on:\n%s", out.Stdout)
			}
		})
		step("goes-on", func(w *World) {
			w.on(h, "ned-flanders", suite)
			question := "Task 3 complete. Should I go on with Task 4?"
			script := append([]Turn{h.looks()}, says(plan[0], plan[1], question, plan[2])...)
			ended := w.In(h, Session{Script: script}, question, 4)
			w.decidedIn(h, "continue progress", "continue progress", "stop asks")
			if len(ended.Asked) == 4 {
				saw(w.t, ended.Asked[3], "You said what comes next")
			}
			if h.mine {
				scratch.Equal(w.t, strings.Count(read(w.t, filepath.Join(w.Home, "mine")), "mine\n"), 3, "times that the user's own hook ran")
			}
			for _, of := range []string{"why", "log", "status"} {
				if out := w.Springfield(of).Stdout; !strings.Contains(out, h.title) {
					w.t.Errorf("%s does not name %s:\n%s", of, h.title, out)
				}
			}
		})
		one := rand.IntN(2) // of the two that follow, by day
		if nightly || one == 0 {
			step("budget", func(w *World) {
				texts := endless(12)
				w.In(h, Session{Script: says(texts...)}, texts[3], 4)
				w.decidedIn(h, "continue progress", "continue progress", "continue progress", "stop budget")
			})
		}
		if nightly || one == 1 {
			step("away", func(w *World) {
				w.order("make test", 50)
				write(w.t, w.path("Makefile"), "test:\n\t@echo passed\n")
				check := Turn{Blocks: []Block{{Text: "I run it."}, h.shell("make test")}}
				texts := says("Shall the cache live in memory or on disk?", "In memory. Everything is done.", "All is done.")
				w.In(h, Session{Script: []Turn{texts[0], texts[1], check, texts[2]}}, "All is done.", 4)
				w.decidedIn(h, "continue away", "continue away", "stop away")
				must(w.t, os.Remove(filepath.Join(w.Home, ".claude", "springfield", "away.json")))
			})
		}
		step("disable", func(w *World) {
			w.Springfield("disable", "ned-flanders", "--host", h.name)
			w.same(h, "after disable")
			w.In(h, Session{Script: says(plan...)}, plan[0], 1)
		})
	})
}
