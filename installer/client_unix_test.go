//go:build unix

package installer

import (
	"context"
	"os"
	"path/filepath"
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
	if err := client.Install(context.Background(), p, "x@team"); err == nil {
		t.Error("the client failed, and all is said to be well")
	}
}
