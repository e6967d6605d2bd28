package hosts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

var must = scratch.Must

// placeOf is a host in a scratch home, with files. HOME and PROJECT in them are its places.
func placeOf(t *testing.T, h Host, files map[string]string) Place {
	t.Helper()
	home := t.TempDir()
	for name, data := range files {
		path := filepath.Join(home, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		data = strings.NewReplacer("PROJECT", filepath.ToSlash(filepath.Join(home, "project")), "HOME", filepath.ToSlash(home)).Replace(data)
		must(t, os.WriteFile(path, []byte(data), 0o644))
	}
	root := filepath.Join(home, "project")
	return h.PlaceFor(User{Home: home, Work: filepath.Join(root, "sub"), Root: root, Look: func(string) string { return "" }})
}

// in has the place's home out of what is installed.
func in(p Place, all []Installed) (short []Installed) {
	for _, i := range all {
		i.Dir = filepath.ToSlash(strings.Replace(i.Dir, p.Home, "HOME", 1))
		i.Suite = filepath.ToSlash(strings.Replace(i.Suite, p.Home, "HOME", 1))
		short = append(short, i)
	}
	return short
}

// Copilot takes plugins from the user's settings and, where the directory is trusted, from
// the project's for Claude Code, which have the last word.
func TestCopilotInstalled(t *testing.T) {
	const (
		user   = `{"extraKnownMarketplaces": {"suite": {"source": {"source": "directory", "path": "HOME/suite"}}}, "enabledPlugins": {"ned@suite": true, "bart@hub": true, "../x@suite": true, "y@a/b": true, "z": true}}`
		market = `"extraKnownMarketplaces": {"suite": {"source": {"source": "directory", "path": "HOME/suite"}}}`
		trust  = "// User settings belong in settings.json.\n{\"trustedFolders\": [\"PROJECT\"]}"
	)
	ned := Installed{ID: "ned@suite", Name: "ned", Suite: "HOME/suite", Dir: "HOME/suite/ned", Version: "1.2.0", On: true, Scope: client.User}
	off := ned
	off.On = false
	bart := Installed{ID: "bart@hub", Name: "bart", Dir: "HOME/.copilot/installed-plugins/hub/bart", On: true, Scope: client.User}
	project, local := ned, ned
	project.Scope, local.Scope = client.Project, client.Local
	for name, c := range map[string]struct {
		files map[string]string
		want  []Installed
		says  string // of the project's settings
	}{
		"nothing":                {},
		"the user's":             {files: map[string]string{".copilot/settings.json": user}, want: []Installed{ned, bart}},
		"a project's, untrusted": {files: map[string]string{"project/.claude/settings.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`}, says: "Copilot runs ned@suite, too, once you trust the directory: it reads these settings"},
		"a project's": {
			files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`},
			want:  []Installed{project}, says: "Copilot runs ned@suite, too: it reads these settings in a directory that you trust",
		},
		"a local one":      {files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.local.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`}, want: []Installed{local}, says: "Copilot runs ned@suite, too: it reads these settings in a directory that you trust"},
		"both, once":       {files: map[string]string{".copilot/config.json": trust, ".copilot/settings.json": user, "project/.claude/settings.json": `{"enabledPlugins": {"ned@suite": true}}`}, want: []Installed{ned, bart}, says: "Copilot runs ned@suite, too: it reads these settings in a directory that you trust"},
		"off by a project": {files: map[string]string{".copilot/config.json": trust, ".copilot/settings.json": user, "project/.github/copilot/settings.json": `{"enabledPlugins": {"ned@suite": false}}`}, want: []Installed{off, bart}},
		"a broken project": {files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.json": `{`}},
	} {
		files := map[string]string{"suite/ned/.claude-plugin/plugin.json": `{"version": "1.2.0"}`}
		for name, data := range c.files {
			files[name] = data
		}
		p := placeOf(t, copilotHost(), files)
		got, err := copilotInstalled(p)
		if err != nil || !reflect.DeepEqual(in(p, got), c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, in(p, got), err, c.want)
		}
		var says []string
		for _, f := range copilotCheck(context.Background(), p, nil) {
			if says = append(says, f.Says); f.State != check.Note || !strings.HasPrefix(f.File, p.Root) {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if strings.Join(says, "\n") != c.says {
			t.Errorf("%s: it says %q", name, says)
		}
	}
	if _, err := copilotInstalled(placeOf(t, copilotHost(), map[string]string{".copilot/settings.json": `{"a": }`})); err == nil || !strings.Contains(err.Error(), "settings.json: line 1") {
		t.Errorf("broken settings: %v", err)
	}
}

// A marketplace of the same name that the user has is not taken over: its plugins would be
// gone. One that was the suite's place before it moved is.
// A project's settings may name any number of plugins, which are not all looked at.
func TestCopilotProjectOfManyPlugins(t *testing.T) {
	var plugins []string
	for n := range 5_000 {
		plugins = append(plugins, fmt.Sprintf(`"p%d@m":true`, n))
	}
	at := placeOf(t, copilotHost(), map[string]string{
		".copilot/config.json": `{"trustedFolders":["PROJECT"]}`, "project/.claude/settings.json": `{"enabledPlugins":{` + strings.Join(plugins, ",") + `}}`,
	})
	if all, err := copilotInstalled(at); err != nil || len(all) != maxPlugins {
		t.Errorf("%d plugins, %v", len(all), err)
	}
	if found := copilotCheck(context.Background(), at, nil); len(found) != maxPlugins {
		t.Errorf("%d findings", len(found))
	}
}

func TestAnotherMarketplace(t *testing.T) {
	for _, h := range []Host{copilotHost(), droidHost()} {
		for source, refused := range map[string]bool{
			`{"source": "github", "repo": "homer/suite"}`:   true,
			`{"source": "directory", "path": "HOME/other"}`: true,
			`{"source": "local", "path": "HOME/other"}`:     true,
			`{"source": "local", "path": "HOME/gone"}`:      false,
			`{"source": "directory", "path": "HOME/gone"}`:  false,
			`{"source": "local", "path": "HOME/suite/"}`:    false,
		} {
			p := placeOf(t, h, map[string]string{"suite/a": "", "other/a": "", h.Dir + "/settings.json": `{"extraKnownMarketplaces": {/* mine */ "suite": {"source": ` + source + `}}}`})
			r := Request{At: p, Plugin: client.Plugin{Name: "ned", Marketplace: "suite", Suite: filepath.Join(p.Home, "suite")}}
			if edits, err := h.Settings.Entries(context.Background(), r); (err != nil) != refused || (len(edits) > 0) == refused {
				t.Errorf("%s, %s: %v, %v", h.Name, source, edits, err)
			}
		}
	}
}
