package installer_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// A suite around the working directory may be a cloned project's: it counts once the user has made or named it.
func TestSuiteAroundIsNobodysAtFirst(t *testing.T) {
	for name, c := range map[string]struct {
		plugin, suite, known string
		found                string
	}{
		"neither made nor named": {"left-handed", "", "", ""},
		"by its full ID":         {"left-handed@team", "", "", ""},
		"another is known":       {"left-handed", "", "elsewhere", ""},
		"made before":            {"left-handed", "", "project", "project"},
		"by another name":        {"left-handed", "", "link", "link"},
		"named":                  {"left-handed", ".", "", "project"},
	} {
		home := t.TempDir()
		project := filepath.Join(home, "project")
		scratch.PutFile(t, filepath.Join(project, "springfield.yaml"), "marketplace: team\nowner: {name: Ned}\ntargets: [linux/amd64]\nplugins:\n  - name: left-handed\n    strategy: ned-flanders\n")
		scratch.PutFile(t, filepath.Join(home, "elsewhere", "file"), "")
		scratch.MustLink(t, project, filepath.Join(home, "link"))
		places := client.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, ".claude", "plugins"), Home: home, Managed: filepath.Join(home, "managed"), Work: project, Root: project}
		if c.known != "" {
			scratch.PutFile(t, places.StatePath("suites.json"), fmt.Sprintf(`{"suites": [%q]}`, filepath.Join(home, c.known)))
		}
		p, err := installer.Means{Settings: settings.NewSettings(places), Tell: t.Logf}.FindPlugin(c.plugin, c.suite)
		if found, _ := filepath.Rel(home, p.Suite); (err == nil) != (c.found != "") || err == nil && found != c.found {
			t.Errorf("%s: found in %q, %v", name, p.Suite, err)
		}
	}
}
