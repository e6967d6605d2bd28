package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/inspection"
)

type verifyOptions struct {
	dir    string // "": everything that is on, and springfield itself
	source bool
	json   bool
}

func newVerify(a *app) *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "Check that what runs is what this springfield makes",
		Long: `Compares hooks, byte for byte, with those that this springfield makes: the ones that it
carries compiled, or, where it carries none, compiled now with the go command. Compares
what an agent starts besides, and says what was edited there and what it starts. DIR is
a suite or a plugin. Without it, all plugins that are on are compared, for every agent,
the suite around the current directory, and what springfield carries itself. Nothing in
these directories is run, and nothing is changed.

The exit code is 0 if everything is what this springfield makes, 1 if something is not,
and 3 if springfield cannot tell: a hook of another version of springfield or of Go.`,
		Example: `  springfield verify
  springfield verify ~/continuation-hooks
  springfield verify ~/.claude/plugins/cache/springfield/ned-flanders/0.1.0
  springfield verify --source`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runVerify(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.source, "source", false, "compile what is compared, even if springfield carries it; needs Go")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

// unsureError says that something could not be verified, and is not known to be wrong.
type unsureError struct{ error }

func (e *unsureError) Unwrap() error { return e.error }

func runVerify(ctx context.Context, a *app, o verifyOptions) error {
	v := generator.Verifier{Toolchain: a.toolchain(), FromSource: o.source}
	subjects, err := a.toVerify(o.dir)
	if err != nil {
		return err
	}
	all, err := v.Verify(ctx, subjects)
	if err != nil {
		return err
	}
	if o.dir == "" {
		own, err := v.VerifyCarried(ctx)
		if err != nil {
			return err
		}
		own.Check = "programs"
		all = slices.Insert(all, 0, generator.Verified{Name: "springfield", Found: []check.Finding{own}})
	}
	return a.reportVerified(all, o, len(subjects))
}

// toVerify are the plugins of a directory, or without one all that are on and those of the suite
// around the working directory.
func (a *app) toVerify(dir string) ([]generator.Subject, error) {
	if dir != "" {
		dir, _, err := a.typed(dir)
		if err != nil {
			return nil, err
		}
		all, err := generator.Subjects(dir)
		if errors.Is(err, generator.ErrNoSuite) {
			err = &hinted{fmt.Errorf("%s is neither a suite nor a plugin of springfield's", dir), "springfield verify, without a directory, compares every plugin that is on"}
		}
		return all, err
	}
	var all []generator.Subject
	if around, err := generator.FindSuite(a.work); err == nil {
		if all, err = generator.Subjects(around); err != nil {
			return nil, err
		}
	}
	places, err := a.places()
	if err != nil {
		return nil, err
	}
	in, err := inspection.Inspect(a.inspection(places))
	if err != nil {
		return nil, err
	}
	chosen, err := a.toShow(nil)
	if err != nil {
		return nil, err
	}
	for _, s := range in.Running(chosen) {
		if !slices.ContainsFunc(all, func(has generator.Subject) bool { return folder.Same(has.Dir, s.Dir) }) {
			all = append(all, s)
		}
	}
	return all, nil
}

func (a *app) reportVerified(all []generator.Verified, o verifyOptions, plugins int) error {
	var found []check.Finding
	for _, one := range all {
		found = append(found, one.Found...)
	}
	wrong, unsure := check.Count(found, check.Failure), check.Count(found, check.Warning)
	verdict := "verified"
	switch {
	case wrong > 0:
		verdict = "different"
	case unsure > 0:
		verdict = "unknown"
	}
	if o.json {
		if err := a.encode(struct {
			Verdict  string               `json:"verdict"`
			Verified []generator.Verified `json:"verified"`
		}{verdict, all}); err != nil {
			return err
		}
	} else {
		for _, one := range all {
			a.say("%s", strings.TrimSpace(one.Name+"  "+one.Dir))
			a.printFindings(one.Found)
		}
		if plugins == 0 {
			a.say("no springfield plugin is on")
		}
	}
	switch {
	case wrong > 0:
		return hintBeside(fmt.Errorf("%s from what this springfield makes", count(wrong, "difference")), found, check.Failure)
	case unsure > 0:
		return &unsureError{hintBeside(fmt.Errorf("%s may be of another springfield, or of another Go", count(unsure, "file")), found, check.Warning)}
	}
	return nil
}
