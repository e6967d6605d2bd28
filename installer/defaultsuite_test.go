package installer_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// none is an environment, and a PATH, without anything.
func none(string) string { return "" }

// An obstacle to enabling the plugin, or to running it, is found before anything is made.
func TestDefaultSuiteIsNotMadeInVain(t *testing.T) {
	for name, c := range map[string]struct{ file, text, says string }{
		"an administrator forbids it":   {"managed/managed-settings.json", `{"allowManagedHooksOnly": true}`, "allowManagedHooksOnly in managed settings"},
		"settings with a fault":         {".claude/settings.json", `{"model": }`, "settings.json: line 1, column 11"},
		"a parent of another type":      {".claude/settings.json", `{"enabledPlugins": []}`, "enabledPlugins"},
		"a list of suites that is none": {".claude/springfield/suites.json", `[`, "suites.json"},
		"something in its place":        {"suite/thesis.tex", "", "neither empty nor a springfield suite"},
		"another springfield":           {"locked", "", "context canceled"}, // Ctrl-C ends the wait
	} {
		home := t.TempDir()
		scratch.PutFile(t, filepath.Join(home, c.file), c.text)
		places := client.Places{
			Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, ".claude", "plugins"), Home: home,
			Managed: filepath.Join(home, "managed"), Work: home, Root: home,
		}
		if c.file == "locked" {
			unlock, err := settings.Journal(places).LockDir(filepath.Join(home, "suite"))
			scratch.Must(t, err)
			defer unlock()
		}
		before := scratch.ListFiles(t, home)
		tools := func() (t generator.Toolchain) { return t } // they would find no compiler, and say so
		suite := &installer.DefaultSuite{Dir: filepath.Join(home, "suite"), Tools: tools, Fresh: func() generator.Spec {
			return generator.Spec{Owner: generator.Owner{Name: "Ned"}, Targets: []generator.Target{generator.HostTarget()}}
		}}
		ctx, cancel := context.WithCancel(t.Context())
		tell := func(format string, args ...any) {
			if t.Logf(format, args...); strings.HasPrefix(format, "waiting: ") {
				cancel()
			}
		}
		_, err := installer.EnablePlugin(ctx, installer.Means{Settings: settings.NewSettings(places), User: hosts.User{Getenv: none, Look: none}, Tell: tell}, hosts.ClaudeHost(),
			installer.EnableRequest{Plugin: "ned-flanders", Scope: client.User, DefaultSuite: suite})
		if err == nil {
			t.Fatalf("%s: it is on", name)
		}
		scratch.Holds(t, name, err.Error(), c.says)
		scratch.Equal(t, scratch.ListFiles(t, home), before, name)
	}
}
