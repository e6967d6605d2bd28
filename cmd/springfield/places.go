// Where the user's settings are, and by what they are changed.

package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// findPlaces finds the user's settings from the working directory. A verb about settings has it
// done before it runs.
func (a *app) findPlaces() (err error) {
	a.places, err = a.placesFrom(a.work)
	return err
}

// needPlaces is findPlaces for a verb.
func (a *app) needPlaces(*cobra.Command, []string) error { return a.findPlaces() }

// configDir is Claude Code's configuration directory, "" if neither says where.
func (a *app) configDir() string { return hosts.DefaultHost().PlaceFor(a.hostOwner()).Dir }

func (a *app) placesFrom(work string) (client.Places, error) {
	config := a.configDir()
	if config == "" {
		return client.Places{}, check.Advise(errors.New("there is no home directory"), "set HOME, or CLAUDE_CONFIG_DIR as for Claude Code")
	}
	// Where Claude Code looks for local settings: at the root of the repository,
	// but not in a home that is one, and on Windows where the session starts.
	root := git.RepositoryRoot(work)
	if root == "" || root == filepath.Clean(a.home) || runtime.GOOS == "windows" {
		root = work
	}
	plugins := a.absolutePathOf(cmp.Or(a.getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"), filepath.Join(config, "plugins")))
	return client.Places{
		Config: config, Plugins: plugins, Home: a.home,
		Managed: client.ManagedDir(runtime.GOOS), Work: work, Root: root,
	}, nil
}

// activationMeans are what finding and switching plugins needs.
func (a *app) activationMeans() installer.Means {
	return installer.Means{Settings: settings.ReadSettings(a.places), User: a.hostOwner(), Claude: a.claudeCommand(), Git: a.gitOfProcess(), Tell: a.talk}
}

// defaultSuite returns the suite in the user's data directory, to which enable adds plugins.
func (a *app) defaultSuite(ctx context.Context) *installer.DefaultSuite {
	data := a.getenv("XDG_DATA_HOME")
	switch {
	case a.home == "":
		return &installer.DefaultSuite{}
	case runtime.GOOS == "windows":
		data = cmp.Or(a.getenv("LOCALAPPDATA"), filepath.Join(a.home, "AppData", "Local"))
	case filepath.IsAbs(data):
	case runtime.GOOS == "darwin":
		data = filepath.Join(a.home, "Library", "Application Support")
	default:
		data = filepath.Join(a.home, ".local", "share")
	}
	return &installer.DefaultSuite{
		Dir: filepath.Join(data, "springfield", "suite"), Tools: a.toolchain(),
		Fresh: func() generator.Spec { return a.defaultSpec(ctx) },
	}
}

// claudeCommand is the claude command; its path is "" where there is none.
func (a *app) claudeCommand() client.Command {
	return client.Command{Path: findProgram("claude"), Env: a.env}
}

func (a *app) typedPaths() rooted.Typed {
	suite, _ := generator.FindSuite(a.work)
	return rooted.Typed{Work: a.work, Around: []string{git.RepositoryRoot(a.work), suite}, Home: a.home, Config: a.configDir()}
}
