//go:build unix

package installer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A marketplace that was known before is not one that was added: whoever takes
// back what they added must not forget it. A record of another project is no
// installation.
func TestClientSaysWhatItAdded(t *testing.T) {
	p := newPlaces(t)
	command := filepath.Join(p.Home, "claude")
	put(t, command, `#!/bin/sh
mkdir -p "$CLAUDE_CODE_PLUGIN_CACHE_DIR"
[ "$2" = install ] && exit 1
echo '{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
`)
	if err := os.Chmod(command, 0o755); err != nil {
		t.Fatal(err)
	}
	client := Client{Command: command, Env: []string{"PATH=/usr/bin:/bin"}}
	for _, want := range []bool{true, false} {
		if name, added, err := client.AddMarket(context.Background(), p, "a/b"); name != "team" || added != want || err != nil {
			t.Errorf("%q, added %v, %v; want added %v", name, added, err, want)
		}
	}
	put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"x@team": [{"scope": "local", "projectPath": "/elsewhere", "installPath": "/elsewhere"}]}}`)
	if _, err := client.Install(context.Background(), p, "x@team"); err == nil {
		t.Error("the client failed, and all is said to be well")
	}
}

// standIn is a client that a script plays.
func standIn(t *testing.T, p Places, script string) Client {
	t.Helper()
	command := filepath.Join(p.Home, "claude")
	put(t, command, "#!/bin/sh\n"+script)
	if err := os.Chmod(command, 0o755); err != nil {
		t.Fatal(err)
	}
	return Client{Command: command, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + p.Home}}
}

// Where a repository is fetched to see its catalog, the network is reached as
// for everything else, nothing that is known takes part, and a kill leaves
// nothing that is not swept.
func TestTheTrialReachesTheNetwork(t *testing.T) {
	p := newPlaces(t)
	put(t, settingsOf(t, p, User), `{"env": {"HTTPS_PROXY": "http://burns:1", "TOKEN": "secret"}, "extraKnownMarketplaces": {"x": {}}}`)
	client := standIn(t, p, `cat "$CLAUDE_CONFIG_DIR/settings.json" >"$HOME/told.$(basename "$(dirname "$CLAUDE_CODE_PLUGIN_CACHE_DIR")")"
basename "$CLAUDE_CODE_PLUGIN_CACHE_DIR" >>"$HOME/dirs"
mkdir -p "$CLAUDE_CODE_PLUGIN_CACHE_DIR"
echo '{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
`)
	if _, _, err := client.AddMarket(context.Background(), p, "a/b"); err != nil {
		t.Fatal(err)
	}
	trial := look(t, filepath.Join(p.Home, "told."+filepath.Base(os.TempDir())))
	if !strings.Contains(trial, "http://burns:1") || strings.Contains(trial, "secret") || strings.Contains(trial, `"x"`) {
		t.Errorf("the trial is told %s", trial)
	}
	if dirs := look(t, filepath.Join(p.Home, "dirs")); !strings.HasPrefix(dirs, throwawayPrefix) {
		t.Errorf("the trial's directory is not one that is swept: %q", dirs)
	}
}

// What Claude Code has installed for another project is in use there, whoever
// switches it on.
func TestPurgeLeavesWhatAnotherProjectHas(t *testing.T) {
	p := newPlaces(t)
	client := standIn(t, p, `echo "$*" >>"$HOME/calls"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/installed_plugins.json"
`)
	elsewhere := filepath.Join(p.Home, "other")
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), `{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}`)
	put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"ned-flanders@team": [{"scope": "project", "projectPath": "`+elsewhere+`", "installPath": "/none"}]}}`)
	put(t, filepath.Join(elsewhere, "README"), "")
	plugin := Plugin{Name: "ned-flanders", Marketplace: "team"}
	notes, err := client.Purge(context.Background(), p, plugin)
	if calls := look(t, filepath.Join(p.Home, "calls")); err != nil || calls != "(none)" || !strings.Contains(strings.Join(notes, "\n"), "stays installed") {
		t.Errorf("%q, %v; the client was called: %s", notes, err, calls)
	}
	if why, err := InUse(p, plugin, User); err != nil || !strings.Contains(why, elsewhere) {
		t.Errorf("in use: %q, %v", why, err)
	}
	if err := os.RemoveAll(elsewhere); err != nil { // a project that is gone has nothing
		t.Fatal(err)
	}
	if notes, err := client.Purge(context.Background(), p, plugin); err != nil || !strings.Contains(strings.Join(notes, "\n"), "has forgotten marketplace team") {
		t.Errorf("%q, %v", notes, err)
	}
}
