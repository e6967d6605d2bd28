//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Published into a checkout named superpowers-marketplace, enabling it is the two lines of the first design.
func TestPublishedInADirectory(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		market := w.market("superpowers-marketplace")
		suite := filepath.Join(market, "springfield")
		w.Springfield(initOf(suite, "ned-flanders")...)
		out := w.Springfield("publish", suite, "--to", market, "--target", hostTarget())
		if !strings.Contains(out.Stdout, "new → 0.1.0") || !strings.Contains(out.Stdout, "./springfield/ned-flanders") || !strings.Contains(out.Stdout, "passed") {
			t.Errorf("publish says\n%s%s", out.Stdout, out.Stderr)
		}
		w.claude("plugin", "validate", market)
		w.claude("plugin", "marketplace", "add", market)
		if err := os.Remove(w.settings("user")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		w.Springfield("enable", "ned-flanders", "--marketplace", "superpowers-marketplace")
		var settings struct{ EnabledPlugins map[string]bool }
		must(t, json.Unmarshal([]byte(read(t, w.settings("user"))), &settings))
		want := map[string]bool{"double-shot-latte@superpowers-marketplace": false, "ned-flanders@superpowers-marketplace": true}
		scratch.Equal(t, settings.EnabledPlugins, want, "enabledPlugins")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// From the suite's own repository, pinned to a commit: what is installed is that commit, whatever comes after it.
func TestPublishedFromItsOwnRepository(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		market := w.market("neighbors")
		suite := newSuite(w)
		w.served(suite)
		publish := func() string {
			t.Helper()
			return w.Springfield("publish", suite, "--to", market, "--target", hostTarget()).Stdout
		}
		scratch.Holds(t, "the first run says", publish(), "commit and push")
		w.commit(suite, "published")
		if said := publish(); !strings.Contains(said, "git-subdir https://git.example.invalid/continuation-hooks.git ned-flanders @"+w.git(suite, "log", "-1", "--format=%H", "--", "ned-flanders")[:12]) {
			t.Errorf("the second run says\n%s", said)
		}
		strategy := filepath.Join(suite, "ned-flanders", "strategy.json")
		write(t, strategy, halting(read(t, strategy)))
		w.commit(suite, "not published")
		w.claude("plugin", "validate", market)
		w.claude("plugin", "marketplace", "add", market)
		w.claude("plugin", "install", "ned-flanders@neighbors")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
	})
}

// The addresses that enable passes on are those that the client does not refuse by their form.
func TestAddressesThatTheClientFetches(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		for _, address := range []string{
			"http://127.0.0.1:1/x.git", "http://127.0.0.1:1/x.git#v1", "https://127.0.0.1:1/x.json", "git@127.0.0.1:x.git",
			"file:///tmp/x.git", "ssh://git@127.0.0.1:1/x.git", "git://127.0.0.1:1/x.git", "127.0.0.1:x.git", "a/b/c",
		} {
			out := w.Claude("plugin", "marketplace", "add", address)
			said := out.Stdout + out.Stderr
			refused := strings.Contains(said, "Invalid marketplace source format") || strings.Contains(said, "is not a valid GitHub")
			if out.Code == 0 || refused == client.CanFetch(address) {
				t.Errorf("%s: CanFetch is %t, and the client answers\n%s", address, client.CanFetch(address), said)
			}
		}
	})
}
