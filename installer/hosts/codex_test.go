package hosts

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// codexAt is Codex in a scratch home.
func codexAt(t *testing.T, settings string) Place {
	t.Helper()
	home := t.TempDir()
	scratch.PutFile(t, filepath.Join(home, ".codex", "config.toml"), settings)
	scratch.PutFile(t, filepath.Join(home, ".codex", "plugins", "cache", "suite", "ned", "0.1.0", "strategy.json"), "{}")
	h, _ := HostNamed("codex")
	return h.PlaceFor(User{Home: home, Getenv: none, Look: none})
}

const nedOn = "# mine\n[plugins.\"ned@suite\"]\nenabled = true\n\n[plugins.\"../x@y\"]\n\n[plugins.\"off@suite\"]\nenabled = false\n\n[marketplaces.suite]\nsource_type = \"local\"\nsource = \"/s\"\n"

// Codex keeps the trust in a hook by its place in hooks.json, or by the plugin.
func TestCodexChecksTrust(t *testing.T) {
	const trusted = "trusted_hash = \"sha256:aa\"\n"
	for name, tt := range map[string]struct {
		place, trust string
		state        check.State
		says         string
	}{
		"trusted":        {":stop:1:0", trusted, check.Fine, "Codex trusts the hook of ned"},
		"another place":  {":stop:1:01", trusted, check.Failure, "Codex does not run the hook of ned: you have not trusted it yet"},
		"no trust":       {":stop:1:0", "enabled = true\n", check.Failure, "Codex does not run the hook of ned: you have not trusted it yet"},
		"switched off":   {":stop:1:0", trusted + "enabled = false\n", check.Warning, "the hook of ned is switched off in Codex"},
		"another form":   {":stop:1:0", "trusted_hash = \"\"\n[hooks.state.x]\n", check.Fine, "Codex trusts the hook of ned"},
		"another event":  {":pre_tool_use:1:0", trusted, check.Failure, "Codex does not run the hook of ned: you have not trusted it yet"},
		"a plugin's own": {"", trusted, check.Fine, "Codex trusts the hook of ned"},
	} {
		t.Run(name, func(t *testing.T) {
			at := codexAt(t, "")
			hooks, by := filepath.Join(at.Dir, "hooks.json"), Installed{Name: "ned", ID: "ned@suite", Dir: "/c/ned", On: true, Theirs: true}
			key := "ned@suite:hooks/shell.json:stop:0:0"
			if tt.place != "" {
				scratch.PutFile(t, hooks, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}, {"hooks": [{"type": "command", "command": "'/s p/ned/hooks/springfield-hook'"}]}]}}`)
				all, err := at.Host.Installed(at)
				must(t, err)
				key, by = hooks+tt.place, all[0]
			}
			scratch.PutFile(t, at.SettingsFile(), "[hooks.state."+document.QuoteKey(key)+"]\n"+tt.trust)
			found := at.Host.Check(context.Background(), at, []Installed{by})
			if len(found) != 1 || found[0].State != tt.state || found[0].Says != tt.says || (found[0].Fix == "") != (tt.state == check.Fine) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// No name in settings leads out of the cache. A table without a copy is not a plugin.
func TestCodexInstalled(t *testing.T) {
	at := codexAt(t, nedOn)
	all, err := at.Host.Installed(at)
	want := fmt.Sprintf("[{ned@suite ned /s %s 0.1.0 true user true}]", filepath.Join(at.Dir, "plugins", "cache", "suite", "ned", "0.1.0"))
	must(t, err)
	scratch.Equal(t, fmt.Sprint(all), want, "installed")
	for _, settings := range []string{"plugins = 3\n", "[plugins]\nx = 1\n", "[marketplaces]\ny = []\n"} {
		at := codexAt(t, settings)
		_, err := at.Host.Installed(at)
		must(t, err)
	}
	broken := codexAt(t, "a = \n")
	if _, err := broken.Host.Installed(broken); err == nil {
		t.Error("settings that cannot be read have plugins")
	}
}
