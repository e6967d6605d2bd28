package client

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/scratch"
)

func inventory(t *testing.T, p Places) Inventory {
	t.Helper()
	return NewSnapshot(p).Inventory()
}

// stopHook returns the settings member for one Stop hook.
func stopHook(command string) string {
	return `"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}`
}

func sources(hooks []Hook) (all []string) {
	for _, h := range hooks {
		all = append(all, h.Source+": "+h.Does)
	}
	return all
}

// The layer that decides, for every combination of four layers.
func TestInventoryPrecedence(t *testing.T) {
	const id = "x@hooks"
	p := newPlaces(t)
	files := []string{
		filepath.Join(p.Managed, "managed-settings.json"),
		p.Settings(Local), p.Settings(Project), p.Settings(User),
	}
	names := []string{"managed", "local", "project", "user"}
	says := []string{"", "false", "true", `["^1.0"]`}
	for code := range 256 {
		wantOn, wantDecides := false, ""
		for n, file := range files {
			say := says[code>>(2*n)&3]
			put(t, file, "{}")
			if say == "" {
				continue
			}
			put(t, file, `{"enabledPlugins": {"`+id+`": `+say+`}}`)
			if wantDecides == "" {
				wantOn, wantDecides = say != "false", names[n]
			}
		}
		if on, decides := decided(inventory(t, p), id); on != wantOn || decides != wantDecides {
			t.Fatalf("%d: on %v by %q, want %v by %q", code, on, decides, wantOn, wantDecides)
		}
	}
}

func TestInventoryHooks(t *testing.T) {
	p := newPlaces(t)
	suite := putSuite(t, p, "hooks", `{"name": "ned-flanders", "source": "./ned-flanders"}`)
	scratch.PutPlugin(t, filepath.Join(suite, "ned-flanders"), "ned-flanders", "1.0.0")
	put(t, p.Settings(User), `{"enabledPlugins": {"ned-flanders@hooks": true, "off@hooks": false}, `+stopHook("mine")+`}`)
	put(t, p.Settings(Project), `{`+stopHook("ours")+`}`)
	put(t, p.Settings(Local), `{"hooks": {"Stop": [7, {"hooks": [{"type": "command", "command": "mine"}, {"type": "http", "url": "u", "if": "x"}]}], "Future": []}}`)
	put(t, filepath.Join(p.Managed, "managed-settings.json"), `{`+stopHook("theirs")+`}`)
	i := inventory(t, p)
	want := []string{"managed settings: theirs", "user settings: mine", "project settings: ours",
		"ned-flanders@hooks: ${CLAUDE_PLUGIN_ROOT}/hooks/springfield-hook stop"}
	scratch.Equal(t, sources(i.Hooks), want)
	if got := sources(i.Idle); !slices.Equal(got, []string{"local settings: u"}) || !strings.Contains(i.Idle[0].Never, "if") {
		t.Errorf("%+v", i.Idle)
	}
	if d := i.OursAtStop(); len(d) != 1 || d[0].ID != "ned-flanders@hooks" || d[0].Decides != "user" {
		t.Errorf("%+v", d)
	}
	if off := switched(i, "off@hooks"); off.ID == "" || off.On || off.Problem == "" || off.Runs {
		t.Errorf("%+v", off)
	}
}

func TestInventorySilenced(t *testing.T) {
	const (
		theirs = "managed settings: theirs"
		mine   = "user settings: mine"
		forced = "forced@hooks: f"
		chosen = "chosen@hooks: c"
	)
	everything := []string{theirs, mine, chosen, forced}
	for name, test := range map[string]struct {
		managed, local, user string // members to add
		why                  string
		runs                 []string
	}{
		"nothing":                     {"", "", "", "", everything},
		"user":                        {"", "", `"disableAllHooks": true, `, "disableAllHooks in user settings", []string{theirs, forced}},
		"local wins over user":        {"", `"disableAllHooks": false, `, `"disableAllHooks": true, `, "", everything},
		"managed":                     {`"disableAllHooks": true, `, "", "", "disableAllHooks in managed settings", nil},
		"managed says no":             {`"disableAllHooks": false, `, "", `"disableAllHooks": true, `, "", everything},
		"managed only":                {`"allowManagedHooksOnly": true, `, "", "", "allowManagedHooksOnly in managed settings", []string{theirs, forced}},
		"managed only is theirs":      {"", "", `"allowManagedHooksOnly": true, `, "", everything},
		"a string is not a yes":       {"", "", `"disableAllHooks": "true", `, "", everything},
		"the last of two keys counts": {"", "", `"disableAllHooks": true, "disableAllHooks": false, `, "", everything},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			suite := putSuite(t, p, "hooks", `{"name": "forced", "source": "./f"}, {"name": "chosen", "source": "./c"}`)
			put(t, filepath.Join(suite, "f", "hooks", "hooks.json"), `{`+stopHook("f")+`}`)
			put(t, filepath.Join(suite, "c", "hooks", "hooks.json"), `{`+stopHook("c")+`}`)
			put(t, filepath.Join(p.Managed, "managed-settings.json"), `{`+test.managed+`"enabledPlugins": {"forced@hooks": true}, `+stopHook("theirs")+`}`)
			put(t, p.Settings(Local), `{`+test.local+`"x": 1}`)
			put(t, p.Settings(User), `{`+test.user+`"enabledPlugins": {"chosen@hooks": true}, `+stopHook("mine")+`}`)
			i := inventory(t, p)
			if got := sources(i.Hooks); i.Silenced != test.why || !slices.Equal(got, test.runs) {
				t.Errorf("%q, %q", i.Silenced, got)
			}
			if len(i.Hooks)+len(i.Idle) != len(everything) {
				t.Errorf("lost: %q", sources(i.Idle))
			}
			for _, h := range i.Idle {
				scratch.Equal(t, h.Never, test.why, h)
			}
		})
	}
}

// A settings file that Claude Code ignores is reported and does not stop the rest.
func TestInventoryOfBrokenSettings(t *testing.T) {
	p := newPlaces(t)
	put(t, p.Settings(User), `{`+stopHook("mine")+`}`)
	put(t, p.Settings(Project), "{\n  \"enabledPlugins\": {\"x@y\": true,}\n}")
	must(t, os.MkdirAll(p.Settings(Local), 0o755))
	i := inventory(t, p)
	if got := sources(i.Hooks); !slices.Equal(got, []string{"user settings: mine"}) || len(i.Plugins) > 0 {
		t.Errorf("%q", got)
	}
	if project := i.Settings[1]; !strings.HasPrefix(project.Problem, "line 2, column 33: trailing comma") || !project.Exists {
		t.Errorf("%+v", project)
	}
	if local := i.Settings[0]; local.Problem != "not a regular file" {
		t.Errorf("%+v", local)
	}
}

// A file that is two scopes' is read once.
func TestInventoryOfOneFileForTwoScopes(t *testing.T) {
	p := newPlaces(t)
	p.Work, p.Root = p.Home, p.Home
	put(t, p.Settings(User), `{"enabledPlugins": {"x@y": false}, `+stopHook("mine")+`}`)
	link(t, p.Settings(User), p.Settings(Local))
	i := inventory(t, p)
	scratch.ErrorIf(t, len(i.Settings) != 1 || i.Settings[0].Name != "user" || len(i.Hooks) != 1, "%+v", i)
	if _, decides := decided(i, "x@y"); decides != "user" {
		t.Errorf("%s decides", decides)
	}
}

func TestInventoryOfManagedFiles(t *testing.T) {
	p := newPlaces(t)
	put(t, filepath.Join(p.Managed, "managed-settings.json"), `{"enabledPlugins": {"a@m": true, "b@m": true}}`)
	put(t, filepath.Join(p.Managed, "managed-settings.d", "10.json"), `{"enabledPlugins": {"a@m": false}}`)
	put(t, filepath.Join(p.Managed, "managed-settings.d", "20.json"), `{"env": {"X": "20"}}`)
	put(t, filepath.Join(p.Managed, "managed-settings.d", ".30.json"), `{"env": {"X": "hidden"}}`)
	put(t, filepath.Join(p.Managed, "managed-settings.d", "40.json.off"), `{"env": {"X": "off"}}`)
	put(t, p.Settings(User), `{"env": {"X": "user", "Y": "user", "Z": 7}}`)
	i := inventory(t, p)
	if on, decides := decided(i, "a@m"); on || decides != "managed" {
		t.Errorf("a is %v by %s", on, decides)
	}
	if on, _ := decided(i, "b@m"); !on {
		t.Error("b is off")
	}
	for name, want := range map[string]string{"X": "20 managed true", "Y": "user user true", "Z": "7 user true", "W": "  false"} {
		value, from, ok := VariableIn(i.Settings, name)
		scratch.Equal(t, fmt.Sprint(value, " ", from, " ", ok), want, name)
	}
}

func FuzzInventory(f *testing.F) {
	f.Add(`{"enabledPlugins": {"x@y": true}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}`, `{"disableAllHooks": true}`)
	f.Add(`{"enabledPlugins": [], "env": 7, "hooks": {"Stop": {}}}`, "{")
	f.Add(`{"enabledPlugins": {"x@y": null}}`, `{"enabledPlugins": {"q@y": 7}, "enabledPlugins": {"x@y": "", "x@y": false, "z@y": ["1"]}}`)
	f.Fuzz(func(t *testing.T, user, project string) {
		p := newPlaces(t)
		put(t, p.Settings(User), user)
		put(t, p.Settings(Project), project)
		i := inventory(t, p)
		for _, l := range i.Settings {
			doc, err := document.ParseDocument([]byte(map[string]string{"user": user, "project": project}[l.Name]))
			if err == nil {
				err = errors.Join(doc.CheckObject("enabledPlugins"), doc.CheckObject("env"))
				for _, value := range as[object](doc.Fields()["enabledPlugins"]) {
					if !strings.ContainsAny(string(value[:1]), "tf[") {
						err = errors.Join(err, fmt.Errorf("%s switches nothing", value))
					}
				}
			}
			if (err != nil) != (l.Problem != "") {
				t.Errorf("%+v: %v", l, err)
			}
		}
		for _, h := range i.Hooks {
			known := slices.Contains(events, h.Event)
			scratch.ErrorIf(t, !known || h.Never != "" || h.Does != printable(h.Does), "%+v", h)
		}
	})
}

// decided reports whether a plugin is on, and by which layer.
func decided(i Inventory, id string) (on bool, decides string) {
	s := switched(i, id)
	return s.On, s.Decides
}

// switched returns a plugin that settings name.
func switched(i Inventory, id string) Switched {
	n := slices.IndexFunc(i.Plugins, func(s Switched) bool { return s.ID == id })
	if n < 0 {
		return Switched{}
	}
	return i.Plugins[n]
}
