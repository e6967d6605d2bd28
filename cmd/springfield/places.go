package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
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

// findPlaces sets e.places. With neither a home directory nor CLAUDE_CONFIG_DIR, it clears e.places and returns an
// error.
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
	config := hosts.ClaudeHost().PlaceFor(e.hostOwner()).Dir
	// Claude Code reads local settings at the root of the main worktree, unless this is the home directory or
	// belongs to another user. On Windows it reads them in the working directory.
	root := git.RepositoryRoot(work)
	if linked, common := file.LinkedWorktree(filepath.Join(root, ".git")); root != "" && linked != "" {
		root = git.MainWorktree(root, linked, common)
	}
	if root == "" || root == filepath.Clean(e.home) || !userOwns(root) || !userOwns(filepath.Join(root, ".git")) || runtime.GOOS == "windows" {
		root = work
	}
	plugins := cmp.Or(e.getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"), filepath.Join(config, "plugins"))
	return client.Places{
		Config: config, Plugins: rooted.PathFrom(e.work, plugins),
		Home: e.home, Managed: cmp.Or(client.ManagedDirs[runtime.GOOS], client.ManagedDirs[""]),
		Work: work, Root: root,
	}
}

func userOwns(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && journal.MayChmod(info)
}

// defaultSuiteDir returns the suite's path in the user's data directory ("" without a home directory).
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
	return hosts.User{Home: e.home, Work: e.work, Root: cmp.Or(git.RepositoryRoot(e.work), e.work), Env: e.env, Getenv: e.getenv, Look: e.findProgram}
}

// findProgram returns a program's path on PATH, or "". A program with a directory must be absolute.
func (e *environment) findProgram(program string) string {
	return rooted.FindProgram(program, e.getenv("PATH"))
}

func (e *environment) pathResolver() rooted.Typed {
	return rooted.Typed{Work: e.work, Around: []string{git.RepositoryRoot(e.work), generator.FindSuite(e.work)}, Home: e.home, Config: hosts.ClaudeHost().PlaceFor(e.hostOwner()).Dir}
}

// means returns the means to enable and disable plugins. findPlaces has set a.places.
func (a *app) means() installer.Means {
	return installer.Means{
		Settings: settings.NewSettings(a.places), User: a.hostOwner(),
		Claude: a.claudeCommand(), Tell: a.talk,
	}
}

// suiteDir returns typed as an absolute path ("" for the suite around the working directory). If typed is missing, the
// error can suggest a similar name.
func (e *environment) suiteDir(typed string) (unchecked string, err error) {
	if typed == "" {
		if around := generator.FindSuite(e.work); around != "" {
			return around, nil
		}
		advice := "run springfield init to make one, or cd into one"
		if e.findPlaces() == nil {
			if known, _, _ := settings.KnownSuites(e.places); len(known) > 0 {
				advice = "run it in a suite: cd " + strings.Join(check.NamesOf(known, check.QuoteArgument), ", or cd ")
			}
		}
		return "", check.Advise(fmt.Errorf("no suite in %s or above it", e.work), advice)
	}
	beside, name := filepath.Split(filepath.Clean(typed))
	typed, _, err = e.pathResolver().Absolute(typed)
	if err == nil && rooted.IsSurelyMissing(typed) {
		suites, _ := filepath.Glob(filepath.Join(filepath.Dir(typed), "*", generator.SuiteFile))
		names := check.NamesOf(suites, func(file string) string { return filepath.Base(filepath.Dir(file)) })
		if near := check.HintAtNames(name, beside, names, "none"); near != "none" {
			return "", check.Advisef(near, "%s: %w", typed, generator.ErrNoSuite)
		}
	}
	return typed, err
}

// suiteIn reads a suite ("" for the one around the working directory), and returns its absolute directory.
func (e *environment) suiteIn(typed string) (string, generator.Suite, error) {
	typed, err := e.suiteDir(typed)
	if err != nil {
		return "", generator.Suite{}, err
	}
	suite, err := generator.ReadSuite(typed)
	return typed, suite, err
}

// inspectionRequest returns a request to inspect the working directory. findPlaces has set e.places.
func (e *environment) inspectionRequest() doctor.Request {
	return doctor.Request{Places: e.places, User: e.hostOwner(), Client: e.claudeCommand(), Off: e.off, Now: time.Now()}
}

// findPluginOrStrategy finds a plugin by name or ID among installed plugins, suites, directory marketplaces, then
// strategies (Root is ""). findPlaces has set a.places.
func (a *app) findPluginOrStrategy(name string) (hook.Plugin, error) {
	var dirs []string
	for _, p := range client.NewSnapshot(a.places).SwitchedPlugins() {
		if p.Dir != "" && p.IsOurs() && (name == p.Name || name == p.ID) && !slices.Contains(dirs, p.Dir) {
			dirs = append(dirs, p.Dir)
		}
	}
	if len(dirs) > 1 {
		return hook.Plugin{}, check.Misuse(fmt.Errorf("more than one plugin is called %s: %s", name, strings.Join(dirs, ", ")),
			"add its marketplace: "+name+"@MARKETPLACE")
	}
	if len(dirs) == 1 {
		return hook.ReadPlugin(dirs[0])
	}
	found, err := a.means().FindPlugin(name, "")
	switch {
	case err == nil && found.Suite != "":
		return hook.ReadPlugin(filepath.Join(found.Suite, found.Name))
	case errors.Is(err, installer.ErrAmbiguous):
		return hook.Plugin{}, err
	}
	bare, _, _ := strings.Cut(name, "@")
	if around := generator.FindSuite(a.work); around != "" { // safe in a suite of others: nothing is started
		if _, none := a.means().FindPlugin(name, around); none == nil {
			return hook.ReadPlugin(filepath.Join(around, bare))
		}
	}
	if known, ok := registry.StrategyNamed(bare); ok {
		return hook.Plugin{Name: bare, Strategy: known}, nil
	}
	return hook.Plugin{}, check.Misusef(cmp.Or(hintOf(err), "run springfield list to see all plugins"), "there is no plugin %q", name)
}

// defaultSuite returns the suite where enable creates plugins not in any other suite. Callers close it.
func (a *app) defaultSuite(ctx context.Context) *installer.DefaultSuite {
	return &installer.DefaultSuite{Dir: a.defaultSuiteDir(), Tools: a.toolchain, Fresh: func() generator.Spec { return a.defaultSpec(ctx) }}
}
