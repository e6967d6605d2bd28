package hosts

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
)

// Droid's records say what is installed, from where and where its copy lies; its settings
// say what is on.
func TestDroidInstalled(t *testing.T) {
	const (
		ned     = `{"schemaVersion": 1, "pluginId": "ned@suite", "entry": {"scope": "user", "installPath": "HOME/.factory/plugins/cache/suite-1/ned-2/v3", "version": "v3", "source": "suite"}}`
		project = `{"pluginId": "bart@suite", "entry": {"scope": "project", "installPath": "HOME/x", "source": "suite"}}`
		market  = `{"name": "suite", "entry": {"source": {"source": "local", "path": "HOME/suite"}}}`
	)
	want := []Installed{{ID: "ned@suite", Name: "ned", Suite: "HOME/suite", Dir: "HOME/.factory/plugins/cache/suite-1/ned-2/v3", Version: "0.1.0", On: true, Scope: client.User}}
	files := map[string]string{
		".factory/settings.json":                                              `{"enabledPlugins": {"ned@suite": true}}`,
		".factory/plugins/installed_plugins/ned-suite-user-1.json":            ned,
		".factory/plugins/installed_plugins/bart-suite-project-1.json":        project,
		".factory/plugins/installed_plugins/broken.json":                      `{`,
		".factory/plugins/known_marketplaces/suite-1.json":                    market,
		".factory/plugins/cache/suite-1/ned-2/v3/.factory-plugin/plugin.json": `{"version": "0.1.0"}`,
		".factory/plugins/installed_plugins/relative.json":                    `{"pluginId": "x@suite", "entry": {"scope": "user", "installPath": "../x"}}`,
		".factory/plugins/known_marketplaces/hub.json":                        `{"name": "hub", "entry": {"source": {"source": "github", "repo": "a/b"}}}`,
	}
	p := placeOf(t, droidHost(), files)
	if got, err := droidInstalled(p); err != nil || !reflect.DeepEqual(in(p, got), want) {
		t.Errorf("%+v, %v", in(p, got), err)
	}
	if says := droidCheck(context.Background(), p, want); len(says) != 0 {
		t.Errorf("it says %+v", says)
	}
	files[".factory/settings.json"] = `{"hooks": {"hooksDisabled": true}}`
	want[0].On = false
	p = placeOf(t, droidHost(), files)
	if got, err := droidInstalled(p); err != nil || !reflect.DeepEqual(in(p, got), want) {
		t.Errorf("%+v, %v", in(p, got), err)
	}
	if says := droidCheck(context.Background(), p, want); len(says) != 1 || !strings.HasPrefix(says[0].Says, "hooks are switched off in Droid") {
		t.Errorf("it says %+v", says)
	}
	if got, err := droidInstalled(placeOf(t, droidHost(), nil)); err != nil || got != nil {
		t.Errorf("without records: %+v, %v", got, err)
	}
	files[".factory/settings.json"] = `[]`
	if _, err := droidInstalled(placeOf(t, droidHost(), files)); err == nil {
		t.Error("broken settings are read")
	}
}

// A marketplace is added when Droid does not know it, and given up when it has moved.
func TestDroidInstall(t *testing.T) {
	install := "plugin install ned@suite --scope user"
	for name, c := range map[string]struct{ known, want string }{
		"a new one":         {"", "plugin marketplace add HOME/suite, " + install},
		"a known one":       {"HOME/suite", install},
		"one that moved":    {"HOME/gone/suite", "plugin marketplace remove suite, plugin marketplace add HOME/suite, " + install},
		"another's name":    {"HOME/other", "plugin marketplace add HOME/suite, " + install}, // which Droid refuses
		"a broken record":   {"\"", "plugin marketplace add HOME/suite, " + install},
		"the same, unclean": {"HOME/other/../suite", install},
	} {
		files := map[string]string{"suite/x": "", "other/x": ""}
		if c.known != "" {
			files[".factory/plugins/known_marketplaces/suite-1.json"] = `{"name": "suite", "entry": {"source": {"source": "local", "path": "` + c.known + `"}}}`
		}
		p := placeOf(t, droidHost(), files)
		var got []string
		for _, args := range droidInstall(Request{At: p, Plugin: client.Plugin{Name: "ned", Suite: filepath.Join(p.Home, "suite")}}) {
			got = append(got, filepath.ToSlash(strings.ReplaceAll(strings.Join(args, " "), p.Home, "HOME")))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s", name, strings.Join(got, ", "))
		}
	}
}
