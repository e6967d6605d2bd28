// Package installer enables and disables plugins. It finds a plugin by name, checks whether it can run, makes
// the claude command register or fetch it, and makes the host plan the edit.
package installer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// FindPlugin finds a plugin by NAME or NAME@MARKETPLACE in the suite dir, or if "", in the user's suites and Claude
// Code's marketplaces. Of several, it returns the only one in the working directory, the only one enabled, the one in
// the suite around the directory, or ErrAmbiguous. It prints a note if Claude Code's plugin displaces a suite's.
func (m Means) FindPlugin(name, dir string) (client.Plugin, error) {
	bare, marketplace, _ := strings.Cut(name, "@")
	if dir != "" {
		suite := rooted.PathFrom(m.Settings.Work, dir)
		found, err := pluginsIn(suite, bare, marketplace)
		if errors.Is(err, generator.ErrNoSuite) && rooted.TargetExists(filepath.Join(suite, ".claude-plugin", "marketplace.json")) {
			err = check.Advisef("run claude plugin marketplace add "+check.QuoteArgument(suite)+", then springfield enable "+bare, "%s is a marketplace, not a springfield suite", suite)
		}
		if err != nil {
			return client.Plugin{}, err
		}
		if len(found) == 0 {
			return client.Plugin{}, check.Advisef(m.howToGet(bare, marketplace, suite), "suite %s has no plugin %q", dir, name)
		}
		return found[0], nil
	}
	all, err := m.InOKSuites(bare, marketplace)
	if err != nil {
		return client.Plugin{}, err
	}
	elsewhere := func(p client.Plugin) bool { return filepath.Dir(p.Suite) != m.Settings.Work }
	if here := slices.DeleteFunc(slices.Clone(all), elsewhere); len(here) == 1 {
		return here[0], nil
	}
	known, err := m.offeredIn(bare, marketplace)
	if err != nil {
		return client.Plugin{}, err
	}
	for _, p := range known {
		// Drop duplicates; for a full ID Claude Code's marketplace wins.
		all = slices.DeleteFunc(all, func(q client.Plugin) bool {
			same, named := rooted.SameFile(p.Suite, q.Suite), marketplace != "" && p.ID() == q.ID()
			if named && !same {
				m.Tell("springfield: note: using the %s that Claude Code knows, not the one in %s", p.ID(), q.Suite)
			}
			return same || named
		})
		all = append(all, p)
	}
	off := func(p client.Plugin) bool {
		isOn := func(l client.Layer) bool { on, _ := l.SwitchOf(p.ID()); return on }
		return !slices.ContainsFunc(m.Settings.AllLayers(), isOn)
	}
	if on := slices.DeleteFunc(slices.Clone(all), off); len(on) == 1 {
		return on[0], nil
	}
	around := generator.FindSuite(m.Settings.Work)
	isAround := func(p client.Plugin) bool { return rooted.SameFile(p.Suite, around) }
	switch i := slices.IndexFunc(all, isAround); {
	case len(all) == 1:
		return all[0], nil
	case i >= 0:
		return all[i], nil
	case len(all) > 1:
		return client.Plugin{}, ambiguous(name, all)
	}
	return client.Plugin{}, check.Advisef(cmp.Or(m.howToUseNearby(name, ""), m.howToGet(bare, marketplace, "")), "%w has a plugin %q", errUnknown, name)
}

var errUnknown = errors.New("none of your suites and no marketplace known to Claude Code")

// howToGet returns advice on a missing plugin. suite is the only suite searched, or "" for all.
func (m Means) howToGet(name, marketplace, suite string) string {
	same := slices.DeleteFunc(m.suggestIDs(""), func(id string) bool { return !strings.HasPrefix(id, name+"@") })
	markets, _ := m.offeredIn(name, "") // FindPlugin reported the error
	same = append(same, check.NamesOf(markets, client.Plugin.ID)...)
	if slices.Sort(same); len(same) > 0 && suite == "" {
		return "use " + strings.Join(slices.Compact(same), " or ")
	}
	if _, known := registry.StrategyNamed(name); known && suite != "" {
		return "run " + generator.CommandToMakePlugin(name, suite) + " to make it"
	} else if known {
		return "run springfield enable " + name + " to make it"
	}
	there := m.suggestIDs(marketplace)
	names := registry.StrategyNames()
	for _, id := range there {
		names = append(names, client.NameOf(id))
	}
	slices.Sort(names)
	return check.HintAtNames(name, "", slices.Compact(names), "choose from "+strings.Join(append(there, registry.StrategyNames()...), ", "))
}

// pluginsIn returns a suite's matching plugins. "" matches any.
func pluginsIn(dir, name, marketplace string) (all []client.Plugin, err error) {
	suite, err := generator.ReadSuite(dir)
	for _, p := range suite.Plugins {
		if (name == "" || name == p.Name) && (marketplace == "" || marketplace == suite.Marketplace) {
			all = append(all, client.Plugin{Name: p.Name, Marketplace: suite.Marketplace, Suite: dir})
		}
	}
	return all, err
}

// ErrAmbiguous is returned if several plugins have the requested name.
var ErrAmbiguous = errors.New("is in several places")

func ambiguous(name string, all []client.Plugin) error {
	places := check.NamesOf(all, func(p client.Plugin) string { return cmp.Or(p.Suite, p.ID()) })
	ids := check.NamesOf(all, client.Plugin.ID)
	hint := "choose one: " + strings.Join(ids, " or ")
	if slices.Sort(ids); len(slices.Compact(ids)) < len(all) {
		hint = "choose one with --suite DIR"
	}
	return check.Misusef(hint, "%s %w: %s", name, ErrAmbiguous, strings.Join(places, " and "))
}

// suggestIDs returns up to eight plugin IDs in the marketplace ("": in the user's suites).
func (m Means) suggestIDs(marketplace string) []string {
	ids := check.NamesOf(m.suitePlugins(marketplace), client.Plugin.ID)
	if market, err := m.Settings.FindMarket(marketplace); err == nil {
		names, _ := m.Settings.PluginsOffered(market)
		ids = append(ids, check.NamesOf(names, func(name string) string { return name + "@" + marketplace })...)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return ids[:min(len(ids), 8)]
}

// howToUseNearby returns a hint to enable the plugin from the suite around the working directory ("" if that is the
// user's, is exceptSuite or lacks it).
func (m Means) howToUseNearby(plugin, exceptSuite string) string {
	dir := generator.FindSuite(m.Settings.Work)
	if dir == "" {
		return ""
	}
	own, _, _ := settings.KnownSuites(m.Settings.Places)
	name, marketplace, _ := strings.Cut(plugin, "@")
	has, _ := pluginsIn(dir, name, marketplace)
	isKnown := slices.ContainsFunc(append(own, exceptSuite), func(known string) bool { return rooted.SameFile(known, dir) })
	if len(has) == 0 || isKnown {
		return ""
	}
	return "run springfield enable " + plugin + " --suite " + check.QuoteArgument(dir) + " to use the one from that suite, which is not yours"
}

// InOKSuites returns the user's matching plugins. "" matches any. It prints notes about unreadable suites.
func (m Means) InOKSuites(name, marketplace string) (all []client.Plugin, err error) {
	dirs, _, err := settings.KnownSuites(m.Settings.Places)
	for _, dir := range dirs {
		found, unread := pluginsIn(dir, name, marketplace)
		if unread != nil && !errors.Is(unread, generator.ErrNoSuite) {
			m.Tell("springfield: note: skipped: %v", unread)
		}
		all = append(all, found...)
	}
	return all, err
}

// suitePlugins returns a marketplace's plugins in the user's suites, ignoring errors. "" matches any.
func (m Means) suitePlugins(marketIfAny string) []client.Plugin {
	m.Tell = func(string, ...any) {}
	all, _ := m.InOKSuites("", marketIfAny)
	return all
}

// offeredIn returns plugins with this name from the marketplaces Claude Code knows. name excludes the marketplace; ""
// matches nothing. It prints notes about unreadable marketplaces.
func (m Means) offeredIn(name, marketIfAny string) (found []client.Plugin, err error) {
	markets, err := m.Settings.AllMarkets()
	for _, known := range slices.Sorted(maps.Keys(markets)) {
		if marketIfAny != "" && marketIfAny != known {
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
	return found, err
}

// Means holds the tools and the environment of a request.
type Means struct {
	Settings *settings.Settings
	User     hosts.User
	Claude   client.Command // Path is "" without the command
	Tell     func(format string, args ...any)
	undo     string // how to undo a change in another account
}

// FreeMarketplace returns a free marketplace name for the suite: wish, perhaps numbered. taken is why wish is not free.
// dir is absolute.
func (m Means) FreeMarketplace(wish, dir string) (name string, taken error) {
	all := m.suitePlugins("")
	isFree := func(name string) error {
		if i := slices.IndexFunc(all, func(p client.Plugin) bool {
			return p.Marketplace == name && p.Suite != dir && !rooted.SameFile(p.Suite, dir)
		}); i >= 0 {
			return fmt.Errorf("marketplace %q already belongs to the suite %s", name, all[i].Suite)
		}
		return m.Settings.CheckFree(name, dir)
	}
	name, taken = wish, isFree(wish)
	for n := 2; n < 100 && isFree(name) != nil; n++ {
		name = wish + "-" + strconv.Itoa(n)
	}
	return name, taken
}
