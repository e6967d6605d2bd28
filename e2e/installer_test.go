//go:build e2e

// What enable, disable, undo and status are to the real client: plugins of repositories, two tools that edit
// the same file, and what each says is in effect.

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
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
// bytes. After a purge the client knows nothing of it. By day this is tried in two of the scopes.
func TestEnableFromARepository(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		source := w.repository(newSuite(w))
		scopes := []string{"user", "project", "local"}
		for _, s := range scopes {
			write(t, w.settings(s), theirs)
		}
		rounds := append(scopes, "user")
		if !nightly {
			rounds = rounds[2:]
		}
		for _, scope := range rounds {
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
