package main

import (
	"cmp"
	"context"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

type buildOptions struct {
	targets []string
	builder generator.Builder
	json    bool
}

func newBuild(a *app) *cobra.Command {
	var o buildOptions
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Compile the hook into every plugin of a suite",
		Long: `Also compiles the judge of a plugin that asks a model, and deletes programs for
targets that were removed. Only programs and their record in ` + generator.SuiteFile + ` change. DIR defaults to the
suite around the current directory.

Unless springfield is a release with compiled hooks, this needs Go, but no network.`,
		Example: `  springfield build ~/hooks --target linux/amd64 --target darwin/arm64`,
		Args:    arguments(0, 1, "at most one directory"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runBuild(cmd.Context(), a, cmp.Or(args...), o) },
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.targets, "target", nil, "target of this build and later ones (repeatable; default: the suite's)")
	f.StringVar((*string)(&o.builder), "builder", string(generator.Auto), "where the hooks come from: auto, go or prebuilt")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// runBuild builds the suite in dir ("" for the one around the working directory).
func runBuild(ctx context.Context, a *app, dir string, o buildOptions) error {
	all := []string{string(generator.Auto), string(generator.WithGo), string(generator.Prepared)}
	if typed := string(o.builder); !slices.Contains(all, typed) {
		return check.Misusef(check.HintAtNames(typed, "--builder ", all, ""), "--builder cannot be %q", typed)
	}
	dir, suite, err := a.suiteIn(dir)
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
	tools := a.toolchain()
	tools.Builder = o.builder
	files, built, err := tools.MakeSuite(ctx, suite.Spec)
	if err != nil {
		return err
	}
	var plan generator.Plan
	makePlan := func() (journal.Change, error) {
		if plan, err = generator.MakePlan(dir, generator.Building, files); err != nil {
			err = check.Advise(err, "run springfield init "+check.QuoteArgument(dir)+" to add the missing files")
		}
		return plan.Change, err
	}
	if _, err := settings.Journal(a.places).PlanAndApply(makePlan); err != nil {
		return a.hintChange(err, "build")
	}
	return a.reportBuild(o, dir, suite, built, plan)
}

func (s *streams) reportBuild(o buildOptions, dir string, suiteBefore generator.Suite, built generator.Build, p generator.Plan) error {
	removed := p.Paths(generator.Removed)
	if before := suiteBefore.Build; before.Go != "" && before.Go != built.Go {
		s.talk("springfield: note: the hooks were compiled with %s before and with %s now, so their bytes differ",
			before.Go, built.Go)
	}
	s.adviseBump(!p.IsEmpty() && suiteBefore.Publish != nil)
	outcome := "unchanged"
	if !p.IsEmpty() {
		outcome = "built"
	}
	if o.json {
		return s.printJSON(struct {
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
		s.say("nothing to do: %s already has the same hooks", dir)
		return nil
	}
	how := "hooks compiled here with " + built.Go
	if built.Builder == generator.Prepared {
		how = "hooks from this release, compiled with " + built.Go
	}
	s.say("built %s: %s, %s", dir, countOf(len(suiteBefore.Plugins), "plugin"), how)
	var rows [][]string
	for _, b := range built.Binaries {
		rows = append(rows, []string{b.Program.ShortName(), b.Target.String(), megabytes(len(b.Data))})
	}
	s.resultPrinter().PrintTable("  ", rows)
	s.sayLines("removed ", check.NamesOf(removed, filepath.FromSlash), "")
	return nil
}

// adviseBump prints, if outdates is set (the suite is published and has changed), that installed copies get the change
// only with a new version.
func (s *streams) adviseBump(outdates bool) {
	if outdates {
		s.talk("springfield: note: copies installed from a git repository get this only with a new version: run springfield publish --bump patch")
	}
}

// showCompiling displays progress until done is called. step shows the current action.
func (s *streams) showCompiling() (step func(does string), done func()) {
	if !s.progress || s.plain {
		return func(does string) { s.talk("%s", does) }, func() {}
	}
	return s.showStep, s.showWorking("looking for compiled hooks")
}

func (a *app) toolchain() generator.Toolchain {
	t := generator.Toolchain{
		Prebuilt: a.prebuilt, Go: a.findProgram("go"), Path: a.getenv("PATH"), Home: a.home,
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
