//go:build unix

package client

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A marketplace that was known before is not reported as added, or undo would forget it.
func TestClientSaysWhatItAdded(t *testing.T) {
	p := newPlaces(t)
	client := standIn(t, p, `mkdir -p "$CLAUDE_CODE_PLUGIN_CACHE_DIR"
[ "$2" = install ] && exit 1
echo '{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
`)
	for _, want := range []bool{true, false} {
		if name, added, err := client.AddMarket(context.Background(), NewSnapshot(p), "a/b"); name != "team" || added != want || err != nil {
			t.Errorf("%q, added %v, %v; want added %v", name, added, err, want)
		}
	}
	put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"x@team": [{"scope": "local", "projectPath": "/elsewhere", "installPath": "/elsewhere"}]}}`)
	if _, err := client.Install(context.Background(), NewSnapshot(p), "x@team"); err == nil {
		t.Error("the client failed, and all is said to be well")
	}
}

// standIn returns a client command that runs a script.
func standIn(t *testing.T, p Places, script string) Command {
	t.Helper()
	command := filepath.Join(p.Home, "claude")
	put(t, command, "#!/bin/sh\n"+script)
	must(t, os.Chmod(command, 0o755))
	return Command{Path: command, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + p.Home}}
}

// The trial fetch has the user's proxy, no other settings, and a directory that is swept after a kill.
func TestTheTrialReachesTheNetwork(t *testing.T) {
	p := newPlaces(t)
	put(t, p.Settings(User), `{"env": {"HTTPS_PROXY": "http://burns:1", "TOKEN": "secret"}, "extraKnownMarketplaces": {"x": {}}}`)
	client := standIn(t, p, `cat "$CLAUDE_CONFIG_DIR/settings.json" >"$HOME/told.$(basename "$(dirname "$CLAUDE_CODE_PLUGIN_CACHE_DIR")")"
basename "$CLAUDE_CODE_PLUGIN_CACHE_DIR" >>"$HOME/dirs"
mkdir -p "$CLAUDE_CODE_PLUGIN_CACHE_DIR"
echo '{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
`)
	if _, _, err := client.AddMarket(context.Background(), NewSnapshot(p), "a/b"); err != nil {
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
