package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

const defaultSuite = "continuation-hooks" // where init makes a suite when no directory is named

type initOptions struct {
	dir         string
	strategies  []string
	all         bool
	marketplace string
	owner       string
	targets     []string
	set         []string
	memory      string
	noGit       bool
	yes         bool
	dryRun      bool
	json        bool
}

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a suite of your own plugins, with the compiled hook in each",
		Long: `A suite is a directory of plugins that is also a marketplace: for your own rules, and
to publish. To use a plugin, springfield enable is enough. Without DIR it is ./` + defaultSuite + `.
On a terminal springfield asks; every question has a flag. Nothing is written before the last answer, and springfield undo takes
everything back.

Where DIR has a ` + generator.SuiteFile + `, that has the answers: init makes what is missing, all
of it if need be, and keeps your edits. Such a file says at least:

  marketplace: evergreen-terrace
  owner: {name: Ned Flanders}
  targets: [linux/amd64, darwin/arm64]
  plugins:
    - {name: ned-flanders, strategy: ned-flanders}
    - {name: left-handed, strategy: ned-flanders, settings: {rules: seed}}

Otherwise the defaults are ` + registry.Default() + `, the directory's name as marketplace (with a number
where that is taken), git's user name as owner, this machine as target. Plugins run in every agent.`,
		Example: `  springfield init
  springfield init ~/hooks --yes --memory ~/.claude/CLAUDE.md
  springfield init hooks --strategy ned-flanders --set ned-flanders.rules=seed
  springfield init everything --all --dry-run`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir = defaultSuite; len(args) == 1 {
				o.dir = args[0]
			}
			return runInit(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "a plugin to make: "+strings.Join(registry.StrategyNames(), ", ")+" (repeatable)")
	f.BoolVar(&o.all, "all", false, "make every plugin")
	f.StringVar(&o.marketplace, "marketplace", "", "name of the marketplace (default: the directory's name)")
	f.StringVar(&o.owner, "owner", "", `owner of the marketplace, "Name" or "Name <email>" (default: from git config)`)
	f.StringArrayVar(&o.targets, "target", nil, "machine to compile for, os/arch (repeatable; default: this one)")
	f.StringArrayVar(&o.set, "set", nil, "setting of a plugin, plugin.key=value (repeatable)")
	f.StringVar(&o.memory, "memory", "", "append a paragraph about the suite to this file, such as CLAUDE.md")
	f.BoolVar(&o.noGit, "no-git", false, "do not make the suite a git repository")
	f.BoolVarP(&o.yes, "yes", "y", false, "use the default for everything that is not given, ask nothing")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the files, write nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	if o.all && len(o.strategies) > 0 {
		return check.Misuse(errors.New("--strategy and --all do not go together"), "--all makes every plugin")
	}
	dir, _, err := a.typedPaths().Absolute(o.dir)
	if err != nil {
		return err
	}
	suite, err := generator.Existing(dir)
	if err != nil {
		return err
	}
	spec, err := o.specOfFlags()
	if err != nil {
		return err
	}
	set, err := generator.ParseSettings(o.set)
	if err != nil {
		return err
	}
	if suite != nil {
		spec, err = generator.ReuseAnswers(dir, suite.Spec, spec, set)
	} else {
		spec, err = a.newSpec(ctx, o, dir, spec, set)
	}
	if err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if _, err := a.planParagraph(o.memory, spec); err != nil { // before anything is compiled
		return err
	}
	m, built := making{initOptions: o, dir: dir, spec: spec}, generator.Unbuilt(spec)
	if o.dryRun && suite == nil {
		m.files, err = generator.RenderSuite(spec, built)
	} else { // what a suite lacks is known only beside what would be compiled into it
		m.files, built, err = a.toolchain().MakeSuite(ctx, spec)
	}
	if err != nil {
		return err
	}
	if o.dryRun {
		if _, err := m.planSuite(ctx, a); err != nil {
			return hintChange(err, "init")
		}
		return a.previewInit(o, dir, m.suite.Paths(generator.Added, generator.Rebuilt, generator.Followed), m.paragraph)
	}
	if err := a.carryOut(func() (journal.Change, error) { return m.planSuite(ctx, a) }); err != nil {
		return hintChange(err, "init")
	}
	return a.reportInit(m, built)
}

// specOfFlags are the answers that flags give. --set comes later, because it is about plugins
// that may not be chosen yet.
func (o initOptions) specOfFlags() (said generator.Spec, err error) {
	said.Marketplace = o.marketplace
	if o.owner != "" {
		if said.Owner, err = generator.ParseOwner(o.owner); err != nil {
			return said, err
		}
	}
	if said.Targets, err = generator.ParseTargets(o.targets); err != nil {
		return said, err
	}
	names := o.strategies
	if o.all {
		names = registry.StrategyNames()
	}
	for _, name := range names {
		if _, err := generator.NewPlugin(name, name, nil); err != nil {
			return said, err
		}
		said.Plugins = append(said.Plugins, generator.Plugin{Name: name, Strategy: name})
	}
	return said, nil
}

// newSpec completes what flags say: a person is asked where there is one, else defaults
// hold. Only what to make has none without --yes.
func (a *app) newSpec(ctx context.Context, o initOptions, dir string, said generator.Spec, set generator.Settings) (generator.Spec, error) {
	none := generator.Spec{}
	if said.Marketplace != "" {
		if err := a.checkMarketplace(said.Marketplace, dir); err != nil {
			return none, err
		}
	}
	if err := set.CheckSettings(said.Plugins); err != nil {
		return none, err
	}
	defaults := a.defaultSpec(ctx)
	defaults.Marketplace = generator.MarketplaceSlug(filepath.Base(dir))
	var taken error
	if a.findPlaces() == nil { // else nothing knows a marketplace
		defaults.Marketplace, taken = a.activationMeans().FreeMarketplace(defaults.Marketplace, dir)
	}
	switch {
	case a.terminal && !o.yes:
		var err error
		if said, err = a.interview(ctx, o, dir, interview.Suite{Said: said, Settings: set, Defaults: defaults}); err != nil {
			return none, err
		}
	case len(said.Plugins) == 0 && !o.yes:
		return none, check.Misuse(errors.New("no strategy chosen, and no terminal to ask on"),
			"pass --strategy NAME, --all, or --yes for the default")
	case len(said.Plugins) == 0:
		said.Plugins = []generator.Plugin{{Name: registry.Default(), Strategy: registry.Default()}}
		if err := set.CheckSettings(said.Plugins); err != nil {
			return none, err
		}
	}
	spec, err := said.Complete(defaults, set)
	if err != nil {
		return none, err
	}
	if taken != nil && spec.Marketplace == defaults.Marketplace {
		a.talk("springfield: note: %v, so this one is %s", taken, spec.Marketplace)
	}
	return spec, a.checkMarketplace(spec.Marketplace, dir)
}

// defaultSpec is what a new suite is made from where nothing is said, without marketplace and plugins.
func (a *app) defaultSpec(ctx context.Context) generator.Spec {
	// The default owner is git's idea of the user, else the login name. Only the name: an
	// address is published, so it has to be given.
	owner := generator.Owner{Name: cmp.Or(a.gitOfProcess().UserName(ctx, a.work), a.user)}
	return generator.Spec{Owner: owner, Targets: []generator.Target{generator.HostTarget()}}
}

// interview asks for what is open.
func (a *app) interview(ctx context.Context, o initOptions, dir string, s interview.Suite) (generator.Spec, error) {
	s.Asker, s.Out, s.Preset = a.newAsker(ctx), a.err, registry.Default()
	s.CheckMarketplace = func(name string) error { return a.checkMarketplace(name, dir) }
	if !o.dryRun {
		s.Facts = [][]string{{"suite", dir}}
		if o.memory != "" {
			s.Facts = append(s.Facts, []string{"paragraph in", a.absolutePathOf(o.memory)})
		}
		if !o.noGit && git.RepositoryRoot(dir) == "" {
			s.Facts = append(s.Facts, []string{"git", "a repository of its own"})
		}
	}
	s.Note("A suite of plugins in " + a.notePrinter().ShortPath(dir) + ".\nNothing is written before the last answer; Ctrl-C leaves.\n\n")
	return s.AskForSuite()
}

func (a *app) newAsker(ctx context.Context) interview.Asker {
	return interview.Terminal{In: a.in, Screen: a.screen, Out: a.err, Color: a.shown.colours, Plain: a.plain, Hint: hintOf}.NewAsker(ctx)
}

// checkMarketplace refuses a name that Claude Code would not take, or that it
// knows as something else.
func (a *app) checkMarketplace(name, dir string) error {
	if err := generator.CheckMarketplace(name); err != nil {
		return err
	}
	if a.findPlaces() != nil {
		return nil // then Claude Code knows nothing either
	}
	if err := client.NewSnapshot(a.places).CheckFree(name, dir); err != nil {
		free, _ := a.activationMeans().FreeMarketplace(name, dir)
		return check.Advise(err, "choose another name: --marketplace "+free+" is free")
	}
	return nil
}

// making is what init makes, and what became of it.
type making struct {
	initOptions
	dir   string
	spec  generator.Spec
	files []generator.File

	suite     generator.Plan
	paragraph journal.Edit
}

// planSuite works out one change: the suite, a repository for it, the paragraph about it,
// and its place in the list of suites.
func (m *making) planSuite(ctx context.Context, a *app) (journal.Change, error) {
	var err error
	if m.suite, err = generator.MakePlan(m.dir, generator.Completing, m.files); err != nil {
		return journal.Change{}, err
	}
	c := m.suite.Change
	if m.suite.Fresh && !m.noGit && !m.dryRun {
		c.Edits = append(c.Edits, a.newRepository(ctx, m.dir)...)
	}
	if m.paragraph, err = a.planParagraph(m.memory, m.spec); err != nil {
		return journal.Change{}, err
	}
	var list journal.Edit // of no change after an error, and of a suite that a project may have brought
	if err = a.findPlaces(); err == nil && (m.suite.Fresh || m.initOptions.dir != defaultSuite) {
		list, err = settings.RememberSuite(a.places, m.dir)
	}
	if err != nil {
		a.talk("springfield: note: springfield could not record where this suite is, so enable needs --suite: %v", err)
	}
	if c.Edits = append(c.Edits, list, m.paragraph); m.suite.IsEmpty() && m.paragraph.Changes() {
		c.Did, c.Kind = "append a paragraph about "+m.spec.Marketplace+" to "+m.paragraph.Path, "text"
	}
	return c, nil
}

// absolutePathOf is a path as seen from the working directory.
func (a *app) absolutePathOf(path string) string {
	return rooted.PathFrom(a.work, path)
}

// newRepository makes the suite a repository unless it lies in one: git makes it
// beside the suite, and it comes into being with the suite. The suite is whole without
// it, so a failure is only mentioned.
func (a *app) newRepository(ctx context.Context, dir string) []journal.Edit {
	if git.RepositoryRoot(dir) != "" {
		return nil
	}
	around := rooted.FindAbove(dir, rooted.PathExists) // on the same file system
	aside, err := os.MkdirTemp(around, ".git.springfield-*.tmp")
	if err == nil {
		defer os.RemoveAll(aside)
		err = a.gitOfProcess().InitRepository(ctx, aside)
	}
	var edits []journal.Edit
	if err == nil {
		edits, err = journal.CopyTree(filepath.Join(aside, ".git"), dir, filepath.Join(dir, ".git"))
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		a.talk("springfield: note: git was not found, so the suite is not a repository")
	case err != nil:
		a.talk("springfield: note: the suite is not a git repository: %v", err)
		return nil
	}
	return edits
}

func (a *app) gitOfProcess() git.Git { return git.FindGit(a.env, a.work, a.home) }

// showCompiling shows how far a build is: on a terminal in a line that goes again, else with a package
// every few seconds.
func (a *app) showCompiling() (step func(does string), done func()) {
	if !a.shown.shows || a.plain {
		said := time.Now()
		return func(does string) {
			if now := time.Now(); !strings.Contains(does, ": ") || now.Sub(said) >= 4*time.Second {
				a.talk("%s", does)
				said = now
			}
		}, func() {}
	}
	return a.showStep, a.showWorking("looking for compiled hooks")
}

func (a *app) toolchain() generator.Toolchain {
	t := generator.Toolchain{
		Prebuilt: a.prebuilt, Path: a.getenv("PATH"), Home: a.home,
		GoCache: a.getenv("GOCACHE"), Working: a.showCompiling,
	}
	t.Warn = func(text string) { a.talk("springfield: warning: %s", text) }
	if runtime.GOOS == "windows" {
		for _, key := range []string{"SystemRoot", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"} {
			if value := a.getenv(key); value != "" {
				t.Windows = append(t.Windows, key+"="+value)
			}
		}
	}
	if a.cache != "" {
		t.GoCache = cmp.Or(t.GoCache, filepath.Join(a.cache, "go-build"))
	}
	return t
}

// previewInit lists the files that would be written.
func (a *app) previewInit(o initOptions, dir string, files []string, about journal.Edit) error {
	paths := check.NamesOf(files, func(file string) string { return filepath.Join(dir, filepath.FromSlash(file)) })
	diff := journal.Change{Edits: []journal.Edit{about}}.Diff()
	if o.json {
		return a.printJSON(struct {
			Files []string `json:"files"`
			Diff  string   `json:"diff"` // of the memory file; empty when it would not change
		}{paths, diff})
	}
	if len(paths) == 0 && diff == "" {
		a.say("nothing to do: %s is complete", dir)
	}
	for _, path := range paths {
		a.say("%s", path)
	}
	a.resultPrinter().PrintDiff(diff)
	return nil
}

func (a *app) reportInit(m making, built generator.Build) error {
	for _, file := range m.suite.Paths(generator.Kept) {
		a.talk("springfield: note: kept your edits in %s", filepath.Join(m.dir, filepath.FromSlash(file)))
	}
	told := ""
	if m.paragraph.Changes() {
		told = m.paragraph.Path
	}
	outcome, did := "completed", "completed "+m.dir
	switch {
	case m.suite.IsEmpty():
		outcome, did = "unchanged", "nothing to do: "+m.dir+" is complete"
	case m.suite.Fresh:
		outcome, did = "created", "made "+m.dir+", marketplace "+m.spec.Marketplace
	}
	if m.json {
		return a.printJSON(struct {
			Suite       string            `json:"suite"`
			Marketplace string            `json:"marketplace"`
			Plugins     []string          `json:"plugins"`
			Outcome     string            `json:"outcome"` // created, completed or unchanged
			Go          string            `json:"go"`
			SHA256      map[string]string `json:"sha256"`
			Judge       map[string]string `json:"judge,omitempty"`
			Memory      string            `json:"memory,omitempty"` // the memory file, if it changed
		}{m.dir, m.spec.Marketplace, check.NamesOf(m.spec.Plugins, func(p generator.Plugin) string { return p.Name }), outcome,
			built.Go, built.SHA256, built.Judge, told})
	}
	a.say("%s", did)
	if outcome != "unchanged" {
		var rows [][]string
		for _, p := range m.spec.Plugins {
			about, err := generator.ReadAbout(p.Strategy)
			if err != nil {
				return err
			}
			rows = append(rows, []string{p.Name, about.GoesOn})
		}
		for _, b := range built.Binaries {
			rows = append(rows, []string{b.Program.ShortName(), fmt.Sprintf("for %s, %.1f MB, %s", b.Target, float64(len(b.Data))/1e6, built.Go)})
		}
		a.resultPrinter().PrintTable("  ", rows)
	}
	if told != "" {
		a.say("  appended a paragraph about it to %s", told)
	}
	a.resultPrinter().PrintCommand("springfield enable %s", a.nameToEnable(m.spec.Suggested().Name, m.dir))
	return nil
}

// nameToEnable is what enable takes for a plugin of a suite.
func (a *app) nameToEnable(name, dir string) string {
	_ = a.findPlaces() // without any, nothing is recorded
	all, _ := a.activationMeans().InSuites(name, "")
	i := slices.IndexFunc(all, func(p client.Plugin) bool { return rooted.IsSame(p.Suite, dir) })
	switch {
	case i < 0: // it is not recorded as the user's
		return name + " --suite " + check.QuoteArgument(dir)
	case len(all) > 1: // the bare name would mean several
		return all[i].ID()
	}
	return name
}

// planParagraph works out the paragraph about a suite for a memory file; without a
// file it changes nothing.
func (a *app) planParagraph(file string, spec generator.Spec) (e journal.Edit, err error) {
	if file == "" {
		return e, nil
	}
	file, in, err := a.typedPaths().FilePath(file, true)
	if err != nil {
		return e, err
	}
	text, err := generator.MemoryNote(spec)
	if err != nil {
		return e, err
	}
	e, err = settings.AppendParagraph(in, file, text)
	if errors.Is(err, settings.ErrNotText) {
		err = check.Advise(err, "name another file with --memory, or save this one as UTF-8")
	}
	return e, err
}
