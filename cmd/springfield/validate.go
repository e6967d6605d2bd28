package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/publish"
)

func newValidate(a *app) *cobra.Command {
	var strict, asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Check every file of a suite",
		Long: `Checks files against schemas, names and versions against
` + generator.SuiteFile + `, hooks against their checksums, and rules as the hook reads them. If Claude Code is
installed, also runs claude plugin validate --strict, isolated from your settings. DIR defaults to
the suite around the current directory.`,
		Example: `  springfield validate ~/hooks --strict`,
		Args:    arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runValidate(cmd.Context(), a, cmp.Or(args...), strict, asJSON)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&strict, "strict", false, "also fail on warnings")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runValidate(ctx context.Context, a *app, typed string, strict, asJSON bool) error {
	typed, err := a.suiteDir(typed)
	if err != nil {
		return err
	}
	found, err := generator.Validate(ctx, typed, typed, publish.ClientCheck(a.claudeCommand(), typed, a.sayClientIsAsked))
	if err != nil {
		return err
	}
	if !asJSON {
		a.printFindings(found)
	} else if err := a.printJSON(struct {
		Suite  string          `json:"suite"`
		Checks []check.Finding `json:"checks"`
	}{typed, found}); err != nil {
		return err
	}
	failed, warned := check.CountState(found, check.Failure), check.CountState(found, check.Warning)
	state := check.Failure
	switch {
	case failed > 0:
		err = fmt.Errorf("%s is not valid: %s", typed, countOf(failed, "failure"))
	case warned > 0 && strict:
		state, err = check.Warning, fmt.Errorf("%s has %s, which --strict does not allow", typed, countOf(warned, "warning"))
	default:
		return nil
	}
	if slices.ContainsFunc(found, func(f check.Finding) bool { return f.State == state && f.Fix == "" }) {
		return err
	}
	return check.Advise(err, "see the fix for each above")
}

func (s *streams) sayClientIsAsked(client string) { s.talk("asking %s", client) }
