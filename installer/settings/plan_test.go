package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// newPlaces returns a scratch user with a project.
func newPlaces(t *testing.T) client.Places {
	t.Helper()
	root := t.TempDir()
	p := client.Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	must(t, os.MkdirAll(p.Work, 0o755))
	return p
}

func enable(t *testing.T, p client.Places, plugin client.Plugin, s client.Scope, declare bool) journal.Change {
	t.Helper()
	plan, err := NewSettings(p).PlanEnable(Enabling{Plugin: plugin, Scope: s, Declare: declare})
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	return plan
}

func disable(t *testing.T, p client.Places, plugin client.Plugin, s client.Scope) journal.Change {
	t.Helper()
	plan, err := NewSettings(p).PlanDisable(plugin, s)
	if err != nil && !strings.Contains(err.Error(), " stays enabled ") { // in a higher scope
		t.Fatal(err)
	}
	must(t, Journal(p).ApplyChange(plan))
	return plan
}

// A file that Claude Code ignores is not edited, as its other members apply again once it is fixed.
func TestIgnoredFilesAreNotEdited(t *testing.T) {
	one, two := client.Plugin{Name: "ned-flanders", Marketplace: "hooks"}, client.Plugin{Name: "ralph-wiggum", Marketplace: "hooks"}
	for _, said := range []string{`"env": null`, `"env": []`, `"env": "x"`} {
		p := newPlaces(t)
		file := p.Settings(client.Local)
		enable(t, p, one, client.Local, false)
		enable(t, p, two, client.Local, false)
		was := strings.Replace(scratch.ReadOrNone(t, file), "{", "{"+said+",", 1)
		scratch.PutFile(t, file, was)
		_, err := NewSettings(p).PlanDisable(one, client.Local)
		scratch.ErrorIf(t, err == nil || !strings.Contains(err.Error(), `"env" is `), "%s: %v", said, err)
		_, err = NewSettings(p).PlanEnable(Enabling{Plugin: one, Scope: client.Local})
		scratch.ErrorIf(t, err == nil || !strings.Contains(err.Error(), `"env" is `), "%s: %v", said, err)
		scratch.Equal(t, scratch.ReadOrNone(t, file), was, said)
	}
}

// If another program edited the file, its members stay and ours go.
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
			"enabled again",
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
		"other layout": {
			"{\n  \"enabledPlugins\": {\n    \"double-shot-latte@x\": [ \"1.0\",\"^2\"]\n  }\n}\n",
			func(s string) string { return strings.Replace(s, "{", "{\n  \"model\": \"opus\",", 1) },
			"{\n  \"model\": \"opus\",\n  \"enabledPlugins\": {\n    \"double-shot-latte@x\": [ \"1.0\",\"^2\"]\n  }\n}\n",
			"enabled again",
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
			path := p.Settings(client.User)
			put(t, path, test.before)
			enable(t, p, pluginOf(p, "ned-flanders"), client.User, false)
			put(t, path, test.edit(look(t, path)))
			plan := disable(t, p, pluginOf(p, "ned-flanders"), client.User)
			scratch.Equal(t, look(t, path), test.after, "afterwards")
			if notes := strings.Join(plan.Notes, "\n"); !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, test.note)
			}
		})
	}
}

// A marketplace goes with the last file that needs it, even one that was deleted and recreated.
func TestDisableReleasesTheMarketplaceOfAFileRemovedByHand(t *testing.T) {
	p := newPlaces(t)
	plugin := pluginOf(p, "ned-flanders")
	enable(t, p, plugin, client.Project, true)
	enable(t, p, plugin, client.Local, true)
	put(t, p.Settings(client.Local), "{}\n")
	disable(t, p, plugin, client.Project)
	disable(t, p, plugin, client.Local)
	if user := p.Settings(client.User); rooted.TargetExists(user) {
		t.Errorf("user settings are left: %q", look(t, user))
	}
}

// Without a memory only our own member is disabled.
func TestDisableWithoutAMemory(t *testing.T) {
	p := newPlaces(t)
	path := p.Settings(client.Project)
	const before = "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": false,\n    \"ned-flanders@hooks\": true\n  }\n}\n"
	put(t, path, before)
	plan := disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
	if got, want := look(t, path), strings.Replace(before, "hooks\": true", "hooks\": false", 1); got != want {
		t.Errorf("afterwards\n%s", got)
	}
	if len(plan.Notes) != 1 || !strings.Contains(plan.Notes[0], "double-shot-latte was not changed") {
		t.Errorf("notes %q", plan.Notes)
	}
	if plan, err := NewSettings(p).PlanDisable(pluginOf(p, "ned-flanders"), client.Project); err != nil || !plan.IsEmpty() {
		t.Errorf("once more: %v, %s", err, plan.Diff())
	}
}

// A declaration stays while a project that exists needs it.
func TestDeclarationIsGivenBackWithItsLastUser(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		a := newPlaces(t)
		b := a
		b.Work, b.Root = a.Work+"-b", a.Work+"-b"
		ned := pluginOf(a, "ned-flanders")
		user := a.Settings(client.User)
		put(t, user, "{\n  \"model\": \"opus\"\n}\n")
		enable(t, b, ned, client.Local, true)
		enable(t, a, ned, client.Project, true)
		if deleted {
			must(t, os.RemoveAll(b.Work))
		}
		disable(t, a, ned, client.Project)
		if !deleted {
			scratch.Holds(t, "the declaration has gone while another project needs it", look(t, user), ned.Suite)
			disable(t, b, ned, client.Local)
		}
		scratch.Equal(t, look(t, user), "{\n  \"model\": \"opus\"\n}\n", "deleted", deleted, "afterwards")
	}
}

func TestNamesThatMeanSomethingElse(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	put(t, p.Settings(client.User), `{"extraKnownMarketplaces": {"hooks": {"source": {"source": "github", "repo": "homer/hooks"}}}}`)
	var conflict *client.NameTakenError
	if _, err := NewSettings(p).PlanEnable(Enabling{Plugin: ned, Scope: client.User, Declare: true}); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "github homer/hooks") {
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

// A memory whose file was reset, or never written because of a kill, does no harm.
func TestStaleMemory(t *testing.T) {
	for _, k := range fewKinds() {
		t.Run(k.name, func(t *testing.T) {
			p := newPlaces(t)
			ned, data := pluginOf(p, "ned-flanders"), k.data
			path := p.Settings(client.User)
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
				scratch.Equal(t, look(t, path), other, "reset", "enabled, disabled")
			}
			// Remembered, and then killed before the file changed.
			reset(data)
			plan, err := NewSettings(p).PlanEnable(Enabling{Plugin: ned, Scope: client.User, Declare: true})
			must(t, err)
			for _, e := range plan.Edits {
				if e.State {
					must(t, journal.Change{Edits: []journal.Edit{e}}.WriteUnjournaled())
				}
			}
			enable(t, p, ned, client.User, true)
			disable(t, p, ned, client.User)
			scratch.Equal(t, look(t, path), data, "after a kill")
		})
	}
}

// Of two plans from the same memory, the second is refused.
func TestApplyRefusesAStaleMemory(t *testing.T) {
	a := newPlaces(t)
	ned := pluginOf(a, "ned-flanders")
	b, c := a, a
	b.Work, c.Work = a.Work+"-b", a.Work+"-c"
	enable(t, c, ned, client.Project, true)
	planA, err := NewSettings(a).PlanEnable(Enabling{Plugin: ned, Scope: client.Project, Declare: true})
	must(t, err)
	planB, err := NewSettings(b).PlanEnable(Enabling{Plugin: ned, Scope: client.Project, Declare: true})
	must(t, err)
	must(t, Journal(a).ApplyChange(planA))
	scratch.ErrorIs(t, Journal(b).ApplyChange(planB), journal.ErrChanged)
	enable(t, b, ned, client.Project, true)
	disable(t, c, ned, client.Project)
	disable(t, b, ned, client.Project)
	scratch.Holds(t, "a still needs the declaration", look(t, a.Settings(client.User)), ned.Suite)
	disable(t, a, ned, client.Project)
	scratch.Equal(t, look(t, a.Settings(client.User)), "(none)", "afterwards")
}

// In the home, project and user settings are one file, possibly a link.
func TestScopesThatAreOneFile(t *testing.T) {
	const before = "{\n  \"model\": \"opus\"\n}\n"
	for _, linked := range []bool{false, true} {
		p := newPlaces(t)
		p.Work = filepath.Dir(p.Config)
		at := p.Settings(client.User)
		if linked {
			at = filepath.Join(t.TempDir(), "dotfiles.json")
			must(t, errors.Join(os.MkdirAll(p.Config, 0o755), os.Symlink(at, p.Settings(client.User))))
		}
		put(t, at, before)
		enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
		if got := look(t, at); !strings.Contains(got, `"ned-flanders@hooks": true`) || !strings.Contains(got, pluginOf(p, "").Suite) {
			t.Errorf("enabled:\n%s", got)
		}
		disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
		scratch.Equal(t, look(t, at), before, "afterwards")
	}
}

// A project's link does not select which settings are edited, even one that appears between plan and write.
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
			put(t, p.Settings(client.User), theirs)
			at := filepath.Join(p.Work, filepath.FromSlash(link))
			must(t, os.MkdirAll(filepath.Dir(at), 0o755))
			swap := func() {
				must(t, errors.Join(os.RemoveAll(at), os.Symlink(target, at)))
			}
			if when == "before" {
				swap()
			}
			for scope, path := range map[client.Scope]string{client.Project: ".claude/settings.json", client.Local: ".claude/settings.local.json"} {
				plan, err := NewSettings(p).PlanEnable(Enabling{Plugin: pluginOf(p, "ned-flanders"), Scope: scope})
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
				if _, err := NewSettings(p).PlanDisable(pluginOf(p, "ned-flanders"), scope); errors.As(err, &refused) != onTheWay {
					t.Errorf("%s, %s: disable: %v", link, scope, err)
				}
			}
			scratch.Equal(t, look(t, p.Settings(client.User)), theirs, link, "the user's settings")
		}
	}
}

// Neither enable nor disable follows a project's link, also not to what springfield has set there.
func TestBehindALink(t *testing.T) {
	for name, behind := range map[string]client.Scope{"another project": client.Project, "the user": client.User} {
		p := newPlaces(t)
		other := p
		other.Work = filepath.Join(filepath.Dir(p.Work), "other")
		other.Root = other.Work
		file := other.Settings(behind)
		put(t, file, "{}\n")
		enable(t, other, pluginOf(p, "ned-flanders"), behind, false)
		must(t, os.Symlink(filepath.Dir(file), filepath.Join(p.Work, ".claude")))
		var refused *rooted.LinkError
		if _, err := NewSettings(p).PlanEnable(Enabling{Plugin: pluginOf(p, "marge"), Scope: client.Project}); !errors.As(err, &refused) {
			t.Errorf("%s: enable: %v", name, err)
		}
		if _, err := NewSettings(p).PlanDisable(pluginOf(p, "ned-flanders"), client.Project); !errors.As(err, &refused) {
			t.Errorf("%s: disable: %v", name, err)
		}
	}
}

func TestDisableSaysWhereItStaysOn(t *testing.T) {
	p := newPlaces(t)
	ned := pluginOf(p, "ned-flanders")
	put(t, p.Settings(client.User), `{"enabledPlugins": {"ned-flanders@hooks": true}}`)
	enable(t, p, ned, client.Project, false)
	plan := disable(t, p, ned, client.Project)
	scratch.Holds(t, "notes", strings.Join(plan.Notes, "\n"), "it stays enabled, because user settings enable it")
	enable(t, p, ned, client.User, false)
	plan = disable(t, p, ned, client.User)
	scratch.Holds(t, "notes", strings.Join(plan.Notes, "\n"), "it was enabled before springfield enabled it")
	disable(t, p, ned, client.User)
	scratch.Equal(t, look(t, p.Settings(client.User)), `{"enabledPlugins": {"ned-flanders@hooks": false}}`,
		"afterwards")
}

// remember adds a suite to the list, as init does.
func remember(p client.Places, dir string) error {
	_, err := journal.Journal{Dir: p.StatePath()}.PlanAndApply(func() (journal.Change, error) {
		e, err := PlanAddSuite(p, dir)
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
	var all sync.WaitGroup
	for i := range 8 {
		dir := filepath.Join(root, fmt.Sprint(i/2)) // each twice
		must(t, os.MkdirAll(dir, 0o755))
		all.Go(func() { scratch.Equal(t, remember(p, dir), nil) })
	}
	all.Wait()
	list, _, err := KnownSuites(p)
	scratch.ErrorIf(t, len(list) != 4 || err != nil, "%v, %v", list, err)
	must(t, os.Remove(list[3]))
	if list, _, err = KnownSuites(p); len(list) != 3 || err != nil {
		t.Errorf("after one has gone: %v, %v", list, err)
	}
	scratch.Equal(t, scratch.ModeOf(t, p.StatePath()), 0o700, "state directory")
}

// A second plan from the same reading is the same, and is refused if the file has changed.
func TestSettingsAreReadOnce(t *testing.T) {
	p := newPlaces(t)
	user := p.Settings(client.User)
	put(t, user, twoSpaces)
	s := NewSettings(p)
	wanted := Enabling{Plugin: pluginOf(p, "ned-flanders"), Scope: client.User, Declare: true}
	first, err := s.PlanEnable(wanted)
	must(t, err)
	const theirs = "{\"model\": \"sonnet\"}\n"
	put(t, user, theirs)
	again, err := s.PlanEnable(wanted)
	scratch.ErrorIf(t, err != nil || again.Diff() != first.Diff(), "read again: %v\n%s", err, again.Diff())
	if err := Journal(p).ApplyChange(again); !errors.Is(err, journal.ErrChanged) || look(t, user) != theirs {
		t.Errorf("%v: %s", err, look(t, user))
	}
	if done, err := PlanAndApply(p, func(now *Settings) (journal.Change, error) { return now.PlanEnable(wanted) }); err != nil || !strings.Contains(look(t, user), "sonnet") {
		t.Errorf("%v\n%s", err, done.Diff())
	}
}
