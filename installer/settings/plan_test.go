package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// newPlaces is a scratch user with a project.
func newPlaces(t *testing.T) client.Places {
	t.Helper()
	root := t.TempDir()
	p := client.Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	must(t, os.MkdirAll(p.Work, 0o755))
	return p
}

func settingsOf(t *testing.T, p client.Places, s client.Scope) string {
	t.Helper()
	return p.Settings(s)
}

func enable(t *testing.T, p client.Places, plugin client.Plugin, s client.Scope, declare bool) journal.Change {
	t.Helper()
	plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: plugin, Scope: s, Declare: declare})
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	return plan
}

func disable(t *testing.T, p client.Places, plugin client.Plugin, s client.Scope) journal.Change {
	t.Helper()
	plan, err := ReadSettings(p).Disable(plugin, s)
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	return plan
}

// corpus is what settings files look like: kind of file to its bytes.
var corpus = map[string]string{
	"missing":              "(none)",
	"empty file":           "",
	"empty object":         "{}",
	"empty object, line":   "{}\n",
	"blank object":         "{ }\n",
	"object on two lines":  "{\n}\n",
	"two spaces":           "{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n",
	"four spaces":          "{\n    \"model\": \"opus\",\n    \"enabledPlugins\": {\n        \"x@y\": true\n    }\n}\n",
	"tab":                  "{\n\t\"model\": \"opus\",\n\t\"enabledPlugins\": {\n\t\t\"x@y\": true\n\t}\n}\n",
	"CRLF":                 "{\r\n  \"model\": \"opus\",\r\n  \"enabledPlugins\": {\r\n    \"x@y\": true\r\n  }\r\n}\r\n",
	"no final newline":     "{\n  \"model\": \"opus\"\n}",
	"one line":             `{"model": "opus", "enabledPlugins": {"x@y": true}}`,
	"one line, tight":      `{"model":"opus","enabledPlugins":{"x@y":true}}`,
	"keys with @ and .":    "{\n  \"a.b@c\": {\"d.e\": 1},\n  \"enabledPlugins\": {\n    \"x.y@z.w\": false\n  }\n}\n",
	"shell in commands":    "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a && b < c > d\"}]}]\n  }\n}\n",
	"BOM":                  "\ufeff{\n  \"model\": \"opus\"\n}\n",
	"number 1.0":           "{\n  \"x\": 1.0,\n  \"y\": 12345678901234567890,\n  \"z\": 1e2\n}\n",
	"escapes":              "{\n  \"name\": \"caf\\u00e9\",\n  \"slash\": \"a\\/b\"\n}\n",
	"latte on":             "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true,\n    \"x@y\": true\n  }\n}\n",
	"latte off":            "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": false\n  }\n}\n",
	"another latte":        "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@elsewhere\": true\n  }\n}\n",
	"plugin off":           "{\n  \"enabledPlugins\": {\n    \"ned-flanders@hooks\": false\n  }\n}\n",
	"plugins empty":        "{\n  \"enabledPlugins\": {},\n  \"model\": \"opus\"\n}\n",
	"plugins blank":        "{\n  \"enabledPlugins\": { },\n  \"model\": \"opus\"\n}\n",
	"plugins on two lines": "{\n  \"enabledPlugins\": {\n  },\n  \"model\": \"opus\"\n}\n",
	"other marketplaces":   "{\n  \"extraKnownMarketplaces\": {\n    \"m\": {\"source\": {\"source\": \"github\", \"repo\": \"a/b\"}}\n  }\n}\n",
	"comma first":          "{ \"a\": 1\n, \"b\": 2\n}\n",
	"trailing blanks":      "{\n  \"model\": \"opus\"   \n}   \n\n",
	"duplicates elsewhere": "{\n  \"x\": 1,\n  \"x\": 2\n}\n",
}

func TestEnableThenDisableLeavesEveryByte(t *testing.T) {
	for name, data := range corpus {
		for _, scope := range client.AllScopes() {
			for _, declare := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, declare %v", name, scope, declare), func(t *testing.T) {
					p := newPlaces(t)
					path := settingsOf(t, p, scope)
					if data != "(none)" {
						put(t, path, data)
					}
					user := settingsOf(t, p, client.User)
					userBefore := look(t, user)

					ned := pluginOf(p, "ned-flanders")
					enable(t, p, ned, scope, declare)
					enabled := look(t, path)
					var got struct {
						Plugins      map[string]bool            `json:"enabledPlugins"`
						Marketplaces map[string]json.RawMessage `json:"extraKnownMarketplaces"`
					}
					if err := json.Unmarshal([]byte(strings.TrimPrefix(enabled, "\ufeff")), &got); err != nil {
						t.Fatalf("%v\n%s", err, enabled)
					}
					if !got.Plugins["ned-flanders@hooks"] {
						t.Errorf("not enabled:\n%s", enabled)
					}
					for id, on := range got.Plugins {
						if strings.HasPrefix(id, doubleShotLatte) && on {
							t.Errorf("%s is on", id)
						}
					}
					if _, ok := got.Plugins[doubleShotLatteOrigin]; !ok {
						t.Errorf("%s is not named:\n%s", doubleShotLatteOrigin, enabled)
					}
					if scope != client.User && got.Marketplaces["hooks"] != nil {
						t.Errorf("the suite's path is in %s settings:\n%s", scope, enabled)
					}
					if declare && !strings.Contains(look(t, user), ned.Suite) {
						t.Error("the marketplace is not declared in user settings")
					}

					// Twice is once.
					if again := enable(t, p, ned, scope, declare); !again.IsEmpty() {
						t.Errorf("enabling twice changes:\n%s", again.Diff())
					}
					disable(t, p, ned, scope)
					if got := look(t, path); got != data {
						t.Errorf("afterwards %q, want %q", got, data)
					}
					if scope != client.User {
						if got := look(t, user); got != userBefore {
							t.Errorf("user settings afterwards %q, want %q", got, userBefore)
						}
					}
					if left, _ := filepath.Glob(filepath.Join(p.Config, "springfield", "edits", "*")); len(left) > 0 {
						t.Errorf("still remembered: %v", left)
					}
					if again := disable(t, p, ned, scope); !again.IsEmpty() && data != corpus["plugin off"] {
						t.Errorf("disabling twice changes:\n%s", again.Diff())
					}
				})
			}
		}
	}
}

// Another program has edited the file in between: ours is taken back, theirs stays.
func TestDisableMemberByMember(t *testing.T) {
	for name, test := range map[string]struct {
		before string
		edit   func(enabled string) string
		after  string
		note   string
	}{
		"a member added": {
			"{\n  \"model\": \"opus\"\n}\n",
			func(s string) string { return strings.Replace(s, `"opus"`, `"sonnet"`, 1) },
			"{\n  \"model\": \"sonnet\"\n}\n", "",
		},
		"re-serialised by the client": {
			"{\n    \"x\": 1.0,\n    \"enabledPlugins\": {\n        \"double-shot-latte@superpowers-marketplace\": true\n    }\n}\n",
			func(s string) string {
				var v any
				json.Unmarshal([]byte(s), &v)
				b, _ := json.MarshalIndent(v, "", "  ")
				return string(b) + "\n"
			},
			"{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true\n  },\n  \"x\": 1\n}\n",
			"switched on again",
		},
		"latte switched on by hand": {
			"{\n  \"model\": \"opus\"\n}\n",
			func(s string) string { return strings.Replace(s, "marketplace\": false", "marketplace\": true", 1) },
			"{\n  \"model\": \"opus\",\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true\n  }\n}\n",
			"enabledPlugins → double-shot-latte@superpowers-marketplace was changed since",
		},
		"the plugin taken out by hand": {
			"{\n  \"model\": \"opus\"\n}\n",
			func(s string) string { return strings.Replace(s, ",\n    \"ned-flanders@hooks\": true", "", 1) },
			"{\n  \"model\": \"opus\"\n}\n", "",
		},
		"another plugin beside ours": {
			"{\n  \"enabledPlugins\": { }\n}\n",
			func(s string) string {
				return strings.Replace(s, "\"ned-flanders@hooks\": true", "\"ned-flanders@hooks\": true,\n    \"x@y\": true", 1)
			},
			"{\n  \"enabledPlugins\": {\n    \"x@y\": true\n  }\n}\n", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			path := settingsOf(t, p, client.User)
			put(t, path, test.before)
			enable(t, p, pluginOf(p, "ned-flanders"), client.User, false)
			put(t, path, test.edit(look(t, path)))
			plan := disable(t, p, pluginOf(p, "ned-flanders"), client.User)
			if got := look(t, path); got != test.after {
				t.Errorf("afterwards\n%s\nwant\n%s", got, test.after)
			}
			if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
}

// A marketplace goes with the last settings file that needs it, also where that file was removed by hand and
// made anew for something else in between.
func TestDisableReleasesTheMarketplaceOfAFileRemovedByHand(t *testing.T) {
	for name, mend := range map[string]func(*Settings) (journal.Change, error){
		"a variable": func(s *Settings) (journal.Change, error) {
			return s.SetVariable(client.Local, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "30")
		},
		"a switch": func(s *Settings) (journal.Change, error) {
			return s.SwitchOff(client.Local, doubleShotLatte+"x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			plugin := pluginOf(p, "ned-flanders")
			enable(t, p, plugin, client.Project, true)
			enable(t, p, plugin, client.Local, true)
			must(t, os.Remove(settingsOf(t, p, client.Local)))
			plan, err := mend(ReadSettings(p))
			must(t, err)
			must(t, Journal(p).ApplyChange(plan))
			disable(t, p, plugin, client.Project)
			disable(t, p, plugin, client.Local)
			if user := settingsOf(t, p, client.User); rooted.PathExists(user) {
				t.Errorf("user settings are left: %q", look(t, user))
			}
		})
	}
}

// Without a memory (another machine) only our own member goes off.
func TestDisableWithoutAMemory(t *testing.T) {
	p := newPlaces(t)
	path := settingsOf(t, p, client.Project)
	const before = "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": false,\n    \"ned-flanders@hooks\": true\n  }\n}\n"
	put(t, path, before)
	plan := disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
	if got, want := look(t, path), strings.Replace(before, "hooks\": true", "hooks\": false", 1); got != want {
		t.Errorf("afterwards\n%s", got)
	}
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "double-shot-latte stays") {
		t.Errorf("notes %q", plan.Notes)
	}
	if plan, err := ReadSettings(p).Disable(pluginOf(p, "ned-flanders"), client.Project); err != nil || !plan.IsEmpty() {
		t.Errorf("once more: %v, %s", err, plan.Diff())
	}
}

// A declaration that two projects need stays until neither does; a project that was deleted
// needs nothing any more.
func TestDeclarationIsGivenBackWithItsLastUser(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		a := newPlaces(t)
		b := a
		b.Work, b.Root = a.Work+"-b", a.Work+"-b"
		ned := pluginOf(a, "ned-flanders")
		user := settingsOf(t, a, client.User)
		put(t, user, "{\n  \"model\": \"opus\"\n}\n")
		enable(t, b, ned, client.Local, true)
		enable(t, a, ned, client.Project, true)
		if deleted {
			must(t, os.RemoveAll(b.Work))
		}
		disable(t, a, ned, client.Project)
		if !deleted {
			if got := look(t, user); !strings.Contains(got, ned.Suite) {
				t.Errorf("the declaration has gone while another project needs it:\n%s", got)
			}
			disable(t, b, ned, client.Local)
		}
		if got := look(t, user); got != "{\n  \"model\": \"opus\"\n}\n" {
			t.Errorf("deleted %t: afterwards\n%s", deleted, got)
		}
	}
}

func TestPlansRefuseWhatIsNotPlainJSON(t *testing.T) {
	for data, where := range map[string]string{
		"{\n  // comment\n}": "line 2, column 3",
		"{\n  \"a\": 1,\n}":  "line 2, column 9",
		"{\"a\": 1} {}":      "line 1, column 10",
		"{\"a\": ":           "line 1, column",
		"[]":                 "line 1, column 1",
		"{\"a\": \"\xff\"}":  "line 1, column 8",
		"{\n  \"enabledPlugins\": {},\n  \"enabledPlugins\": {}\n}":                                  "line 3, column 3",
		"{\n  \"enabledPlugins\": \"all\"\n}":                                                        "line 2, column 21",
		"{\n  \"enabledPlugins\": {\n  \"ned-flanders@hooks\": true, \"ned-flanders@hooks\": true}}": "line 3, column 31",
	} {
		for _, scope := range client.AllScopes() {
			p := newPlaces(t)
			path := settingsOf(t, p, scope)
			put(t, path, data)
			_, err := ReadSettings(p).PlanEnable(Switch{Plugin: pluginOf(p, "ned-flanders"), Scope: scope, Declare: true})
			var syntax *document.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), "read settings: "+path+": "+where) {
				t.Errorf("%q: %v, want %s", data, err, where)
			}
			if got := look(t, path); got != data {
				t.Errorf("%q became %q", data, got)
			}
			if scope != client.User && look(t, settingsOf(t, p, client.User)) != "(none)" {
				t.Error("user settings were written although the plan was refused")
			}
		}
	}
}

func TestNamesThatMeanSomethingElse(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	put(t, settingsOf(t, p, client.User), `{"extraKnownMarketplaces": {"hooks": {"source": {"source": "github", "repo": "homer/hooks"}}}}`)
	var conflict *client.NameTakenError
	if _, err := ReadSettings(p).PlanEnable(Switch{Plugin: ned, Scope: client.User, Declare: true}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "github homer/hooks") {
		t.Errorf("declared elsewhere: %v", err)
	}
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), fmt.Sprintf(`{"hooks": {"source": {"source": "directory", "path": %q}}, "odd": {"source": {"path": ["a"]}}}`, p.Config))
	if _, err := client.NewSnapshot(p).IsRegistered("hooks", ned.Suite); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "directory "+p.Config) {
		t.Errorf("known elsewhere: %v", err)
	}
	if _, err := client.NewSnapshot(p).IsRegistered("odd", ned.Suite); !errors.As(err, &conflict) {
		t.Errorf("known as something odd: %v", err)
	}
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), `{"hooks": {"source": {"source": "directory", "path": "/moved/away"}}}`)
	if ok, err := client.NewSnapshot(p).IsRegistered("hooks", ned.Suite); ok || err != nil {
		t.Errorf("known where nothing is any more: %v, %v", ok, err)
	}
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), fmt.Sprintf(`{"hooks": {"source": {"source": "directory", "path": %q}}}`, ned.Suite))
	if ok, err := client.NewSnapshot(p).IsRegistered("hooks", ned.Suite); !ok || err != nil {
		t.Errorf("known as it is: %v, %v", ok, err)
	}
	if ok, err := client.NewSnapshot(p).IsRegistered("others", ned.Suite); ok || err != nil {
		t.Errorf("unknown: %v, %v", ok, err)
	}
}

// A plan made from old bytes is refused and leaves memory and files alone.
func TestApplyRefusesAStalePlan(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	path := settingsOf(t, p, client.User)
	put(t, path, "{}")
	plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: ned, Scope: client.User, Declare: false})
	must(t, err)
	put(t, path, "{\"model\": \"opus\"}")
	if err := Journal(p).ApplyChange(plan); !errors.Is(err, journal.ErrChanged) {
		t.Errorf("%v, want %v", err, journal.ErrChanged)
	}
	if got := look(t, path); got != "{\"model\": \"opus\"}" {
		t.Errorf("the file became %q", got)
	}
	if m, err := ReadSettings(p).recallFile(path); m != nil || err != nil {
		t.Errorf("remembered: %+v, %v", m, err)
	}
}

// The second file cannot be written: the first is as it was.
func TestApplyIsAllOrNothing(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	user := settingsOf(t, p, client.User)
	put(t, user, "{\"model\": \"opus\"}")
	plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: ned, Scope: client.Project, Declare: true})
	if err != nil || len(plan.Edits) != 4 {
		t.Fatalf("%v, %d edits", err, len(plan.Edits))
	}
	// What would be the project's settings directory becomes a file, in a way
	// that only shows when it is written.
	last := &plan.Edits[3]
	*last = journal.Edit{Path: filepath.Join(user, "settings.json"), After: last.After}
	if err := Journal(p).ApplyChange(plan); err == nil {
		t.Fatal("no error")
	}
	if got := look(t, user); got != "{\"model\": \"opus\"}" {
		t.Errorf("user settings became %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(p.Config, "springfield", "edits", "*")); len(left) > 0 {
		t.Errorf("remembered: %v", left)
	}
}

// Exactly one springfield plugin is on: enabling the second switches the first
// off, and disabling the second puts everything back.
func TestOnePluginAtATime(t *testing.T) {
	for _, before := range []string{"(none)", "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true\n  }\n}\n"} {
		p := newPlaces(t)
		path := settingsOf(t, p, client.User)
		if before != "(none)" {
			put(t, path, before)
		}
		a, b := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
		enable(t, p, a, client.User, true)
		plan := enable(t, p, b, client.User, true)
		if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, "ned-flanders@hooks is switched off") {
			t.Errorf("notes %q", notes)
		}
		if got := look(t, path); !strings.Contains(got, `"ned-flanders@hooks": false`) || !strings.Contains(got, `"lisa-simpson@hooks": true`) {
			t.Errorf("after both:\n%s", got)
		}
		if plan, err := ReadSettings(p).Disable(a, client.User); err != nil || !plan.IsEmpty() {
			t.Errorf("the first one is off already: %v\n%s", err, plan.Diff())
		}
		disable(t, p, b, client.User)
		if got := look(t, path); got != before {
			t.Errorf("afterwards %q, want %q", got, before)
		}
	}
}

// The file was put back by other means, or a kill came between remembering and
// writing: what is remembered then is of no use, and must do no harm.
func TestStaleMemory(t *testing.T) {
	for name, data := range corpus {
		t.Run(name, func(t *testing.T) {
			p := newPlaces(t)
			ned := pluginOf(p, "ned-flanders")
			path := settingsOf(t, p, client.User)
			reset := func(data string) {
				t.Helper()
				os.Remove(path)
				if data != "(none)" {
					put(t, path, data)
				}
			}
			for _, other := range []string{data, "{\n  \"enabledPlugins\": {}\n}\n", "(none)"} {
				reset(data)
				enable(t, p, ned, client.User, true)
				reset(other)
				enable(t, p, ned, client.User, true)
				disable(t, p, ned, client.User)
				if got := look(t, path); got != other {
					t.Errorf("reset to %q, enabled, disabled: %q", other, got)
				}
			}
			// Remembered, and then killed before the file changed.
			reset(data)
			plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: ned, Scope: client.User, Declare: true})
			must(t, err)
			for _, e := range plan.Edits {
				if e.Own {
					must(t, e.WriteUnjournaled())
				}
			}
			enable(t, p, ned, client.User, true)
			disable(t, p, ned, client.User)
			if got := look(t, path); got != data {
				t.Errorf("after a kill: %q, want %q", got, data)
			}
		})
	}
}

func TestDisableNeverCreatesAFile(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	path := settingsOf(t, p, client.User)
	put(t, path, "{\"model\": \"opus\"}")
	enable(t, p, ned, client.User, true)
	os.Remove(path)
	plan := disable(t, p, ned, client.User)
	if written, removed := plan.Files(); len(written)+len(removed) > 0 {
		t.Errorf("written %v, removed %v", written, removed)
	}
	if got := look(t, path); got != "(none)" {
		t.Errorf("there is a file: %q", got)
	}
}

// Two plans from the same memory: the second is refused, not lost.
func TestApplyRefusesAStaleMemory(t *testing.T) {
	a := newPlaces(t)
	ned := pluginOf(a, "ned-flanders")
	b, c := a, a
	b.Work, c.Work = a.Work+"-b", a.Work+"-c"
	enable(t, c, ned, client.Project, true)
	planA, err := ReadSettings(a).PlanEnable(Switch{Plugin: ned, Scope: client.Project, Declare: true})
	must(t, err)
	planB, err := ReadSettings(b).PlanEnable(Switch{Plugin: ned, Scope: client.Project, Declare: true})
	must(t, err)
	must(t, Journal(a).ApplyChange(planA))
	if err := Journal(b).ApplyChange(planB); !errors.Is(err, journal.ErrChanged) {
		t.Errorf("%v, want %v", err, journal.ErrChanged)
	}
	enable(t, b, ned, client.Project, true)
	disable(t, c, ned, client.Project)
	disable(t, b, ned, client.Project)
	if got := look(t, settingsOf(t, a, client.User)); !strings.Contains(got, ned.Suite) {
		t.Errorf("a still needs the declaration:\n%s", got)
	}
	disable(t, a, ned, client.Project)
	if got := look(t, settingsOf(t, a, client.User)); got != "(none)" {
		t.Errorf("afterwards %q", got)
	}
}

// A session in the home: the project's settings are the user's, one file, one
// edit, and may be a link as in a dotfiles repository.
func TestScopesThatAreOneFile(t *testing.T) {
	const before = "{\n  \"model\": \"opus\"\n}\n"
	for _, linked := range []bool{false, true} {
		p := newPlaces(t)
		p.Work = filepath.Dir(p.Config)
		at := settingsOf(t, p, client.User)
		if linked {
			at = filepath.Join(t.TempDir(), "dotfiles.json")
			must(t, errors.Join(os.MkdirAll(p.Config, 0o755), os.Symlink(at, settingsOf(t, p, client.User))))
		}
		put(t, at, before)
		enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
		if got := look(t, at); !strings.Contains(got, `"ned-flanders@hooks": true`) || !strings.Contains(got, pluginOf(p, "").Suite) {
			t.Errorf("enabled:\n%s", got)
		}
		disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
		if got := look(t, at); got != before {
			t.Errorf("afterwards %q", got)
		}
	}
}

// A project does not choose by a link which settings are edited, or which file is
// taken away; neither does one that comes in between.
func TestProjectsThatAreLinks(t *testing.T) {
	const theirs = "{\n  \"model\": \"opus\"\n}\n"
	for link, target := range map[string]string{
		".claude":                     "../home/.claude",
		".claude/settings.json":       "../../home/.claude/settings.json",
		".claude/settings.local.json": "../../home/.claude/settings.json",
		".claude/x":                   "../../home/.claude",
	} {
		for _, when := range []string{"before", "meanwhile"} {
			p := newPlaces(t)
			put(t, settingsOf(t, p, client.User), theirs)
			at := filepath.Join(p.Work, filepath.FromSlash(link))
			must(t, os.MkdirAll(filepath.Dir(at), 0o755))
			swap := func() {
				must(t, errors.Join(os.RemoveAll(at), os.Symlink(target, at)))
			}
			if when == "before" {
				swap()
			}
			for scope, path := range map[client.Scope]string{client.Project: ".claude/settings.json", client.Local: ".claude/settings.local.json"} {
				plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: pluginOf(p, "ned-flanders"), Scope: scope})
				if when == "meanwhile" {
					must(t, err)
					swap()
					err = Journal(p).ApplyChange(plan)
				}
				var refused *rooted.LinkError
				onTheWay := path == link || strings.HasPrefix(path, link+"/")
				if errors.As(err, &refused) != onTheWay || refused != nil && refused.Target != target {
					t.Errorf("%s, %s, %s: %v", link, scope, when, err)
				}
				if when == "meanwhile" {
					must(t, os.RemoveAll(at))
					continue
				}
				if _, err := ReadSettings(p).Disable(pluginOf(p, "ned-flanders"), scope); errors.As(err, &refused) != onTheWay {
					t.Errorf("%s, %s: disable: %v", link, scope, err)
				}
			}
			if got := look(t, settingsOf(t, p, client.User)); got != theirs {
				t.Errorf("%s: the user's settings became %q", link, got)
			}
		}
	}
	p := newPlaces(t)
	put(t, filepath.Join(p.Config, "ralph-loop.local.md"), "theirs")
	must(t, os.Symlink(p.Config, filepath.Join(p.Work, ".claude")))
	var refused *rooted.LinkError
	if _, err := RemoveFile(p, filepath.Join(p.Work, ".claude", "ralph-loop.local.md")); !errors.As(err, &refused) {
		t.Errorf("remove: %v", err)
	}
}

// What springfield once set through a link can be taken back through it, but for the
// user's own settings, which have a scope of their own; and nothing else is edited there.
func TestDisableBehindALink(t *testing.T) {
	for name, behind := range map[string]client.Scope{"another project": client.Project, "the user": client.User} {
		p := newPlaces(t)
		other := p
		other.Work = filepath.Join(filepath.Dir(p.Work), "other")
		other.Root = other.Work
		file := settingsOf(t, other, behind)
		put(t, file, "{}\n")
		enable(t, other, pluginOf(p, "ned-flanders"), behind, false)
		enabled := look(t, file)
		must(t, os.Symlink(filepath.Dir(file), filepath.Join(p.Work, ".claude")))
		var refused *rooted.LinkError
		if _, err := ReadSettings(p).PlanEnable(Switch{Plugin: pluginOf(p, "marge"), Scope: client.Project}); !errors.As(err, &refused) {
			t.Errorf("%s: enable: %v", name, err)
		}
		if _, err := ReadSettings(p).Disable(pluginOf(p, "marge"), client.Project); !errors.As(err, &refused) {
			t.Errorf("%s: disable of what springfield did not enable: %v", name, err)
		}
		plan, err := ReadSettings(p).Disable(pluginOf(p, "ned-flanders"), client.Project)
		if behind == client.User {
			if !errors.As(err, &refused) || look(t, file) != enabled {
				t.Errorf("%s: disable: %v", name, err)
			}
			continue
		}
		if err == nil {
			err = Journal(p).ApplyChange(plan)
		}
		if got := look(t, file); err != nil || got != "{}\n" {
			t.Errorf("%s: disable: %v, %s", name, err, got)
		}
	}
}

func TestDisableSaysWhereItStaysOn(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	put(t, settingsOf(t, p, client.User), `{"enabledPlugins": {"ned-flanders@hooks": true}}`)
	enable(t, p, ned, client.Project, false)
	plan := disable(t, p, ned, client.Project)
	if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, "it stays on: user settings switch it on") {
		t.Errorf("notes %q", notes)
	}
	enable(t, p, ned, client.User, false)
	plan = disable(t, p, ned, client.User)
	if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, "it was on before springfield enabled it") {
		t.Errorf("notes %q", notes)
	}
	disable(t, p, ned, client.User)
	if got := look(t, settingsOf(t, p, client.User)); got != `{"enabledPlugins": {"ned-flanders@hooks": false}}` {
		t.Errorf("afterwards %q", got)
	}
}

// remember adds a suite to the list, as init does.
func remember(p client.Places, dir string) error {
	_, err := journal.Journal{Dir: p.StatePath()}.PlanAndApply(func() (journal.Change, error) {
		e, err := RememberSuite(p, dir)
		return journal.Change{Did: "make suite " + dir, Edits: []journal.Edit{e}}, err
	})
	return err
}

func TestSuites(t *testing.T) {
	p := newPlaces(t)
	if list, _, err := KnownSuites(p); len(list) != 0 || err != nil {
		t.Errorf("at first: %v, %v", list, err)
	}
	root := t.TempDir()
	var wg sync.WaitGroup
	var want []string
	for i := range 8 {
		dir := filepath.Join(root, fmt.Sprint(i))
		must(t, os.Mkdir(dir, 0o755))
		want = append(want, dir)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2 {
				if err := remember(p, dir); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	list, _, err := KnownSuites(p)
	must(t, err)
	got := map[string]bool{}
	for _, dir := range list {
		got[dir] = true
	}
	if len(list) != len(want) || len(got) != len(want) {
		t.Errorf("%v, want %v", list, want)
	}
	os.Remove(want[3])
	if list, _, err = KnownSuites(p); len(list) != 7 || err != nil {
		t.Errorf("after one has gone: %v, %v", list, err)
	}
	info, err := os.Stat(p.StatePath())
	if err != nil || !reflect.DeepEqual(info.Mode().Perm(), os.FileMode(0o700)) {
		t.Errorf("state directory: %v, %v", info.Mode(), err)
	}
}

// What disable gives back member by member has the layout it had.
func TestGivenBackAsItWasWritten(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, client.User)
	const before = "{\n  \"extraKnownMarketplaces\": {\n    \"hooks\": { \"source\":{\"source\" : \"directory\",\"path\":\"/moved/away\"} }\n  }\n}\n"
	put(t, user, before)
	ned := pluginOf(p, "ned-flanders")
	enable(t, p, ned, client.User, true)
	put(t, user, strings.Replace(look(t, user), "{", "{\n  \"model\": \"opus\",", 1))
	disable(t, p, ned, client.User)
	if got, want := look(t, user), strings.Replace(before, "{", "{\n  \"model\": \"opus\",", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Settings are read once: a plan made again from the same reading is the same, whatever
// has become of the file, and is not applied then.
func TestSettingsAreReadOnce(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, client.User)
	put(t, user, twoSpaces)
	s := ReadSettings(p)
	wanted := Switch{Plugin: pluginOf(p, "ned-flanders"), Scope: client.User, Declare: true}
	first, err := s.PlanEnable(wanted)
	must(t, err)
	const theirs = "{\"model\": \"sonnet\"}\n"
	put(t, user, theirs)
	again, err := s.PlanEnable(wanted)
	if err != nil || again.Diff() != first.Diff() {
		t.Errorf("read again: %v\n%s", err, again.Diff())
	}
	if err := Journal(p).ApplyChange(again); !errors.Is(err, journal.ErrChanged) || look(t, user) != theirs {
		t.Errorf("%v: %s", err, look(t, user))
	}
	if done, err := s.PlanAndApply(again, func(now *Settings) (journal.Change, error) { return now.PlanEnable(wanted) }); err != nil || !strings.Contains(look(t, user), "sonnet") {
		t.Errorf("%v\n%s", err, done.Diff())
	}
}
