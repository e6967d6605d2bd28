package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/publish"
)

type validateOptions struct {
	dir    string // "": the suite around the working directory
	strict bool
	json   bool
}

func newValidate(a *app) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Check every file of a suite",
		Long: `Checks the suite in DIR, or around the current directory: every file against its
schema, names and versions against ` + generator.SuiteFile + `, hooks against the recorded
checksums, rules as the hook reads them. If Claude Code is installed, it checks the
suite too (claude plugin validate --strict), away from your settings. Changes
nothing.`,
		Example: `  springfield validate
  springfield validate ~/hooks --strict`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = onlyOne(args)
			return runValidate(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.strict, "strict", false, "fail on warnings too")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runValidate(ctx context.Context, a *app, o validateOptions) error {
	dir, err := a.suiteDir(o.dir)
	if err != nil {
		return err
	}
	found, err := generator.Validate(ctx, dir, dir, publish.ClientCheck(a.claudeCommand(), dir, a.sayClientIsAsked))
	if err != nil {
		return err
	}
	if o.json {
		if err := a.printJSON(struct {
			Suite  string          `json:"suite"`
			Checks []check.Finding `json:"checks"`
		}{dir, found}); err != nil {
			return err
		}
	} else {
		a.printFindings(found)
	}
	failed, warned := check.CountState(found, check.Failure), check.CountState(found, check.Warning)
	switch {
	case failed > 0:
		return hintBeside(fmt.Errorf("%s is not valid: %s", dir, countOf(failed, "failure")), found, check.Failure)
	case warned > 0 && o.strict:
		return hintBeside(fmt.Errorf("%s has %s, and --strict allows none", dir, countOf(warned, "warning")), found,
			check.Warning)
	}
	return nil
}

// hintBeside points at what to do, if that is said beside everything of that state.
func hintBeside(err error, found []check.Finding, state check.State) error {
	if slices.ContainsFunc(found, func(f check.Finding) bool { return f.State == state && f.Fix == "" }) {
		return err
	}
	return check.Advise(err, "the fix is beside each")
}

// sayClientIsAsked says that a client is asked, which takes a while.
func (s *streams) sayClientIsAsked(client string) { s.talk("asking %s", client) }
