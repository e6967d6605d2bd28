package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

type buildOptions struct {
	dir     string // "": the suite around the working directory
	targets []string
	builder string
	json    bool
}

func newBuild(a *app) *cobra.Command {
	var o buildOptions
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Compile the hook into every plugin of a suite",
		Long: `Compiles for the suite in DIR, or around the current directory. A plugin that asks a
model gets the judge too. Only these programs and their record in ` + generator.SuiteFile + `
change; programs for targets that are no longer named are removed. springfield undo
brings back what was there before.

A released springfield carries compiled hooks. Otherwise it compiles the sources that
it carries: that needs Go, but no network.`,
		Example: `  springfield build
  springfield build ~/hooks --target linux/amd64 --target darwin/arm64`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = onlyOne(args)
			return runBuild(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.targets, "target", nil, "machine to compile for, os/arch, from now on (repeatable; default: the suite's own)")
	f.StringVar(&o.builder, "builder", string(generator.Auto), "where hooks come from: auto, go or prebuilt")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runBuild(ctx context.Context, a *app, o buildOptions) error {
	tools := a.toolchain()
	tools.Builder = generator.Builder(o.builder)
	if all := []string{string(generator.Auto), string(generator.WithGo), string(generator.Prepared)}; !slices.Contains(all, o.builder) {
		return check.Misusef(check.HintAtNames(o.builder, "--builder ", all, ""), "--builder cannot be %q", o.builder)
	}
	dir, suite, err := a.suiteIn(o.dir)
	if err != nil {
		return err
	}
	if len(o.targets) > 0 {
		if suite.Targets, err = generator.ParseTargets(o.targets); err != nil {
			return err
		}
		if err := suite.Validate(); err != nil {
			return err
		}
	}
	files, built, err := tools.MakeSuite(ctx, suite.Spec)
	if err != nil {
		return err
	}
	var plan generator.Plan
	makePlan := func() (journal.Change, error) {
		if plan, err = generator.MakePlan(dir, generator.Building, files); err != nil {
			err = check.Advise(err, "springfield init "+check.QuoteArgument(dir)+" adds what is missing")
		}
		return plan.Change, err
	}
	if err := a.carryOut(makePlan); err != nil {
		return hintChange(err, "build")
	}
	return a.reportBuild(o, dir, suite, built, plan)
}

// suiteDir is the directory that is named, "" for the suite around the working
// directory.
func (e *environment) suiteDir(dir string) (string, error) {
	if dir == "" {
		around, err := generator.FindSuite(e.work)
		if err != nil {
			return "", check.Advise(fmt.Errorf("no suite in %s or above it", e.work), e.howToName())
		}
		return around, nil
	}
	beside, name := filepath.Split(filepath.Clean(dir))
	dir, _, err := e.typedPaths().Absolute(dir)
	if err == nil && rooted.IsMissing(dir) {
		suites, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", generator.SuiteFile))
		names := check.NamesOf(suites, func(file string) string { return filepath.Base(filepath.Dir(file)) })
		if near := check.HintAtNames(name, beside, names, "none"); near != "none" {
			return "", check.Advisef(near, "%s: %w", dir, generator.ErrNoSuite)
		}
	}
	return dir, err
}

func (e *environment) howToName() string {
	var known []string
	if e.findPlaces() == nil {
		known, _, _ = settings.KnownSuites(e.places) // what cannot be read offers nothing
	}
	if len(known) == 0 {
		return "springfield init makes one; then name its directory"
	}
	return "name the directory of one: " + strings.Join(check.NamesOf(known, check.QuoteArgument), ", ")
}

func (e *environment) suiteIn(dir string) (string, generator.Suite, error) {
	dir, err := e.suiteDir(dir)
	if err != nil {
		return "", generator.Suite{}, err
	}
	suite, err := generator.ReadSuite(dir)
	return dir, suite, err
}

func (a *app) reportBuild(o buildOptions, dir string, suite generator.Suite, built generator.Build, p generator.Plan) error {
	removed := p.Paths(generator.Removed)
	if before := suite.Build; before.Go != "" && before.Go != built.Go {
		a.talk("springfield: note: the hooks were compiled with %s before and with %s now, so their bytes differ",
			before.Go, built.Go)
	}
	a.noteVersion(!p.IsEmpty() && suite.Publish != nil)
	outcome := "unchanged"
	if !p.IsEmpty() {
		outcome = "built"
	}
	if o.json {
		return a.printJSON(struct {
			Suite   string            `json:"suite"`
			Outcome string            `json:"outcome"`
			Builder generator.Builder `json:"builder"`
			Go      string            `json:"go"`
			SHA256  map[string]string `json:"sha256"`
			Judge   map[string]string `json:"judge,omitempty"`
			Changed []string          `json:"changed"`
			Removed []string          `json:"removed"`
		}{dir, outcome, built.Builder, built.Go, built.SHA256, built.Judge,
			nonNil(p.Paths(generator.Rebuilt, generator.Followed)), nonNil(removed)})
	}
	if p.IsEmpty() {
		a.say("nothing to do: the hooks in %s are up to date", dir)
		return nil
	}
	how := "compiled here with " + built.Go
	if built.Builder == generator.Prepared {
		how = "carried by springfield, compiled with " + built.Go
	}
	a.say("built %s: %s, %s", dir, countOf(len(suite.Plugins), "plugin"), how)
	var rows [][]string
	for _, b := range built.Binaries {
		rows = append(rows, []string{b.Program.ShortName(), b.Target.String(), megabytes(len(b.Data))})
	}
	a.resultPrinter().PrintTable("  ", rows)
	a.sayFiles("removed ", check.NamesOf(removed, filepath.FromSlash), "")
	return nil
}

// noteVersion says, of suites that are published, which clients will not see a change, and what to do about it.
func (s *streams) noteVersion(published bool) {
	if published {
		s.talk("springfield: note: a copy that was installed from a git repository gets this only with a new version: springfield publish --bump patch")
	}
}

// showCompiling shows the progress of a build: on a terminal in one line, else with a package every 4 s.
func (s *streams) showCompiling() (step func(does string), done func()) {
	if !s.progress || s.plain {
		said := time.Now()
		return func(does string) {
			if now := time.Now(); !strings.Contains(does, ": ") || now.Sub(said) >= 4*time.Second {
				s.talk("%s", does)
				said = now
			}
		}, func() {}
	}
	return s.showStep, s.showWorking("looking for compiled hooks")
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
