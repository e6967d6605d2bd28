// What is known of a suite before it is made: flags over the file of answers,
// over what the suite was made from or what a person says, over defaults.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/interview"
	"github.com/cameronsjo/springfield/runtime/registry"
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
	if f.Targets, err = generator.ParseTargets(o.targets); err != nil {
		return f, err
	}
	if err := generator.CheckHosts(o.hosts); err != nil {
		return f, err
	}
	f.Hosts = o.hosts
	names := o.strategies
	if o.all {
		names = registry.Names()
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
	var fault *generator.FileError
	if errors.As(err, &fault) {
		err = &usageError{fmt.Errorf("read answers: %s: %w", name, err), fault.Hint}
	}
	return answers, err
}

// newSpec completes what has been said: a person is asked where there is one,
// else defaults hold. Only what to make has none without --yes.
func (a *app) newSpec(ctx context.Context, o initOptions, dir string, said generator.Answers) (generator.Spec, error) {
	none := generator.Spec{}
	if said.Marketplace != "" {
		if err := a.checkMarketplace(said.Marketplace, dir); err != nil {
			return none, err
		}
	}
	set, err := generator.ParseSettings(o.set)
	if err == nil {
		err = set.Check(said.Plugins)
	}
	if err != nil {
		return none, err
	}
	defaults := generator.Answers{Marketplace: generator.Slug(filepath.Base(dir)), Owner: a.gitOwner(ctx), Targets: []generator.Target{generator.Host()}, Hosts: a.agents()}
	switch {
	case a.terminal && !o.yes:
		if said, err = a.interview(ctx, o, dir, interview.Suite{Said: said, Settings: set, Defaults: defaults}); err != nil {
			return none, err
		}
	case len(said.Plugins) == 0 && !o.yes:
		return none, &usageError{errors.New("no strategy chosen, and no terminal to ask on"), "pass --strategy NAME, --all, --answers FILE, or --yes for the default"}
	case len(said.Plugins) == 0:
		said.Plugins = []generator.Plugin{{Name: registry.Default(), Strategy: registry.Default()}}
		if err := set.Check(said.Plugins); err != nil {
			return none, err
		}
	}
	spec, err := said.Over(defaults).Spec(set)
	if err != nil {
		return none, err
	}
	return spec, a.checkMarketplace(spec.Marketplace, dir)
}

// agents are the hosts that are found here; Claude Code, if none is.
func (a *app) agents() (names []string) {
	for _, p := range hosts.Found(a.owner()) {
		names = append(names, p.Host.Name)
	}
	if len(names) == 0 {
		return []string{hosts.Claude}
	}
	return names
}

// interview asks for what is open.
func (a *app) interview(ctx context.Context, o initOptions, dir string, s interview.Suite) (generator.Answers, error) {
	s.Asker, s.Out, s.Preset = a.asker(ctx), a.err, registry.Default()
	s.CheckMarketplace = func(name string) error { return a.checkMarketplace(name, dir) }
	if !o.dryRun {
		s.Facts = [][]string{{"suite", dir}}
		if o.memory != "" {
			s.Facts = append(s.Facts, []string{"paragraph in", a.absolute(o.memory)})
		}
		if !o.noGit && git.Root(dir) == "" {
			s.Facts = append(s.Facts, []string{"git", "a repository of its own"})
		}
	}
	s.Note("A suite of plugins in " + a.notes().Path(dir) + ".\nNothing is written before the last answer; Ctrl-C leaves.\n\n")
	return s.Ask()
}

// asker asks the person at the terminal.
func (a *app) asker(ctx context.Context) interview.Asker {
	return interview.Terminal{In: a.in, Screen: a.screen, Out: a.err, Color: a.color, Plain: a.plain, Hint: hint}.Asker(ctx)
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
	var conflict *client.ConflictError
	if _, err := client.Look(places).IsRegistered(name, dir); errors.As(err, &conflict) {
		return &hinted{err, "choose another name: --marketplace NAME"}
	}
	return nil // a record that cannot be read is for enable and doctor to name
}
