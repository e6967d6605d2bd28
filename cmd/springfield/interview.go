// The interview: what flags and the file of answers leave open. Which plugins
// there are and what they want to know is data beside their templates.

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// interview asks for what is open. A no to the last question is errCancelled.
func (a *app) interview(ctx context.Context, o initOptions, dir string, said, defaults generator.Answers) (generator.Answers, error) {
	p := a.newPrompter(ctx)
	a.talk("A suite of hooks for Claude Code in %s.\nEvery question has a flag, and until the last one nothing is written.\n", dir)
	for _, ask := range []func() error{
		func() error { return askPlugins(p, o, &said) },
		func() error { return askSettings(p, o, &said) },
		func() error { return a.askMarketplace(p, dir, &said, defaults) },
		func() error { return askOwner(p, &said, defaults) },
		func() error { return askTargets(p, &said, defaults) },
	} {
		if err := ask(); err != nil {
			return said, err
		}
	}
	if o.dryRun {
		return said, nil
	}
	a.summarize(o, dir, said)
	yes, err := p.confirm("Make it?")
	if err == nil && !yes {
		err = errCancelled
	}
	return said, err
}

func askPlugins(p prompter, o initOptions, said *generator.Answers) error {
	if len(said.Plugins) > 0 {
		return nil
	}
	var options []option
	var marked []string
	for _, name := range strategy.Names() {
		about, err := generator.ReadAbout(name)
		if err != nil {
			return err
		}
		options = append(options, option{name, fmt.Sprintf("%s a stop, reads %s. %s", about.Cost, about.Reads, about.When)})
		if name == defaultPlugin || o.sets(name) {
			marked = append(marked, name)
		}
	}
	chosen, err := p.many("Which plugins?", options, marked, func(chosen []string) error {
		if len(chosen) == 0 {
			return errors.New("at least one is needed")
		}
		return nil
	})
	for _, name := range chosen {
		said.Plugins = append(said.Plugins, generator.Plugin{Name: name, Strategy: name})
	}
	return err
}

// sets tells whether --set is about a plugin.
func (o initOptions) sets(plugin string) bool {
	for _, text := range o.set {
		if strings.HasPrefix(text, plugin+".") {
			return true
		}
	}
	return false
}

func askSettings(p prompter, o initOptions, said *generator.Answers) error {
	said.Plugins = withSet(said.Plugins, o.set)
	for _, plugin := range said.Plugins {
		about, err := generator.ReadAbout(plugin.Strategy)
		if err != nil {
			return err
		}
		for _, q := range about.Questions {
			if plugin.Settings[q.Key] != "" {
				continue
			}
			var options []option
			for _, c := range q.Choices {
				options = append(options, option{c.Value, c.Help})
			}
			question := q.Ask
			if plugin.Name != plugin.Strategy {
				question = plugin.Name + ": " + question
			}
			if plugin.Settings[q.Key], err = p.one(question, options, q.Choices[0].Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) askMarketplace(p prompter, dir string, said *generator.Answers, defaults generator.Answers) (err error) {
	if said.Marketplace != "" {
		return nil
	}
	check := func(name string) error { return a.checkMarketplace(name, dir) }
	// One that is free, so that Enter alone is a good answer.
	preset := defaults.Marketplace
	for n := 2; n < 10 && check(preset) != nil; n++ {
		preset = fmt.Sprintf("%s-%d", defaults.Marketplace, n)
	}
	if check(preset) != nil {
		preset = ""
	}
	said.Marketplace, err = p.text("Name of the marketplace?", preset, check)
	return err
}

func askOwner(p prompter, said *generator.Answers, defaults generator.Answers) error {
	if said.Owner.Name != "" {
		return nil
	}
	check := func(text string) (err error) { said.Owner, err = generator.ParseOwner(text); return err }
	line, err := p.text("Who owns it? (published)", defaults.Owner.String(), check)
	if err != nil {
		return err
	}
	return check(line)
}

func askTargets(p prompter, said *generator.Answers, defaults generator.Answers) error {
	if len(said.Targets) > 0 {
		return nil
	}
	var options []option
	for _, t := range generator.AllTargets() {
		help := ""
		if t == generator.Host() {
			help = "this machine"
		}
		options = append(options, option{t.String(), help})
	}
	parsed := func(chosen []string) ([]generator.Target, error) {
		targets, err := parseTargets(chosen)
		if err != nil {
			return nil, err
		}
		return targets, generator.CheckTargets(targets)
	}
	chosen, err := p.many("Which machines will run it?", options, []string{defaults.Targets[0].String()}, func(chosen []string) error {
		if len(chosen) == 0 {
			return errors.New("at least one is needed")
		}
		_, err := parsed(chosen)
		return err
	})
	if err != nil {
		return err
	}
	said.Targets, err = parsed(chosen)
	return err
}

// summarize says what would be made, before the last question.
func (a *app) summarize(o initOptions, dir string, said generator.Answers) {
	var plugins, targets []string
	for _, plugin := range said.Plugins {
		name := plugin.Name
		if name != plugin.Strategy {
			name += " from " + plugin.Strategy
		}
		for _, key := range slices.Sorted(maps.Keys(plugin.Settings)) {
			name += ", " + key + " " + plugin.Settings[key]
		}
		plugins = append(plugins, name)
	}
	for _, t := range said.Targets {
		targets = append(targets, t.String())
	}
	fmt.Fprintln(a.err)
	w := tabwriter.NewWriter(a.err, 0, 0, 2, ' ', 0)
	row := func(what, value string) { fmt.Fprintf(w, "  %s\t%s\n", what, value) }
	row("suite", dir)
	row("marketplace", said.Marketplace)
	row("owner", said.Owner.String())
	for i, name := range plugins {
		row([]string{"plugins", ""}[min(i, 1)], name)
	}
	for i, name := range targets {
		row([]string{"hooks for", ""}[min(i, 1)], name)
	}
	if o.memory != "" {
		row("paragraph in", a.absolute(o.memory))
	}
	if !o.noGit && git.Root(dir) == "" {
		row("git", "a repository of its own")
	}
	_ = w.Flush()
	fmt.Fprintln(a.err)
}
