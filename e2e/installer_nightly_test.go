//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A suite of one's own: purged, and taken back by undo.
func TestPurgeAndUndo(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		suite := newSuite(w)
		write(t, w.settings("user"), theirs)
		w.Springfield("enable", "ned-flanders", "--suite", suite)
		w.Springfield("undo")
		w.untouched("user", "after undo")

		w.Springfield("enable", "ned-flanders", "--suite", suite)
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		w.Springfield("disable", "ned-flanders", "--purge")
		w.unknown()
		w.untouched("user", "after disable")
		w.Springfield("undo")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1) // on, and what it is is not known
		const fix = "springfield enable ned-flanders --suite "
		if out := w.TrySpringfield("doctor"); out.Code != 1 || !strings.Contains(out.Stdout, fix) {
			t.Errorf("doctor: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
		w.Springfield("enable", "ned-flanders", "--suite", suite)
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)

		// Leaving altogether: nothing in settings, in the client's records, or in springfield's state.
		w.Springfield("disable", "--all", "--purge")
		w.untouched("user", "after disable --all --purge")
		w.unknown()
		if _, err := os.Stat(filepath.Join(filepath.Dir(w.settings("user")), "springfield")); !os.IsNotExist(err) {
			t.Errorf("springfield's state: %v", err)
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)
	})
}

type listed struct {
	ID      string   `json:"id"`
	Version string   `json:"version"`
	Enabled bool     `json:"enabled"`
	Path    string   `json:"installPath"`
	Errors  []string `json:"errors"`
}

// What the client lists as installed, status says the same of; and status knows besides what the client
// does not list, a directory's plugins without an install record.
func TestStatusAgreesWithTheClient(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		compare := func(when string, wanted int) {
			t.Helper()
			var theirs []listed
			if out := w.Claude("plugin", "list", "--json"); json.Unmarshal([]byte(out.Stdout), &theirs) != nil {
				t.Fatalf("%s: plugin list: %s%s", when, out.Stdout, out.Stderr)
			}
			var ours struct {
				Deciding []string
				Plugins  []struct {
					ID, Version, Dir, Problem string
					On                        bool
				}
			}
			if out := w.Springfield("status", "--json"); json.Unmarshal([]byte(out.Stdout), &ours) != nil {
				t.Fatalf("%s: status: %s", when, out.Stdout)
			}
			scratch.Equal(t, len(theirs), wanted, when, "plugins in the client's list", theirs)
			for _, l := range theirs {
				found := false
				for _, p := range ours.Plugins {
					if p.ID != l.ID {
						continue
					}
					found = true
					if p.On != l.Enabled || (p.Problem != "") != (len(l.Errors) > 0) || p.Problem == "" && (p.Version != l.Version || p.Dir != l.Path) {
						t.Errorf("%s: the client says %+v, status %+v", when, l, p)
					}
				}
				errorIf(t, !found && l.Enabled, "%s: status does not know %+v", when, l)
			}
			t.Logf("%s: deciding %v", when, ours.Deciding)
		}

		source := w.repository(newSuite(w))
		w.Springfield("enable", "ned-flanders", "--marketplace", source)
		compare("installed from a repository", 1)
		w.Run(Session{Script: says(plan...)})
		compare("after a session", 1)
		w.Springfield("disable", "ned-flanders@continuation-hooks")
		compare("disabled", 1)
		w.Springfield("enable", "ned-flanders@continuation-hooks")
		w.claude("plugin", "disable", "ned-flanders@continuation-hooks")
		compare("disabled by the client", 1)
	})
}

// Two tools at work on one settings file, in turn: what either has said stays said, and in the end nothing of
// ours is left and nothing of theirs lost.
func TestBothToolsInTurn(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		suite := newSuite(w)
		write(t, w.settings("user"), theirs)
		meaning := func() map[string]any {
			t.Helper()
			var m map[string]any
			must(t, json.Unmarshal([]byte(read(t, w.settings("user"))), &m))
			return m
		}
		plugins := func() map[string]any { p, _ := meaning()["enabledPlugins"].(map[string]any); return p }
		client := func(args ...string) {
			t.Helper()
			w.claude(append([]string{"plugin"}, args...)...)
		}
		other := filepath.Join(w.dir, "suites of a user", "another")
		w.Springfield(initOf(other, "ned-flanders")...)

		w.Springfield("enable", "ned-flanders", "--suite", suite)
		client("marketplace", "add", other) // rewrites the whole file
		client("install", "ned-flanders@another")
		if p := plugins(); p["ned-flanders@continuation-hooks"] != true || p["ned-flanders@another"] != true || p["a.formatter@some.market"] != false {
			t.Errorf("after the client's turn: %v", p)
		}
		w.Springfield("enable", "ned-flanders@another") // takes over
		if p := plugins(); p["ned-flanders@continuation-hooks"] != false || p["ned-flanders@another"] != true {
			t.Errorf("after enable: %v", p)
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		client("disable", "ned-flanders@another")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)
		w.Springfield("enable", "ned-flanders", "--suite", suite)
		client("enable", "ned-flanders@another")
		w.Springfield("disable", "ned-flanders@continuation-hooks")
		client("uninstall", "ned-flanders@another")
		client("marketplace", "remove", "another")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)

		// What either tool has left of itself is empty; the rest is what the user wrote.
		left := meaning()
		for id, on := range plugins() {
			errorIf(t, id != "a.formatter@some.market" && on == true, "%s is still on", id)
		}
		var want map[string]any
		must(t, json.Unmarshal([]byte(theirs), &want))
		for key, value := range want {
			if key != "enabledPlugins" && !reflect.DeepEqual(left[key], value) {
				t.Errorf("%s is %v, was %v", key, left[key], value)
			}
		}
		scratch.Equal(t, plugins()["a.formatter@some.market"], false, "their own entry is gone", plugins())
	})
}
