//go:build e2e

// What enable, disable, undo and status are to the real client: plugins of repositories, two tools that edit
// the same file, and what each says is in effect.

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// repository is the URL of a suite as a bare git repository. git is told by the home's configuration to get
// it from the disk: clients take no file:// URL for a repository.
func (w *World) repository(suite string) string {
	w.t.Helper()
	w.Tools = true
	bare := filepath.Join(w.dir, "repositories", filepath.Base(suite)+".git")
	for _, args := range [][]string{
		{"init", "-q", suite},
		{"-C", suite, "add", "-A"},
		{"-C", suite, "-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-qm", "suite"},
		{"clone", "-q", "--bare", suite, bare},
	} {
		w.exec("git", w.clientEnv(noModel), args...).succeeded(w.t, "git", args)
	}
	write(w.t, filepath.Join(w.Home, ".gitconfig"), fmt.Sprintf("[url %q]\n\tinsteadOf = https://git.example.invalid/\n", "file://"+filepath.Dir(bare)+"/"))
	return "https://git.example.invalid/" + filepath.Base(bare)
}

func (w *World) settings(scope string) string {
	switch scope {
	case "project":
		return filepath.Join(w.Project, ".claude", "settings.json")
	case "local":
		return filepath.Join(w.Project, ".claude", "settings.local.json")
	}
	return filepath.Join(w.Home, ".claude", "settings.json")
}

// known is what the client has on record about marketplaces and installed plugins.
func (w *World) known() string {
	var all string
	for _, name := range []string{"known_marketplaces.json", "installed_plugins.json"} {
		data, err := os.ReadFile(filepath.Join(w.Home, ".claude", "plugins", name))
		if err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
		all += string(data)
	}
	return all
}

func (w *World) unknown() {
	w.t.Helper()
	scratch.Lacks(w.t, "the client still knows it", w.known(), "continuation-hooks")
}

func (w *World) untouched(scope, when string) {
	w.t.Helper()
	scratch.Equal(w.t, readIfThere(w.settings(scope)), theirs, scope, "settings", when)
}

// A plugin from a repository: the client fetches it, the next session runs it, and no settings file has the client's
// bytes. After a purge the client knows nothing of it.
func TestEnableFromARepository(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		source := w.repository(newSuite(w))
		scopes := []string{"user", "project", "local"}
		for _, s := range scopes {
			write(t, w.settings(s), theirs)
		}
		for _, scope := range append(scopes, "user") {
			w.Springfield("enable", "ned-flanders", "--marketplace", source, "--scope", scope)
			ours := read(t, w.settings(scope))
			if strings.Contains(ours, "extraKnownMarketplaces") || !strings.Contains(ours, `"ned-flanders@continuation-hooks": true`) {
				t.Errorf("%s settings:\n%s", scope, ours)
			}
			ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
			for _, s := range scopes {
				want := theirs
				if s == scope {
					want = ours
				}
				scratch.Equal(t, read(t, w.settings(s)), want, s, "settings after a session")
			}

			w.Springfield("disable", "ned-flanders", "--scope", scope, "--purge")
			w.untouched(scope, "after disable")
			w.unknown()
		}
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)
		for _, s := range scopes {
			w.untouched(s, "afterwards")
		}
	})
}

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
				failIf(t, !found && l.Enabled, "%s: status does not know %+v", when, l)
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
			failIf(t, id != "a.formatter@some.market" && on == true, "%s is still on", id)
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
