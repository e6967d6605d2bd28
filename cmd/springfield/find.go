// Finding things: the user's settings, and the plugin that a name means.

package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
	"github.com/cameronsjo/springfield/installer"
)

// places finds the user's settings from the working directory.
func (a *app) places() (installer.Places, error) { return a.placesFrom(a.work) }

// configDir is Claude Code's configuration directory, "" if neither says where.
func (a *app) configDir() string {
	switch {
	case a.config != "":
		return a.absolute(a.config)
	case a.home != "":
		return filepath.Join(a.home, ".claude")
	}
	return ""
}

// placesFrom finds them from another one.
func (a *app) placesFrom(work string) (installer.Places, error) {
	config := a.configDir()
	if config == "" {
		return installer.Places{}, &hinted{errors.New("there is no home directory"), "set HOME, or CLAUDE_CONFIG_DIR as for Claude Code"}
	}
	// Where Claude Code looks for local settings: at the root of the repository,
	// but not in a home that is one, and on Windows where the session starts.
	root := git.Root(work)
	if root == "" || root == filepath.Clean(a.home) || runtime.GOOS == "windows" {
		root = work
	}
	plugins := firstOf(a.plugins, filepath.Join(config, "plugins"))
	if !filepath.IsAbs(plugins) {
		plugins = filepath.Join(a.work, plugins)
	}
	return installer.Places{
		Config: config, Plugins: plugins, Home: a.home,
		Managed: installer.ManagedDir(runtime.GOOS), Work: work, Root: root,
	}, nil
}

// findPlugin looks a plugin up by NAME or NAME@MARKETPLACE: in the suite that is
// named, else in the one around the working directory, those that init has
// made, and the marketplaces that Claude Code knows. Of several suites, one that
// lies in the working directory is meant.
func (a *app) findPlugin(places installer.Places, name, suite string) (installer.Plugin, error) {
	bare, marketplace, _ := strings.Cut(name, "@")
	if suite != "" {
		if !filepath.IsAbs(suite) {
			suite = filepath.Join(a.work, suite)
		}
		found, err := pluginsIn(filepath.Clean(suite), bare, marketplace)
		if err == nil && len(found) == 0 {
			err = &hinted{fmt.Errorf("suite %s has no plugin %q", suite, name), "its " + generator.SuiteFile + " lists them"}
		}
		if err != nil {
			return installer.Plugin{}, err
		}
		return found[0], nil
	}

	all, here, err := a.inSuites(places, bare, marketplace)
	if err != nil {
		return installer.Plugin{}, err
	}
	if len(here) == 1 {
		return here[0], nil
	}
	known, err := a.inMarkets(places, bare, marketplace)
	if err != nil {
		return installer.Plugin{}, err
	}
	for _, p := range known {
		// The same place is one place; and a full ID means what Claude Code knows
		// by it.
		all = slices.DeleteFunc(all, func(q installer.Plugin) bool {
			return folder.Same(p.Suite, q.Suite) || marketplace != "" && p.ID() == q.ID()
		})
		all = append(all, p)
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return installer.Plugin{}, &severalError{name, all}
	}
	hint := "make one with springfield init, or say where it is: --suite DIR or --marketplace OWNER/REPO"
	if there := a.offered(places, marketplace); len(there) > 0 {
		hint = "there is " + strings.Join(there, ", ")
	}
	return installer.Plugin{}, &hinted{fmt.Errorf("no suite has a plugin %q, and no marketplace that Claude Code knows", name), hint}
}

// severalError says that a name means more than one plugin.
type severalError struct {
	name string
	all  []installer.Plugin
}

func (e *severalError) Error() string {
	var places []string
	for _, p := range e.all {
		places = append(places, firstOf(p.Suite, p.ID()))
	}
	return fmt.Sprintf("%s is in several places: %s", e.name, strings.Join(places, " and "))
}

// Hint names what can be typed instead.
func (e *severalError) Hint() string {
	var ids []string
	for _, p := range e.all {
		if !slices.Contains(ids, p.ID()) {
			ids = append(ids, p.ID())
		}
	}
	if len(ids) < len(e.all) { // of one name: only the place tells them apart
		return "say which: --suite DIR"
	}
	return "say which: " + strings.Join(ids, " or ")
}

// offered lists the plugins that springfield knows of, of one marketplace or of
// all: those of suites, and of a marketplace that is asked for.
func (a *app) offered(places installer.Places, marketplace string) []string {
	var ids []string
	dirs, _ := installer.Suites(places) // a list that cannot be read is no news here
	if around, err := generator.FindSuite(a.work); err == nil {
		dirs = append(dirs, around)
	}
	for _, dir := range dirs {
		if s, err := generator.ReadSuite(dir); err == nil && (marketplace == "" || marketplace == s.Marketplace) {
			for _, p := range s.Plugins {
				ids = append(ids, p.Name+"@"+s.Marketplace)
			}
		}
	}
	if m, known := installer.MarketNamed(places, marketplace); known {
		names, _ := m.Names()
		for _, name := range names {
			ids = append(ids, name+"@"+marketplace)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), 8)]
}

// inSuites looks in the suite around the working directory and those that init
// has made. The second list is what lies in the working directory itself.
func (a *app) inSuites(places installer.Places, name, marketplace string) (all, here []installer.Plugin, err error) {
	dirs, err := installer.Suites(places)
	if err != nil {
		return nil, nil, err
	}
	if around, err := generator.FindSuite(a.work); err == nil && !slices.Contains(dirs, around) {
		dirs = append(dirs, around)
	}
	for _, dir := range dirs {
		found, err := pluginsIn(dir, name, marketplace)
		if err != nil && !errors.Is(err, generator.ErrNoSuite) {
			a.talk("springfield: note: passed over: %v", err)
		}
		all = append(all, found...)
		if filepath.Dir(dir) == a.work {
			here = append(here, found...)
		}
	}
	return all, here, nil
}

// pluginsIn looks in one suite; at most one plugin comes back.
func pluginsIn(dir, name, marketplace string) ([]installer.Plugin, error) {
	s, err := generator.ReadSuite(dir)
	if err != nil {
		return nil, err
	}
	if marketplace != "" && marketplace != s.Marketplace {
		return nil, nil
	}
	for _, p := range s.Plugins {
		if p.Name == name {
			return []installer.Plugin{{Name: name, Marketplace: s.Marketplace, Suite: dir}}, nil
		}
	}
	return nil, nil
}

// inMarkets looks in the marketplaces that Claude Code knows.
func (a *app) inMarkets(places installer.Places, name, marketplace string) ([]installer.Plugin, error) {
	markets, err := installer.AllMarkets(places)
	if err != nil {
		return nil, err
	}
	var found []installer.Plugin
	for _, known := range slices.Sorted(maps.Keys(markets)) {
		if marketplace != "" && marketplace != known {
			continue
		}
		m := markets[known]
		offers, err := m.Offers(name)
		switch {
		case err != nil:
			a.talk("springfield: note: passed over: %v", err)
		case offers:
			found = append(found, installer.Plugin{Name: name, Marketplace: known, Suite: m.Suite()})
		}
	}
	return found, nil
}
