package client

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// putSuite writes a marketplace that the client knows, with entries for its plugins.
func putSuite(t *testing.T, p Places, name, entries string) string {
	t.Helper()
	dir := filepath.Join(p.Home, name)
	put(t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), `{"name": "`+name+`", "plugins": [`+entries+`]}`)
	putKnown(t, p, name, `{"source": "directory", "path": "`+dir+`"}`, dir)
	return dir
}

func putKnown(t *testing.T, p Places, name, source, location string) {
	t.Helper()
	path := filepath.Join(p.Plugins, "known_marketplaces.json")
	all := map[string]any{}
	if data, err := os.ReadFile(path); err == nil {
		must(t, json.Unmarshal(data, &all))
	}
	all[name] = map[string]any{"source": json.RawMessage(source), "installLocation": location}
	data, err := json.Marshal(all)
	must(t, err)
	put(t, path, string(data))
}

func TestInstalledInPlace(t *testing.T) {
	p := newPlaces(t)
	dir := putSuite(t, p, "hooks", `{"name": "ned-flanders", "source": "./ned-flanders"}`)
	scratch.PutPlugin(t, filepath.Join(dir, "ned-flanders"), "ned-flanders", "1.2.0")

	i := NewSnapshot(p).Installed("ned-flanders@hooks")
	if i.Problem != "" || !i.InPlace || i.Dir != filepath.Join(dir, "ned-flanders") || i.Version != "1.2.0" || i.Offered != "1.2.0" ||
		i.Source != "directory "+dir || i.Strategy != "ned-flanders" || !i.IsOurs() || !i.IsOursAtStop() {
		t.Errorf("%+v", i)
	}
	if len(i.Hooks) != 1 {
		t.Fatalf("%d hooks: %+v", len(i.Hooks), i.Hooks)
	}
	h := i.Hooks[0]
	if h.Event != "Stop" || h.Type != "command" || h.Does != "${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook stop" || h.Timeout != 10 ||
		h.Source != "ned-flanders@hooks" || h.File != filepath.Join(dir, "ned-flanders", "hooks", "hooks.json") || h.Never != "" {
		t.Errorf("%+v", h)
	}

	must(t, os.Remove(filepath.Join(dir, "ned-flanders", "hooks", "springfield-hook")))
	if i := NewSnapshot(p).Installed("ned-flanders@hooks"); len(i.Hooks) != 1 || i.Hooks[0].Never != "its program does not exist: hooks/springfield-hook" {
		t.Errorf("without its program: %+v", i)
	}
}

// A directory that user settings declare is known from the client's next start.
func TestInstalledFromDeclaredMarketplace(t *testing.T) {
	p := newPlaces(t)
	dir := filepath.Join(p.Home, "suite")
	put(t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), `{"plugins": [{"name": "ned-flanders", "source": "./ned-flanders"}]}`)
	scratch.PutPlugin(t, filepath.Join(dir, "ned-flanders"), "ned-flanders", "1.0.0")
	put(t, p.Settings(User), `{"extraKnownMarketplaces": {"hooks": {"source": {"source": "directory", "path": "`+dir+`"}}}}`)
	if i := NewSnapshot(p).Installed("ned-flanders@hooks"); !i.IsOursAtStop() || i.Problem != "" {
		t.Errorf("%+v", i)
	}
	// A project's declaration needs trust first.
	must(t, os.Rename(p.Settings(User), filepath.Join(p.Home, "elsewhere")))
	put(t, p.Settings(Project), `{"extraKnownMarketplaces": {"hooks": {"source": {"source": "directory", "path": "`+dir+`"}}}}`)
	if i := NewSnapshot(p).Installed("ned-flanders@hooks"); i.Problem != "marketplace hooks is unknown" {
		t.Errorf("%+v", i)
	}
}

func TestInstalledCopies(t *testing.T) {
	id := "ned-flanders@team.hooks"
	records := func(lines ...string) string {
		return `{"version": 2, "plugins": {"` + id + `": [` + strings.Join(lines, ", ") + `]}}`
	}
	for name, test := range map[string]struct {
		copies    []string
		installed func(p Places, cache string) string
		want      string // the version directory
		problem   string
	}{
		"on record": {[]string{"1.0.0", "2.0.0"}, func(p Places, c string) string {
			return records(`{"scope": "user", "installPath": "` + c + `/1.0.0", "version": "1.0.0"}`)
		}, "1.0.0", ""},
		"first that fits": {[]string{"1.0.0", "2.0.0", "3.0.0"}, func(p Places, c string) string {
			return records(`{"scope": "project", "projectPath": "/elsewhere", "installPath": "`+c+`/3.0.0"}`,
				`{"scope": "project", "projectPath": "`+p.Work+`", "installPath": "`+c+`/2.0.0"}`, `{"scope": "user", "installPath": "`+c+`/1.0.0"}`)
		}, "2.0.0", ""},
		"record of elsewhere": {[]string{"1.0.0", "2.0.0"}, func(p Places, c string) string {
			return records(`{"scope": "local", "projectPath": "/elsewhere", "installPath": "`+c+`/1.0.0"}`, `{"scope": "user", "installPath": "`+c+`/2.0.0"}`)
		}, "2.0.0", ""},
		"a leftover": {[]string{"3.0.0"}, nil, "", "not installed"},
		"not for here": {[]string{"3.0.0"}, func(p Places, c string) string {
			return records(`{"scope": "local", "projectPath": "/elsewhere", "installPath": "` + c + `/3.0.0"}`)
		}, "", "installed for another project only"},
		"only a record": {nil, func(p Places, c string) string { return records(`{"scope": "user", "installPath": "` + c + `/1.0.0"}`) }, "", "its directory does not exist: "},
		"nothing":       {nil, nil, "", "not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			clone := filepath.Join(p.Plugins, "marketplaces", "team.hooks")
			put(t, filepath.Join(clone, ".claude-plugin", "marketplace.json"), `{"plugins": [{"name": "ned-flanders", "source": "./n"}]}`)
			scratch.PutPlugin(t, filepath.Join(clone, "n"), "ned-flanders", "3.0.0")
			putKnown(t, p, "team.hooks", `{"source": "github", "repo": "team/hooks"}`, clone)
			cache := filepath.Join(p.Plugins, "cache", "team-hooks", "ned-flanders")
			for _, version := range test.copies {
				scratch.PutPlugin(t, filepath.Join(cache, version), "ned-flanders", version)
			}
			if test.installed != nil {
				put(t, filepath.Join(p.Plugins, "installed_plugins.json"), test.installed(p, cache))
			}
			i := NewSnapshot(p).Installed(id)
			if test.want == "" {
				scratch.ErrorIf(t, !strings.HasPrefix(i.Problem, test.problem) || i.Dir != "", "%+v", i)
				return
			}
			if i.Dir != filepath.Join(cache, test.want) || i.Version != test.want || i.Offered != "3.0.0" || i.InPlace || !i.IsOursAtStop() || i.Source != "github team/hooks" {
				t.Errorf("%+v", i)
			}
		})
	}
}

func TestInstalledProblems(t *testing.T) {
	entry := `{"name": "ned-flanders", "source": "./ned-flanders"}`
	for name, test := range map[string]struct {
		entry string
		spoil func(t *testing.T, p Places, suite string)
		want  string
	}{
		"no entry":       {`{"name": "other", "source": "./other"}`, nil, "marketplace hooks has no plugin ned-flanders"},
		"up and out":     {`{"name": "ned-flanders", "source": "./../other"}`, nil, `its source in the marketplace: "./../other" is outside its directory`},
		"absolute":       {`{"name": "ned-flanders", "source": "/etc"}`, nil, `its source in the marketplace: "/etc" is outside its directory`},
		"through a link": {`{"name": "ned-flanders", "source": "./link"}`, func(t *testing.T, p Places, suite string) { link(t, p.Home, filepath.Join(suite, "link")) }, `its source in the marketplace: "./link" is outside its directory`},
		"no directory":   {`{"name": "ned-flanders", "source": "./gone"}`, nil, "its directory does not exist: "},
		"elsewhere":      {`{"name": "ned-flanders", "source": {"source": "github", "repo": "a/b"}}`, nil, "not installed"},
		"suite moved":    {entry, func(t *testing.T, p Places, suite string) { must(t, os.Rename(suite, suite+"-moved")) }, "the directory of its marketplace does not exist: "},
		"broken catalog": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(suite, ".claude-plugin", "marketplace.json"), "{\n  ]")
		}, "marketplace hooks: .claude-plugin/marketplace.json: line 2, column 3: "},
		"broken hooks": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(suite, "ned-flanders/hooks/hooks.json"), "{\n\n  // no\n}")
		}, "hooks/hooks.json: line 3, column 3: comments"},
		"no wrapper": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(suite, "ned-flanders/hooks/hooks.json"), `{"Stop": []}`)
		}, "hooks/hooks.json: hooks are nothing, not an object"},
		"event no array": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(suite, "ned-flanders/hooks/hooks.json"), `{"hooks": {"Stop": {}}}`)
		}, "hooks/hooks.json: Stop is an object, not an array"},
		"broken manifest": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(suite, "ned-flanders/.claude-plugin/plugin.json"), `{"name": }`)
		}, ".claude-plugin/plugin.json: line 1, column 10: "},
		"for others only": {`{"name": "ned-flanders", "source": {"source": "github", "repo": "a/b"}}`, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"ned-flanders@hooks": [{"scope": "local", "projectPath": "/elsewhere", "installPath": "`+suite+`/ned-flanders"}]}}`)
		}, "installed for another project only"},
		"broken known": {entry, func(t *testing.T, p Places, suite string) {
			put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), "[")
		}, "read known marketplaces: "},
		"bare without root": {`{"name": "ned-flanders", "source": "ned-flanders"}`, nil, "its source in the marketplace: "},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			suite := putSuite(t, p, "hooks", test.entry)
			scratch.PutPlugin(t, filepath.Join(suite, "ned-flanders"), "ned-flanders", "1.0.0")
			if test.spoil != nil {
				test.spoil(t, p, suite)
			}
			i := NewSnapshot(p).Installed("ned-flanders@hooks")
			if !strings.HasPrefix(i.Problem, test.want) || len(i.Hooks) > 0 {
				t.Errorf("problem %q, %d hooks", i.Problem, len(i.Hooks))
			}
		})
	}
	for id, want := range map[string]string{
		"ned-flanders": "not NAME@MARKETPLACE", "a@b@c": "not NAME@MARKETPLACE", "../x@y": "not NAME@MARKETPLACE", "": "not NAME@MARKETPLACE",
		"x@nowhere": "marketplace nowhere is unknown",
		"x@synced":  "it is not from a marketplace, so springfield cannot inspect it",
	} {
		if i := NewSnapshot(newPlaces(t)).Installed(id); i.Problem != want || i.ID != id {
			t.Errorf("%q: %+v", id, i)
		}
	}
}

// A plugin can declare hooks in three places, and a fault costs only its own part.
func TestInstalledHooksEverywhere(t *testing.T) {
	hook := func(command string) string { return `[{"hooks": [{"type": "command", "command": "` + command + `"}]}]` }
	for name, test := range map[string]struct {
		entry, manifest string // members of the entry, plugin.json; "" for none
		want            []string
		fault           string
	}{
		"one file": {"", "", []string{"Stop standard", "SubagentStop standard"}, ""},
		"more in plugin.json": {"", `{"hooks": ["./more.json", {"Stop": ` + hook("inline") + `}]}`,
			[]string{"Stop standard", "SubagentStop standard", "SubagentStop more tester", "Stop inline"}, ""},
		"an object in plugin.json": {"", `{"hooks": {"Stop": ` + hook("inline") + `}}`, []string{"Stop standard", "SubagentStop standard", "Stop inline"}, ""},
		"the same file again":      {"", `{"hooks": ["./hooks/hooks.json", "./more.json", "./more.json"]}`, []string{"Stop standard", "SubagentStop standard", "SubagentStop more tester"}, ""},
		"a file that is gone":      {"", `{"hooks": "./none.json"}`, []string{"Stop standard", "SubagentStop standard"}, "plugin.json: open "},
		"a file of others":         {"", `{"hooks": "./../../secret.json"}`, []string{"Stop standard", "SubagentStop standard"}, `plugin.json: "./../../secret.json" is outside its directory`},
		"one event does not fit":   {"", `{"hooks": {"Stop": 7, "UserPromptSubmit": ` + hook("inline") + `}}`, []string{"Stop standard", "SubagentStop standard", "UserPromptSubmit inline"}, "plugin.json: Stop is a number, not an array"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			suite := filepath.Join(p.Home, "suite")
			catalog := filepath.Join(suite, ".claude-plugin", "marketplace.json")
			put(t, catalog, `{"metadata": {"pluginRoot": "./plugins"}, "plugins": [{"name": "x", "source": "x", "version": "7"`+test.entry+`}]}`)
			putKnown(t, p, "hooks", `{"source": "file", "path": "`+catalog+`"}`, catalog)
			dir := filepath.Join(suite, "plugins", "x")
			put(t, filepath.Join(suite, "secret.json"), `{"hooks": {"Stop": `+hook("secret")+`}}`)
			put(t, filepath.Join(dir, "hooks", "hooks.json"), `{"hooks": {"Stop": `+hook("standard")+`, "SubagentStop": `+hook("standard")+`, "PreToolUse": `+hook("never")+`}}`)
			put(t, filepath.Join(dir, "more.json"), `{"hooks": {"SubagentStop": [{"matcher": "tester", "hooks": [{"type": "prompt", "prompt": "more"}]}]}}`)
			if test.manifest != "" {
				put(t, filepath.Join(dir, ".claude-plugin", "plugin.json"), test.manifest)
			}
			i := NewSnapshot(p).Installed("x@hooks")
			var got []string
			for _, h := range i.Hooks {
				got = append(got, strings.TrimSpace(h.Event+" "+h.Does+" "+h.Matcher))
			}
			if !slices.Equal(got, test.want) || i.Problem != "" || i.Version != "7" || !i.InPlace || i.IsOurs() {
				t.Errorf("%q in %+v", got, i)
			}
			if len(i.Faults) != min(1, len(test.fault)) || len(i.Faults) == 1 && !strings.HasPrefix(i.Faults[0], test.fault) {
				t.Errorf("faults %q", i.Faults)
			}
		})
	}
}

func TestHooksIn(t *testing.T) {
	for declared, want := range map[string]string{
		`{"type": "command", "command": "a", "args": ["b c", "d"]}`: `command: a 'b c' d`,
		`{"type": "command", "command": "a\n\u001b[31mb\u202e"}`:    `command: a [31mb`,
		`{"type": "http", "url": "http://x"}`:                       `http: http://x`,
		`{"type": "mcp_tool", "server": "s", "tool": "t"}`:          `mcp_tool: s t`,
		`{"type": "command"}`:                                       `Stop: a hook of type command has no "command"`,
		`{"type": "spell"}`:                                         `Stop: unknown hook type "spell"`,
		`{"type": "command", "command": "a", "timeout": "5"}`:       `Stop: the timeout must be a positive number of seconds`,
		`7`: `Stop: a hook is a number, not an object`,
		`{"type": "command", "command": "a", "if": "Bash(x)"}`:     `command: a never`,
		`{"type": "command", "command": "a", "asyncRewake": true}`: `command: a async`,
	} {
		hooks, err := turnEdgeHooks(json.RawMessage(`{"Stop": [{"hooks": [`+declared+`]}]}`), "user settings", "f")
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(hooks) == 1:
			got = hooks[0].Type + ": " + hooks[0].Does
			if hooks[0].Never != "" {
				got += " never"
			}
			if hooks[0].Async {
				got += " async"
			}
		}
		scratch.Equal(t, got, want, declared)
	}
}

// Reading a plugin ends, and nothing in it leads outside.
func FuzzInstalled(f *testing.F) {
	f.Add(`{"plugins": [{"name": "x", "source": "./x", "strict": false}]}`, `{"name": "x", "hooks": "./hooks/hooks.json"}`, scratch.StopHooks)
	f.Add(`{"plugins": [{"name": "x", "source": "./../out"}]}`, `{"hooks": ["./../../out/secret.json"]}`, `{"hooks": {"Stop": [[]]}}`)
	f.Add(`{"metadata": {"pluginRoot": ".."}, "plugins": [{"name": "x", "source": "out", "hooks": {"Stop": [{}]}}]}`, `[]`, `null`)
	f.Fuzz(func(t *testing.T, catalog, manifest, hooks string) {
		p := newPlaces(t)
		suite := filepath.Join(p.Home, "suite")
		put(t, filepath.Join(p.Home, "out", "secret.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "out"}]}]}}`)
		put(t, filepath.Join(p.Home, "out", "hooks", "hooks.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "out"}]}]}}`)
		put(t, filepath.Join(suite, ".claude-plugin", "marketplace.json"), catalog)
		put(t, filepath.Join(suite, "x", ".claude-plugin", "plugin.json"), manifest)
		put(t, filepath.Join(suite, "x", "hooks", "hooks.json"), hooks)
		putKnown(t, p, "hooks", `{"source": "directory", "path": "x"}`, suite)
		i := NewSnapshot(p).Installed("x@hooks")
		scratch.ErrorIf(t, i.Problem != "" && len(i.Hooks) > 0, "hooks run in spite of %q", i.Problem)
		for _, h := range i.Hooks {
			scratch.ErrorIf(t, !strings.HasPrefix(h.File, suite) || !slices.Contains(events, h.Event), "%+v", h)
			scratch.ErrorIf(t, len([]rune(h.Does)) > maxDoes+1 || strings.ContainsAny(h.Does, "\n\x1b"), "%+v", h)
		}
	})
}

// The catalog's place depends on the source of the marketplace.
func TestCatalogOfMarket(t *testing.T) {
	const usual = ".claude-plugin/marketplace.json"
	dir := t.TempDir()
	for source, want := range map[string]struct{ location, root, file string }{
		`{"source": "directory", "path": "/x"}`:                             {dir, dir, usual},
		`{"source": "github", "repo": "a/b"}`:                               {dir, dir, usual},
		`{"source": "github", "repo": "a/b", "path": "b/marketplace.json"}`: {dir, dir, "b/marketplace.json"},
		`{"source": "file", "path": "/x/y/catalog.json"}`:                   {filepath.Join(dir, "y", "catalog.json"), dir, "y/catalog.json"},
		``: {dir, dir, usual},
	} {
		root, file := Market{Location: want.location, Source: as[Source](json.RawMessage(source))}.CatalogPath()
		scratch.ErrorIf(t, root != want.root || file != want.file, "%s: %s, %s", source, root, file)
	}
}

var events = []string{"Stop", "SubagentStop", "UserPromptSubmit"} // of the hooks that are read
var must, put, look, link = scratch.Must, scratch.PutFile, scratch.ReadOrNone, scratch.MustLink

// newPlaces returns a scratch user with a project.
func newPlaces(t *testing.T) Places {
	t.Helper()
	root := t.TempDir()
	p := Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	must(t, os.MkdirAll(p.Work, 0o755))
	return p
}
