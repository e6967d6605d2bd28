//go:build unix

package settings

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
)

// standIn is a client that a script plays.
func standIn(t *testing.T, p client.Places, script string) client.Command {
	t.Helper()
	command := filepath.Join(p.Home, "claude")
	put(t, command, "#!/bin/sh\n"+script)
	must(t, os.Chmod(command, 0o755))
	return client.Command{Path: command, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + p.Home}}
}

// What Claude Code has installed for another project is in use there, no matter
// who switches it on.
func TestPurgeLeavesWhatAnotherProjectHas(t *testing.T) {
	p := newPlaces(t)
	claude := standIn(t, p, `echo "$*" >>"$HOME/calls"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/installed_plugins.json"
`)
	elsewhere := filepath.Join(p.Home, "other")
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), `{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}`)
	put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"ned-flanders@team": [{"scope": "project", "projectPath": "`+elsewhere+`", "installPath": "/none"}]}}`)
	put(t, filepath.Join(elsewhere, "README"), "")
	plugin := client.Plugin{Name: "ned-flanders", Marketplace: "team"}
	notes, err := ReadSettings(p).PurgePlugin(context.Background(), claude, plugin)
	if calls := look(t, filepath.Join(p.Home, "calls")); err != nil || calls != "(none)" || !strings.Contains(strings.Join(notes, "\n"), "stays installed") {
		t.Errorf("%q, %v; the client was called: %s", notes, err, calls)
	}
	if why, err := ReadSettings(p).WhyInUse(plugin, client.User); err != nil || !strings.Contains(why, elsewhere) {
		t.Errorf("in use: %q, %v", why, err)
	}
	if err := os.RemoveAll(elsewhere); err != nil { // a project that is gone has nothing
		t.Fatal(err)
	}
	if notes, err := ReadSettings(p).PurgePlugin(context.Background(), claude, plugin); err != nil || !strings.Contains(strings.Join(notes, "\n"), "has forgotten marketplace team") {
		t.Errorf("%q, %v", notes, err)
	}
}
