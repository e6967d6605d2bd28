// What is known of a suite before it is made: flags over the file of answers,
// over what the suite was made from or what a person says, over defaults.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// said is what flags and the file of answers say.
func (a *app) said(o initOptions) (generator.Answers, error) {
	flags, err := o.flags()
	if err != nil {
		return generator.Answers{}, err
	}
	file, err := a.readAnswers(o.answers)
	if err != nil {
		return generator.Answers{}, err
	}
	return flags.Over(file), nil
}

// flags are the answers that flags give; --set comes later, because it is about
// plugins that may not be chosen yet.
func (o initOptions) flags() (f generator.Answers, err error) {
	f.Marketplace = o.marketplace
	if o.owner != "" {
		if f.Owner, err = generator.ParseOwner(o.owner); err != nil {
			return f, err
		}
	}
	if f.Targets, err = parseTargets(o.targets); err != nil {
		return f, err
	}
	names := o.strategies
	if o.all {
		names = strategy.Names()
	}
	for _, name := range names {
		if _, err := generator.NewPlugin(name, name, nil); err != nil {
			return f, err
		}
		f.Plugins = append(f.Plugins, generator.Plugin{Name: name, Strategy: name})
	}
	return f, nil
}

// readAnswers reads --answers.
func (a *app) readAnswers(file string) (generator.Answers, error) {
	if file == "" {
		return generator.Answers{}, nil
	}
	name, from := file, a.in
	if file == "-" {
		name = "standard input"
	} else {
		path, _, err := a.typed(file)
		if err != nil {
			return generator.Answers{}, fmt.Errorf("read answers: %w", err)
		}
		f, err := os.Open(path)
		if err != nil {
			return generator.Answers{}, fmt.Errorf("read answers: %w", err)
		}
		defer f.Close()
		from = f
	}
	const plenty = 1 << 20
	data, err := io.ReadAll(io.LimitReader(from, plenty))
	if err != nil {
		return generator.Answers{}, fmt.Errorf("read answers: %w", err)
	}
	answers, err := generator.ParseAnswers(data)
	var fault *generator.AnswersError
	if errors.As(err, &fault) {
		err = &usageError{fmt.Errorf("read answers: %s: %w", name, err), fault.Hint}
	}
	return answers, err
}

// checkSet refuses --set that can never hold. While no plugins are chosen it may
// be about any that has its strategy's name.
func checkSet(chosen []generator.Plugin, set []string) error {
	for _, text := range set {
		name, key, value, err := parseSet(text)
		if err != nil {
			return err
		}
		from := name
		if len(chosen) > 0 {
			i := slices.IndexFunc(chosen, func(p generator.Plugin) bool { return p.Name == name })
			if i < 0 {
				return &usageError{fmt.Errorf("--set %q: no plugin %q is chosen", text, name), "choose it with --strategy " + name}
			}
			from = chosen[i].Strategy
		}
		if _, err := generator.NewPlugin(name, from, map[string]string{key: value}); err != nil {
			return err
		}
	}
	return nil
}

func parseSet(text string) (plugin, key, value string, err error) {
	plugin, rest, dot := strings.Cut(text, ".")
	key, value, equals := strings.Cut(rest, "=")
	if !dot || !equals {
		err = &usageError{fmt.Errorf("--set %q is not plugin.key=value", text), "for instance --set ned-flanders.rules=seed"}
	}
	return plugin, key, value, err
}

// withSet puts --set, already checked, over the settings of plugins.
func withSet(plugins []generator.Plugin, set []string) []generator.Plugin {
	plugins = slices.Clone(plugins)
	for i, p := range plugins {
		settings := map[string]string{}
		maps.Copy(settings, p.Settings)
		for _, text := range set {
			if name, key, value, err := parseSet(text); err == nil && name == p.Name {
				settings[key] = value
			}
		}
		plugins[i].Settings = settings
	}
	return plugins
}

// newSpec completes what has been said: a person is asked where there is one,
// else defaults hold. Only what to make has none without --yes.
func (a *app) newSpec(ctx context.Context, o initOptions, dir string, said generator.Answers) (generator.Spec, error) {
	if said.Marketplace != "" {
		if err := a.checkMarketplace(said.Marketplace, dir); err != nil {
			return generator.Spec{}, err
		}
	}
	if err := checkSet(said.Plugins, o.set); err != nil {
		return generator.Spec{}, err
	}
	defaults := generator.Answers{Marketplace: generator.Slug(filepath.Base(dir)), Owner: a.gitOwner(ctx), Targets: []generator.Target{generator.Host()}}
	switch {
	case a.terminal && !o.yes:
		asked, err := a.interview(ctx, o, dir, said, defaults)
		if err != nil {
			return generator.Spec{}, err
		}
		said = asked
	case len(said.Plugins) == 0 && !o.yes:
		return generator.Spec{}, &usageError{errors.New("no strategy chosen, and nobody to ask"), "pass --strategy NAME, --all, --answers FILE, or --yes for the default"}
	case len(said.Plugins) == 0:
		said.Plugins = []generator.Plugin{{Name: defaultPlugin, Strategy: defaultPlugin}}
		if err := checkSet(said.Plugins, o.set); err != nil {
			return generator.Spec{}, err
		}
	}
	said = said.Over(defaults)
	spec := generator.Spec{Marketplace: said.Marketplace, Owner: said.Owner, Targets: said.Targets}
	for _, p := range withSet(said.Plugins, o.set) {
		plugin, err := generator.NewPlugin(p.Name, p.Strategy, p.Settings)
		if err != nil {
			return generator.Spec{}, err
		}
		spec.Plugins = append(spec.Plugins, plugin)
	}
	return spec, a.checkMarketplace(spec.Marketplace, dir)
}

// checkMarketplace refuses a name that Claude Code would not take, or that it
// knows as something else.
func (a *app) checkMarketplace(name, dir string) error {
	if err := generator.CheckMarketplace(name); err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return nil // then Claude Code knows nothing either
	}
	var conflict *installer.ConflictError
	if _, err := installer.IsRegistered(places, name, dir); errors.As(err, &conflict) {
		return &hinted{err, "choose another name: --marketplace NAME"}
	}
	return nil // a record that cannot be read is for enable and doctor to name
}

// again takes the answers that a suite was made from. Targets can be named anew;
// all else must be what it was made with, because its files have it.
func again(dir string, made generator.Spec, said generator.Answers, set []string) (generator.Spec, error) {
	spec := made
	differs := func(flag, has, hint string) error {
		return &generator.SpecError{Field: "--" + flag, Problem: fmt.Sprintf("%s was made with %s", dir, has), Hint: hint}
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
	for _, p := range said.Plugins {
		i := slices.IndexFunc(made.Plugins, func(m generator.Plugin) bool { return m.Name == p.Name })
		if i < 0 {
			return spec, differs("strategy", "other plugins", "springfield new "+p.Name+" --from "+p.Strategy+" --suite "+quoted(dir)+" adds it")
		}
		if p.Strategy != made.Plugins[i].Strategy {
			return spec, differs("strategy", p.Name+" from "+made.Plugins[i].Strategy, leave)
		}
	}
	if err := checkSet(made.Plugins, set); err != nil {
		return spec, err
	}
	wanted := generator.Answers{Plugins: said.Plugins}.Over(generator.Answers{Plugins: made.Plugins})
	for _, p := range withSet(wanted.Plugins, set) {
		i := slices.IndexFunc(made.Plugins, func(m generator.Plugin) bool { return m.Name == p.Name })
		for _, key := range slices.Sorted(maps.Keys(p.Settings)) {
			if has := made.Plugins[i].Settings[key]; has != p.Settings[key] {
				return spec, differs("set", p.Name+"."+key+"="+has, "change it in "+filepath.Join(dir, p.Name, "strategy.json"))
			}
		}
	}
	return spec, nil
}
