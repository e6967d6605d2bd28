package hosts

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/scratch"
)

var must = scratch.Must

// none is an empty environment or PATH.
func none(string) string { return "" }

// placeOf returns a host in a scratch home with files, in which HOME and PROJECT are replaced.
func placeOf(t *testing.T, h Host, files map[string]string) Place {
	t.Helper()
	home := t.TempDir()
	for name, data := range files {
		data = strings.NewReplacer("PROJECT", filepath.ToSlash(filepath.Join(home, "project")), "HOME", filepath.ToSlash(home)).Replace(data)
		scratch.PutFile(t, filepath.Join(home, filepath.FromSlash(name)), data)
	}
	root := filepath.Join(home, "project")
	return h.PlaceFor(User{Home: home, Work: filepath.Join(root, "sub"), Root: root, Getenv: none, Look: none})
}

// in returns installed plugins with HOME for the place's home.
func in(p Place, all []Installed) (short []Installed) {
	for _, i := range all {
		i.Dir = filepath.ToSlash(strings.Replace(i.Dir, p.Home, "HOME", 1))
		i.Suite = filepath.ToSlash(strings.Replace(i.Suite, p.Home, "HOME", 1))
		short = append(short, i)
	}
	return short
}

// Copilot reads user settings and, in a trusted directory, the project's settings for Claude Code, which win.
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
	}{
		"nothing":                {},
		"the user's":             {files: map[string]string{".copilot/settings.json": user}, want: []Installed{ned, bart}},
		"a project's, untrusted": {files: map[string]string{"project/.claude/settings.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`}},
		"a project's": {
			files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`},
			want:  []Installed{project},
		},
		"a local one":      {files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.local.json": `{` + market + `, "enabledPlugins": {"ned@suite": true}}`}, want: []Installed{local}},
		"both, once":       {files: map[string]string{".copilot/config.json": trust, ".copilot/settings.json": user, "project/.claude/settings.json": `{"enabledPlugins": {"ned@suite": true}}`}, want: []Installed{ned, bart}},
		"off by a project": {files: map[string]string{".copilot/config.json": trust, ".copilot/settings.json": user, "project/.github/copilot/settings.json": `{"enabledPlugins": {"ned@suite": false}}`}, want: []Installed{off, bart}},
		"a broken project": {files: map[string]string{".copilot/config.json": trust, "project/.claude/settings.json": `{`}},
	} {
		files := map[string]string{"suite/ned/.claude-plugin/plugin.json": `{"version": "1.2.0"}`}
		maps.Copy(files, c.files)
		p := placeOf(t, copilotHost(), files)
		got, err := copilotInstalled(p)
		if err != nil || !reflect.DeepEqual(in(p, got), c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", name, in(p, got), err, c.want)
		}
	}
	if _, err := copilotInstalled(placeOf(t, copilotHost(), map[string]string{".copilot/settings.json": `{"a": }`})); err == nil || !strings.Contains(err.Error(), "settings.json: line 1") {
		t.Errorf("broken settings: %v", err)
	}
}

// The number of plugins that are read from a project is limited.
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
}

// Droid's records list the installed plugins, its settings those that are on.
func TestDroidInstalled(t *testing.T) {
	const (
		ned     = `{"schemaVersion": 1, "pluginId": "ned@suite", "entry": {"scope": "user", "installPath": "HOME/.factory/plugins/cache/suite-1/ned-2/v3", "version": "v3", "source": "suite"}}`
		project = `{"pluginId": "bart@suite", "entry": {"scope": "project", "installPath": "HOME/x", "source": "suite"}}`
	)
	want := []Installed{{ID: "ned@suite", Name: "ned", Dir: "HOME/.factory/plugins/cache/suite-1/ned-2/v3", Version: "0.1.0", On: true, Scope: client.User}}
	files := map[string]string{
		".factory/settings.json":                                              `{"enabledPlugins": {"ned@suite": true}}`,
		".factory/plugins/installed_plugins/ned-suite-user-1.json":            ned,
		".factory/plugins/installed_plugins/bart-suite-project-1.json":        project,
		".factory/plugins/installed_plugins/broken.json":                      `{`,
		".factory/plugins/cache/suite-1/ned-2/v3/.factory-plugin/plugin.json": `{"version": "0.1.0"}`,
		".factory/plugins/installed_plugins/relative.json":                    `{"pluginId": "x@suite", "entry": {"scope": "user", "installPath": "../x"}}`,
	}
	p := placeOf(t, droidHost(), files)
	if got, err := droidInstalled(p); err != nil || !reflect.DeepEqual(in(p, got), want) {
		t.Errorf("%+v, %v", in(p, got), err)
	}
	scratch.Equal(t, len(checkDisabled(context.Background(), p, want)), 0, "findings")
	files[".factory/settings.json"] = `{"hooks": {"hooksDisabled": true}}`
	want[0].On = false
	p = placeOf(t, droidHost(), files)
	if got, err := droidInstalled(p); err != nil || !reflect.DeepEqual(in(p, got), want) {
		t.Errorf("%+v, %v", in(p, got), err)
	}
	if silent := p.FindSilencer(); silent == nil || !strings.HasPrefix(silent.Says, "hooks are disabled in Droid") {
		t.Errorf("it says %+v", silent)
	}
	if got, err := droidInstalled(placeOf(t, droidHost(), nil)); err != nil || got != nil {
		t.Errorf("without records: %+v, %v", got, err)
	}
	files[".factory/settings.json"] = `[]`
	if _, err := droidInstalled(placeOf(t, droidHost(), files)); err == nil {
		t.Error("broken settings are read")
	}
}

// linked returns a request for a host with files, by path.
func linked(t *testing.T, host Host, files map[string]string) Request {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		scratch.PutFile(t, filepath.Join(home, filepath.FromSlash(name)), strings.ReplaceAll(text, "HOME", filepath.ToSlash(home)))
	}
	at := host.PlaceFor(User{Home: home, Work: filepath.Join(home, "plans"), Getenv: none, Look: none})
	return Request{At: at, ID: "ned", Enabling: settings.Enabling{Plugin: client.Plugin{Name: "ned", Marketplace: "suite", Suite: filepath.Join(home, "suite")}}}
}

func TestExtensionsInstalled(t *testing.T) {
	r := linked(t, geminiHost(), map[string]string{
		"suite/ned/gemini/gemini-extension.json":                  `{"name": "ned", "version": "0.2.0"}`,
		".gemini/extensions/ned/.gemini-extension-install.json":   `{"source": "HOME/suite/ned/gemini", "type": "link"}`,
		".gemini/extensions/gone/.gemini-extension-install.json":  `{"source": "HOME/suite/gone/gemini", "type": "link"}`,
		"other/gemini-extension.json":                             `{"name": "other", "version": "1.0.0"}`,
		".gemini/extensions/other/.gemini-extension-install.json": `{"source": "HOME/other", "type": "link"}`,
		".gemini/extensions/copy/.gemini-extension-install.json":  `{"source": "HOME/elsewhere", "type": "local"}`,
		".gemini/extensions/copy/gemini-extension.json":           `{"name": "copy", "version": "3"}`,
		".gemini/extensions/lisa/.gemini-extension-install.json":  `{"source": "https://git.example.invalid/o/r", "type": "git", "ref": "plugins/lisa"}`,
		".gemini/extensions/lisa/gemini-extension.json":           `{"name": "lisa", "version": "4"}`,
		".gemini/extensions/lisa/lisa/strategy.json":              `{}`,
		".gemini/extensions/off/.gemini-extension-install.json":   `{"source": "HOME/other", "type": "link"}`,
		".gemini/extensions/odd/.gemini-extension-install.json":   `{"source": 7}`,
		".gemini/extensions/none/README.md":                       "",
		".gemini/extensions/extension-enablement.json":            `{"off": {"overrides": ["HOME/*", "!HOME/plans/"]}, "ned": {"overrides": ["!HOME/plans", "HOME/*"]}}`,
	})
	all, err := geminiHost().Installed(r.At)
	must(t, err)
	got := map[string]string{}
	for _, i := range all {
		got[i.ID] = strings.ReplaceAll(filepath.ToSlash(fmt.Sprintf("%s %s %s %t %t", i.Dir, i.Suite, i.Version, i.On, i.HostRemoves)), filepath.ToSlash(r.At.Home), "")
	}
	want := map[string]string{
		"ned":   "/suite/ned /suite 0.2.0 true false",
		"gone":  "/suite/gone /suite  false false",
		"other": "/other  1.0.0 true false",
		"copy":  "/.gemini/extensions/copy /elsewhere 3 true true",
		"lisa":  "/.gemini/extensions/lisa/lisa https://git.example.invalid/o/r 4 true true",
		"off":   "/other  1.0.0 false false",
	}
	scratch.Equal(t, fmt.Sprint(got), fmt.Sprint(want), "installed")
}

func TestExtensionIsOn(t *testing.T) {
	for rules, want := range map[string]bool{
		"":                        true,
		"!/home/u/*":              false,
		"!/home/u":                true, // only there, not below
		"!/home/u/moes/":          false,
		"!/home/u/mo*":            true, // no directory
		"!/home/u/* /home/u/moes": true,
		"/home/u/* !/home/u/moes": false,
		"!/*":                     false,
	} {
		scratch.Equal(t, isOnUnlessOff(strings.Fields(rules), "/home/u/moes"), want, rules)
	}
}

func TestExtensionEntries(t *testing.T) {
	const record = ".qwen/extensions/ned/.qwen-extension-install.json"
	for what, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":            {nil, `"HOME/suite/ned/qwen" "link"`},
		"another link":       {map[string]string{record: `{"source": "/old", "type": "link"}`}, `"HOME/suite/ned/qwen" "link"`},
		"a copy of its own":  {map[string]string{".qwen/extensions/ned/qwen-extension.json": `{}`}, "Qwen Code already has a copy of ned"},
		"a copy":             {map[string]string{record: `{"source": "/old", "type": "local"}`}, "Qwen Code already has a copy of ned"},
		"a damaged record":   {map[string]string{record: `{`}, "read HOME/" + record + ": unexpected end of JSON input"},
		"a very long record": {map[string]string{record: strings.Repeat(" ", maxRecord+1)}, "read HOME/" + record + ": larger than 1 MiB"},
	} {
		r := linked(t, qwenHost(), c.files)
		edits, err := r.At.Host.Entries(r)
		got := fmt.Sprint(err)
		if err == nil {
			got = string(edits[0].Value) + " " + string(edits[1].Value)
		}
		scratch.Equal(t, strings.ReplaceAll(got, r.At.Home, "HOME"), c.want, what)
	}
}

func TestExtensionReady(t *testing.T) {
	files := map[string]string{"suite/ned/qwen/qwen-extension.json": `{}`}
	r := linked(t, qwenHost(), files)
	if err := r.CheckHasFiles(); err == nil || !strings.Contains(filepath.ToSlash(err.Error()), "suite/ned/qwen/hooks/hooks.json") {
		t.Error(err)
	}
	files["suite/ned/qwen/hooks/hooks.json"] = `{}`
	files[".qwen/extensions/extension-enablement.json"] = `{"ned": {"overrides": ["!HOME/*"]}}`
	r = linked(t, qwenHost(), files)
	must(t, r.CheckHasFiles())
	if hand := r.At.Host.ByHand(r); len(hand) != 1 || !strings.HasSuffix(hand[0], "qwen extensions enable ned") {
		t.Error(hand)
	}
}

func TestExtensionCheck(t *testing.T) {
	const qwenFile, geminiFile = ".qwen/settings.json", ".gemini/settings.json"
	for _, c := range []struct {
		host     Host
		settings string
		want     string
	}{
		{qwenHost(), `{}`, ""},
		{qwenHost(), `{"disableAllHooks": true}`, "hooks are disabled in Qwen Code, so no plugin decides: disableAllHooks is true"},
		{qwenHost(), `{"disableAllHooks": false, "hooksConfig": {"disabled": 7}}`, ""},
		{geminiHost(), `{"hooksConfig": {"enabled": true, "disabled": ["other"]}}`, ""},
		{geminiHost(), "{ // mine\n\"hooksConfig\": {\"enabled\": false}}", "hooks are disabled in Gemini CLI, so no plugin decides: hooksConfig.enabled is false"},
		{geminiHost(), `{"hooksConfig": {"disabled": ["ned"]}}`, "the hook of ned is disabled in Gemini CLI: hooksConfig.disabled lists it"},
		{geminiHost(), `{,}`, "the settings of Gemini CLI cannot be read: line 1, column 2: "},
	} {
		r := linked(t, c.host, map[string]string{qwenFile: c.settings, geminiFile: c.settings})
		says := ""
		for _, f := range c.host.Check(context.Background(), r.At, []Installed{{Name: "ned"}}) {
			says += f.Says
		}
		if silent := r.At.FindSilencer(); silent != nil {
			says += silent.Says
		}
		if says != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(says, c.want)) {
			t.Errorf("%s %s: %q", c.host.Name, c.settings, says)
		}
		scratch.Equal(t, c.host.Check(context.Background(), r.At, nil), nil, c.host.Name, "with nothing on")
	}
}
