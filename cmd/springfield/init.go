package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// defaultSuite is where init makes a suite when no directory is named.
const defaultSuite = "continuation-hooks"

type initOptions struct {
	dir         string
	strategies  []string
	all         bool
	marketplace string
	owner       string
	targets     []string
	set         []string
	noGit       bool
	yes         bool
	dryRun      bool
	json        bool
}

func newInit(a *app, runF func(context.Context, *app, initOptions) error) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a suite of plugins, the hook compiled into it",
		Long: `Make a suite: a directory of Claude Code plugins that is a marketplace of its own,
by default ./` + defaultSuite + `. On a terminal springfield asks; every question has a flag.
In a directory that is a suite already it adds what is missing, compiles the hooks anew and
keeps what you have edited.

The hook is compiled from sources that springfield carries; this needs Go, but no network.`,
		Example: `  springfield init
  springfield init ~/hooks --yes
  springfield init hooks --strategy ned-flanders --set ned-flanders.rules=seed --target linux/amd64 --target darwin/arm64`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = defaultSuite
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "a plugin to make: "+strings.Join(strategy.Names(), ", ")+" (repeatable)")
	f.BoolVar(&o.all, "all", false, "make every plugin")
	f.StringVar(&o.marketplace, "marketplace", "", "name of the marketplace (default: the directory's name)")
	f.StringVar(&o.owner, "owner", "", `owner of the marketplace, "Name" or "Name <email>" (default: from git config)`)
	f.StringArrayVar(&o.targets, "target", nil, "machine to compile for, os/arch (repeatable; default: this one)")
	f.StringArrayVar(&o.set, "set", nil, "setting of a plugin, plugin.key=value (repeatable)")
	f.BoolVar(&o.noGit, "no-git", false, "do not make the suite a git repository")
	f.BoolVarP(&o.yes, "yes", "y", false, "take the defaults for all that is not given, ask nothing")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the files, write nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	cmd.MarkFlagsMutuallyExclusive("strategy", "all")
	return cmd
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	dir := o.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.work, dir)
	}
	suite, err := generator.Existing(dir)
	if err != nil {
		return err
	}
	var spec generator.Spec
	if suite != nil {
		spec, err = o.again(dir, suite.Spec)
	} else {
		spec, err = a.answers(ctx, o, dir)
	}
	if err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if o.dryRun {
		return a.previewInit(o, dir, spec)
	}

	built, err := a.toolchain().Build(ctx, spec.Targets)
	if err != nil {
		return err
	}
	files, err := generator.Render(spec, built)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	outcome, kept, err := generator.Write(dir, files)
	if err != nil {
		return err
	}
	for _, file := range kept {
		a.talk("springfield: note: kept as you have edited it: %s", filepath.Join(dir, filepath.FromSlash(file)))
	}
	if outcome == generator.Created && !o.noGit {
		a.gitInit(ctx, dir)
	}
	next := "springfield enable " + spec.Plugins[0].Name
	places, err := a.places()
	if err == nil {
		err = installer.RememberSuite(places, dir)
	}
	if err != nil {
		next += " --suite " + dir
		a.talk("springfield: note: this suite is not remembered, so enable needs --suite: %v", err)
	}
	return a.reportInit(o, dir, spec, built, outcome, next)
}

// answers come from flags, and from a person where there is one to ask.
func (a *app) answers(ctx context.Context, o initOptions, dir string) (generator.Spec, error) {
	spec, err := o.spec(dir, a.gitOwner(ctx))
	if err != nil {
		return generator.Spec{}, err
	}
	if a.terminal && !o.yes {
		return spec, o.interview(a.newPrompter(), &spec, dir)
	}
	if len(spec.Plugins) == 0 {
		return generator.Spec{}, &usageError{errors.New("no strategy chosen, and nobody to ask"), "pass --strategy NAME, --all, or --yes for the default"}
	}
	return spec, nil
}

// again takes the answers that a suite was made from. Targets can be named
// anew; other flags must say what it was made with, because its files have it.
func (o initOptions) again(dir string, made generator.Spec) (generator.Spec, error) {
	asked, err := o.spec(dir, made.Owner)
	if err != nil {
		return generator.Spec{}, err
	}
	spec := made
	if len(o.targets) > 0 {
		spec.Targets = asked.Targets
	}
	differs := func(flag, has string) error {
		return &generator.SpecError{Field: "--" + flag, Problem: fmt.Sprintf("%s was made with %s", dir, has), Hint: "leave the flag out to complete that suite, or name another directory"}
	}
	if o.marketplace != "" && o.marketplace != made.Marketplace {
		return spec, differs("marketplace", made.Marketplace)
	}
	if o.owner != "" && asked.Owner != made.Owner {
		return spec, differs("owner", formatOwner(made.Owner))
	}
	if len(o.strategies) > 0 || o.all {
		for _, p := range asked.Plugins {
			if !slices.ContainsFunc(made.Plugins, func(m generator.Plugin) bool { return m.Name == p.Name }) {
				return spec, differs("strategy", "other plugins")
			}
		}
	}
	for _, text := range o.set {
		name, rest, _ := strings.Cut(text, ".")
		key, value, _ := strings.Cut(rest, "=")
		for _, p := range made.Plugins {
			if p.Name == name && p.Settings[key] != value {
				return spec, differs("set", name+"."+key+"="+p.Settings[key])
			}
		}
	}
	return spec, nil
}

// spec makes what the flags say into a spec; what they leave open gets its
// default, except the plugins, which the interview or --yes chooses.
func (o initOptions) spec(dir string, owner generator.Owner) (generator.Spec, error) {
	spec := generator.Spec{Marketplace: o.marketplace, Owner: owner}
	if o.marketplace == "" {
		spec.Marketplace = generator.Slug(filepath.Base(dir))
	}
	if o.owner != "" {
		var err error
		if spec.Owner, err = parseOwner(o.owner); err != nil {
			return generator.Spec{}, err
		}
	}
	for _, text := range o.targets {
		t, err := generator.ParseTarget(text)
		if err != nil {
			return generator.Spec{}, err
		}
		spec.Targets = append(spec.Targets, t)
	}
	if len(spec.Targets) == 0 {
		spec.Targets = []generator.Target{{OS: runtime.GOOS, Arch: runtime.GOARCH}}
	}
	names := o.strategies
	if o.all {
		names = strategy.Names()
	} else if len(names) == 0 && o.yes {
		names = []string{"ned-flanders"}
	}
	for _, name := range names {
		p, err := newPlugin(name)
		if err != nil {
			return generator.Spec{}, err
		}
		spec.Plugins = append(spec.Plugins, p)
	}
	return spec, o.applySettings(&spec, len(names) == 0)
}

// newPlugin is a plugin with its strategy's name and default settings.
func newPlugin(name string) (generator.Plugin, error) {
	about, err := generator.ReadAbout(name)
	if err != nil {
		return generator.Plugin{}, &generator.SpecError{
			Field: "strategy", Problem: fmt.Sprintf("there is none called %q", name), Hint: "there is " + strings.Join(strategy.Names(), ", "),
		}
	}
	return generator.Plugin{Name: name, Strategy: name, Version: generator.FirstVersion, Settings: about.Defaults()}, nil
}

// applySettings puts --set into the plugins. Before the interview has chosen
// them a setting may name a plugin that is not there yet.
func (o initOptions) applySettings(spec *generator.Spec, early bool) error {
	for _, text := range o.set {
		name, rest, dot := strings.Cut(text, ".")
		key, value, equals := strings.Cut(rest, "=")
		if !dot || !equals {
			return &usageError{fmt.Errorf("--set %q is not plugin.key=value", text), "for instance --set ned-flanders.rules=seed"}
		}
		i := slices.IndexFunc(spec.Plugins, func(p generator.Plugin) bool { return p.Name == name })
		switch {
		case i >= 0:
			spec.Plugins[i].Settings[key] = value
		case !early:
			return &usageError{fmt.Errorf("--set %q: no plugin %q is chosen", text, name), "choose it with --strategy " + name}
		}
	}
	return nil
}

// interview asks for what the flags left open.
func (o initOptions) interview(p prompter, spec *generator.Spec, dir string) error {
	if len(spec.Plugins) == 0 {
		var options []option
		for _, name := range strategy.Names() {
			about, err := generator.ReadAbout(name)
			if err != nil {
				return err
			}
			options = append(options, option{name, about.Cost + ", " + about.Summary})
		}
		chosen, err := p.many("Which plugins?", options, []string{"ned-flanders"})
		if err != nil {
			return err
		}
		for _, name := range chosen {
			plugin, err := newPlugin(name)
			if err != nil {
				return err
			}
			spec.Plugins = append(spec.Plugins, plugin)
		}
		if err := o.applySettings(spec, false); err != nil {
			return err
		}
	}
	for _, plugin := range spec.Plugins {
		about, err := generator.ReadAbout(plugin.Strategy)
		if err != nil {
			return err
		}
		for _, q := range about.Questions {
			if o.isSet(plugin.Name + "." + q.Key) {
				continue
			}
			var options []option
			for _, c := range q.Choices {
				options = append(options, option{c.Value, c.Help})
			}
			if plugin.Settings[q.Key], err = p.one(q.Ask, options); err != nil {
				return err
			}
		}
	}
	var err error
	if o.marketplace == "" {
		if spec.Marketplace, err = p.text("Name of the marketplace?", spec.Marketplace, generator.CheckMarketplace); err != nil {
			return err
		}
	}
	if o.owner == "" {
		name, err := p.text("Who owns it?", formatOwner(spec.Owner), func(s string) error {
			_, err := parseOwner(s)
			return err
		})
		if err != nil {
			return err
		}
		if spec.Owner, err = parseOwner(name); err != nil {
			return err
		}
	}
	var names []string
	for _, plugin := range spec.Plugins {
		names = append(names, plugin.Name)
	}
	yes, err := p.confirm(fmt.Sprintf("Make %s with %s?", dir, strings.Join(names, ", ")))
	if err == nil && !yes {
		err = errCancelled
	}
	return err
}

func (o initOptions) isSet(key string) bool {
	return slices.ContainsFunc(o.set, func(s string) bool { return strings.HasPrefix(s, key+"=") })
}

func parseOwner(text string) (generator.Owner, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return generator.Owner{}, &generator.SpecError{Field: "owner", Problem: "no name given", Hint: "pass --owner NAME"}
	}
	if !strings.Contains(text, "<") {
		return generator.Owner{Name: text}, nil
	}
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name == "" {
		return generator.Owner{}, &generator.SpecError{Field: "owner", Problem: fmt.Sprintf("%q is not a name and address", text), Hint: `write it as "Name <name@example.org>"`}
	}
	return generator.Owner{Name: address.Name, Email: address.Address}, nil
}

func formatOwner(o generator.Owner) string {
	if o.Email == "" {
		return o.Name
	}
	return o.Name + " <" + o.Email + ">"
}

// gitOwner is the default owner: git's idea of the user, else the login name.
// Only the name: an address is published, so it has to be given.
func (a *app) gitOwner(ctx context.Context) generator.Owner {
	cmd := exec.CommandContext(ctx, "git", "config", "user.name")
	cmd.Dir = a.work
	if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) != "" {
		return generator.Owner{Name: strings.TrimSpace(string(out))}
	}
	return generator.Owner{Name: a.user}
}

// gitInit makes the suite a repository unless it lies in one. The suite is
// whole without it, so a failure is only mentioned.
func (a *app) gitInit(ctx context.Context, dir string) {
	if repositoryRoot(dir) != "" {
		return
	}
	out, err := exec.CommandContext(ctx, "git", "init", "--quiet", dir).CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		a.talk("springfield: note: there is no git on PATH, so the suite is not a repository")
	case err != nil:
		a.talk("springfield: note: the suite is not a git repository: git init: %s", strings.TrimSpace(string(out)))
	}
}

// repositoryRoot is the repository around a directory, "" if there is none.
func repositoryRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func (a *app) toolchain() generator.Toolchain {
	t := generator.Toolchain{Prebuilt: a.prebuilt, Path: a.path, Home: a.home, GoCache: a.gocache, Talk: a.err}
	if runtime.GOOS == "windows" {
		t.Windows = a.windows
	}
	if a.cache != "" {
		t.Cache = filepath.Join(a.cache, "springfield")
	}
	return t
}

// previewInit lists what would be written; hooks are listed uncompiled.
func (a *app) previewInit(o initOptions, dir string, spec generator.Spec) error {
	var built generator.Build
	for _, t := range spec.Targets {
		built.Binaries = append(built.Binaries, generator.Binary{Target: t})
	}
	files, err := generator.Render(spec, built)
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(f.Path)))
	}
	if o.json {
		return json.NewEncoder(a.out).Encode(struct {
			Files []string `json:"files"`
		}{paths})
	}
	a.say("%s", strings.Join(paths, "\n"))
	return nil
}

func (a *app) reportInit(o initOptions, dir string, spec generator.Spec, built generator.Build, outcome generator.Outcome, next string) error {
	var names []string
	for _, p := range spec.Plugins {
		names = append(names, p.Name)
	}
	if o.json {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Suite       string            `json:"suite"`
			Marketplace string            `json:"marketplace"`
			Plugins     []string          `json:"plugins"`
			Outcome     string            `json:"outcome"` // created, completed or unchanged
			Go          string            `json:"go"`
			SHA256      map[string]string `json:"sha256"`
		}{dir, spec.Marketplace, names, outcome.String(), built.Go, built.SHA256})
	}
	switch outcome {
	case generator.Unchanged:
		a.say("nothing to do: %s is complete", dir)
		return nil
	case generator.Completed:
		a.say("completed %s", dir)
	case generator.Created:
		a.say("made %s, marketplace %s", dir, spec.Marketplace)
	}
	for _, p := range spec.Plugins {
		about, err := generator.ReadAbout(p.Strategy)
		if err != nil {
			return err
		}
		a.say("  %s: %s", p.Name, about.Summary)
	}
	for _, b := range built.Binaries {
		a.say("  hook for %s: %.1f MB, %s", b.Target, float64(len(b.Data))/1e6, built.Go)
	}
	a.say("next: %s", next)
	return nil
}
