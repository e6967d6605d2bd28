//go:build unix

package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestWithoutPermission(t *testing.T) { scratch.AsUnprivileged(t, checkPermissions) }

// checkPermissions removes one permission at a time before enable, disable and undo.
func checkPermissions(t *testing.T, dir string) {
	if os.Geteuid() == 0 {
		t.Fatal("still root")
	}
	user := func(p client.Places) string { return filepath.Join(p.Config, "settings.json") }
	project := func(p client.Places) string { return filepath.Join(p.Work, ".claude", "settings.json") }
	all := []string{"enable", "disable", "undo"}
	for _, test := range []struct {
		name   string
		closed func(client.Places) string // what loses the permission
		mode   os.FileMode
		names  func(client.Places) string // what the error has to name
		orders []string
	}{
		{"user's directory", func(p client.Places) string { return p.Config }, 0o555, user, all},
		{"project's directory", func(p client.Places) string { return filepath.Dir(project(p)) }, 0o555, project, all},
		{"user settings unreadable", user, 0, user, all},
		{"project settings unreadable", project, 0, project, all},
		{"user settings read-only", user, 0o444, user, []string{"enable", "disable"}},
		{"project settings read-only", project, 0o444, project, []string{"enable", "disable"}},
		{"user's directory unreadable", func(p client.Places) string { return p.Config }, 0, func(p client.Places) string { return p.Config }, all},
		{"state", func(p client.Places) string { return p.StatePath() }, 0o555, func(p client.Places) string { return p.StatePath() }, []string{"first enable"}},
		{"lock", func(p client.Places) string { return p.StatePath("settings.lock") }, 0, func(p client.Places) string { return p.StatePath("settings.lock") }, all},
		{"journal", func(p client.Places) string { return p.StatePath("journal") }, 0o555, func(p client.Places) string { return p.StatePath("journal") }, all},
		{"journal unreadable", func(p client.Places) string { return p.StatePath("journal") }, 0, func(p client.Places) string { return p.StatePath("journal") }, all},
		{"edits", func(p client.Places) string { return p.StatePath("edits") }, 0o555, func(p client.Places) string { return p.StatePath("edits") }, []string{"enable"}},
		{"edits unreadable", func(p client.Places) string { return p.StatePath("edits") }, 0, func(p client.Places) string { return p.StatePath("edits") }, all},
	} {
		for _, do := range test.orders {
			t.Run(test.name+"/"+do, func(t *testing.T) {
				root, err := os.MkdirTemp(dir, "")
				must(t, err)
				p := client.Places{
					Config: filepath.Join(root, "home", ".claude"), Plugins: filepath.Join(root, "home", ".claude", "plugins"), Home: filepath.Join(root, "home"),
					Managed: filepath.Join(root, "managed"), Work: filepath.Join(root, "work"), Root: filepath.Join(root, "work"),
				}
				put(t, user(p), twoSpaces)
				put(t, project(p), "{}\r\n")
				original := everything(t, p)
				ned, lisa := pluginOf(p, "ned-flanders"), pluginOf(p, "lisa-simpson")
				o := order{Places: p, Do: do, Plugin: ned.Name, Scope: client.Project, Declare: true}
				switch do {
				case "first enable": // our directory is there, with nothing in it
					o.Do = "enable"
					must(t, journal.MakeDirs(p.StatePath()))
				case "enable": // another plugin before, so that our files are there
					enable(t, p, lisa, client.User, false)
					disable(t, p, lisa, client.User)
					enable(t, p, lisa, client.User, false)
				default:
					enable(t, p, ned, client.Project, true)
				}
				before := everything(t, p)

				closed := test.closed(p)
				info, err := os.Stat(closed)
				must(t, err)
				must(t, os.Chmod(closed, test.mode))
				plan, err := o.plan()
				if err == nil {
					err = Journal(p).ApplyChange(plan)
				}
				must(t, os.Chmod(closed, info.Mode().Perm()))
				if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), test.names(p)) {
					t.Errorf("got %v, want a denied permission for %s", err, test.names(p))
				}
				after := everything(t, p)
				delete(before, p.StatePath("settings.lock")) // made on the way, empty
				delete(after, p.StatePath("settings.lock"))
				scratch.Equal(t, after, before)

				w := world{order: o}
				scratch.Equal(t, errors.Join(w.again(o), w.undoAll()), nil)
				for path, data := range original {
					scratch.Equal(t, look(t, path), data, path, "in the end")
				}
			})
		}
	}
}

// standIn returns a client command that runs a script.
func standIn(t *testing.T, p client.Places, script string) client.Command {
	t.Helper()
	command := filepath.Join(p.Home, "claude")
	put(t, command, "#!/bin/sh\n"+script)
	must(t, os.Chmod(command, 0o755))
	return client.Command{Path: command, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + p.Home}}
}

// A plugin that Claude Code installed for another project is in use there.
func TestPurgeLeavesWhatAnotherProjectHas(t *testing.T) {
	p := newPlaces(t)
	claude := standIn(t, p, `echo "$*" >>"$HOME/calls"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/known_marketplaces.json"
echo '{}' >"$CLAUDE_CODE_PLUGIN_CACHE_DIR/installed_plugins.json"
`)
	elsewhere := filepath.Join(p.Home, "other")
	put(t, filepath.Join(p.Plugins, "known_marketplaces.json"), `{"team": {"source": {"source": "github", "repo": "a/b"}, "installLocation": "/none"}}`)
	put(t, filepath.Join(p.Plugins, "installed_plugins.json"), `{"version": 2, "plugins": {"ned-flanders@team": [{"scope": "project", "projectPath": "`+elsewhere+`", "installPath": "/none"}]}}`)
	put(t, filepath.Join(elsewhere, "README"), "")
	plugin := client.Plugin{Name: "ned-flanders", Marketplace: "team"}
	notes, err := NewSettings(p).PurgeIfUnused(context.Background(), claude, plugin)
	if calls := look(t, filepath.Join(p.Home, "calls")); err != nil || calls != "(none)" || !strings.Contains(strings.Join(notes, "\n"), "stays installed") {
		t.Errorf("%q, %v; the client was called: %s", notes, err, calls)
	}
	if why, err := NewSettings(p).whyInUse(plugin.ID()); err != nil || !strings.Contains(why, elsewhere) {
		t.Errorf("in use: %q, %v", why, err)
	}
	if err := os.RemoveAll(elsewhere); err != nil { // a project that is gone has nothing
		t.Fatal(err)
	}
	if notes, err := NewSettings(p).PurgeIfUnused(context.Background(), claude, plugin); err != nil || !strings.Contains(strings.Join(notes, "\n"), "has forgotten marketplace team") {
		t.Errorf("%q, %v", notes, err)
	}
}
