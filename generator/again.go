package generator

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
)

// Setting is a value of --set: plugin.key=value.
type Setting struct {
	Plugin, Key, Value string
}

// Settings can be about plugins that are not chosen yet.
type Settings []Setting

// ParseSetFlags parses plugin.key=value texts. It does not validate them.
func ParseSetFlags(texts []string) (all Settings, err error) {
	for _, text := range texts {
		plugin, rest, dot := strings.Cut(text, ".")
		key, value, equals := strings.Cut(rest, "=")
		if !dot || !equals {
			return nil, check.Misusef("write it like --set ned-flanders.rules=seed", "--set %q is not plugin.key=value",
				text)
		}
		all = append(all, Setting{plugin, key, value})
	}
	return all, nil
}

// CheckSettings returns an error for the first setting that is invalid or for a plugin not chosen. Without chosen
// plugins, it checks against the strategies.
func (s Settings) CheckSettings(chosen []Plugin) error {
	for _, one := range s {
		from := one.Plugin
		if len(chosen) > 0 {
			i := slices.IndexFunc(chosen, func(p Plugin) bool { return p.Name == one.Plugin })
			if i < 0 {
				return check.Misusef("choose it with --strategy "+one.Plugin, "--set %q: the plugin %q is not chosen",
					one.Plugin+"."+one.Key+"="+one.Value, one.Plugin)
			}
			from = chosen[i].Strategy
		}
		if _, err := NewPlugin(one.Plugin, from, map[string]string{one.Key: one.Value}); err != nil {
			return err
		}
	}
	return nil
}

// OverlayPlugins returns a copy of plugins with the settings in s, not validated.
func (s Settings) OverlayPlugins(plugins []Plugin) []Plugin {
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

// Complete fills in a missing marketplace, owner and targets from defaults. Plugins get their first version and all
// settings. Overrides replace plugins' own values, and are ignored for other plugins.
func (s Spec) Complete(defaults Spec, overrides Settings) (Spec, error) {
	s.Marketplace = cmp.Or(s.Marketplace, defaults.Marketplace)
	s.Owner = cmp.Or(s.Owner, defaults.Owner)
	if len(s.Targets) == 0 {
		s.Targets = defaults.Targets
	}
	s.Plugins = overrides.OverlayPlugins(s.Plugins)
	for i, p := range s.Plugins {
		var err error
		if s.Plugins[i], err = NewPlugin(p.Name, p.Strategy, p.Settings); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

// MatchAnswers returns made, with the targets from said if set. It returns an error if a marketplace, owner, plugin or
// setting in said or set differs.
func MatchAnswers(dir string, made, said Spec, set Settings) (Spec, error) {
	spec := made
	differs := func(flag, has, hint string) error {
		return check.Misusef(hint, "--%s: %s was made with %s", flag, dir, has)
	}
	const leave = "omit it to complete that suite, or choose another directory"
	change := "change it in " + filepath.Join(dir, SuiteFile) + ", then run springfield update " + check.QuoteArgument(dir)
	if len(said.Targets) > 0 {
		spec.Targets = said.Targets
	}
	switch {
	case said.Marketplace != "" && said.Marketplace != made.Marketplace:
		return spec, differs("marketplace", made.Marketplace, leave)
	case said.Owner.Name != "" && said.Owner != made.Owner:
		return spec, differs("owner", made.Owner.String(), leave)
	}
	for _, p := range said.Plugins {
		i := slices.IndexFunc(made.Plugins, func(m Plugin) bool { return m.Name == p.Name })
		if i < 0 {
			return spec, differs("strategy", "other plugins", CommandToMakePlugin(p.Strategy, dir)+" adds it")
		}
		if p.Strategy != made.Plugins[i].Strategy {
			return spec, differs("strategy", p.Name+" from "+made.Plugins[i].Strategy, leave)
		}
	}
	if err := set.CheckSettings(made.Plugins); err != nil {
		return spec, err
	}
	for _, one := range set {
		i := slices.IndexFunc(made.Plugins, func(m Plugin) bool { return m.Name == one.Plugin })
		if has := made.Plugins[i].Settings[one.Key]; has != one.Value {
			return spec, differs("set", one.Plugin+"."+one.Key+"="+has, change)
		}
	}
	return spec, nil
}
