package main

import (
	"cmp"
	"os"
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
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
)

type environment struct {
	work   string // the working directory
	home   string // "" if unknown
	cache  string // the user's cache directory, "" if unknown
	user   string // login name
	env    []string
	getenv func(string) string
	off    bool          // SPRINGFIELD=off
	places client.Places // from findPlaces

	caller  *host.Host // the agent that runs this call, nil for a person
	session string     // the agent's session
}

func (e *environment) findPlaces() error {
	if e.places = e.placesFrom(e.work); e.places.Config == "" {
		e.places = client.Places{}
		return check.Advisef("set HOME, or set CLAUDE_CONFIG_DIR as you do for Claude Code", "there is no home directory")
	}
	return nil
}

func (e *environment) needPlaces(*cobra.Command, []string) error { return e.findPlaces() }

// placesFrom returns Claude Code's directories for sessions in work. Config is "" without a home directory, unless the
// environment names it.
func (e *environment) placesFrom(work string) client.Places {
	config := hosts.DefaultHost().PlaceFor(e.hostOwner()).Dir
	// Claude Code reads local settings at the root of the main worktree, unless this is the home directory or
	// belongs to another user. On Windows it reads them in the working directory.
	root := git.RepositoryRoot(work)
	if linked, common := file.LinkedWorktree(filepath.Join(root, ".git")); root != "" && linked != "" {
		root = git.MainWorktree(root, linked, common)
	}
	if root == "" || root == filepath.Clean(e.home) || !isOwn(root) || !isOwn(filepath.Join(root, ".git")) || runtime.GOOS == "windows" {
		root = work
	}
	plugins := cmp.Or(e.getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"), filepath.Join(config, "plugins"))
	return client.Places{
		Config: config, Plugins: rooted.PathFrom(e.work, plugins),
		Home: e.home, Managed: cmp.Or(client.ManagedDirs[runtime.GOOS], client.ManagedDirs[""]),
		Work: work, Root: root,
	}
}

func isOwn(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && journal.MayChmod(info)
}

// defaultSuiteDir returns the path of the suite in the user's data directory, or "" without a home directory.
func (e *environment) defaultSuiteDir() string {
	data := e.getenv("XDG_DATA_HOME")
	switch {
	case e.home == "":
		return ""
	case runtime.GOOS == "windows":
		data = cmp.Or(e.getenv("LOCALAPPDATA"), filepath.Join(e.home, "AppData", "Local"))
	case filepath.IsAbs(data):
	case runtime.GOOS == "darwin":
		data = filepath.Join(e.home, "Library", "Application Support")
	default:
		data = filepath.Join(e.home, ".local", "share")
	}
	return filepath.Join(data, "springfield", "suite")
}

func (e *environment) gitOfProcess() git.Git {
	return git.FindGit(e.env, e.getenv("PATH"), e.work, e.home)
}

func (e *environment) claudeCommand() client.Command {
	return client.Command{Path: e.findProgram("claude"), Env: e.env}
}

func (e *environment) hostOwner() hosts.User {
	root := cmp.Or(git.RepositoryRoot(e.work), e.work)
	return hosts.User{Home: e.home, Work: e.work, Root: root, Env: e.env, Getenv: e.getenv, Look: e.findProgram}
}

func (e *environment) findProgram(program string) string {
	return rooted.FindProgram(program, e.getenv("PATH"))
}

func (e *environment) typedPaths() rooted.Typed {
	around := []string{git.RepositoryRoot(e.work), generator.FindSuite(e.work)}
	config := hosts.DefaultHost().PlaceFor(e.hostOwner()).Dir
	return rooted.Typed{Work: e.work, Around: around, Home: e.home, Config: config}
}

func (a *app) means() installer.Means {
	return installer.Means{
		Settings: settings.ReadSettings(a.places), User: a.hostOwner(),
		Claude: a.claudeCommand(), Tell: a.talk,
	}
}
