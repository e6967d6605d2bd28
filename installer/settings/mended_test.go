// Bugs that were found once, each by torturing the package, and do not come back.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// A read-only file is neither rewritten nor removed.
func TestReadOnlyFilesStay(t *testing.T) {
	for _, before := range []string{twoSpaces, "(none)"} {
		p := newPlaces(t)
		user := p.Settings(client.User)
		if before != "(none)" {
			put(t, user, before)
		}
		enable(t, p, pluginOf(p, "ned-flanders"), client.User, false)
		must(t, os.Chmod(user, 0o444))
		if _, _, err := planUndo(p); !errors.Is(err, os.ErrPermission) {
			t.Errorf("undo: %v", err)
		}
		if _, err := NewSettings(p).PlanDisable(pluginOf(p, "ned-flanders"), client.User); !errors.Is(err, os.ErrPermission) {
			t.Errorf("disable: %v", err)
		}
		if _, err := NewSettings(p).PlanEnable(Enabling{Plugin: pluginOf(p, "lisa-simpson"), Scope: client.User}); !errors.Is(err, os.ErrPermission) {
			t.Errorf("enable: %v", err)
		}
	}
}

// Other scopes are read as Claude Code reads them; invalid plugin IDs are neither edited nor printed.
func TestEnableBesideOtherSettings(t *testing.T) {
	const latte = "double-shot-latte@superpowers-marketplace"
	const on, stays = `{"enabledPlugins": {"` + latte + `": true}}`, latte + " stays enabled here because of project settings"
	const advice = `{"enabledPlugins": {"double-shot-latte@x; touch me #\u001b[31m": true}}`
	for name, test := range map[string]struct {
		user, project, local string
		enabled              Enabling
		refused, alone       bool   // alone: there is no other note
		note, lacks          string // lacks: neither in notes nor in the edit
	}{
		"a cap that is a number": {user: `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": 50}}`, enabled: Enabling{MaxContinues: 30}, lacks: `"30"`},
		"a cap that another lowers": {local: `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"}}`, enabled: Enabling{MaxContinues: 40},
			note: "is 3 in local settings, which take precedence", lacks: `"` + client.BlockCap},
		"a latte given twice":       {user: `{"enabledPlugins": {"double-shot-latte@a": false, "double-shot-latte@a": true}}`, refused: true},
		"a latte of broken text":    {user: `{"enabledPlugins": {"double-shot-latte@a\ud800": true}}`},
		"the last of two keys":      {project: `{"enabledPlugins": {"` + latte + `": false, "` + latte + `": true}}`, note: stays},
		"the same in two scopes":    {user: on, project: on, note: stays, alone: true},
		"advice from a project":     {project: advice, lacks: "touch"},
		"the same, for local scope": {project: advice, enabled: Enabling{Scope: client.Local}, lacks: "touch"},
	} {
		p := newPlaces(t)
		for scope, text := range map[client.Scope]string{client.User: test.user, client.Project: test.project, client.Local: test.local} {
			if text != "" {
				put(t, p.Settings(scope), text)
			}
		}
		test.enabled.Plugin = pluginOf(p, "ned-flanders")
		test.enabled.Scope = cmp.Or(test.enabled.Scope, client.User)
		plan, err := NewSettings(p).PlanEnable(test.enabled)
		if (err != nil) != test.refused || test.alone && len(plan.Notes) != 1 {
			t.Errorf("%s: %v, notes %q", name, err, plan.Notes)
		}
		scratch.Holds(t, name, strings.Join(plan.Notes, "\n"), test.note)
		if test.lacks != "" {
			scratch.Lacks(t, name, strings.Join(plan.Notes, "\n")+plan.Diff(), test.lacks)
		}
	}
}

// Plugins of an unregistered suite are found by its files.
func TestOneDecidesInASuiteThatIsNotRegistered(t *testing.T) {
	p := newPlaces(t)
	suite := filepath.Join(p.Work, "hooks")
	put(t, filepath.Join(suite, ".claude-plugin", "marketplace.json"), `{"name": "hooks", "plugins": [{"name": "ned-flanders", "source": "./ned-flanders"}, {"name": "lisa-simpson", "source": "./lisa-simpson"}]}`)
	scratch.PutPlugin(t, filepath.Join(suite, "ned-flanders"), "ned-flanders", "1.0.0")
	scratch.PutPlugin(t, filepath.Join(suite, "lisa-simpson"), "ned-flanders", "1.0.0")
	put(t, p.Settings(client.User), `{"enabledPlugins": {"lisa-simpson@hooks": true}}`)
	plan := enable(t, p, pluginOf(p, "ned-flanders"), client.User, true)
	if got := look(t, p.Settings(client.User)); !strings.Contains(got, `"lisa-simpson@hooks": false`) {
		t.Errorf("both are on, notes %q:\n%s", plan.Notes, got)
	}
}

// The notes of disable name only what it restores.
func TestDisableSaysOnlyWhatComesBack(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(t *testing.T, p client.Places) journal.Change
	}{
		{"another scope's plugin goes", func(t *testing.T, p client.Places) journal.Change {
			enable(t, p, pluginOf(p, "ned-flanders"), client.User, true)
			enable(t, p, pluginOf(p, "lisa-simpson"), client.Project, true)
			return disable(t, p, pluginOf(p, "lisa-simpson"), client.Project)
		}},
		{"the file has gone", func(t *testing.T, p client.Places) journal.Change {
			enable(t, p, pluginOf(p, "ned-flanders"), client.User, false)
			must(t, os.Remove(p.Settings(client.User)))
			plan := disable(t, p, pluginOf(p, "ned-flanders"), client.User)
			scratch.Equal(t, look(t, p.Settings(client.User)), "(none)", "disable creates no file")
			return plan
		}},
	} {
		p := newPlaces(t)
		put(t, p.Settings(client.User), `{"enabledPlugins": {"double-shot-latte@superpowers-marketplace": true}}`)
		plan := test.do(t, p)
		if notes := strings.Join(plan.Notes, "\n"); strings.Contains(notes, "enabled again") {
			t.Errorf("%s: %q, and the settings are\n%s", test.name, notes, look(t, p.Settings(client.User)))
		}
	}
}

// Undo keeps a directory that it made if the user has put a file there.
func TestUndoLeavesADirectoryInUse(t *testing.T) {
	p := newPlaces(t)
	enable(t, p, pluginOf(p, "ned-flanders"), client.Project, false)
	notes := filepath.Join(p.Work, ".claude", "notes.md")
	put(t, notes, "mine")
	undo(t, p)
	scratch.Equal(t, look(t, notes), "mine")
}

func undo(t *testing.T, p client.Places) journal.Entry {
	t.Helper()
	plan, entry, err := planUndo(p)
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	return entry
}

// Variables of every layer have their place; springfield's are those with the value that it set.
func TestVariables(t *testing.T) {
	p := newPlaces(t)
	project, local := p.Settings(client.Project), p.Settings(client.Local)
	put(t, project, "\ufeff{\r\n  \"env\": {\"A\": \"x\", \"é\": 1,\r\n    \"A\": null},\r\n  \"other\": {\"env\": {\"B\": 1}}\r\n}")
	put(t, local, "{\"env\": \"no object\"}")
	put(t, p.Settings(client.User), "{\n\"env\":{\n\""+client.BlockCap+"\": \"12\"}}\n")
	look := func() (all []string) {
		for _, v := range client.NewSnapshot(p).Inventory().SettingsEnv() {
			all = append(all, fmt.Sprintf("%s %s %s=%s %d:%d %t", v.Name, filepath.Base(v.File), v.Key, client.ValueText(v.Value), v.Line, v.Column, NewSettings(p).IsOurVariable(v)))
		}
		return all
	}
	want := []string{"project settings.json A=x 2:11 false", "project settings.json é=1 2:21 false", "project settings.json A=null 3:5 false",
		"user settings.json " + client.BlockCap + "=12 3:1 false"}
	scratch.Equal(t, look(), want)
	plan, err := NewSettings(p).PlanEnable(Enabling{Plugin: pluginOf(p, "ned-flanders"), Scope: client.User, MaxContinues: 13})
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	if got, ours := look(), "user settings.json "+client.BlockCap+"=13 3:1 true"; !slices.Contains(got, ours) {
		t.Errorf("%q has no %q", got, ours)
	}
}
