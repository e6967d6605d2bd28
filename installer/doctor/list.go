package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// List is the JSON output of list; see docs/files.md.
type List struct {
	Strategies []Strategy `json:"strategies"`
	Suite      string     `json:"suite,omitempty"` // directory of the suite around the working directory
	Plugins    []AtHand   `json:"plugins"`
	Next       string     `json:"next,omitempty"`
}

type Strategy struct {
	Name string `json:"name"`
	generator.About
	Accuracy string   `json:"accuracy"`
	Plugins  []string `json:"plugins"`
}

// AtHand is a springfield plugin that a known suite offers or an agent has enabled.
type AtHand struct {
	ID       string   `json:"id"`
	Strategy string   `json:"strategy"`
	Here     bool     `json:"here"` // in the suite around the working directory
	Suite    string   `json:"suite,omitempty"`
	Version  string   `json:"version,omitempty"`
	On       bool     `json:"on"`              // in Claude Code
	By       string   `json:"by,omitempty"`    // the deciding scope
	Hosts    []string `json:"hosts,omitempty"` // other agents that have it on
	titles   []string
	named    bool // Claude Code's settings name it
}

// ListStrategies returns all strategies, with plugins in known suites or enabled in an agent. InspectHosts is called
// before, for agents other than Claude Code. ListStrategies fails if a suite around the working directory is
// unreadable.
func (in *Inspection) ListStrategies() (List, error) {
	var around Suite
	if len(in.Suites) > 0 && in.Suites[0].Around {
		around = in.Suites[0]
	}
	if around.Err != nil {
		return List{}, around.Err
	}
	l := List{Suite: around.Dir, Strategies: []Strategy{}, Plugins: in.madeOrEnabled()}
	if !slices.ContainsFunc(l.Plugins, func(p AtHand) bool { return p.On || len(p.Hosts) > 0 }) {
		l.Next = in.NextIfNoneOn()
	}
	for _, name := range registry.StrategyNames() {
		a, err := generator.ReadAbout(name)
		if err != nil {
			return List{}, err
		}
		others := func(p AtHand) bool { return p.Strategy != name }
		ids := check.NamesOf(slices.DeleteFunc(slices.Clone(l.Plugins), others), func(p AtHand) string { return p.ID })
		l.Strategies = append(l.Strategies, Strategy{name, a, a.AccuracyInWords(), ids})
	}
	return l, nil
}

func (in *Inspection) madeOrEnabled() []AtHand {
	all := []AtHand{}
	for _, suite := range in.Suites {
		if suite.Err != nil {
			continue
		}
		for _, p := range suite.Plugins {
			all = append(all, AtHand{ID: p.Name + "@" + suite.Marketplace, Strategy: p.Strategy, Here: suite.Around, Suite: suite.Dir, Version: p.Version})
		}
	}
	for _, s := range in.Plugins {
		n := slices.IndexFunc(all, func(p AtHand) bool { // another marketplace can have the suite's name
			return p.ID == s.ID && (!s.InPlace || rooted.SameFile(s.Dir, filepath.Join(p.Suite, s.Name)))
		})
		if n < 0 {
			if !s.On || !s.IsOurs() {
				continue
			}
			all, n = append(all, AtHand{ID: s.ID, Strategy: s.Strategy}), len(all)
		}
		p := &all[n]
		p.named, p.On, p.By = len(s.Says) > 0, s.On, s.Decides
	}
	for _, agent := range in.Others {
		for _, p := range agent.pluginsOn() {
			n := slices.IndexFunc(all, func(a AtHand) bool {
				return a.ID == p.ID || client.NameOf(a.ID) == p.Name && p.Suite != "" && rooted.SameFile(a.Suite, p.Suite)
			})
			if n < 0 {
				all, n = append(all, AtHand{ID: p.ID, Strategy: p.Strategy, Suite: p.Suite, Version: p.Version}), len(all)
			}
			all[n].Hosts, all[n].titles = append(all[n].Hosts, agent.Host), append(all[n].titles, agent.Title)
		}
	}
	slices.SortStableFunc(all, func(a, b AtHand) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func (p AtHand) StateInWords() string {
	var says []string
	if client.NameOf(p.ID) != p.Strategy {
		says = append(says, "strategy "+p.Strategy)
	}
	if p.Here {
		says = append(says, "version "+p.Version+" in this suite")
	}
	by := ""
	if p.By != "" {
		by = " in " + p.By + " settings"
	}
	switch {
	case p.On:
		says = append(says, "enabled"+by)
	case len(p.Hosts) > 0 && !p.named:
	case p.named:
		says = append(says, "disabled"+by)
	default:
		says = append(says, "not enabled")
	}
	if len(p.titles) > 0 {
		says = append(says, "enabled in "+strings.Join(p.titles, " and in "))
	}
	if !p.Here && p.Suite != "" {
		says = append(says, "version "+p.Version+" in "+p.Suite)
	}
	return strings.Join(says, ", ")
}

// EnableChoices returns the plugin names, for shell completion, that enable finds without --suite. Ambiguous names
// become NAME@MARKETPLACE.
func (in *Inspection) EnableChoices() (names []string) {
	markets, _ := in.settings.Markets()
	for name, m := range markets {
		for _, plugin := range in.settings.OursInCatalog(m) {
			names = append(names, plugin+"@"+name)
		}
	}
	for _, s := range slices.DeleteFunc(slices.Clone(in.Suites), func(s Suite) bool { return !s.Made }) {
		for _, p := range s.Plugins {
			names = append(names, p.Name+"@"+s.Marketplace)
		}
	}
	return shortenUnique(names)
}

// DisableChoices returns the springfield plugins enabled in any Claude Code scope, for shell completion.
func (in *Inspection) DisableChoices() (names []string) {
	for _, p := range in.Plugins {
		if p.IsOurs() && slices.ContainsFunc(p.Says, func(said client.Said) bool { return said.On }) {
			names = append(names, p.ID)
		}
	}
	return shortenUnique(names)
}

func shortenUnique(ids []string) []string {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	named := map[string]int{}
	for _, id := range ids {
		named[client.NameOf(id)]++
	}
	for i, id := range ids {
		if name := client.NameOf(id); named[name] == 1 {
			ids[i] = name
		}
	}
	return ids
}
