package generator

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
)

// Setting is one that is given by itself: plugin.key=value.
type Setting struct {
	Plugin, Key, Value string
	text               string
}

// Settings are several. They are about plugins that may not be chosen yet.
type Settings []Setting

// ParseSettings reads what --set has.
func ParseSettings(texts []string) (all Settings, err error) {
	for _, text := range texts {
		plugin, rest, dot := strings.Cut(text, ".")
		key, value, equals := strings.Cut(rest, "=")
		if !dot || !equals {
			return nil, &SpecError{Problem: fmt.Sprintf("--set %q is not plugin.key=value", text), Hint: "for instance --set ned-flanders.rules=seed"}
		}
		all = append(all, Setting{plugin, key, value, text})
	}
	return all, nil
}

// About tells whether one is about a plugin.
func (s Settings) About(plugin string) bool {
	return slices.ContainsFunc(s, func(one Setting) bool { return one.Plugin == plugin })
}

// Check refuses settings that can never hold. While no plugins are chosen they may be
// about any that has its strategy's name.
func (s Settings) Check(chosen []Plugin) error {
	for _, one := range s {
		from := one.Plugin
		if len(chosen) > 0 {
			i := slices.IndexFunc(chosen, func(p Plugin) bool { return p.Name == one.Plugin })
			if i < 0 {
				return &SpecError{Problem: fmt.Sprintf("--set %q: the plugin %q is not chosen", one.text, one.Plugin), Hint: "choose it with --strategy " + one.Plugin}
			}
			from = chosen[i].Strategy
		}
		if _, err := NewPlugin(one.Plugin, from, map[string]string{one.Key: one.Value}); err != nil {
			return err
		}
	}
	return nil
}

// Over puts them, already checked, over the settings of plugins.
func (s Settings) Over(plugins []Plugin) []Plugin {
	plugins = slices.Clone(plugins)
	for i, p := range plugins {
		settings := map[string]string{}
		maps.Copy(settings, p.Settings)
		for _, one := range s {
			if one.Plugin == p.Name {
				settings[one.Key] = one.Value
			}
		}
		plugins[i].Settings = settings
	}
	return plugins
}

// Spec is what has been said in full: Answers without anything open.
func (a Answers) Spec(set Settings) (Spec, error) {
	spec := Spec{Marketplace: a.Marketplace, Owner: a.Owner, Targets: a.Targets, Hosts: recorded(a.Hosts)}
	for _, p := range set.Over(a.Plugins) {
		plugin, err := NewPlugin(p.Name, p.Strategy, p.Settings)
		if err != nil {
			return Spec{}, err
		}
		spec.Plugins = append(spec.Plugins, plugin)
	}
	return spec, nil
}

// Again takes the answers that a suite was made from. Targets can be named anew;
// all else must be what it was made with, because its files have it.
func Again(dir string, made Spec, said Answers, set Settings) (Spec, error) {
	spec := made
	differs := func(flag, has, hint string) error {
		return &SpecError{fmt.Sprintf("--%s: %s was made with %s", flag, dir, has), hint}
	}
	const leave = "leave it out to complete that suite, or name another directory"
	if len(said.Targets) > 0 {
		spec.Targets = said.Targets
	}
	if said.Marketplace != "" && said.Marketplace != made.Marketplace {
		return spec, differs("marketplace", made.Marketplace, leave)
	}
	if said.Owner.Name != "" && said.Owner != made.Owner {
		return spec, differs("owner", made.Owner.String(), leave)
	}
	if len(said.Hosts) > 0 && !slices.Equal(recorded(said.Hosts), recorded(made.Hosts)) {
		has := strings.Join(made.Hosts, ", ")
		if has == "" {
			has = claudeCode
		}
		return spec, differs("host", has, "change hosts in "+filepath.Join(dir, SuiteFile)+", then: springfield update "+check.Quote(dir))
	}
	for _, p := range said.Plugins {
		i := slices.IndexFunc(made.Plugins, func(m Plugin) bool { return m.Name == p.Name })
		if i < 0 {
			return spec, differs("strategy", "other plugins", "springfield new "+p.Name+" --from "+p.Strategy+" --suite "+check.Quote(dir)+" adds it")
		}
		if p.Strategy != made.Plugins[i].Strategy {
			return spec, differs("strategy", p.Name+" from "+made.Plugins[i].Strategy, leave)
		}
	}
	if err := set.Check(made.Plugins); err != nil {
		return spec, err
	}
	wanted := Answers{Plugins: said.Plugins}.Over(Answers{Plugins: made.Plugins})
	for _, p := range set.Over(wanted.Plugins) {
		i := slices.IndexFunc(made.Plugins, func(m Plugin) bool { return m.Name == p.Name })
		for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
			if has := made.Plugins[i].Settings[key]; has != p.Settings[key] {
				return spec, differs("set", p.Name+"."+key+"="+has, "change it in "+filepath.Join(dir, p.Name, "strategy.json"))
			}
		}
	}
	return spec, nil
}
