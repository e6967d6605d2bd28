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
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// newPlaces is a scratch user with a project.
func newPlaces(t *testing.T) client.Places {
	t.Helper()
	root := t.TempDir()
	p := client.Places{Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"), Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work")}
	must(t, os.MkdirAll(p.Work, 0o755))
	return p
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

// A file that Claude Code ignores as a whole is not edited: what else it says is in force again once it is mended.
func TestIgnoredFilesAreNotEdited(t *testing.T) {
	one, two := client.Plugin{Name: "ned-flanders", Marketplace: "hooks"}, client.Plugin{Name: "ralph-wiggum", Marketplace: "hooks"}
	for _, said := range []string{`"env": null`, `"env": []`, `"env": "x"`} {
		p := newPlaces(t)
		file := p.Settings(client.Local)
		enable(t, p, one, client.Local, false)
		enable(t, p, two, client.Local, false)
		was := strings.Replace(scratch.LookAt(t, file), "{", "{"+said+",", 1)
		scratch.PutFile(t, file, was)
		_, err := ReadSettings(p).Disable(one, client.Local)
		scratch.FailIf(t, err == nil || !strings.Contains(err.Error(), `"env" is `), "%s: %v", said, err)
		_, err = ReadSettings(p).PlanEnable(Switch{Plugin: one, Scope: client.Local})
		scratch.FailIf(t, err == nil || !strings.Contains(err.Error(), `"env" is `), "%s: %v", said, err)
		scratch.Equal(t, scratch.LookAt(t, file), was, said)
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
			must(t, os.Remove(p.Settings(client.Local)))
			plan, err := mend(ReadSettings(p))
			must(t, err)
			must(t, Journal(p).ApplyChange(plan))
			disable(t, p, plugin, client.Project)
			disable(t, p, plugin, client.Local)
			if user := p.Settings(client.User); rooted.PathExists(user) {
				t.Errorf("user settings are left: %q", look(t, user))
			}
		})
	}
}

// Without a memory (another machine) only our own member goes off.
func TestDisableWithoutAMemory(t *testing.T) {
	p := newPlaces(t)
	path := p.Settings(client.Project)
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

// Exactly one springfield plugin is on: enabling the second switches the first
// off, and disabling the second puts everything back.
func TestOnePluginAtATime(t *testing.T) {
	for _, before := range []string{"(none)", "{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true\n  }\n}\n"} {
		p := newPlaces(t)
		path := p.Settings(client.User)
		if before != "(none)" {
			put(t, path, before)
		}
		a, b := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
		enable(t, p, a, client.User, true)
		plan := enable(t, p, b, client.User, true)
		scratch.Holds(t, "notes", strings.Join(plan.Notes, "\n"), "ned-flanders@hooks is switched off")
		if got := look(t, path); !strings.Contains(got, `"ned-flanders@hooks": false`) || !strings.Contains(got, `"lisa-simpson@hooks": true`) {
			t.Errorf("after both:\n%s", got)
		}
		if plan, err := ReadSettings(p).Disable(a, client.User); err != nil || !plan.IsEmpty() {
			t.Errorf("the first one is off already: %v\n%s", err, plan.Diff())
		}
		disable(t, p, b, client.User)
		scratch.Equal(t, look(t, path), before, "afterwards")
	}
}

// The file was put back by other means, or a kill came between remembering and
// writing: what is remembered then is of no use, and must do no harm.
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
			plan, err := ReadSettings(p).PlanEnable(Switch{Plugin: ned, Scope: client.User, Declare: true})
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
	scratch.ErrorIs(t, Journal(b).ApplyChange(planB), journal.ErrChanged)
	enable(t, b, ned, client.Project, true)
	disable(t, c, ned, client.Project)
	disable(t, b, ned, client.Project)
	scratch.Holds(t, "a still needs the declaration", look(t, a.Settings(client.User)), ned.Suite)
	disable(t, a, ned, client.Project)
	scratch.Equal(t, look(t, a.Settings(client.User)), "(none)", "afterwards")
}

// A session in the home: the project's settings are the user's, one file, one
// edit, and may be a link as in a dotfiles repository.
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
			scratch.Equal(t, look(t, p.Settings(client.User)), theirs, link, "the user's settings")
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
		file := other.Settings(behind)
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
	put(t, p.Settings(client.User), `{"enabledPlugins": {"ned-flanders@hooks": true}}`)
	enable(t, p, ned, client.Project, false)
	plan := disable(t, p, ned, client.Project)
	scratch.Holds(t, "notes", strings.Join(plan.Notes, "\n"), "it stays on: user settings switch it on")
	enable(t, p, ned, client.User, false)
	plan = disable(t, p, ned, client.User)
	scratch.Holds(t, "notes", strings.Join(plan.Notes, "\n"), "it was on before springfield enabled it")
	disable(t, p, ned, client.User)
	scratch.Equal(t, look(t, p.Settings(client.User)), `{"enabledPlugins": {"ned-flanders@hooks": false}}`,
		"afterwards")
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
				scratch.Equal(t, remember(p, dir), nil)
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
	scratch.FailIf(t, len(list) != len(want) || len(got) != len(want), "%v, want %v", list, want)
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
	user := p.Settings(client.User)
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
	user := p.Settings(client.User)
	put(t, user, twoSpaces)
	s := ReadSettings(p)
	wanted := Switch{Plugin: pluginOf(p, "ned-flanders"), Scope: client.User, Declare: true}
	first, err := s.PlanEnable(wanted)
	must(t, err)
	const theirs = "{\"model\": \"sonnet\"}\n"
	put(t, user, theirs)
	again, err := s.PlanEnable(wanted)
	scratch.FailIf(t, err != nil || again.Diff() != first.Diff(), "read again: %v\n%s", err, again.Diff())
	if err := Journal(p).ApplyChange(again); !errors.Is(err, journal.ErrChanged) || look(t, user) != theirs {
		t.Errorf("%v: %s", err, look(t, user))
	}
	if done, err := s.PlanAndApply(again, func(now *Settings) (journal.Change, error) { return now.PlanEnable(wanted) }); err != nil || !strings.Contains(look(t, user), "sonnet") {
		t.Errorf("%v\n%s", err, done.Diff())
	}
}
