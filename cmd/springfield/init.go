package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

const defaultSuite = "continuation-hooks" // without DIR

type initOptions struct {
	*app

	dir         string
	strategies  []string
	all         bool
	marketplace string
	owner       string
	targets     []string
	set         []string
	memory      string
	yes         bool
	dryRun      bool
	json        bool
}

func newInit(a *app) *cobra.Command {
	o := initOptions{app: a}
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a suite of your own plugins, with compiled hooks",
		Long: `A suite is a directory of plugins that is also a marketplace. Make one for your
own rules or to publish; to use a plugin, springfield enable is enough. DIR defaults to ./` + defaultSuite + `. At a
terminal, init asks for everything that no flag sets. springfield undo removes the suite.

If DIR has a ` + generator.SuiteFile + `, init reads the answers from it, adds missing files and keeps your
edits. For example:

  marketplace: evergreen-terrace
  owner: {name: Ned Flanders}
  targets: [linux/amd64, darwin/arm64]
  plugins:
    - {name: ned-flanders, strategy: ned-flanders}
    - {name: left-handed, strategy: ned-flanders, settings: {rules: seed}}`,
		Example: `  springfield init ~/hooks --yes --memory ~/.claude/CLAUDE.md
  springfield init hooks --strategy ned-flanders --set ned-flanders.rules=seed
  springfield init everything --all --dry-run`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir = defaultSuite; len(args) == 1 {
				o.dir = args[0]
			}
			return runInit(cmd.Context(), o)
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.strategies, "strategy", nil, "strategy of a plugin (repeatable; default: "+registry.Default()+")")
	f.BoolVar(&o.all, "all", false, "make every plugin")
	f.StringVar(&o.marketplace, "marketplace", "", "name (default: the directory's, with a number if it is taken)")
	f.StringVar(&o.owner, "owner", "", `"Name" or "Name <email>" (default: from git config)`)
	f.StringArrayVar(&o.targets, "target", nil, "machine to compile for (repeatable; default: this one)")
	f.StringArrayVar(&o.set, "set", nil, "setting of a plugin, PLUGIN.KEY=VALUE (repeatable)")
	f.StringVar(&o.memory, "memory", "", "file to append a paragraph about the suite to, such as CLAUDE.md")
	f.BoolVarP(&o.yes, "yes", "y", false, "ask no questions, use the defaults")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the files, write nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.Bool("no-git", true, "no effect; for scripts from when init made a git repository")
	_ = f.MarkHidden("no-git")
	return cmd
}

func runInit(ctx context.Context, o initOptions) error {
	if o.all && len(o.strategies) > 0 {
		return check.Misuse(errors.New("--strategy and --all cannot be used together"), "omit --strategy: --all makes every plugin")
	}
	dir, _, err := o.pathResolver().Absolute(o.dir)
	if err != nil {
		return err
	}
	suite, err := generator.ReadSuiteIfAny(dir)
	if err != nil {
		return err
	}
	spec, set, err := o.answersInFlags()
	if err != nil {
		return err
	}
	if suite != nil {
		spec, err = generator.MatchAnswers(dir, suite.Spec, spec, set)
	} else {
		spec, err = o.newSpec(ctx, dir, spec, set)
	}
	if err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if _, err := o.planMemoryNote(spec); err != nil { // before it compiles
		return err
	}
	m, built := making{initOptions: o, dir: dir, spec: spec}, generator.Unbuilt(spec.Targets, spec.Programs())
	if o.dryRun && suite == nil {
		m.files, err = generator.RenderSuite(spec, built)
	} else { // a dry run compares an existing suite with new hooks, too
		m.files, built, err = o.toolchain().MakeSuite(ctx, spec)
	}
	if err != nil {
		return err
	}
	if o.dryRun {
		if _, err := m.setPlans(); err != nil {
			return o.hintChange(err, "init")
		}
		return m.preview()
	}
	if _, err := settings.Journal(o.places).PlanAndApply(m.setPlans); err != nil {
		return o.hintChange(err, "init")
	}
	return m.report(built)
}

// answersInFlags returns the answers in flags. bySet is not checked yet.
func (o initOptions) answersInFlags() (said generator.Spec, bySet generator.Settings, err error) {
	said.Marketplace = o.marketplace
	if o.owner != "" {
		if said.Owner, err = generator.ParseOwner(o.owner); err != nil {
			return said, nil, err
		}
	}
	if said.Targets, err = generator.ParseTargets(o.targets); err != nil {
		return said, nil, err
	}
	names := o.strategies
	if o.all {
		names = registry.StrategyNames()
	}
	for _, name := range names {
		if _, err := generator.NewPlugin(name, name, nil); err != nil {
			return said, nil, err
		}
		said.Plugins = append(said.Plugins, generator.Plugin{Name: name, Strategy: name})
	}
	bySet, err = generator.ParseSetFlags(o.set)
	return said, bySet, err
}

// newSpec returns a new suite's spec. Answers missing from said are asked for or set to defaults. Missing plugins are
// an error with neither a terminal nor --yes.
func (o initOptions) newSpec(
	ctx context.Context, dir string, said generator.Spec, set generator.Settings,
) (generator.Spec, error) {
	none := generator.Spec{}
	if said.Marketplace != "" {
		if err := o.checkMarketplaceName(said.Marketplace, dir); err != nil {
			return none, err
		}
	}
	if err := set.CheckSettings(said.Plugins); err != nil {
		return none, err
	}
	defaults := o.defaultSpec(ctx)
	defaults.Marketplace = generator.MarketplaceSlug(filepath.Base(dir))
	var taken error
	defaults.Marketplace, taken = o.means().FreeMarketplace(defaults.Marketplace, dir)
	switch {
	case o.terminal && !o.yes:
		var err error
		if said, err = o.interview(ctx, dir, interview.Suite{Said: said, Settings: set, Defaults: defaults}); err != nil {
			return none, err
		}
	case len(said.Plugins) == 0 && !o.yes:
		return none, check.Misuse(errors.New("no strategy was chosen, and springfield asks only at a terminal, without --plain or TERM=dumb"),
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
		o.talk("springfield: note: %v, so this one is %s", taken, spec.Marketplace)
	}
	return spec, o.checkMarketplaceName(spec.Marketplace, dir)
}

// defaultSpec returns a spec for this machine, without marketplace, plugins or email address.
func (e *environment) defaultSpec(ctx context.Context) generator.Spec {
	return generator.Spec{
		Owner: generator.Owner{Name: cmp.Or(e.gitOfProcess().UserName(ctx, e.work), e.user)}, Targets: []generator.Target{generator.HostTarget()},
	}
}

// interview asks at the terminal for the answers that s.Said lacks, and returns all. Callers set only Said, Settings
// and Defaults of s. If the user declines, it returns ErrCancelled.
func (o initOptions) interview(ctx context.Context, dir string, s interview.Suite) (generator.Spec, error) {
	s.Asker, s.Out, s.Preset = o.newAsker(ctx), o.err, registry.Default()
	s.CheckMarketplace = func(name string) error { return o.checkMarketplaceName(name, dir) }
	if !o.dryRun {
		s.Facts = [][]string{{"suite", dir}}
		if o.memory != "" {
			s.Facts = append(s.Facts, []string{"paragraph in", rooted.PathFrom(o.work, o.memory)})
		}
	}
	s.Note("A suite of plugins in " + o.notePrinter().ShortPath(dir) + ".\nNothing is written before you answer the last question; press Ctrl-C to quit.\n\n")
	return s.AskForSuite()
}

// checkMarketplaceName returns an error if Claude Code rejects the name or another marketplace has it.
func (o initOptions) checkMarketplaceName(name, suiteDir string) error {
	if err := generator.CheckMarketplace(name); err != nil {
		return err
	}
	if free, err := o.means().FreeMarketplace(name, suiteDir); err != nil {
		return check.Advise(err, "choose another name, such as --marketplace "+free)
	}
	return nil
}

type making struct {
	initOptions
	dir   string // absolute
	spec  generator.Spec
	files []generator.File

	suite     generator.Plan
	paragraph journal.Edit
}

// setPlans plans the suite and the memory paragraph in m, and returns both as one change. It writes no file.
func (m *making) setPlans() (journal.Change, error) {
	var err error
	if m.suite, err = generator.MakePlan(m.dir, generator.Completing, m.files); err != nil {
		return journal.Change{}, err
	}
	c := m.suite.Change
	if m.paragraph, err = m.planMemoryNote(m.spec); err != nil {
		return journal.Change{}, err
	}
	var list journal.Edit
	// The default directory might be from a cloned project.
	if m.suite.Fresh || m.initOptions.dir != defaultSuite {
		list, err = settings.PlanAddSuite(m.places, m.dir)
	}
	if err != nil {
		m.talk("springfield: note: the location of this suite could not be recorded, so enable needs --suite: %v", err)
	}
	if c.Edits = append(c.Edits, list, m.paragraph); m.suite.IsEmpty() && m.paragraph.Changes() {
		c.Did, c.Kind = "append a paragraph about "+m.spec.Marketplace+" to "+m.paragraph.Path, "text"
	}
	return c, nil
}

// preview prints a dry run's result. setPlans has run.
func (m *making) preview() error {
	files := m.suite.Paths(generator.Added, generator.Rebuilt, generator.Followed)
	paths := check.NamesOf(files, func(file string) string { return filepath.Join(m.dir, filepath.FromSlash(file)) })
	diff := journal.Change{Edits: []journal.Edit{m.paragraph}}.Diff()
	if m.json {
		return m.printJSON(struct {
			Files []string `json:"files"`
			Diff  string   `json:"diff"` // of the memory file, "" if it would not change
		}{paths, diff})
	}
	if len(paths) == 0 && diff == "" {
		m.say("nothing to do: %s is complete and has the same hooks", m.dir)
	}
	for _, path := range paths {
		m.say("%s", path)
	}
	m.resultPrinter().PrintDiff(diff)
	return nil
}

// report prints the result. Call setPlans and apply its change first.
func (m *making) report(built generator.Build) error {
	for _, file := range m.suite.Paths(generator.Kept) {
		m.talk("springfield: note: kept your edits in %s", filepath.Join(m.dir, filepath.FromSlash(file)))
	}
	memory := ""
	if m.paragraph.Changes() {
		memory = m.paragraph.Path
	}
	outcome, did := "completed", "completed "+m.dir
	switch {
	case m.suite.IsEmpty():
		outcome, did = "unchanged", "nothing to do: "+m.dir+" is complete and has the same hooks"
	case m.suite.Fresh:
		outcome, did = "created", "made "+m.dir+", marketplace "+m.spec.Marketplace
	}
	if m.json {
		return m.printJSON(struct {
			Suite       string            `json:"suite"`
			Marketplace string            `json:"marketplace"`
			Plugins     []string          `json:"plugins"`
			Outcome     string            `json:"outcome"` // created, completed or unchanged
			Go          string            `json:"go"`
			SHA256      map[string]string `json:"sha256"`
			Judge       map[string]string `json:"judge,omitempty"`
			Memory      string            `json:"memory,omitempty"`
		}{m.dir, m.spec.Marketplace, check.NamesOf(m.spec.Plugins, func(p generator.Plugin) string { return p.Name }), outcome,
			built.Go, built.SHA256, built.Judge, memory})
	}
	m.say("%s", did)
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
			rows = append(rows, []string{b.Program.ShortName(), fmt.Sprintf("for %s, %s, %s", b.Target, megabytes(len(b.Data)), built.Go)})
		}
		m.resultPrinter().PrintTable("  ", rows)
	}
	if memory != "" {
		m.say("  appended a paragraph about the suite to %s", memory)
	}
	m.resultPrinter().PrintNext("springfield enable %s", argsToEnable(m.means(), m.spec.FirstToEnable().Name, m.dir))
	return nil
}

// planMemoryNote plans to append a paragraph to the file that --memory names. Without --memory, the edit is empty.
func (o initOptions) planMemoryNote(spec generator.Spec) (e journal.Edit, err error) {
	if o.memory == "" {
		return e, nil
	}
	file, in, err := o.pathResolver().FilePath(o.memory, true)
	if err != nil {
		return e, err
	}
	text, err := generator.MemoryNote(spec)
	if err != nil {
		return e, err
	}
	e, err = settings.PlanAppendOnce(in, file, text)
	if errors.Is(err, settings.ErrNotText) {
		err = check.Advise(err, "name another file with --memory, or save this one as UTF-8")
	}
	return e, err
}
