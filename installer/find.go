// Package installer switches plugins on and off: it finds the plugin that a name means, looks whether it could run,
// has the claude command register or fetch what is missing, and has the host plan the edit.
package installer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// FindPlugin looks a plugin up by NAME or NAME@MARKETPLACE: in the suite that is
// named, else in the user's own, and the marketplaces that Claude Code knows. Of
// several, one that lies in the working directory is meant, or the one that is on.
func (m Means) FindPlugin(name, dir string) (client.Plugin, error) {
	bare, marketplace, _ := strings.Cut(name, "@")
	if dir != "" {
		suite := rooted.PathFrom(m.Settings.Work, dir)
		found, err := pluginsIn(suite)
		if errors.Is(err, generator.ErrNoSuite) && rooted.PathExists(filepath.Join(suite, ".claude-plugin", "marketplace.json")) {
			err = check.Advisef("claude plugin marketplace add "+check.QuoteArgument(suite)+" makes Claude Code know it; then springfield enable "+bare+" finds it", "%s is a marketplace, not a springfield suite", suite)
		}
		if err != nil {
			return client.Plugin{}, err
		}
		if found = pluginsNamed(found, bare, marketplace); len(found) == 0 {
			return client.Plugin{}, check.Advisef(m.howToGet(bare, marketplace, suite), "suite %s has no plugin %q", dir, name)
		}
		return found[0], nil
	}
	all, err := m.InSuites(bare, marketplace)
	if err != nil {
		return client.Plugin{}, err
	}
	elsewhere := func(p client.Plugin) bool { return filepath.Dir(p.Suite) != m.Settings.Work }
	if here := slices.DeleteFunc(slices.Clone(all), elsewhere); len(here) == 1 {
		return here[0], nil
	}
	known, err := m.inMarkets(bare, marketplace)
	if err != nil {
		return client.Plugin{}, err
	}
	for _, p := range known {
		// The same place is one place; and a full ID means what Claude Code knows
		// by it.
		all = slices.DeleteFunc(all, func(q client.Plugin) bool {
			return rooted.IsSame(p.Suite, q.Suite) || marketplace != "" && p.ID() == q.ID()
		})
		all = append(all, p)
	}
	off := func(p client.Plugin) bool { return !m.isOn(p) }
	if on := slices.DeleteFunc(slices.Clone(all), off); len(on) == 1 {
		return on[0], nil
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return client.Plugin{}, &SeveralError{name, all}
	}
	return client.Plugin{}, check.Advisef(cmp.Or(m.takeFromOthers(name, ""), m.howToGet(bare, marketplace, "")), "%w has a plugin %q", errUnknown, name)
}

func (m Means) isOn(p client.Plugin) bool {
	return slices.ContainsFunc(m.Settings.AllLayers(), func(l client.Layer) bool { on, _ := l.SaysOf(p.ID()); return on })
}

var errUnknown = errors.New("no suite of yours and no marketplace known to Claude Code")

// howToGet says how to get a plugin that was not found: the line that makes it, if its
// name is a strategy's, else what there is instead. suite is the directory that it was
// to be in, "" for any.
func (m Means) howToGet(name, marketplace, suite string) string {
	same := slices.DeleteFunc(m.pluginsOffered(""), func(id string) bool { return !strings.HasPrefix(id, name+"@") })
	markets, _ := m.inMarkets(name, "") // what cannot be read is told already
	same = append(same, check.NamesOf(markets, client.Plugin.ID)...)
	if slices.Sort(same); len(same) > 0 && suite == "" {
		return "there is " + strings.Join(slices.Compact(same), ", ")
	}
	if _, known := registry.StrategyNamed(name); known && suite != "" {
		return generator.CommandToAddPlugin(name, suite) + " makes it"
	} else if known {
		return "springfield enable " + name + " makes it"
	}
	there := m.pluginsOffered(marketplace)
	names := registry.StrategyNames()
	for _, id := range there {
		bare, _, _ := strings.Cut(id, "@")
		names = append(names, bare)
	}
	slices.Sort(names)
	return check.HintAtNames(name, "", slices.Compact(names), "there is "+strings.Join(append(there, registry.StrategyNames()...), ", "))
}

func pluginsIn(dir string) (all []client.Plugin, err error) {
	suite, err := generator.ReadSuite(dir)
	for _, p := range suite.Plugins {
		all = append(all, client.Plugin{Name: p.Name, Marketplace: suite.Marketplace, Suite: dir})
	}
	return all, err
}

// pluginsNamed are those of a name, and of a marketplace; "" for any.
func pluginsNamed(all []client.Plugin, name, marketplace string) []client.Plugin {
	return slices.DeleteFunc(all, func(p client.Plugin) bool {
		return name != "" && name != p.Name || marketplace != "" && marketplace != p.Marketplace
	})
}

// SeveralError says that a name means more than one plugin.
type SeveralError struct {
	name string
	all  []client.Plugin
}

func (e *SeveralError) Error() string {
	places := check.NamesOf(e.all, func(p client.Plugin) string { return cmp.Or(p.Suite, p.ID()) })
	return fmt.Sprintf("%s is in several places: %s", e.name, strings.Join(places, " and "))
}

// Hint names what can be typed instead.
func (e *SeveralError) Hint() string {
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

// pluginsOffered lists the plugins that springfield knows of, of one marketplace or of
// all: those of suites, and of a marketplace that is asked for.
func (m Means) pluginsOffered(marketplace string) []string {
	ids := check.NamesOf(m.pluginsAtHand(marketplace), client.Plugin.ID)
	if market, err := m.Settings.FindMarket(marketplace); err == nil {
		names, _ := m.Settings.PluginsOffered(market)
		ids = append(ids, check.NamesOf(names, func(name string) string { return name + "@" + marketplace })...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(len(ids), 8)]
}

// takeFromOthers says how to take a plugin from the suite around the working directory, if the user has neither made
// nor named that, and it is not the one taken; "" where there is none. A cloned project can bring one.
func (m Means) takeFromOthers(plugin, taken string) string {
	dir, err := generator.FindSuite(m.Settings.Work)
	own, _, _ := settings.KnownSuites(m.Settings.Places)
	has, _ := pluginsIn(dir)
	name, marketplace, _ := strings.Cut(plugin, "@")
	if err != nil || len(pluginsNamed(has, name, marketplace)) == 0 ||
		slices.ContainsFunc(append(own, taken), func(known string) bool { return rooted.IsSame(known, dir) }) {
		return ""
	}
	return "springfield enable " + plugin + " --suite " + check.QuoteArgument(dir) + " takes it from the suite there, which is not one of yours"
}

// InSuites looks for plugins in the user's suites: those that init or enable has made, or --suite has named.
func (m Means) InSuites(name, marketplace string) (all []client.Plugin, err error) {
	dirs, _, err := settings.KnownSuites(m.Settings.Places)
	for _, dir := range dirs {
		found, unread := pluginsIn(dir)
		if unread != nil && !errors.Is(unread, generator.ErrNoSuite) {
			m.Tell("springfield: note: skipped: %v", unread)
		}
		all = append(all, pluginsNamed(found, name, marketplace)...)
	}
	return all, err
}

// pluginsAtHand are all plugins of suites. What cannot be read is no news here.
func (m Means) pluginsAtHand(marketplace string) []client.Plugin {
	m.Tell = func(string, ...any) {}
	all, _ := m.InSuites("", marketplace)
	return all
}

// inMarkets looks in the marketplaces that Claude Code knows.
func (m Means) inMarkets(name, marketplace string) (found []client.Plugin, err error) {
	markets, err := m.Settings.AllMarkets()
	if err != nil {
		return nil, err
	}
	for _, known := range slices.Sorted(maps.Keys(markets)) {
		if marketplace != "" && marketplace != known {
			continue
		}
		names, err := m.Settings.PluginsOffered(markets[known])
		switch {
		case err != nil:
			m.Tell("springfield: note: skipped: %v", err)
		case slices.Contains(names, name):
			found = append(found, client.Plugin{Name: name, Marketplace: known, Suite: markets[known].SuiteDir()})
		}
	}
	return found, nil
}

// Means are what switching needs beside the request.
type Means struct {
	Settings *settings.Settings
	User     hosts.User     // whose other hosts they are
	Claude   client.Command // without a path where there is none
	Git      git.Git
	Tell     func(format string, args ...any) // what is being done, and what is skipped
}
